"""Measure how often wrong options are said to be preferred where none is.

    python benchmarks/statistics/options.py                 every setting, printed as a table
    python benchmarks/statistics/options.py --replicates 100

Every replicate has a seed of its own, so a setting gives the same figures whatever else is run.
"""

from __future__ import annotations

import argparse

import numpy as np

from audiometry.score.preferences import share

WRONG = 3  # options
SETTINGS = (
    (8, 3, 1.0),
    (20, 3, 1.0),
    (100, 3, 1.0),
    (8, 3, 0.5),
    (50, 3, 0.5),
    (50, 1, 0.0),
    (200, 1, 0.0),
    (644, 3, 0.7),
)
"""Clusters, wrong replies in each, and how many of these take what the cluster's first does."""


def found(clusters: int, each: int, alike: float, looks: int, replicates: int) -> float:
    """How often, in percent, the interval of any of ``looks`` shares leaves out what it is of."""
    n, cluster = np.ones(clusters * each), np.repeat(np.arange(clusters), each)
    times = 0
    for seed in range(replicates):
        rng = np.random.default_rng(seed)
        apart = False
        for _ in range(looks):
            own = rng.random(clusters) < 1 / WRONG
            anew = rng.random((clusters, each)) < 1 / WRONG
            taken = np.where(rng.random((clusters, each)) < alike, own[:, None], anew)
            one = share(taken.ravel().astype(np.float64), n, cluster, 1 - 0.05 / looks)
            apart |= one is not None and not one.interval[0] <= 1 / WRONG <= one.interval[1]
        times += apart
    return 100 * times / replicates


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=400)
    replicates = parser.parse_args().replicates
    print("| wrong replies | a share alone, % | any of two, % | any of five, % |\n|---|---|---|---|")
    for clusters, each, alike in SETTINGS:
        told = (f"{found(clusters, each, alike, looks, replicates):.1f}" for looks in (1, 2, 5))
        print(f"| {clusters} clusters of {each}, {alike:.0%} alike | {' | '.join(told)} |")


if __name__ == "__main__":
    main()
