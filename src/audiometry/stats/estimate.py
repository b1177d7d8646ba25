"""The value of any measure, with its interval over clusters."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from audiometry.stats import limits, variance
from audiometry.stats.collapsed import collapsed
from audiometry.stats.influence import Bools, Strata, chosen, leaf_values, of_leaves, strata, totals
from audiometry.stats.limits import Limits
from audiometry.stats.parts import SHARE, Floats, Parts, Scale, Value, check
from audiometry.stats.quantile import check_confidence
from audiometry.stats.variance import Variance

FEW_HOLD = 5  # clusters: where so few hold half of the errors, an error rate rests on them


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A value and how far it can be trusted.

    Attributes:
        value: on the measure's scale; None where nothing counts.
        low, high: limits of the interval, ``low <= value <= high``; None where the data give none.
        confidence: what the interval claims, such as 0.95.
        n_clusters: clusters that count.
        se: clustered standard error of ``value``; 0 if the clusters show no variation, None without a value.
        design_effect: how many times fewer independent items would be as informative, at least 1.
        half_in: of error rates, the fewest clusters that together hold half of the errors; None without errors and
            for other measures.
        method: how the interval was made, in a few words; where there is none, why.
    """

    value: float | None
    low: float | None
    high: float | None
    confidence: float
    n_clusters: int
    se: float | None
    design_effect: float | None
    half_in: int | None
    method: str

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both limits, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def estimate(parts: Parts, value: Value, weights: ArrayLike, scale: Scale, *, confidence: float = 0.95) -> Estimate:
    """The weighted mean over leaves of a measure's value, each the mean over variants, with its interval.

    Two intervals are made and the wider side of each counts: the clustered one, from the clusters' influences on the
    value, and the combined one, from the limits of every leaf. Of a single leaf, its own limits are the interval; those
    of a leaf of macro F1 are made in the same way of its classes.

    Args:
        parts: what each row adds.
        value: the measure's, from sums.
        weights: ``float64[L]``, of the leaves, scaled to sum to 1; rows of a leaf of weight 0 are not looked at. Leaves
            without a value take their weight away.
        scale: the measure's.
        confidence: two-sided, between 0 and 1.

    Raises:
        UsageError: parts and weights that do not belong together, or hold what is no number; an impossible confidence.

    Source: ``docs/statistics.md`` has the formulas, their sources and the measured coverage.

    >>> from audiometry.stats.parts import SHARE, means, ratio
    >>> e = estimate(means([1, 1, 0, 1, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2, 3, 3]), ratio, [1], SHARE)
    >>> e.value, round(e.low, 2), round(e.high, 2), e.n_clusters
    (0.75, 0.37, 0.94, 4)
    """
    check_confidence(confidence)
    share = check(parts, weights)
    found = strata(parts, value, share, scale)
    if found is None:
        return Estimate(
            value=None,
            low=None,
            high=None,
            confidence=confidence,
            n_clusters=0,
            se=None,
            design_effect=None,
            half_in=None,
            method="nothing counts",
        )
    if scale.kind != "f1":  # whose strata are classes: a row has a part in two of them
        found = collapsed(found).strata
    known, whole = _whole(parts, value, share)
    own = variance.of_strata(found, scale)
    single = len(found.share) == 1 and scale.kind != "f1"  # which is the whole
    clustered = own if single else variance.of_whole(found, whole, scale)
    by_leaf = _by_leaf(parts, value, share, confidence) if scale.kind == "f1" and known.sum() > 1 else None
    low, high, method = _limits(found, own, clustered, whole, scale, confidence, by_leaf)
    return Estimate(
        value=whole,
        low=low,
        high=high,
        confidence=confidence,
        n_clusters=found.n_clusters,
        se=math.sqrt(float(clustered.clustered[0] + clustered.unseen[0])) * scale.unit[1],
        design_effect=max(1.0, float(clustered.design_effect[0])),
        half_in=_half_in(parts, share) if scale.kind == "log" else None,
        method=method,
    )


