"""Limits of each stratum, of the whole by its clusters, and of the whole by putting the strata's limits together."""

from __future__ import annotations

import math

import numpy as np

from audiometry.stats.influence import Strata, totals
from audiometry.stats.parts import Floats
from audiometry.stats.quantile import normal_quantile, student_quantile
from audiometry.stats.variance import Variance
from audiometry.stats.wilson import score_limits

Limits = tuple[Floats, Floats]
_DUST = 1e-12  # of a stratum's scale: a variation below it is what rounding left, in an order that means nothing


def quantiles(df: Floats, confidence: float) -> Floats:
    """Student's two-sided quantile of each number of degrees of freedom."""
    return np.array([student_quantile(confidence, one) for one in df.tolist()])


def bounded(found: Variance, confidence: float) -> Limits:
    """Wilson's limits between 0 and 1, with n over the design effect and Student's quantile.

    Where nothing varies, the data say nothing about how alike the items of a cluster are, so they count as fully alike:
    n is Kish's number of clusters. One cluster: anything is possible.
    """
    p = found.centre
    low, high = (_wilson(found, reach**2 / found.effective, confidence)[side] for side, reach in enumerate((p, 1 - p)))
    alone = found.clusters <= 1
    return np.where(alone, 0.0, np.minimum(low, p)), np.where(alone, 1.0, np.maximum(high, p))


def _wilson(found: Variance, unmet: Floats, confidence: float) -> Limits:
    """Both limits, were there one more score as far away as this end of the scale: one that was not met by chance.

    Args:
        found: the statistics.
        unmet: ``float64[m]``, what that score would add to the variance of an item.
        confidence: of both.
    """
    p, z = found.centre, normal_quantile(confidence)
    single, more = np.clip(p * (1 - p), 0.0, None), np.minimum(found.room, unmet * found.items)
    variance, independent = found.doubted + more * np.maximum(1.0, found.design_effect), found.independent + more
    still = (found.clustered == 0) & (found.independent == 0)
    # single / variance + 1 is exactly n where items are independent and unweighted: single itself is low by variance.
    n, n_independent = (_worth(single, v) for v in (variance, independent))
    t = quantiles(np.where(still, np.inf, found.df), confidence)
    # Items of a clip are not less alike than strangers: an estimate that says so is chance.
    as_strangers = t * t / n <= z * z / n_independent
    n = np.where(still, found.effective, np.where(as_strangers, n_independent, n))
    return score_limits(np.clip(p, 0.0, 1.0), n, np.where(still | as_strangers, z, t))


def _worth(single: Floats, variance: Floats) -> Floats:
    some = variance > 0
    return np.where(some, single / np.where(some, variance, 1.0) + 1, np.inf)


def plain(found: Variance, confidence: float) -> Limits:
    """Student's limits on a scale without ends; NaN where there is one cluster, or no variation."""
    half = quantiles(found.df, confidence) * np.sqrt(np.maximum(found.doubted, found.independent))
    half = np.where((found.clusters <= 1) | (half == 0), np.nan, half)
    return found.centre - half, found.centre + half


def logarithmic(found: Variance, confidence: float) -> Limits:
    """Student's limits on the log scale, for what is not negative and has no end; NaN where there is one cluster.

    Where nothing is wrong, the upper limit is Wilson's for no error in Kish's number of clusters. Where all clusters
    are equally wrong, so many may differ: by the whole rate below, and by it, or by one error a unit, above.
    """
    value = found.centre
    none = value <= 0
    reach = quantiles(found.df, confidence) * np.sqrt(np.maximum(found.doubted, found.independent))
    reach /= np.where(none, 1.0, value)
    low, high = value * np.exp(-reach), value * np.exp(reach)
    _, free = score_limits(np.zeros(len(value)), found.effective, np.full(len(value), normal_quantile(confidence)))
    still, alone = reach == 0, found.clusters <= 1
    low, high = np.where(still, value * (1 - free), low), np.where(still, value + free * np.maximum(1.0, value), high)
    return np.where(alone, np.nan, low), np.where(alone, np.nan, high)


def of_both(found: Strata, own: Limits, clustered: Limits) -> tuple[float, float]:
    """On each side the wider of the strata's limits together and of the clustered one.

    That one has no need to be wider than all strata at their limits at once.

    Args:
        found: the strata.
        own: ``float64[S]`` each, of each stratum's value; NaN for none.
        clustered: ``float64[1]`` each, of the whole; NaN where it has none.
    """
    low, high = together(found, *own)
    if len(found.share) == 1:
        return low, high
    (below,), (above,) = clustered
    below, above = np.maximum(found.share @ own[0], below), np.minimum(found.share @ own[1], above)
    return (
        float(np.minimum(low, np.inf if np.isnan(below) else below)),
        float(np.maximum(high, -np.inf if np.isnan(above) else above)),
    )


def together(found: Strata, low: Floats, high: Floats) -> tuple[float, float]:
    """The whole's limits from those of its strata: the method of variance estimates recovery (MOVER).

    Each side's distances are added like standard errors, with the correlations of the strata's influences: those of
    strata that share no cluster are 0. A stratum that shows no variation moves as its clusters' shares do, the most
    that there can be.

    Args:
        found: the strata.
        low: ``float64[S]``, of each stratum's value.
        high: ``float64[S]``.

    Source: Zou and Donner 2008, Statistics in Medicine 27, 1693-1702; Zou, Huang and Zhang 2009, Computational
        Statistics and Data Analysis 53, 1080-1085.
    """
    n = len(found.share)
    size = np.sqrt(totals(found.cell_stratum, found.residual**2, n))
    even = np.sqrt(totals(found.cell_stratum, found.cell_weight**2, n))
    varies = size > _DUST * even * np.maximum(1.0, np.abs(found.centre))
    of = found.cell_stratum
    unit = np.where(varies[of], found.residual / np.where(varies, size, 1.0)[of], found.cell_weight / even[of])
    value = float(found.share @ found.value)
    halves = []
    for reach in (found.value - low, high - found.value):
        moved = (found.share * reach)[of] * unit
        seen, unseen = (
            totals(found.cell_cluster, np.where(at, moved, 0.0), found.n_clusters) for at in (varies[of], ~varies[of])
        )
        halves.append(math.sqrt(float(((np.abs(seen) + unseen) ** 2).sum())))
    return value - halves[0], value + halves[1]
