"""Measure what the score that people would give claims: how often its interval holds the truth, and how wide it is.

    python benchmarks/statistics/prediction_powered.py                 every setting, printed as a table
    python benchmarks/statistics/prediction_powered.py --replicates 200

The truth is the mean of people's scores in the population that items are drawn from. Every setting has a seed of its
own, so it gives the same figure whatever else is run.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from audiometry import seeds
from audiometry.stats.prediction_powered import prediction_powered, sample

SEED = 20_241
LOWEST, HIGHEST = 1.0, 10.0
MANY = 400_000  # items that the truth is counted from
ODDS = {
    "seven": (0.05, 0, 0, 0, 0, 0, 0.5, 0.45, 0, 0),
    "eight": (0.05, 0.02, 0.02, 0.02, 0.02, 0.02, 0.1, 0.5, 0.2, 0.05),
}

Floats = NDArray[np.float64]


class Setting(msgspec.Struct, frozen=True):
    """One kind of study.

    Attributes:
        judge: ``lenient`` (2 above people, up to the top), ``noisy`` (a spread of 2.5 of its own), ``one order`` (9 to
            whatever stands first, its own opinion to what stands second), ``blind`` (any score), ``people's`` (nearly
            always the very score that people give), ``flat`` (8 for everything).
        people: how their scores lie: ``middle``, ``high`` (near the top), ``split`` (mostly 10, else 1), ``seven`` (7
            or 8, of twenty one is 1) or ``eight`` (mostly 8, of all others some).
        clusters: how many have ratings.
        items: in all, an even share of them in each task but for ``tasks`` above 1: the first has most.
        per_cluster: items a cluster; they take half of what varies from it. 0: 1 or, in one cluster of ten, 30.
        tasks: of unequal size and level, averaged alike; clusters span them.
        drawn: ``alike``, or ``propensity``: where the judge is harsh people are asked four times as often.
    """

    judge: str
    people: str = "middle"
    clusters: int = 30
    items: int = 600
    per_cluster: int = 1
    tasks: int = 1
    drawn: str = "alike"


class Study(msgspec.Struct, frozen=True):
    """One simulated study; ``people`` are the scores that they would give to every item."""

    judge: Floats
    people: Floats
    cluster: NDArray[np.int64]
    task: NDArray[np.int64]


def simulate(setting: Setting, n: int, rng: np.random.Generator) -> Study:
    """Draw items, what people would say of them, and what the judge says."""
    if setting.per_cluster:
        cluster = np.arange(n) // setting.per_cluster
    else:
        cluster = np.repeat(np.arange(n), np.where(np.arange(n) % 10 == 0, 30, 1))[:n]
    task = np.minimum(rng.geometric(0.45, n), setting.tasks) - 1 if setting.tasks > 1 else np.zeros(n, np.int64)
    shared = rng.normal(size=int(cluster[-1]) + 1)[cluster] if setting.per_cluster != 1 else 0.0
    luck = np.sqrt(0.5) * shared + np.sqrt(0.5 if setting.per_cluster != 1 else 1.0) * rng.normal(size=n)
    luck += (task - (setting.tasks - 1) / 2) * 0.4
    if setting.people == "split":
        people = np.where(luck < 1.3, HIGHEST, LOWEST)
    elif setting.people in ODDS:
        people = 1.0 + np.searchsorted(np.cumsum(ODDS[setting.people]), norm.cdf(luck)).clip(0, 9)
    else:
        people = _whole({"middle": 5.6, "high": 9.0}[setting.people] + 2.0 * luck)
    return Study(_judged(setting.judge, people, rng), people, cluster, task)


def _whole(scores: Floats) -> Floats:
    return np.clip(np.round(scores), LOWEST, HIGHEST)


def _judged(judge: str, people: Floats, rng: np.random.Generator) -> Floats:
    n = len(people)
    if judge == "lenient":
        return _whole(people + 2 + rng.normal(size=n))
    if judge == "noisy":
        return _whole(people + 2.5 * rng.normal(size=n))
    if judge == "one order":
        return (9.0 + _whole(people + rng.normal(size=n))) / 2
    if judge == "blind":
        return rng.integers(1, 11, n).astype(np.float64)
    if judge == "flat":
        return np.full(n, 8.0)
    return np.where(rng.random(n) < 0.04, _whole(people + rng.normal(0.5, 3, n)), people)


def truth(setting: Setting) -> Floats:
    """What people would say, the mean of each task's population."""
    found = simulate(setting, MANY, seeds.generator(SEED, "truth", str(setting)))
    return np.array([found.people[found.task == task].mean() for task in range(setting.tasks)])


