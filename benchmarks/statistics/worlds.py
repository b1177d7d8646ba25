"""Simulated runs whose truth is known: what `coverage.py` and the tests measure the statistics on.

A world is one kind of benchmark and one kind of model. Both models of a run are drawn, with the luck of an item often
the same for both: their replies agree more than by chance.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.score.measures.balanced_accuracy import MEASURE
from audiometry.stats.f1 import macro_f1
from audiometry.stats.parts import SHARE, Parts, Scale, Value, means, ratio

SHARED = 0.6  # how often both models meet the same luck with an item, or a clip
JUDGED = {
    "middle": (0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.18, 0.12, 0.07, 0.03),
    "high": (0.01, 0.01, 0.01, 0.01, 0.02, 0.04, 0.1, 0.2, 0.3, 0.3),
    "top": (0.02, 0, 0, 0, 0, 0, 0, 0, 0.03, 0.95),
    "ends": (0.4, 0.1, 0, 0, 0, 0, 0, 0, 0.1, 0.4),
    "five": (0.03, 0, 0, 0, 0.97, 0, 0, 0, 0, 0),
    "seven": (0.03, 0, 0, 0, 0, 0, 0.5, 0.47, 0, 0),
    "eight": (0.05, 0.02, 0.02, 0.02, 0.02, 0.02, 0.1, 0.5, 0.2, 0.05),
    "six": (0.01, 0.02, 0.04, 0.08, 0.14, 0.2, 0.22, 0.17, 0.09, 0.03),
    "nine": (0.02, 0, 0, 0.01, 0, 0.01, 0.04, 0.12, 0.4, 0.4),
}

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class World(msgspec.Struct, frozen=True):
    """One kind of run.

    Attributes:
        measure: what is measured.
        sizes: items of each task.
        clips: ``own`` (an item a clip), ``shared`` (the j-th items of all tasks are of one clip), ``ten`` (of each
            hundred clips of a task, ten have 30 items and the others one), ``few M`` (M items a clip, each task has its
            own), ``over M`` (all items spread by chance over M clips), ``zipf M`` (M clips a task, the k-th has a k-th
            as many items as the first).
        rho: how alike right-or-wrong items of a clip are, their correlation, 0 to 1.
        rate: accuracy: the mean of the tasks' true rates; macro F1, balanced accuracy: of the classes'; WER: errors a
            word.
        gain: how much worse the first model is: rate less (accuracy), share of items scored 1 instead (judged).
        shape: judged: which of `JUDGED`; macro F1, balanced accuracy: classes and ``even``, ``halved`` (each half as
            frequent as the one before) or ``tenths``; WER: ``gamma K`` (clips differ in difficulty, the more the
            smaller K) or ``bursts Q`` (a share Q of clips holds half of all errors).
        weights: of the tasks; empty for alike.
        alike: ``luck`` (an item takes the luck of its clip or its own) or ``beta`` (each clip has a rate of its own).
    """

    measure: Literal["accuracy", "judged", "macro F1", "balanced accuracy", "WER"]
    sizes: tuple[int, ...]
    clips: str = "own"
    rho: float = 0.0
    rate: float = 0.0
    gain: float = 0.0
    shape: str = ""
    weights: tuple[float, ...] = ()
    alike: Literal["luck", "beta"] = "luck"

    @property
    def scale(self) -> Scale:
        """Its measure's."""
        of_classes = {"macro F1": Scale("f1"), "balanced accuracy": Scale("recall")}
        return (of_classes | {"judged": Scale("bounded", 1, 10), "WER": Scale("log")}).get(self.measure, SHARE)

    @property
    def value(self) -> Value:
        """Its measure's."""
        return {"macro F1": macro_f1, "balanced accuracy": MEASURE.value}.get(self.measure, ratio)

    @property
    def tree(self) -> Floats:
        """Weights of the tasks."""
        return np.array(self.weights or (1.0,) * len(self.sizes)) / sum(self.weights or (1.0,) * len(self.sizes))


class Drawn(msgspec.Struct, frozen=True):
    """One simulated run of two models, with the true value of the first and the true difference to the second."""

    a: Parts
    b: Parts
    truth: float
    difference: float


def draw(world: World, rng: np.random.Generator) -> Drawn:
    """One run."""
    leaf = np.repeat(np.arange(len(world.sizes)), world.sizes)
    cluster = _clips(world, leaf, rng)
    if world.measure == "WER":
        return _errors(world, leaf, cluster, rng)
    luck = _luck(world, cluster, rng)
    if world.measure in {"macro F1", "balanced accuracy"}:
        return _labels(world, leaf, cluster, luck)
    if world.measure == "judged":
        odds = np.array(JUDGED[world.shape])
        a, b = (1.0 + np.searchsorted(odds.cumsum(), one).clip(0, 9) for one in luck)
        a = np.where(rng.random(len(a)) < world.gain, 1.0, a)
        mean = float(odds @ np.arange(1, 11))
        lost = world.gain * (mean - 1)
        return Drawn(means(a, cluster, leaf), means(b, cluster, leaf), mean - lost, -lost)
    spread = min(0.02, (1 - world.rate) / 2, (world.rate - world.gain) / 2)
    rates = world.rate + np.linspace(-1, 1, len(world.sizes)) * (spread if len(world.sizes) > 1 else 0.0)
    a, b = ((one < rates[leaf] - lost).astype(float) for one, lost in zip(luck, (world.gain, 0.0), strict=True))
    truth = float(world.tree @ rates) - world.gain
    return Drawn(means(a, cluster, leaf), means(b, cluster, leaf), truth, -world.gain)


