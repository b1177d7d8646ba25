"""Measure how often null scores are called significant, true effects are found, and intervals hold, in the gap.

    python benchmarks/statistics/gap.py                 every setting, printed as the tables of docs/gap.md
    python benchmarks/statistics/gap.py --replicates 200

Every setting has a seed of its own, so it gives the same figures whatever else is run.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiometry.seeds import generator
from audiometry.stats.permuted import correlation_p, orders
from audiometry.stats.preference.contests import Contests, contests
from audiometry.stats.preference.mixed import fit
from audiometry.stats.preference.plain import plain
from audiometry.stats.preference.together import standardised

Floats = NDArray[np.float64]
LEVEL = 0.05


class World(NamedTuple):
    """Where votes come from."""

    systems: int
    each: int  # votes of a pair
    sigma: float  # spread of the systems' own merits, log odds
    effect: float = 0.0  # of the score
    most: int = 0  # votes of a pair lie between `each` and this; 0: all alike
    voters: int = 0  # 0: each vote is somebody else's
    tau: float = 0.0  # spread of the voters' own weight of the score


def drawn(world: World, rng: np.random.Generator) -> tuple[Contests, Floats]:
    """Votes, and the standardised scores."""
    x = standardised(rng.normal(size=(world.systems, 1)))[:, 0]
    merit = rng.normal(0, world.sigma, world.systems)
    first, second = np.triu_indices(world.systems, 1)
    times = rng.integers(world.each, max(world.each, world.most) + 1, len(first))
    a, b = np.repeat(first, times), np.repeat(second, times)
    voter = rng.integers(0, world.voters, len(a)) if world.voters else None
    weight = world.effect + (0 if voter is None else rng.normal(0, world.tau, world.voters)[voter])
    odds = (x[a] - x[b]) * weight + merit[a] - merit[b]
    won = (rng.random(len(a)) < 1 / (1 + np.exp(-odds))).astype(np.float64)
    return contests(a, b, won, world.systems, voter=voter), x


class Found(NamedTuple):
    """Rates over many samples, and the mean estimate."""

    student: float
    permuted: float
    by_vote: float
    by_pair: float
    holds: float
    effect: float


def simulated(world: World, samples: int, seed: int = 0) -> Found:
    """Hold as many scores against votes."""
    rng, each = generator(seed, "gap", str(world)), orders(world.systems, seed)
    rows = []
    for _ in range(samples):
        votes, x = drawn(world, rng)
        effect = fit(votes, x[:, None], by_voter=True).effects[0]
        merits = fit(votes, np.zeros((world.systems, 0))).merits
        beside = plain(votes, x)
        low, high = effect.interval or (-np.inf, np.inf)
        p = [effect.p, correlation_p(x, merits, each), beside.by_vote.p, beside.by_pair and beside.by_pair.p]
        small = [one is not None and one < LEVEL for one in p]
        rows.append([*small, low <= world.effect <= high, effect.value])
    return Found(*np.mean(np.array(rows, float), axis=0).tolist())


NULL = {
    "5, 500, .6": World(5, 500, 0.6),
    "6, 500, .6": World(6, 500, 0.6),
    "5, 30, .6": World(5, 30, 0.6),
    "6, 100, .2": World(6, 100, 0.2),
    "6, 20 to 200, .6": World(6, 20, 0.6, most=200),
    "8, 100, .6": World(8, 100, 0.6),
    "12, 50, .6": World(12, 50, 0.6),
    "6, 60, .4, 90 voters with tau = .5": World(6, 60, 0.4, voters=90, tau=0.5),
    "6, 60, no merits at all": World(6, 60, 0.0),
}
TRUE = {
    "5, 500, .3, effect .6": World(5, 500, 0.3, 0.6),
    "6, 500, .3, effect .6": World(6, 500, 0.3, 0.6),
    "12, 500, .3, effect .6": World(12, 500, 0.3, 0.6),
    "12, 50, .6, effect .4": World(12, 50, 0.6, 0.4),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1_000)
    replicates = parser.parse_args().replicates
    print(
        "| systems, votes a pair, spread of merits | Student's t | permutation | independent | by pair | holds | mean |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, world in {**NULL, **TRUE}.items():
        found = simulated(world, replicates if world.systems <= 8 else max(1, replicates // 4))
        rates = " | ".join(f"{100 * one:.1f} %" for one in found[:5])
        print(f"| {name} | {rates} | {found.effect:.3f} |", flush=True)


if __name__ == "__main__":
    main()
