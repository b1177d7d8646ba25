"""The published table and pair counts, and tables of scores made up for a case."""

from pathlib import Path

import numpy as np
import pytest
from scipy import special

from audiometry.analysis.gap.scores import Cell, table
from audiometry.files import votes
from audiometry.stats.ranking import coded

REFERENCE = Path(__file__).parents[3] / "examples" / "talk_arena"


@pytest.fixture
def static_scores():
    return REFERENCE / "static_scores.csv"


@pytest.fixture
def talk_arena():
    """The ten published pair counts as votes."""
    return votes.read(REFERENCE / "talk_arena.csv").votes


@pytest.fixture
def drawn():
    """``drawn(merits, each, seed, voters)``: so many votes of every pair of systems s0, s1, …"""

    def make(merits, each=50, seed=0, voters=0, ties=0.0):
        rng, merits = np.random.default_rng(seed), np.asarray(merits, float)
        first, second = np.triu_indices(len(merits), 1)
        a, b = np.repeat(first, each), np.repeat(second, each)
        said = np.where(rng.random(len(a)) < special.expit(merits[a] - merits[b]), "model_a", "model_b")
        said = np.where(rng.random(len(a)) < ties, "tie", said)
        voter = [f"v{n}" for n in rng.integers(0, voters, len(a))] if voters else None
        return coded([f"s{n}" for n in a], [f"s{n}" for n in b], said.tolist(), voter=voter)

    return make


@pytest.fixture
def scored():
    """``scored({"bench": [1, 2, None], …}, category={…})``: a table of systems s0, s1, …"""

    def make(columns, errors=None, category=None, lower=()):
        return table(
            Cell(
                system=f"s{n}",
                benchmark=name,
                score=None if value is None else float(value),
                error=errors,
                category=(category or {}).get(name, ""),
                lower=name in lower,
            )
            for name, values in columns.items()
            for n, value in enumerate(values)
        )

    return make
