"""Measure what the test of letters claims: how often it finds a letter preferred where none is.

    python benchmarks/statistics/letters.py                 every setting, printed as a table
    python benchmarks/statistics/letters.py --replicates 200

Every replicate has a seed of its own, so a setting gives the same figures whatever else is run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from audiometry.stats.homogeneity import homogeneity

SWAPS = 499
Codes = NDArray[np.int64]
Replies = tuple[Codes, Codes, Codes]  # right letter, chosen letter, cluster


def in_every_order(clips: int, kept: float, k: int = 4) -> Callable[[np.random.Generator], Replies]:
    """Each clip is asked with every letter right once; so often the model says the clip's own letter, else is right."""

    def draw(rng: np.random.Generator) -> Replies:
        gold, own = np.tile(np.arange(k), clips), np.repeat(rng.integers(k, size=clips), k)
        return gold, np.where(rng.random(clips * k) < kept, own, gold), np.repeat(np.arange(clips), k)

    return draw


def going_round(n: int, wrong: float, k: int = 4) -> Callable[[np.random.Generator], Replies]:
    """Mistakes are A for B, B for C and so on, the last for the first."""

    def draw(rng: np.random.Generator) -> Replies:
        gold = rng.integers(k, size=n)
        return gold, np.where(rng.random(n) < wrong, (gold + 1) % k, gold), np.arange(n)

    return draw


def guessed(n: int, right: float, shares: tuple[float, ...] = (0.25,) * 4) -> Callable[[np.random.Generator], Replies]:
    """Letters with these shares; what is not known is guessed by them."""

    def draw(rng: np.random.Generator) -> Replies:
        gold, other = (rng.choice(len(shares), n, p=shares) for _ in range(2))
        return gold, np.where(rng.random(n) < right, gold, other), np.arange(n)

    return draw


def round_and_unequal(n: int) -> Callable[[np.random.Generator], Replies]:
    """A is right seven times in ten, and mistakes go round so that each letter is chosen as often."""
    shares = np.array([0.7, 0.1, 0.1, 0.1])

    def draw(rng: np.random.Generator) -> Replies:
        gold = rng.choice(4, n, p=shares)
        return gold, np.where(rng.random(n) < 0.09 / shares[gold], (gold + 1) % 4, gold), np.arange(n)

    return draw


def of_four(clusters: int) -> Callable[[np.random.Generator], Replies]:
    """Clusters of four replies with a letter that the model falls back on half of the time."""

    def draw(rng: np.random.Generator) -> Replies:
        gold, own = rng.integers(4, size=4 * clusters), np.repeat(rng.integers(4, size=clusters), 4)
        return gold, np.where(rng.random(4 * clusters) < 0.5, gold, own), np.repeat(np.arange(clusters), 4)

    return draw


SETTINGS = {
    **{f"{n} clips in all four orders, one letter a clip": in_every_order(n, 1) for n in (8, 10, 12, 15, 40)},
    **{f"{n} clips in all four orders, four times in five its letter": in_every_order(n, 0.8) for n in (8, 10, 15)},
    "10 clips in all five orders, one letter a clip": in_every_order(10, 1, 5),
    **{f"{n} replies, all mistaken in a round": going_round(n, 1) for n in (10, 20, 40, 100)},
    "40 replies, five letters, all mistaken in a round": going_round(40, 1, 5),
    "200 replies, half mistaken in a round": going_round(200, 0.5),
    **{f"{n} replies, guessed": guessed(n, 0.3) for n in (10, 50, 200)},
    "200 replies, A right in .7, mistaken in a round": round_and_unequal(200),
    "50 replies, A right in .7, half guessed": guessed(50, 0.5, (0.7, 0.1, 0.1, 0.1)),
    **{f"{n} clusters of four, half of it one letter": of_four(n) for n in (10, 50)},
}


def rates(draw: Callable[[np.random.Generator], Replies], replicates: int, swaps: int = SWAPS) -> tuple[float, float]:
    """Shares of replicates: p < .05; every interval holds 0."""
    found = []
    for seed in range(replicates):
        one = homogeneity(*draw(np.random.default_rng(seed)), np.random.default_rng(1), swaps=swaps)
        found.append((one.p < 0.05, bool(((one.low <= 0) & (one.high >= 0)).all())))
    rejected, held = np.mean(found, axis=0).tolist()
    return rejected, held


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=500)
    replicates = parser.parse_args().replicates
    print("| nothing is preferred | p < .05, % | all intervals hold 0, % |\n|---|---|---|")
    for name, draw in SETTINGS.items():
        rejected, held = rates(draw, replicates)
        print(f"| {name} | {100 * rejected:.1f} | {100 * held:.1f} |", flush=True)


if __name__ == "__main__":
    main()
