"""Time and memory of the statistics: 19,000 items, the size of AIR-Bench's foundation part, and 20,000 labelled clips.

    python benchmarks/performance/stats.py

Prints medians and the peak memory that each call adds (as numpy and Python count it).
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from audiometry.stats.compare import compare
from audiometry.stats.estimate import estimate
from audiometry.stats.f1 import macro_f1
from audiometry.stats.parts import SHARE, Parts, Scale, means, ratio
from audiometry.stats.swaps import swap_test

ITEMS, TASKS, ROUNDS = 19_000, 19, 7
CLUSTERS, CLASSES, SWAPS = 20_000, 7, 9_999


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Median milliseconds and peak megabytes."""
    work()
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return statistics.median(taken) * 1e3, peak / 1e6


def labelled(rng: np.random.Generator, gold: np.ndarray) -> Parts:
    """Labels of one model, a clip an item: 21 sums."""
    said = np.where(rng.random(CLUSTERS) < 0.6, gold, rng.integers(0, CLASSES, CLUSTERS))
    sums, rows = np.zeros((CLUSTERS, 1, 3 * CLASSES)), np.arange(CLUSTERS)
    sums[rows, 0, 3 * gold] = said == gold
    sums[rows, 0, 3 * gold + 1] = 1
    sums[rows, 0, 3 * said + 2] = 1
    return Parts(sums, rows, np.zeros(CLUSTERS, np.int64), np.ones(CLUSTERS))


def shown(what: str, clusters: int, leaves: int, found: tuple[float, float]) -> None:
    """One line."""
    print(f"{what:34}{clusters:>10}{leaves:>8}{found[0]:>10.1f}{found[1]:>8.1f}")


def main() -> None:
    """Measure a share of one and of many tasks, macro F1, and the swaps alone where all clusters differ differently."""
    rng = np.random.default_rng(1)
    right = [(rng.random(ITEMS) < rate).astype(float) for rate in (0.6, 0.58)]
    tasks = rng.integers(0, TASKS, ITEMS)
    print(f"{'':34}{'clusters':>10}{'leaves':>8}{'ms':>10}{'MB':>8}")
    for clusters in (np.arange(ITEMS), rng.integers(0, 5_000, ITEMS)):
        for leaf in (np.zeros(ITEMS, np.int64), tasks):
            a, b = (means(y, clusters, leaf) for y in right)
            leaves, many = int(leaf.max()) + 1, len(np.unique(clusters))
            weights = np.ones(leaves)
            shown("estimate, shares", many, leaves, measured(lambda a=a, w=weights: estimate(a, ratio, w, SHARE)))
            work = lambda a=a, b=b, w=weights: compare(a, b, ratio, w, SHARE, np.random.default_rng(2))  # noqa: E731
            shown("compare, shares", many, leaves, measured(work))
    gold = rng.integers(0, CLASSES, CLUSTERS)
    a, b = labelled(rng, gold), labelled(rng, gold)
    shown("estimate, macro F1", CLUSTERS, 1, measured(lambda: estimate(a, macro_f1, [1], Scale("f1"))))
    work = lambda: compare(a, b, macro_f1, [1], Scale("f1"), np.random.default_rng(2))  # noqa: E731
    shown("compare, macro F1", CLUSTERS, 1, measured(work))
    half = rng.normal(size=(CLUSTERS, 3 * CLASSES))
    middle = 3 * np.abs(half).sum(axis=0)
    apart = lambda x, y: macro_f1(x) - macro_f1(y)  # noqa: E731
    swap = lambda: swap_test(middle, half, apart, rng=np.random.default_rng(2), swaps=SWAPS)  # noqa: E731
    shown(f"{SWAPS} swaps, {3 * CLASSES} sums, all differ", CLUSTERS, 1, measured(swap))


if __name__ == "__main__":
    main()
