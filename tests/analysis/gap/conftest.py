"""The published table and pair counts, and tables of scores made up for a case."""

from pathlib import Path

import numpy as np
import pytest
from scipy import special

from audiometry.analysis.gap.scores import Cell, table
from audiometry.stats.ranking import coded

REFERENCE = Path(__file__).parents[3] / "examples" / "talk_arena"


@pytest.fixture
def static_scores():
    return REFERENCE / "static_scores.csv"


@pytest.fixture
def talk_arena():
    """The ten published pair counts as votes."""
    pairs = [
        ("DiVA", "GPT-4o", 252, 176, 72),
        ("DiVA", "Gemini-1.5-Pro", 313, 130, 57),
        ("DiVA", "Qwen2-Audio", 322, 103, 75),
        ("GPT-4o", "Gemini-1.5-Pro", 186, 213, 101),
        ("GPT-4o", "Qwen2-Audio", 254, 155, 91),
        ("Gemini-1.5-Pro", "Qwen2-Audio", 255, 171, 74),
        ("Typhoon-Audio", "DiVA", 50, 417, 33),
        ("Typhoon-Audio", "GPT-4o", 19, 447, 34),
        ("Typhoon-Audio", "Gemini-1.5-Pro", 50, 424, 26),
        ("Typhoon-Audio", "Qwen2-Audio", 82, 347, 71),
    ]
    a, b, said = [], [], []
    for one, other, *counts in pairs:
        for label, n in zip(("model_a", "model_b", "tie"), counts, strict=True):
            a, b, said = a + [one] * n, b + [other] * n, said + [label] * n
    return coded(a, b, said)


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
