"""Two models on the same items, by any measure: how far apart, how surely, and what these items could have shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from audiometry.errors import UsageError
from audiometry.stats import limits
from audiometry.stats.difference import Differences, differences
from audiometry.stats.parts import Floats, Parts, Scale, Value, check
from audiometry.stats.quantile import check_confidence, normal_quantile, student_quantile
from audiometry.stats.swaps import swap_test

FEW_DIFFER = 100  # equal clusters: where those that differ are worth fewer, skew may mislead
MOST_OF_ONE = 1 / 15  # of weight, or errors, in one cluster: where it has more, what would be found cannot be said
SWAPS = 9_999
_POWER = 0.80
_PLACES = 12
Undetectable: TypeAlias = Literal["", "never", "unclear"]
_HALVINGS = 24  # of the span of p: to seven digits
_DUST = 1e-9  # of the effect of clusters that differ: below it, one does not
_SMALLEST = 1e-9  # p of an interval below it is not looked for: no swap test gets there


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of two models on the same items.

    Attributes:
        a, b: both values, over the leaves that both have a value of; None without such a leaf.
        difference: a - b, on the measure's scale.
        low, high: limits of its interval, ``low <= difference <= high``; it leaves out 0 exactly where
            ``p < 1 - confidence``. None where the data give none.
        confidence: what the interval claims, such as 0.95.
        p: two-sided, above 0, at most 1: the larger of the swap test's and the smallest ``1 - confidence`` at which the
            interval leaves out 0. None where nothing can be tested.
        detectable: the smallest true difference that a test at this level would find with probability 0.8 on this many
            items: half the interval, as it was before it gave way to p, or what the swaps' normal limit is, and
            ``z.80 se``. Not below what makes six clusters differ in four of five samples, since five cannot reach
            p < 0.05. Of one of several tests it is at the first level of Holm's, 0.05 over their number.
        undetectable: why ``detectable`` is None: ``never`` with fewer clusters than can show a difference, ``unclear``
            where one cluster has more than a fifteenth of the weight or errors, or nothing differs on a plain scale.
        se: clustered standard error of ``difference``.
        n_clusters: clusters that count.
        n_differing: Kish's number of the clusters that differ: their differences are worth so many equal ones.
        method: how p and interval were made, in a few words; where there is none, why.
    """

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    confidence: float
    p: float | None
    detectable: float | None
    undetectable: Undetectable = ""
    se: float | None
    n_clusters: int
    n_differing: float
    method: str

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both limits, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def skewed(self) -> bool:
        """Whether so few clusters differ that skew may mislead."""
        return self.n_differing < FEW_DIFFER


def compare(
    a: Parts,
    b: Parts,
    value: Value,
    weights: ArrayLike,
    scale: Scale,
    rng: np.random.Generator,
    *,
    swaps: int = SWAPS,
    confidence: float = 0.95,
    tests: int = 1,
) -> Paired:
    """Compare two models by swapping their parts of whole clusters.

    Args:
        a: what each row adds to the first model's sums.
        b: the same rows of the second: same clusters and leaves, in the same order.
        value: the measure's, from sums.
        weights: ``float64[L]``, of the leaves, as in `audiometry.stats.estimate.estimate`. A leaf that one of the two
            has no value of is left out of both.
        scale: the measure's.
        rng: ``seeds.generator(seed, "compare")``, made anew for every call, so that no p hangs on which others were
            asked for. Used only if more than 16 clusters differ.
        swaps: random patterns, where not all can be looked at.
        confidence: two-sided, between 0 and 1.
        tests: over how many p is to be corrected (Holm), for ``detectable`` alone; 1 or more.

    Raises:
        UsageError: rows that are not the same, parts and weights that do not belong together, fewer than 1 swap.

    Source: ``docs/statistics.md`` has the formulas, their sources and the measured error rates.
    """
    check_confidence(confidence)
    if swaps < 1:
        raise UsageError(f"swaps are at least 1, got {swaps}; {SWAPS} is the default")
    share = check(a, weights)
    check(b, weights)
    same = a.sums.shape == b.sums.shape and np.array_equal(a.cluster, b.cluster) and np.array_equal(a.leaf, b.leaf)
    if not same:
        raise UsageError("the two models' rows are not the same items; compare on the items that both were asked")
    found = differences(a, b, value, share, scale)
    if found is None:
        return _nothing(confidence)
    p, exact = swap_test(found.middle, found.half, found.statistic, rng=rng, swaps=swaps)
    interval, p = _agreed(lambda level: _limits(found, level), p, found.difference, confidence)
    first = 1 - (1 - confidence) / tests
    needed = math.floor(1 - math.log2(1 - first)) + 1  # of k clusters that differ, all one way, p is 2 / 2^k
    unable = _undetectable(found, needed)
    se = math.sqrt(float(found.whole.clustered[0] + found.whole.unseen[0]))
    kind = "exact" if exact else f"{swaps} patterns"
    why = "" if interval else "; no interval: a leaf of one cluster, or without variation, on a scale without end"
    return Paired(
        a=found.a,
        b=found.b,
        difference=found.difference,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        confidence=confidence,
        p=p,
        detectable=None if unable else _detectable(found, needed, _limits(found, first), se, first),
        undetectable=unable,
        se=se,
        n_clusters=found.strata.n_clusters,
        n_differing=_kish(found.effect),
        method=f"swaps of {found.strata.n_clusters} clusters, {kind}{why}",
    )


