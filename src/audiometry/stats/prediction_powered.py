"""The mean that costly labels would have, from cheap predictions of all items and labels of some.

With ``f`` predicted for every item and ``Y`` known of a random sample, the mean of Y is estimated by

    theta(t) = mean over all of t f  +  mean over the labelled of (Y - t f)

whatever the predictions are worth: a lenient predictor is set right by the second term, and the ``tuning`` t, from the
data, says how much it helps: at 0 the labelled items stand alone. Means are taken by stratum (a task) and put together
with the strata's weights.

Sources: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, prediction-powered inference (arXiv 2301.09633); the
tuning is that of PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453, section 6): the t with the smallest
estimated variance, here of clusters, kept where their lambda, t times the unlabelled share, lies between 0 and 1. Items
that were not drawn alike weigh 1 / propensity (Horvitz and Thompson 1952), scaled to sum to 1 in each stratum (Hajek
1971).
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.clustered import Layout, layout, spread
from audiometry.stats.influence import totals
from audiometry.stats.quantile import check_confidence, normal_quantile, student_quantile
from audiometry.stats.wilson import wilson

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Bools = NDArray[np.bool_]

FEW = 10  # clusters that differ from all others: below it their spread says too little
_DUST = 1e-9  # of the scale: labels or errors no further apart are equal; and no propensity is below it


class PredictionPowered(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of the labels, of all items.

    Attributes:
        value: the estimate, on the labels' scale.
        low, high: limits, ``scale[0] <= low <= value <= high <= scale[1]``.
        confidence: what the interval claims, such as 0.95.
        se: clustered standard error; 0 if the clusters show no variation.
        tuning: how much the predictions count, from 0 (not at all).
        df: degrees of freedom of Student's t, of the labelled clusters.
        n: labelled items.
        n_clusters: labelled clusters.
    """

    value: float
    low: float
    high: float
    confidence: float
    se: float
    tuning: float
    df: float
    n: int
    n_clusters: int


class Sample(msgspec.Struct, frozen=True):
    """Items, which of them are labelled, and how much each counts.

    Attributes:
        labelled: ``bool[n]``.
        where: two rows of items, one below the other, that make up the estimate: all (columns of the predictions),
            then the labelled ones (of labels less predictions); both weigh the same in all.
        drawn: ``bool[labelled]``, by chance: not those of propensity 1, whose labels are known whatever is drawn.
        cluster: ``int64[labelled]``, 0 to the number of labelled clusters - 1.
        weight: ``float64[labelled]``, how much each counts in the mean of the labels, summing to 1.
        unlabelled: the share of the whole weight whose labels are not known.
        df: how many independent pieces the labelled clusters are worth, less the strata's means: Bell and McCaffrey's
            for equal variances; at least 1.
        df_others: the same of the clusters of the others; infinite if there are none.
    """

    labelled: Bools
    where: Layout
    drawn: Bools
    cluster: Codes
    weight: Floats
    unlabelled: float
    df: float
    df_others: float

    def mean(self, over_all: Floats, over_labelled: Floats) -> float:
        """The weighted mean of the one plus that of the other."""
        return 2 * self.where.mean(np.concatenate((over_all, over_labelled)))

    def variance(self, over_all: Floats, over_labelled: Floats, largest: float = 0.0) -> float:
        """Of the mean, clusters moving as one.

        Args:
            over_all: ``float64[n]``.
            over_labelled: ``float64[labelled]``.
            largest: variance of a label in a stratum that has only one labelled cluster.
        """
        return 4 * spread(np.concatenate((over_all, over_labelled)), self.where, largest=largest).clustered


