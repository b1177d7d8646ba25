"""What each item or cluster adds to the sums of a measure, and the scale that the measure's values lie on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.sparse import Sparse, by_class

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Value = Callable[[Floats], Floats]  # sums[..., k] -> value[...], NaN where the sums make none


class Parts(msgspec.Struct, frozen=True):
    """One run under one measure: what each row adds to the sums of its leaf.

    A leaf is what has a value of its own: a task, or a pool of tasks. A row is an item; where columns are many it may
    be what a cluster and a leaf have in common, whose items then count as one.

    Attributes:
        sums: ``float64[rows, V, k]``, finite, for each of V variants the k numbers that the measure adds up; of scales
            by classes (``f1`` and ``recall``) they may be `Sparse`.
        cluster: ``int64[rows]``, any codes; equal where items are not independent. A cluster may have rows in many
            leaves.
        leaf: ``int64[rows]``, 0 to L - 1.
        size: ``float64[rows]``, not negative, how much of its leaf a row is: 1 for an item, the number of reference
            words for error rates. A row of size 0 does not count.
    """

    sums: Floats | Sparse
    cluster: Codes
    leaf: Codes
    size: Floats

    @property
    def dense(self) -> Floats:
        """The sums with all that are 0."""
        return self.sums.dense() if isinstance(self.sums, Sparse) else self.sums


class Scale(msgspec.Struct, frozen=True):
    """Where a measure's values lie, which says how the limits of a leaf are made.

    Attributes:
        kind: ``bounded``: a mean between ``low`` and ``high``; ``log``: errors over reference, no end above, errors in
            the first column; ``f1``: macro F1, three columns a class (`stats.f1`); ``recall``: balanced accuracy, two
            columns a class (`of_recalls`); ``plain``: no known ends.
        low, high: the ends of a bounded scale.
    """

    kind: Literal["bounded", "log", "f1", "recall", "plain"]
    low: float = 0.0
    high: float = 1.0

    @property
    def ends(self) -> tuple[float, float] | None:
        """The whole scale; None where it has no end."""
        return {"bounded": (self.low, self.high), "f1": (0.0, 1.0), "recall": (0.0, 1.0)}.get(self.kind)

    @property
    def unit(self) -> tuple[float, float]:
        """Where the scale starts and how long it is; 0 and 1 where it has no end."""
        low, high = self.ends or (0.0, 1.0)
        return low, high - low


SHARE = Scale("bounded")


def ratio(sums: Floats) -> Floats:
    """The first sum over the second: shares, means, error rates.

    Args:
        sums: ``float64[..., 2]`` or more columns, of which the rest have no say.

    Returns:
        ``float64[...]``, NaN where the second sum is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)


def means(
    scores: ArrayLike, clusters: ArrayLike, leaf: ArrayLike | None = None, weight: ArrayLike | None = None
) -> Parts:
    """Parts of the mean of one score an item.

    Args:
        scores: ``float64[n]``.
        clusters: ``int64[n]``, any codes.
        leaf: ``int64[n]``, 0 to L - 1; None for one leaf.
        weight: ``float64[n]``, how much each item counts within its leaf; None for alike.

    Raises:
        UsageError: columns of different lengths.
    """
    y, cluster = np.asarray(scores, dtype=np.float64), np.asarray(clusters)
    size = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    where = np.zeros(len(y), np.int64) if leaf is None else np.asarray(leaf)
    for name, column in (("clusters", cluster), ("leaves", where), ("weights", size)):
        if column.shape != y.shape or y.ndim != 1:
            raise UsageError(f"{name} have shape {column.shape}, the scores {y.shape}; give one entry an item")
    return Parts(np.stack((size * y, size), axis=1)[:, None], cluster, where, size)


def of_recalls(parts: Parts, weights: Floats) -> tuple[Parts, Floats]:
    """Balanced accuracy as what it is, a mean of shares: the same with a leaf for each class of a leaf.

    Args:
        parts: right replies and replies of each class in turn, ``sums[..., 2 * classes]``.
        weights: ``float64[L]``, of the leaves.

    Returns:
        Parts of `ratio`, and the weight of each class that occurs: all classes of a leaf count alike.
    """
    n_classes = parts.sums.shape[-1] // 2
    row, kind, sums = by_class(parts.sums, 2)
    kept = (sums[..., 1].max(axis=1) > 0) & (parts.size[row] > 0)
    row, kind, sums = row[kept], kind[kept], sums[kept]
    found, leaf = np.unique(parts.leaf[row] * n_classes + kind, return_inverse=True)
    number = np.bincount(found // n_classes, minlength=len(weights))
    made = Parts(sums, parts.cluster[row], leaf, sums[..., 1].max(axis=1))
    return made, (weights / np.maximum(number, 1))[found // n_classes]


def check(parts: Parts, weights: ArrayLike) -> Floats:
    """Refuse parts and weights that do not belong together; the weights, scaled to sum to 1.

    Raises:
        UsageError: columns of different lengths, sums that are not finite, sizes or weights that are negative, not
            finite or all 0, a leaf without a weight.
    """
    weight = np.asarray(weights, dtype=np.float64)
    rows = parts.sums.shape[:1]
    if len(parts.sums.shape) != 3 or not (parts.cluster.shape == parts.leaf.shape == parts.size.shape == rows):  # noqa: PLR2004
        raise UsageError(
            f"sums have shape {parts.sums.shape}, clusters {parts.cluster.shape}, leaves {parts.leaf.shape} and sizes "
            f"{parts.size.shape}; give [rows, variants, columns] and one entry a row"
        )
    if weight.ndim != 1 or not (np.isfinite(weight).all() and (weight >= 0).all() and weight.sum() > 0):
        raise UsageError("weights are one finite number a leaf, not negative and not all 0")
    if rows[0] and not 0 <= parts.leaf.min() <= parts.leaf.max() < len(weight):
        raise UsageError(f"leaves are numbered 0 to {len(weight) - 1}, one weight each; got one outside")
    if not np.isfinite(parts.sums.value if isinstance(parts.sums, Sparse) else parts.sums).all():
        raise UsageError("the measure gave parts that are no numbers; what cannot be measured adds 0 and has size 0")
    if not (np.isfinite(parts.size).all() and (parts.size >= 0).all()):
        raise UsageError("sizes are finite and not negative")
    return np.asarray(weight / weight.sum())