def asked(setting: Setting, study: Study, rng: np.random.Generator) -> tuple[NDArray[np.bool_], Floats | None]:
    """Which items people rate, whole clusters at a time, and with what propensity."""
    n = int(study.cluster[-1]) + 1
    if setting.drawn == "alike":
        chosen = rng.permutation(n) < setting.clusters
        return chosen[study.cluster], None
    harsh = np.bincount(study.cluster, study.judge) / np.bincount(study.cluster) < np.median(study.judge)
    odds = np.where(harsh, 4.0, 1.0)
    odds = np.minimum(1.0, odds * setting.clusters / odds.sum())
    return (rng.random(n) < odds)[study.cluster], odds[study.cluster]


def replicate(setting: Setting, means: Floats, number: int) -> tuple[bool, bool, float, float]:
    """One study: whether the interval holds the truth, whether people's own does, and how wide both are."""
    rng = seeds.generator(SEED, str(setting), str(number))
    study = simulate(setting, setting.items, rng)
    rated, odds = asked(setting, study, rng)
    rated_tasks = np.unique(study.task[rated])  # what nobody rated is left out, of the truth too
    keep, true = np.isin(study.task, rated_tasks), means[rated_tasks].mean()
    of = sample(
        rated[keep],
        study.cluster[keep],
        np.searchsorted(rated_tasks, study.task[keep]),
        np.ones(len(rated_tasks)),
        None if odds is None else odds[keep],
    )
    labels = study.people[keep][rated[keep]]
    powered, alone = (
        prediction_powered(study.judge[keep], labels, of, scale=(LOWEST, HIGHEST), tuning=tuning)
        for tuning in (None, 0.0)
    )
    return (
        powered.low <= true <= powered.high,
        alone.low <= true <= alone.high,
        powered.high - powered.low,
        alone.high - alone.low,
    )


def coverage(setting: Setting, replicates: int) -> tuple[float, float, float, float]:
    """Of the interval, of people's own; the mean width of both."""
    means = truth(setting)
    found = np.array([replicate(setting, means, number) for number in range(replicates)], np.float64)
    covered, covered_alone, width, width_alone = found.mean(axis=0)
    return float(covered), float(covered_alone), float(width), float(width_alone)


SETTINGS = [
    *(Setting(judge, people) for judge in ("lenient", "noisy", "one order") for people in ("middle", "high", "split")),
    *(Setting(judge, people) for judge in ("blind", "flat", "people's") for people in ("middle", "split")),
    *(
        Setting(judge, people, clusters)
        for judge in ("lenient", "noisy", "blind")
        for people, clusters in (("eight", 30), ("eight", 100), ("seven", 60), ("seven", 100))
    ),
    *(Setting(judge, "eight", 60, tasks=3) for judge in ("noisy", "blind")),
    *(Setting(judge, clusters=200, items=1500) for judge in ("lenient", "noisy", "one order")),
    *(Setting(judge, clusters=40, items=900, per_cluster=3) for judge in ("lenient", "noisy", "one order")),
    *(Setting(judge, clusters=60, items=1200, per_cluster=0) for judge in ("lenient", "noisy", "one order")),
    *(Setting(judge, clusters=60, tasks=4) for judge in ("lenient", "noisy", "one order")),
    *(Setting(judge, clusters=60, items=900, per_cluster=3, tasks=4) for judge in ("lenient", "noisy", "one order")),
    *(Setting(judge, clusters=60, drawn="propensity") for judge in ("lenient", "noisy", "one order")),
    *(Setting(judge, clusters=60, tasks=4, drawn="propensity") for judge in ("lenient", "noisy", "one order")),
]


def main() -> None:
    """Print a row a setting."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--replicates", type=int, default=2000, help="studies a setting  [default: 2000]")
    replicates = options.parse_args().replicates
    print("| judge | people | rated clusters | items | items a cluster | tasks | drawn", end=" ")
    print("| holds the truth, % | people alone, % | width | alone |")
    print("|---|---|--:|--:|--:|--:|---|--:|--:|--:|--:|")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for s, found in zip(SETTINGS, pool.map(coverage, SETTINGS, [replicates] * len(SETTINGS)), strict=True):
            first, second, width, alone = found
            print(
                f"| {s.judge} | {s.people} | {s.clusters} | {s.items} | {s.per_cluster} | {s.tasks} | {s.drawn} "
                f"| {100 * first:.1f} | {100 * second:.1f} | {width:.2f} | {alone:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
