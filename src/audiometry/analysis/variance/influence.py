"""A score as sums by cluster: what each cluster moves it, and what it is of clusters drawn anew."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.score.items import Codes, Floats
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table, weights_of
from audiometry.stats.f1 import COLUMNS
from audiometry.stats.influence import numbered, totals, values_of

_CLASS = {"f1": COLUMNS, "recall": 2}  # columns of a class, the second what is right
_STEP = 1e-3  # of a cluster: so little is taken away, so that no class is left without its last item
_ALL = 1 - 1e-9  # a share from which one cluster is a whole leaf, or holds a whole class
_MOST = 0.5  # of a class that a share is corrected for: of a class that one cluster holds nothing tells how it varies


class Leaf(msgspec.Struct, frozen=True):
    """One value of which the score is the weighted mean.

    Attributes:
        weight: in the score.
        cluster: ``int64[c]``, numbers of the clusters in it.
        share: ``float64[c]``, of each in it, by items (by reference words of an error rate); they add up to 1.
        held: ``float64[c]``, the same; of a measure by classes how much of its classes each holds.
        sums: ``float64[c, v, k]``, what they add to its parts.
    """

    weight: float
    cluster: Codes
    share: Floats
    held: Floats
    sums: Floats


class Sums(msgspec.Struct, frozen=True):
    """A sheet's parts by leaf and cluster.

    Attributes:
        sheet: whose.
        leaves: all with a weight.
        n_clusters: over all of them.
        n_single: classes that one of several clusters holds, of measures by classes.
    """

    sheet: Sheet
    leaves: tuple[Leaf, ...]
    n_clusters: int
    n_single: int = 0

    def values(self) -> Floats:
        """The score in each variant, ``float64[v]``."""
        return np.asarray(np.array([leaf.weight for leaf in self.leaves]) @ self._of_leaves())

    def _of_leaves(self) -> Floats:
        return np.array([values_of(self.sheet.measure.value, leaf.sums.sum(axis=0)) for leaf in self.leaves])

    @property
    def effective(self) -> float:
        """So many clusters of equal weight would be as good (Kish)."""
        weight = np.zeros(self.n_clusters)
        for leaf in self.leaves:
            weight[leaf.cluster] += leaf.weight * leaf.share
        return float(weight.sum() ** 2 / (weight**2).sum())

    @property
    def n_alone(self) -> int:
        """Leaves of one cluster."""
        return sum(bool((leaf.share > _ALL).any()) for leaf in self.leaves)

    def pseudo_values(self) -> Floats:
        """What a cluster says the score is in each variant, ``float64[clusters, v]``; their mean is the score.

        Of a mean over items that is a cluster's own part in it; of any other measure what leaving a little of the
        cluster out shows (the infinitesimal jackknife). Leaves are what they are, so a cluster moves the score as far
        as it is from its own leaf, corrected for its share of that, or of its class there (CR2); the only cluster of a
        leaf as far as the leaf is from the others, which is at least as far (collapsed strata).

        Sources: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.5; Bell and McCaffrey 2002,
        Survey Methodology 28, 169-181; Cochran 1977, Sampling Techniques, third edition, section 5A.12.
        """
        moved = np.zeros((self.n_clusters, len(self.sheet.variants)))
        wholes = self._of_leaves()
        for leaf, whole, apart in zip(self.leaves, wholes, self._apart(wholes), strict=True):
            less = values_of(self.sheet.measure.value, leaf.sums.sum(axis=0) - _STEP * leaf.sums)
            share = leaf.share[:, None]
            alone = share > _ALL
            left = np.sqrt(np.where(alone, 1.0, 1 - leaf.held[:, None]))
            own = (1 - _STEP * share) * (whole - less) / (_STEP * left)
            moved[leaf.cluster] += leaf.weight * np.where(alone, apart, own)
        times = np.sqrt(self.n_clusters * (self.n_clusters - 1))  # components correct for one mean of all
        return np.asarray(self.values() + times * (moved - moved.mean(axis=0)))

    def _apart(self, wholes: Floats) -> Floats:
        """How far each leaf is from the mean of the others, as noisy as one cluster of it, ``float64[leaves, v]``."""
        n_others = max(1, len(wholes) - 1)
        noise = np.array([1 / len(leaf.cluster) for leaf in self.leaves])
        noisy = 1 + (noise.sum() - noise) / n_others**2
        others = (wholes.sum(axis=0) - wholes) / n_others
        return np.asarray((wholes - others) / np.sqrt(noisy)[:, None] if len(wholes) > 1 else 0 * wholes)


def sums_of(sheet: Sheet) -> Sums:
    """The sums of a sheet whose every item counts in every variant."""
    table = Table(sheet)
    rows = np.ones(len(sheet.items), np.bool_)
    leaf, categories = table.leaves(rows, "items" if table.by_items else table.averaged_by)
    cluster, n = numbered(sheet.items.cluster)
    size = table.sizes(rows)
    weights = weights_of(leaf, categories, table.known(rows, leaf))
    found, n_single = [], 0
    for code in np.flatnonzero(weights).tolist():
        inside: NDArray[np.bool_] = leaf == code
        sums = sheet.sums(inside, np.zeros(int(inside.sum()), np.int64))
        own, number = np.unique(cluster[inside], return_inverse=True)
        share = totals(number, size[inside], len(own)) / size[inside].sum()
        of_cluster = totals(number, sums, len(own))
        width = _CLASS.get(table.scale.kind)
        held = share
        if width is not None:
            gold = of_cluster[:, 0, 1::width]
            held, n_single = held_of(gold), n_single + int((len(own) > 1) * ((gold > 0).sum(axis=0) == 1).sum())
        found.append(Leaf(float(weights[code]), own, share, held, of_cluster))
    return Sums(sheet, tuple(found), n, n_single)


def held_of(gold: Floats) -> Floats:
    """How much of its classes each cluster holds, at most `_MOST`, ``float64[c]``.

    Args:
        gold: ``float64[c, classes]``, how often each class is right.
    """
    of_class = gold / np.maximum(gold.sum(axis=0), 1)
    return np.asarray(np.minimum(_MOST, (of_class * gold).sum(axis=1) / np.maximum(gold.sum(axis=1), 1)))