def _clips(world: World, leaf: Codes, rng: np.random.Generator) -> Codes:
    kind, _, number = world.clips.partition(" ")
    place = np.concatenate([np.arange(size) for size in world.sizes])
    if kind == "shared":
        return place
    if kind == "over":
        return rng.integers(0, int(number), len(leaf))
    if kind == "zipf":
        share = 1 / np.arange(1, int(number) + 1)
        ends = np.ceil(share.cumsum() / share.sum() * np.array(world.sizes)[:, None])
        return leaf * len(leaf) + (place[:, None] >= ends[leaf]).sum(axis=1)
    if kind == "few":
        return leaf * len(leaf) + place // int(number)
    if kind == "ten":
        hundred = np.repeat(np.arange(100), np.where(np.arange(100) < 10, 30, 1))
        return leaf * len(leaf) + np.concatenate(
            [
                rng.permutation(np.concatenate([hundred + 100 * k for k in range(-(-size // 390))]))[:size]
                for size in world.sizes
            ]
        )
    return np.arange(len(leaf))


def _luck(world: World, cluster: Codes, rng: np.random.Generator) -> list[Floats]:
    """From 0 to 1 for each item and model."""
    _, of = np.unique(cluster, return_inverse=True)
    n, clips = len(of), int(of.max()) + 1

    def both(size: int) -> tuple[Floats, Floats]:
        one, other = rng.random(size), rng.random(size)
        return one, np.where(rng.random(size) < SHARED, one, other)

    if world.alike == "beta" and world.rho > 0:
        sum_of_both = (1 - world.rho) / world.rho
        rates = rng.beta(world.rate * sum_of_both, (1 - world.rate) * sum_of_both, clips)[of]
        return [one - rates + world.rate for one in both(n)]
    taken = rng.random(n) < np.sqrt(world.rho)
    return [np.where(taken, clip[of], own) for clip, own in zip(both(clips), both(n), strict=True)]


def _labels(world: World, leaf: Codes, cluster: Codes, luck: list[Floats]) -> Drawn:
    """Gold is the same in every run; a wrong label is one of the others, some more often than others."""
    fixed = np.random.default_rng(1)
    number, _, sizes = world.shape.partition(" ")
    classes, n = int(number), len(leaf)
    share = {"even": 1.0, "halved": 0.5, "tenths": 0.1}[sizes] ** np.arange(classes)
    count = np.maximum(1, np.floor(n * share / share.sum()).astype(np.int64))
    count[0] += n - count.sum()
    gold = fixed.permutation(np.repeat(np.arange(classes), count))
    right = np.clip(world.rate + np.linspace(0.1, -0.1, classes), 0.02, 0.98)
    odds = np.diag(right)
    for kind in range(classes):
        odds[kind, np.arange(classes) != kind] = (1 - right[kind]) * fixed.dirichlet(np.ones(classes - 1))
    said = [(one[:, None] > odds.cumsum(axis=1)[gold]).sum(axis=1).clip(0, classes - 1) for one in luck]
    expected = odds * count[:, None]
    truth = float((2 * np.diag(expected) / (count + expected.sum(axis=0))).mean())
    columns = np.ones(3 * classes, np.bool_)
    if world.measure == "balanced accuracy":
        truth, columns[2::3] = float(right.mean()), False
    first, second = (Parts(_counts(gold, one, classes)[..., columns], cluster, leaf, np.ones(n)) for one in said)
    return Drawn(first, second, truth, 0.0)


def _counts(gold: Codes, said: Codes, classes: int) -> Floats:
    sums, rows = np.zeros((len(gold), 1, 3 * classes)), np.arange(len(gold))
    sums[rows, 0, 3 * gold] = said == gold
    sums[rows, 0, 3 * gold + 1] = 1
    sums[rows, 0, 3 * said + 2] = 1
    return sums


def _errors(world: World, leaf: Codes, cluster: Codes, rng: np.random.Generator) -> Drawn:
    n = len(leaf)
    kind, _, number = world.shape.partition(" ")
    words = np.maximum(1, rng.lognormal(2.3, 0.6, n).astype(np.int64)).astype(np.float64)
    if kind == "gamma":
        hard = rng.gamma(float(number), 1 / float(number), n)
        errors = [rng.poisson(world.rate * words * hard * rng.gamma(2.0, 0.5, n)) for _ in range(2)]
    else:
        share = float(number)
        errors = [rng.poisson(world.rate / 2 * words * (1 + (rng.random(n) < share) / share)) for _ in range(2)]
    first, second = (
        Parts(np.stack((one.astype(np.float64), words), axis=1)[:, None], cluster, leaf, words) for one in errors
    )
    return Drawn(first, second, world.rate, 0.0)