def sample(
    labelled: ArrayLike, clusters: ArrayLike, strata: ArrayLike, weights: ArrayLike, propensity: ArrayLike | None = None
) -> Sample:
    """Who is labelled, who belongs together, and how much each counts.

    Args:
        labelled: ``bool[n]``; at least one in each stratum.
        clusters: ``int64[n]``, which items share a clip (or a speaker); any codes. A cluster may span strata.
        strata: ``int64[n]``, the task of each item, 0 to L - 1.
        weights: ``float64[L]``, how much each task counts, above 0; scaled to sum to 1.
        propensity: ``float64[n]``, above 0 to 1, how likely each item was to be labelled; those of unlabelled items are
            not looked at. None: within a stratum all alike.

    Raises:
        UsageError: a stratum without labels, impossible weights or propensities, lengths that differ.
    """
    chosen, stratum, share = np.asarray(labelled, np.bool_), np.asarray(strata, np.int64), np.asarray(weights, float)
    n, n_strata = len(chosen), len(share)
    total = share.sum()
    if not (math.isfinite(total) and (share > 0).all()):
        raise UsageError("weights of tasks are finite and above 0; leave out what does not count")
    count, n_labelled = (np.bincount(stratum[rows], minlength=n_strata) for rows in (slice(None), chosen))
    if (n_labelled == 0).any():
        raise UsageError("a task has no labels; leave it out")
    odds = np.ones(n) if propensity is None else np.asarray(propensity, np.float64)
    if not ((odds[chosen] >= _DUST) & (odds[chosen] <= 1)).all():
        raise UsageError("a propensity lies above 0 and at most at 1")
    inverse = 1 / odds[chosen]
    share = share / total
    over_all = share[stratum] / count[stratum]
    mine = stratum[chosen]
    weight = share[mine] * inverse / totals(mine, inverse, n_strata)[mine]
    # Drawn alike, the labelled are a sample of fixed size, and each part of the predictions varies around its own mean
    part = stratum * 2 + (chosen if propensity is None else 0)
    cluster = np.asarray(clusters)
    found = np.unique(cluster[chosen], return_inverse=True)[1]
    return Sample(
        labelled=chosen,
        where=layout(
            n + len(weight),
            np.concatenate((cluster, cluster[chosen])),
            np.concatenate((over_all, weight)),
            np.concatenate((part, 2 * n_strata + mine)),
        ),
        drawn=np.full(len(weight), fill_value=True) if propensity is None else inverse > 1,
        cluster=found,
        weight=weight,
        unlabelled=float(over_all[~chosen].sum()),
        df=_degrees_of_freedom(weight, found, mine),
        df_others=_degrees_of_freedom(over_all[~chosen], cluster[~chosen], stratum[~chosen]),
    )


def _degrees_of_freedom(weight: Floats, cluster: Codes, stratum: Codes) -> float:
    if not len(weight):
        return math.inf
    one = layout(len(weight), cluster, weight, stratum)
    cells = one.cell_cluster
    cell = totals(one.cell, one.weight, len(cells))
    taken = totals(cells, cell**2 / one.stratum_weight[one.cell_stratum], one.n_clusters)
    whole, free = one.cluster_weight**2, one.cluster_weight * (one.cluster_weight - taken)
    return max(1.0, float(whole.sum() * free.sum() / (whole**2).sum()))


def prediction_powered(
    predicted: ArrayLike,
    labels: ArrayLike,
    of: Sample,
    *,
    scale: tuple[float, float],
    tuning: float | None = None,
    confidence: float = 0.95,
) -> PredictionPowered:
    """The mean of the labels over all items.

    Limits are Student's with as many degrees of freedom as the labelled clusters are worth. Where fewer than ten of
    them differ from all others (in the label, or in the error of the prediction) the spread that is seen is not to be
    trusted: the limits then move out to those of the share of such clusters (Wilson's), at the largest difference seen.

    Args:
        predicted: ``float64[n]``, on any scale.
        labels: ``float64[labelled]``, those of ``of.labelled``, on ``scale``.
        of: from `sample`.
        scale: the lowest and the highest label there can be.
        tuning: 0 for the labels alone, 1 for the plain difference estimator; None: the best by the data.
        confidence: two-sided, between 0 and 1.

    Raises:
        UsageError: numbers that are not finite, labels off the scale, lengths that differ.

    >>> of = sample([True, True, False, False], range(4), [0, 0, 0, 0], [1.0])
    >>> prediction_powered([1, 2, 3, 6], [3, 4], of, scale=(1, 10), tuning=1).value  # 2 too low, in both cases
    5.0
    """
    check_confidence(confidence)
    f, y = np.asarray(predicted, np.float64), np.asarray(labels, np.float64)
    lowest, highest = scale
    if not (np.isfinite(f).all() and ((y >= lowest) & (y <= highest)).all()):
        raise UsageError(f"predictions are finite, and labels lie between {lowest:g} and {highest:g}")
    t = best_tuning(f, y, of) if tuning is None else tuning
    error = y - t * f[of.labelled]
    value = min(highest, max(lowest, of.mean(t * f, error)))
    largest = float(((error - of.weight @ error) ** 2).mean())  # a task's own mean is not known where it is alone
    variance = of.variance(t * f, error, largest)
    df = max(1.0, of.df - (tuning is None and t > 0))  # what is fitted to the data is paid for
    quantile, unmet = student_quantile(confidence, df), _unmet(of, y, error)
    reaches = [quantile * math.sqrt(variance + unmet * far**2) for far in (value - lowest, highest - value)]
    nearly = y if t < 1 / 2 else y - f[of.labelled]  # what the error would be, were the tuning 0 or 1 to the last digit
    if rare := _rare(of, (error, nearly), highest - lowest, quantile, confidence):
        steady = of.variance(t * f, np.zeros_like(y))
        least = math.hypot(normal_quantile(confidence) * math.sqrt(steady), rare)
        reaches = [max(reach, least) for reach in reaches]
        if tuning is None and t > 0:
            alone = prediction_powered(f, y, of, scale=scale, tuning=0.0, confidence=confidence)
            if max(alone.high - alone.value, alone.value - alone.low) < max(reaches):
                return alone  # so little is seen of the error that the labels alone say more
    return PredictionPowered(
        value=value,
        low=max(lowest, value - reaches[0]),
        high=min(highest, value + reaches[1]),
        confidence=confidence,
        se=math.sqrt(variance),
        tuning=t,
        df=df,
        n=len(y),
        n_clusters=int(of.cluster.max()) + 1,
    )