def _nothing(confidence: float) -> Paired:
    return Paired(
        a=None,
        b=None,
        difference=None,
        low=None,
        high=None,
        confidence=confidence,
        p=None,
        detectable=None,
        undetectable="never",
        se=None,
        n_clusters=0,
        n_differing=0.0,
        method="no leaf of which both have a value",
    )


def _limits(found: Differences, confidence: float) -> tuple[float, float] | None:
    """The interval of the difference, the swap test not asked; None where the data give none."""
    ends = math.inf if found.bounded is None else found.bounded
    if found.strata.n_clusters == 1:
        return None if found.bounded is None else (-ends, ends)
    low, high = limits.of_both(found.strata, found.own(confidence), limits.plain(found.whole, confidence))
    # of balanced accuracy they are about the classes' shares of all variants, whose mean is nearly the mean of theirs
    shift = found.difference - float(found.strata.share @ found.strata.value)
    low, high = low + shift, high + shift
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    return max(-ends, min(low, found.difference)), min(ends, max(high, found.difference))


def _agreed(
    interval: Callable[[float], tuple[float, float] | None], p: float, difference: float, confidence: float
) -> tuple[tuple[float, float] | None, float]:
    """Interval and p that say the same of 0: each gives way to the more cautious.

    Args:
        interval: from a confidence; wider for a higher one.
        p: the swap test's.
        difference: inside the interval.
        confidence: of the interval returned.
    """

    def leaves_out(one: tuple[float, float] | None) -> bool:
        return one is not None and not one[0] <= 0 <= one[1]

    level = round(1 - confidence, _PLACES)  # 1 - 0.95 is above 0.05, and p can be 0.05 exactly
    found = interval(confidence)
    if found is None:
        return None, p
    if leaves_out(found) and p >= level:
        return (min(found[0], 0.0), max(found[1], 0.0)), p
    if difference == 0 or leaves_out(interval(1 - max(p, _SMALLEST))):
        return found, p if difference != 0 else 1.0
    # left out at the lower end of the span, kept at the upper; the level itself is on the side that the interval says
    kept, left = (p, level) if leaves_out(found) else (max(p, level), 1.0)
    for _ in range(_HALVINGS):
        middle = (kept + left) / 2
        if not kept < middle < left:
            break
        if leaves_out(interval(1 - middle)):
            left = middle
        else:
            kept = middle
    return found, max(p, kept) if left < 1 else 1.0  # no level was found that leaves it out


def _undetectable(found: Differences, needed: int) -> Undetectable:
    """Why what would be found cannot be said, if so."""
    if found.strata.n_clusters < needed:
        return "never"
    nothing = found.plain and not found.effect.any()
    return "unclear" if nothing or found.largest > MOST_OF_ONE + _DUST else ""


def _detectable(
    found: Differences, needed: int, interval: tuple[float, float] | None, se: float, confidence: float
) -> float:
    """What would be found four times in five, at least where as many clusters differ as are needed."""
    size, squares = float(np.abs(found.effect).sum()), float((found.effect**2).sum())
    whole, half = found.whole, (interval[1] - interval[0]) / 2 if interval else 0.0
    clusters, one = found.strata.n_clusters, found.span / float(whole.effective[0])
    fewest = _expected(needed, clusters)
    if not size:
        return min(found.bounded or math.inf, max(half, fewest * one))
    one, item = squares / size, found.span / float(whole.effective[0] * whole.alike[0])
    fewest *= min(one, item)  # where clusters have many items, all can differ by one
    squared = 1 / float(whole.effective[0] * whole.alike[0])
    together = max(1.0, float(whole.clustered[0]) / max(float(whole.independent[0]), _DUST * squared))
    detected, reached, seen, ends = 0.0, 0.0, abs(found.difference), found.bounded or math.inf
    t, z = (student_quantile(confidence, df) for df in (float(whole.df[0]), clusters - 1))
    z *= math.sqrt(clusters / (z**2 + clusters - 1))  # swaps are around 0, Student's variance around the mean
    for _ in range(_HALVINGS):
        if detected >= seen:
            # It comes about by more items that differ, of those that do not, each as those that do; items of a cluster
            # together as far as they are alike; and errors grow where there are many.
            larger = detected**2 - seen**2
            added = (1 - found.differing) * (detected - seen) * found.apart - larger * squared
            more = max(0.0, added) * together + found.uneven * larger
        else:  # the further apart two values are, the nearer they are to the ends, where there is less variance
            more = se**2 * (seen**2 - detected**2) / max(ends**2 - seen**2, _DUST)
        swapped = max(0.0, squares + more - max(0.0, seen**2 - reached**2) / float(whole.effective[0]))
        reached = z * math.sqrt(swapped)
        # What is significant is beyond half the interval, and beyond what swaps reach, in steps of two clusters.
        step = min(one, max(item, one * math.sqrt(swapped / squares)))
        significant = max(half, t * math.sqrt(float(whole.clustered[0]) + more), reached + step)
        detected = significant + normal_quantile(2 * _POWER - 1) * math.sqrt(se**2 + more)
    return min(ends, max(detected, fewest))


def _expected(needed: int, clusters: int) -> float:
    """How many of the clusters differ on average where at least the needed ones do in four of five samples."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        rate = (low + high) / 2
        fewer = sum(math.comb(clusters, n) * rate**n * (1 - rate) ** (clusters - n) for n in range(needed))
        low, high = (rate, high) if fewer > 1 - _POWER else (low, rate)
    return clusters * high


def _kish(effect: Floats) -> float:
    squares = float((effect**2).sum())
    return float(np.abs(effect).sum()) ** 2 / squares if squares > 0 else 0.0
