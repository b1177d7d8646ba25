"""Intervals by resampling whole clusters, for statistics that are made of sums over clusters.

Kappa, alpha and their like are functions of a few sums (how often equal, how often each value). A resample of the
clusters changes nothing but those sums, and clusters with equal parts are interchangeable, so a resample is one
multinomial draw over the different parts: thousands of resamples of thousands of items take milliseconds. Where
parts are many and all different, clusters are first added up in 400 random groups, which are as independent as
they; that costs nothing but degrees of freedom.

Sources: Efron 1987, Journal of the American Statistical Association 82, 171-185 (BCa); Hesterberg 2015, The American
Statistician 69, 371-386 (percentiles widened for few observations).
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import TypedDict

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.quantile import check_confidence
from audiometry.stats.resampling import resampled_sums, widened

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]

RESAMPLES = 2_000
_CELLS = 4_000_000  # drawn at a time: 32 MB
_GROUPS = 400  # as many random groups are made of clusters of more kinds, if there are four in each
_GROUPED = 4 * _GROUPS
_LIKE = 8  # clusters a kind from which drawing kinds is faster
_NORMAL = NormalDist()


class How(TypedDict):
    """How an interval is made: source of the resamples, their number, and two-sided confidence, 0 to 1."""

    rng: np.random.Generator
    resamples: int
    confidence: float


class Coefficient(msgspec.Struct, frozen=True, kw_only=True):
    """A measure of agreement and how far it can be trusted.

    Attributes:
        value: None where it is not defined.
        low, high: limits of its interval, ``low <= value <= high``; None where the data give none.
        n: what it rests on: pairs of ratings, or ratings.
        n_clusters: independent groups they come from.
        why: why there is no value or no interval; empty if there is one.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int
    why: str = ""


def undefined(n: int, n_clusters: int, why: str) -> Coefficient:
    """No value, and why."""
    return Coefficient(value=None, low=None, high=None, n=n, n_clusters=n_clusters, why=why)


def gathered(parts: Floats, clusters: ArrayLike) -> Floats:
    """The sums of the rows of each cluster.

    Args:
        parts: ``float64[n, k]``.
        clusters: ``int64[n]``, any codes.

    Returns:
        ``float64[n_clusters, k]``, in the order of the codes.

    Raises:
        UsageError: lengths that differ.
    """
    codes = np.asarray(clusters)
    if codes.shape != (len(parts),):
        raise UsageError(f"clusters have shape {codes.shape} for {len(parts)} ratings; give one code a rating")
    seen, place = np.unique(codes, return_inverse=True)
    if len(seen) == len(parts):
        return parts[np.argsort(place)]
    out = np.empty((len(seen), parts.shape[1]))
    for column in range(parts.shape[1]):
        out[:, column] = np.bincount(place, parts[:, column], len(seen))
    return out


def limits(
    parts: Floats,
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> tuple[float, float] | None:
    """The bias-corrected and accelerated (BCa) interval of a statistic of sums over clusters.

    The normal quantile is replaced by Student's with one less than the number of clusters, times
    ``sqrt(G / (G - 1))``, since percentiles of few clusters are too near (Hesterberg 2015, section 5.3).

    Args:
        parts: ``float64[G, k]``, what each cluster adds to the k sums.
        statistic: takes ``float64[m, k]`` rows of sums, gives ``float64[m]``; NaN where it is not defined.
        rng: source of the resamples, a named stream.
        resamples: how many, at least 1.
        confidence: two-sided, between 0 and 1.

    Returns:
        ``(low, high)``; None with a single cluster, or if it is defined in fewer than half of the resamples. Both are
        the value itself if all clusters are alike.

    Raises:
        UsageError: fewer than 1 resample, or an impossible confidence.
    """
    check_confidence(confidence)
    if resamples < 1:
        raise UsageError(f"resamples are at least 1, got {resamples}; {RESAMPLES} is the default")
    clusters = len(parts)
    if clusters <= 1:
        return None
    kinds, counts = _kinds(parts)
    total = counts @ kinds
    if len(kinds) > _GROUPS and clusters >= _GROUPED:
        group = rng.permutation(clusters) % _GROUPS
        kinds, counts = gathered(parts, group), np.ones(_GROUPS, np.int64)
    value = float(statistic(total[None])[0])
    drawn = np.sort(_drawn(kinds, counts, statistic, rng, resamples))
    if len(drawn) < resamples / 2:
        return None
    below = (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / (2 * len(drawn))
    bias = _NORMAL.inv_cdf(min(1 - 0.5 / len(drawn), max(0.5 / len(drawn), float(below))))
    bend = _acceleration(statistic(total - kinds), counts)
    size = int(counts.sum())
    reach = widened(size, confidence)
    low, high = (float(np.quantile(drawn, _level(bias, bend, side))) for side in (-reach, reach))
    return min(low, value), max(high, value)


def _kinds(parts: Floats) -> tuple[Floats, Codes]:
    """The different rows and how many there are of each, in an order that does not hang on that of the rows.

    Rows are told apart by one number each, their sum weighted by sines of whole numbers, which no whole numbers
    but 0 add up to 0: sorting the rows themselves takes ten times as long and as much memory.
    """
    key = (parts * np.sin(np.arange(1, parts.shape[1] + 1))).sum(axis=1)
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return parts[first], counts


def _level(bias: float, bend: float, side: float) -> float:
    """The quantile of the resamples that stands for this many standard errors."""
    shifted = bias + side
    slack = 1 - bend * shifted
    if slack <= 0:  # so far out that the correction has no answer: the end of what was drawn
        return 0.0 if side < 0 else 1.0
    return _NORMAL.cdf(bias + shifted / slack)


def _drawn(kinds: Floats, counts: Codes, statistic: Statistic, rng: np.random.Generator, resamples: int) -> Floats:
    """The statistic in each resample where it is defined."""
    clusters = int(counts.sum())
    if clusters < _LIKE * len(kinds):  # nearly all different: drawing them one by one is faster than by kind
        every = np.repeat(kinds, counts, axis=0)
        values = statistic(resampled_sums(every, np.zeros(clusters, np.int64), rng, resamples))
        return values[np.isfinite(values)]
    step = max(1, _CELLS // len(kinds))
    found = []
    for first in range(0, resamples, step):
        weights = rng.multinomial(clusters, counts / clusters, min(step, resamples - first))
        found.append(statistic(weights.astype(np.float64) @ kinds))  # numpy multiplies whole numbers without BLAS
    values = np.concatenate(found)
    return values[np.isfinite(values)]


def _acceleration(without: Floats, counts: Codes) -> float:
    """From the statistic without one cluster of each kind, how its spread changes with its value."""
    known = np.isfinite(without)
    if not known.any():
        return 0.0
    weights = counts[known].astype(np.float64)
    off = np.average(without[known], weights=weights) - without[known]
    square = float((weights * off**2).sum())
    return float((weights * off**3).sum()) / (6 * square**1.5) if square > 0 else 0.0
