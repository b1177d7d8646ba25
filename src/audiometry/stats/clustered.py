"""The standard error of a weighted mean whose items come in clusters."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.influence import totals

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_ALL = 1 - 1e-9  # a share from which one cluster (or item) is a whole stratum
_DUST = 1e-24  # a variance of one score below it is what rounding left


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How much each item counts and which items belong together; the same for every statistic of one sample.

    A cell is what a cluster and a stratum have in common: the items of one clip in one task.

    Attributes:
        raw: ``float64[n]``, the weights as they came, so that a plain mean is rounded once and not n times.
        weight: ``float64[n]``, the same scaled to sum to 1.
        stratum: ``int64[n]``, 0 to ``n_strata`` - 1.
        cell: ``int64[n]``, 0 to the number of cells - 1.
        used: ``bool[m]``, which of the caller's m items these n are: those of weight 0 are left out.
        cell_cluster, cell_stratum: ``int64[cells]``, where each cell belongs.
        cluster: ``int64[n]``, 0 to ``n_clusters`` - 1.
        cluster_weight: ``float64[n_clusters]``, the weight of each cluster.
        stratum_weight: ``float64[n_strata]``, the weight of each stratum.
    """

    raw: Floats
    weight: Floats
    cluster: Codes
    stratum: Codes
    cell: Codes
    used: NDArray[np.bool_]
    cell_cluster: Codes
    cell_stratum: Codes
    cluster_weight: Floats
    stratum_weight: Floats

    @property
    def n(self) -> int:
        """Items that count."""
        return len(self.weight)

    @property
    def n_clusters(self) -> int:
        """Clusters that count."""
        return len(self.cluster_weight)

    @property
    def effective_clusters(self) -> float:
        """Kish's number: a mean of that many clusters of equal weight would have the same variance."""
        return 1 / float((self.cluster_weight**2).sum())

    @property
    def largest_design_effect(self) -> float:
        """The design effect if all items of a cluster were alike; 1 if every item is its own cluster."""
        return float((self.cluster_weight**2).sum() / (self.weight**2).sum())

    def mean(self, values: Floats) -> float:
        """The weighted mean of one value an item."""
        return float((self.raw * values).sum() / self.raw.sum())


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Two variances of a weighted mean.

    Attributes:
        clustered: items of a cluster move together.
        independent: as if every item were its own cluster; ``clustered`` over it is the design effect.
        leverage: ``float64[n_clusters]``, 0 to 1, the share of its strata's means that a cluster makes up.
    """

    clustered: float
    independent: float
    leverage: Floats


def layout(n: int, clusters: ArrayLike, weights: ArrayLike | None, strata: ArrayLike | None) -> Layout:
    """Check and normalise who counts how much and who belongs to whom.

    Args:
        n: number of items.
        clusters: ``int64[n]``, any codes.
        weights: ``float64[n]``, not negative, any sum above 0; None for equal ones.
        strata: ``int64[n]``, any codes; None for one stratum.

    Raises:
        UsageError: no items, lengths that differ, weights that are negative, not finite or all 0.
    """
    if n == 0:
        raise UsageError("no items to estimate from; give at least one score")
    cluster = _column("clusters", clusters, n)
    stratum = np.zeros(n, np.int64) if strata is None else _column("strata", strata, n)
    raw = np.ones(n) if weights is None else _column("weights", weights, n).astype(np.float64)
    total = float(raw.sum())
    if not (math.isfinite(total) and (raw >= 0).all() and total > 0):
        raise UsageError("weights are finite, not negative and not all 0; check the macro average they come from")
    used = raw / total > 0
    raw = raw[used]
    weight = raw / raw.sum()
    clusters_seen, cluster = np.unique(cluster[used], return_inverse=True)
    strata_seen, stratum = np.unique(stratum[used], return_inverse=True)
    cells_seen, cell = np.unique(cluster * len(strata_seen) + stratum, return_inverse=True)
    cell_cluster, cell_stratum = np.divmod(cells_seen, len(strata_seen))
    return Layout(
        raw=raw,
        weight=weight,
        cluster=cluster,
        stratum=stratum,
        cell=cell,
        used=used,
        cell_cluster=cell_cluster,
        cell_stratum=cell_stratum,
        cluster_weight=totals(cluster, weight, len(clusters_seen)),
        stratum_weight=totals(stratum, weight, len(strata_seen)),
    )


def spread(values: Floats, where: Layout, *, largest: float) -> Spread:
    """The variance of the weighted mean of the values: clustered, and as if items were independent.

    The mean is linearised around the mean of each stratum, so differences between strata, which a repetition of
    the study would keep, do not count as noise. A cluster's residual in a stratum is divided by
    ``sqrt(1 - its share of the stratum)``: the CR2 correction, exactly unbiased if items were independent. A
    stratum that is one cluster shows no variation at all; it counts as one observation of variance ``largest``.

    Args:
        values: ``float64[n]``, one for each item of the layout.
        where: weights, clusters, strata.
        largest: the variance of a single observation with this mean.

    Source: Bell and McCaffrey 2002, Survey Methodology 28, 169-181; Cameron and Miller 2015, Journal of Human
    Resources 50, 317-372, section VI.
    """
    weight, stratum_weight = where.weight, where.stratum_weight
    mean = totals(where.stratum, weight * values, len(stratum_weight)) / stratum_weight
    residual = weight * (values - mean[where.stratum])
    cells = len(where.cell_cluster)
    cell_weight = totals(where.cell, weight, cells)
    share = cell_weight / stratum_weight[where.cell_stratum]
    seen, unseen = _corrected(totals(where.cell, residual, cells), cell_weight, share)
    by_cluster = np.abs(totals(where.cell_cluster, seen, where.n_clusters))
    by_cluster += math.sqrt(largest) * totals(where.cell_cluster, unseen, where.n_clusters)
    seen, unseen = _corrected(residual, weight, weight / stratum_weight[where.stratum])
    by_item = np.abs(seen) + math.sqrt(largest) * unseen
    leverage = totals(where.cell_cluster, cell_weight * share, where.n_clusters) / where.cluster_weight
    dust = _DUST * float((weight**2).sum())
    clustered, independent = (v if v > dust else 0.0 for v in (float((u**2).sum()) for u in (by_cluster, by_item)))
    return Spread(clustered=clustered, independent=independent, leverage=leverage)


def _corrected(residual: Floats, weight: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Residuals with the CR2 correction, and the weight of those whose stratum has nothing else."""
    alone = share > _ALL
    return np.where(alone, 0.0, residual) / np.sqrt(np.where(alone, 1.0, 1 - share)), np.where(alone, weight, 0.0)


def _column(name: str, values: ArrayLike, n: int) -> NDArray[np.int64] | Floats:
    column = np.asarray(values)
    if column.shape != (n,):
        raise UsageError(f"{name} has shape {column.shape}, the scores have {n} items; give one entry an item")
    return column