def best_tuning(predicted: Floats, labels: Floats, of: Sample) -> float:
    """The tuning with the smallest estimated variance, that of the labels plus t times a difference of predictions.

    Args:
        predicted: ``float64[n]``.
        labels: ``float64[labelled]``.
        of: from `sample`.
    """
    nothing, mine = np.zeros_like(predicted), predicted[of.labelled]
    alone, difference = of.variance(nothing, labels), of.variance(predicted, -mine)
    if difference <= _DUST**2 * alone or of.unlabelled <= 0:
        return 0.0
    together = (of.variance(predicted, labels - mine) - alone - difference) / 2
    return min(1 / of.unlabelled, max(0.0, -together / difference))


def _drawn(of: Sample) -> tuple[Bools, Codes, Floats]:
    """Labelled rows that chance has drawn (all where none is), their clusters' codes, and each cluster's weight."""
    drawn = of.drawn if of.drawn.any() else ~of.drawn
    codes = np.unique(of.cluster[drawn], return_inverse=True)[1]
    return drawn, codes, totals(codes, of.weight[drawn], int(codes.max()) + 1)


def _unmet(of: Sample, labels: Floats, error: Floats) -> float:
    """The variance that one more cluster would add whose labels are 1 off the mean: one not met by chance.

    It is predicted as well as those that were met. One is a choice made by simulation.
    """
    _, _, weights = _drawn(of)
    seen, whole = (float(of.weight @ (column - of.weight @ column) ** 2) for column in (error, labels))
    share = float((weights**2).sum()) / float(weights.sum())
    return share**2 * (min(1.0, seen / whole) if whole > 0 else 1.0)


def _rare(of: Sample, columns: tuple[Floats, ...], scale: float, quantile: float, confidence: float) -> float:
    """How far the mean may lie by clusters of a kind that was hardly met; 0 where no kind is that rare.

    A cluster differs if one of its items has not the most frequent value of the column.
    """
    drawn, codes, of_cluster = _drawn(of)
    whole = float(of_cluster.sum())
    n = whole**2 / float((of_cluster**2).sum())
    reach = 0.0
    for column in columns:
        values, count = np.unique(np.round(column[drawn] / (_DUST * scale)), return_counts=True)
        apart = np.abs(column[drawn] - values[count.argmax()] * _DUST * scale)
        differs = np.bincount(codes, apart > 2 * _DUST * scale) > 0
        if differs.sum() < FEW:
            share = min(1.0, float(of_cluster[differs].sum()) / whole)
            _, most = wilson(share, n, confidence, quantile=quantile)
            reach = max(reach, whole * (most - share) * (float(apart.max()) if differs.any() else scale))
    return reach
