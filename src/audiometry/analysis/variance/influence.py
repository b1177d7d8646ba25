"""A score as sums by cluster: what each cluster moves it, and what it is of clusters drawn anew."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.score.items import Codes, Floats
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table, weights_of
from audiometry.stats.influence import numbered, totals, values_of

_STEP = 1e-3  # of a cluster: so little is taken away, so that no class is left without its last item


class Leaf(msgspec.Struct, frozen=True):
    """One value of which the score is the weighted mean.

    Attributes:
        weight: in the score.
        cluster: ``int64[c]``, numbers of the clusters in it.
        sums: ``float64[c, v, k]``, what they add to its parts.
    """

    weight: float
    cluster: Codes
    sums: Floats


class Sums(msgspec.Struct, frozen=True):
    """A sheet's parts by leaf and cluster.

    Attributes:
        sheet: whose.
        leaves: all with a weight.
        n_clusters: over all of them.
    """

    sheet: Sheet
    leaves: tuple[Leaf, ...]
    n_clusters: int

    def values(self, weights: Floats | None = None) -> Floats:
        """The score in each variant, ``float64[v]``; of clusters that count as often as is said, ``float64[b, v]``.

        Args:
            weights: ``float64[b, clusters]``.
        """
        shape = (len(self.sheet.variants),) if weights is None else (len(weights), len(self.sheet.variants))
        found = np.zeros(shape)
        for leaf in self.leaves:
            if weights is None:
                sums = leaf.sums.sum(axis=0)
            else:
                sums = np.tensordot(weights[:, leaf.cluster], leaf.sums, axes=1)
            found += leaf.weight * values_of(self.sheet.measure.value, sums)
        return found

    def pseudo_values(self) -> Floats:
        """What a cluster says the score is in each variant, ``float64[clusters, v]``; their mean is the score.

        Of a mean over items that is a cluster's own part in it; of any other measure what leaving a little of the
        cluster out shows (the infinitesimal jackknife).

        Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.5.
        """
        moved = np.zeros((self.n_clusters, len(self.sheet.variants)))
        for leaf in self.leaves:
            whole = leaf.sums.sum(axis=0)
            value = values_of(self.sheet.measure.value, whole)
            less = values_of(self.sheet.measure.value, whole - _STEP * leaf.sums)
            exact = 1 - _STEP / len(leaf.cluster)  # of a mean
            moved[leaf.cluster] += leaf.weight * exact * (value - less) / _STEP
        return np.asarray(self.values() + self.n_clusters * (moved - moved.mean(axis=0)))


def sums_of(sheet: Sheet) -> Sums:
    """The sums of a sheet whose every item counts in every variant."""
    table = Table(sheet)
    rows = np.ones(len(sheet.items), np.bool_)
    leaf, categories = table.leaves(rows, "items" if table.by_items else table.averaged_by)
    cluster, n = numbered(sheet.items.cluster)
    weights = weights_of(leaf, categories, table.known(rows, leaf))
    found = []
    for code in np.flatnonzero(weights).tolist():
        inside: NDArray[np.bool_] = leaf == code
        sums = sheet.sums(inside, np.zeros(int(inside.sum()), np.int64))
        own, number = np.unique(cluster[inside], return_inverse=True)
        found.append(Leaf(float(weights[code]), own, totals(number, sums, len(own))))
    return Sums(sheet, tuple(found), n)