def value_of(parts: Parts, value: Value, weights: ArrayLike) -> float | None:
    """The value that `estimate` gives, alone; None where nothing counts.

    Args:
        parts: what each row adds.
        value: the measure's, from sums.
        weights: of the leaves, as there.

    Raises:
        UsageError: parts and weights that do not belong together, or hold what is no number.

    >>> from audiometry.stats.parts import means, ratio
    >>> value_of(means([1, 1, 0, 1], [0, 0, 1, 1]), ratio, [1])
    0.75
    """
    known, whole = _whole(parts, value, check(parts, weights))
    return whole if known.any() else None


def _whole(parts: Parts, value: Value, share: Floats) -> tuple[Bools, float]:
    """Which leaves have a value, and the mean of these."""
    _, values = leaf_values(parts, value, len(share))
    known = np.isfinite(values) & (share > 0)
    return known, float(share[known] @ values[known] / share[known].sum()) if known.any() else math.nan


def _by_leaf(parts: Parts, value: Value, share: Floats, confidence: float) -> tuple[Strata, Limits]:
    """Leaves of macro F1 as strata, and the limits that each has alone; those of one cluster are taken together."""
    whole, values = leaf_values(parts, value, len(share))
    kept = np.isfinite(values) & (share > 0)
    parts, values, share = chosen(parts, kept), values[kept], share[kept] / share[kept].sum()
    leaves = of_leaves(parts, value, whole[kept], values, share, Scale("f1"))
    found = collapsed(leaves).strata
    low, high = limits.bounded(variance.of_strata(found, SHARE), confidence)
    together = len(found.share) < len(values)
    for place, leaf in enumerate(np.flatnonzero((not together) | (np.bincount(leaves.cell_stratum) > 1))):
        one = estimate(chosen(parts, np.arange(len(values)) == leaf), value, [1.0], Scale("f1"), confidence=confidence)
        low[place], high[place] = one.interval or (0.0, 1.0)
    return found, (low, high)


def _limits(
    found: Strata,
    own: Variance,
    clustered: Variance,
    whole: float,
    scale: Scale,
    confidence: float,
    by_leaf: tuple[Strata, Limits] | None,
) -> tuple[float | None, float | None, str]:
    if found.n_clusters == 1:
        low, high = scale.ends or (None, None)
        return low, high, "one cluster: anything is possible"
    of_one = {"log": limits.logarithmic, "plain": limits.plain}.get(scale.kind, limits.bounded)
    of_clusters, (start, span) = of_one(clustered, confidence), scale.unit
    if by_leaf:
        found, limits_of = by_leaf
    else:
        low_of, high_of = of_one(own, confidence)
        limits_of = _of_centre(low_of, scale), _of_centre(high_of, scale)
    # for macro F1 they are about the value of all variants at once, which is nearly the mean of theirs
    shift = whole - float(found.share @ found.value)
    low, high = limits.of_both(
        found,
        limits_of,
        (start + span * of_clusters[0] - shift, start + span * of_clusters[1] - shift),
    )
    low, high = low + shift, high + shift
    several = len(found.share) > 1
    method = "the wider of the clusters' and the leaves' limits" if several else "the limits of the leaf"
    if not (math.isfinite(low) and math.isfinite(high)):
        return None, None, "no interval: a leaf of one cluster, or without variation, on a scale without end"
    ends = scale.ends or (-math.inf, math.inf)
    return max(ends[0], min(low, whole)), min(ends[1], max(high, whole)), method


def _of_centre(centre: Floats, scale: Scale) -> Floats:
    """A limit of each stratum's centre on the measure's scale."""
    if scale.kind == "f1":
        return np.asarray(2 * centre / (1 + centre))
    start, span = scale.unit
    return np.asarray(start + span * centre)


def _half_in(parts: Parts, share: Floats) -> int | None:
    """The fewest clusters that hold half of the errors, each counted as it weighs in the value."""
    rows = (share[parts.leaf] > 0) & (parts.size > 0)
    words = totals(parts.leaf[rows], parts.dense[rows, :, 1].sum(axis=1), len(share))
    each = share / np.where(words > 0, words, 1.0)
    _, cluster = np.unique(parts.cluster[rows], return_inverse=True)
    errors = parts.dense[rows, :, 0].sum(axis=1) * each[parts.leaf[rows]]
    held = np.sort(totals(cluster, errors, int(cluster.max(initial=-1)) + 1))[::-1].cumsum()
    return int(np.searchsorted(held, held[-1] / 2 * (1 - 1e-12))) + 1 if len(held) and held[-1] > 0 else None
