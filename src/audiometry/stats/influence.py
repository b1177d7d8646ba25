"""How far each item and each cluster moves the value of each stratum, by leaving it out.

A stratum is what has limits of its own: a leaf, or for macro F1 and balanced accuracy a class of a leaf. Leaving a
cluster out of a stratum in all variants at once gives its influence (the jackknife); for ratios of sums, which most
measures are, that is exact.
Everything is linear in rows, in time and in memory.

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11 (pseudo-values).
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.f1 import COLUMNS
from audiometry.stats.parts import Codes, Floats, Parts, Scale, Value, of_recalls, ratio
from audiometry.stats.sparse import Sparse, by_class

_ALL = 1 - 1e-9  # a share from which one cluster is a whole stratum
_LITTLE = 1e-3
_DUST = 1e-12  # of a row's share: a move below it is what rounding left
_SPARSE = 4  # times as many codes as rows, up to which they are counted
_AT_ONCE = 1 << 16  # numbers of sums handed to a measure at a time: 0.5 MB

Bools = NDArray[np.bool_]


class Strata(msgspec.Struct, frozen=True, kw_only=True):
    """Rows and cells of all strata; a cell is what a cluster and a stratum have in common.

    Attributes:
        value: ``float64[S]``, of each stratum, on the measure's scale.
        centre: ``float64[S]``, the mean that its limits are made for: the value from 0 to 1 of a bounded scale, the
            share ``TP / (TP + FP + FN)`` of a class, else the value itself.
        slope: ``float64[S]``, how fast the value moves with the centre.
        share: ``float64[S]``, the weight of each stratum in the whole, summing to 1.
        stratum, cell: ``int64[rows]``.
        weight: ``float64[rows]``, share of a row in its stratum, summing to 1 in each.
        y: ``float64[rows]``, pseudo-values: their weighted mean is the centre.
        cell_stratum, cell_cluster: ``int64[cells]``.
        cell_weight: ``float64[cells]``.
        residual: ``float64[cells]``, how far the cell moves the centre, corrected for its own share (CR2).
        alone: ``bool[cells]``, the stratum is nothing without this cell, which so shows no variation.
        n_clusters: clusters over all strata.
    """

    value: Floats
    centre: Floats
    slope: Floats
    share: Floats
    stratum: Codes
    cell: Codes
    weight: Floats
    y: Floats
    cell_stratum: Codes
    cell_cluster: Codes
    cell_weight: Floats
    residual: Floats
    alone: Bools
    n_clusters: int


def totals(codes: Codes, values: Floats, size: int) -> Floats:
    """The sums of the rows under each code from 0 to ``size`` - 1, ``float64[size, ...]``."""
    if values.ndim == 1:
        return np.bincount(codes, values, size).astype(np.float64, copy=False)
    flat = values.reshape(len(values), -1)
    out = np.empty((size, flat.shape[1]))
    for column in range(flat.shape[1]):
        out[:, column] = np.bincount(codes, flat[:, column], size)
    return out.reshape(size, *values.shape[1:])


def snapped(centre: Floats) -> Floats:
    """The same, with what rounding left beside a whole number (an end of the scale) taken off."""
    whole = np.round(centre)
    return np.where(np.abs(centre - whole) <= _DUST, whole, centre)


def over_variants(values: Floats) -> Floats:
    """The mean over the last axis of what is a number; NaN where nothing is."""
    there = np.isfinite(values)
    number = there.sum(axis=-1)
    total = np.where(there, values, 0.0).sum(axis=-1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def values_of(value: Value, sums: Floats) -> Floats:
    """What the measure makes of sums, ``float64[..., k]`` -> ``float64[...]``, without warnings of what has no value.

    Raises:
        UsageError: the measure gives something else than one number for each row of sums.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(value(sums), dtype=np.float64)
    if found.shape != sums.shape[:-1]:
        raise UsageError(
            f"the measure made values of shape {found.shape} from sums of shape {sums.shape}; it has to give one "
            "number for each row of sums"
        )
    return found


def without(value: Value, whole: Floats, leaf: Codes, sums: Floats, times: float = 1.0) -> Floats:
    """The value of a row's leaf without that row, ``float64[rows]``.

    Args:
        value: the measure's.
        whole: ``float64[L, V, k]``, sums of the leaves.
        leaf: ``int64[rows]``.
        sums: ``float64[rows, V, k]``.
        times: how often the row is taken away.
    """
    there = np.isfinite(values_of(value, whole))  # a variant that makes no value makes none without a row either
    step = max(1, _AT_ONCE // max(1, whole[0].size))
    found = []
    for at in range(0, len(leaf), step):
        of = leaf[at : at + step]
        left = values_of(value, whole[of] - times * sums[at : at + step])
        found.append(over_variants(np.where(there[of], left, np.nan)))
    return np.concatenate(found) if found else np.empty(0)


def leaf_values(parts: Parts, value: Value, n_leaves: int) -> tuple[Floats, Floats]:
    """Sums of each leaf, ``float64[L, V, k]``, and its value, ``float64[L]``, NaN for none."""
    counts = parts.size > 0
    sums, leaf = (parts.sums, parts.leaf) if counts.all() else (parts.sums[counts], parts.leaf[counts])
    whole = sums.totals(leaf, n_leaves) if isinstance(sums, Sparse) else totals(leaf, sums, n_leaves)
    rows = np.bincount(parts.leaf[counts], minlength=n_leaves)
    return whole, np.where(rows > 0, over_variants(values_of(value, whole)), np.nan)


def chosen(parts: Parts, leaves: Bools) -> Parts:
    """The rows that count of these leaves, ``bool[L]``, which are numbered anew; of all, nothing is copied."""
    rows = leaves[parts.leaf] & (parts.size > 0)
    if rows.all() and leaves.all():
        return parts
    new = np.cumsum(leaves) - 1
    return Parts(parts.sums[rows], parts.cluster[rows], new[parts.leaf[rows]], parts.size[rows])


def strata(parts: Parts, value: Value, weights: Floats, scale: Scale) -> Strata | None:
    """Strata of all leaves that have a weight and a value; None if none has.

    Args:
        parts: checked.
        value: the measure's.
        weights: ``float64[L]``, of the leaves.
        scale: the measure's.
    """
    if scale.kind == "recall":
        value, (parts, weights) = ratio, of_recalls(parts, weights)
    whole, values = leaf_values(parts, value, len(weights))
    kept = np.isfinite(values) & (weights > 0)
    if not kept.any():
        return None
    parts, share = chosen(parts, kept), weights[kept] / weights[kept].sum()
    return (
        _of_classes(parts, share)
        if scale.kind == "f1"
        else of_leaves(parts, value, whole[kept], values[kept], share, scale)
    )


def _cells(cluster: Codes, stratum: Codes, n_strata: int) -> tuple[Codes, Codes, Codes, int]:
    """The cell of each row, cluster and stratum of each cell, and the number of clusters."""
    code, n_clusters = numbered(cluster)
    if n_strata == 1:
        return code, np.arange(n_clusters), np.zeros(n_clusters, np.int64), n_clusters
    cells, cell = np.unique(code * n_strata + stratum, return_inverse=True)
    return cell, *np.divmod(cells, n_strata), n_clusters


def numbered(codes: Codes) -> tuple[Codes, int]:
    """The same numbered from 0 without gaps, in order, and how many different ones there are.

    Counted where that is cheaper than to sort them.
    """
    if len(codes) and codes.dtype.kind == "i" and 0 <= codes.min() <= codes.max() < _SPARSE * len(codes):
        seen = np.bincount(codes) > 0
        return (np.cumsum(seen) - 1)[codes], int(seen.sum())
    found, code = np.unique(codes, return_inverse=True)
    return code, len(found)


def of_leaves(parts: Parts, value: Value, whole: Floats, values: Floats, share: Floats, scale: Scale) -> Strata:
    """A stratum for each leaf.

    Args:
        parts: rows of leaves with a value.
        value: the measure's.
        whole: ``float64[L, V, k]``, sums of the leaves.
        values: ``float64[L]``.
        share: ``float64[L]``, of the leaves, summing to 1.
        scale: the measure's. For macro F1 a thousandth of a row is left out: with a class's last item its F1 would go.
    """
    n_leaves, leaf = len(values), parts.leaf
    cell, cell_cluster, cell_leaf, n_clusters = _cells(parts.cluster, leaf, n_leaves)
    weight = parts.size / totals(leaf, parts.size, n_leaves)[leaf]
    cell_weight = totals(cell, weight, len(cell_leaf))
    low, span = scale.unit
    centre = snapped((values - low) / span)
    times = _LITTLE if scale.kind == "f1" else 1.0

    def moved(where: Codes, sums: Floats, of: Floats) -> Floats:
        left = without(value, whole, where, sums, times)
        found = (values[where] - left) / (span * times) * (1 - of * times)
        return np.where(np.abs(found) <= _DUST * of * np.maximum(1.0, np.abs(centre[where])), 0.0, found)

    by_row = moved(leaf, parts.dense, weight)
    by_row = np.where(np.isfinite(by_row) & (weight <= _ALL), by_row, 0.0)
    if len(cell_leaf) == len(leaf):
        by_cell = np.empty_like(by_row)
        by_cell[cell] = by_row
    else:
        by_cell = moved(cell_leaf, totals(cell, parts.dense, len(cell_leaf)), cell_weight)
    alone = ~np.isfinite(by_cell) | (cell_weight > _ALL)
    return Strata(
        value=values,
        centre=centre,
        slope=np.full(n_leaves, span),
        share=share,
        stratum=leaf,
        cell=cell,
        weight=weight,
        y=centre[leaf] + by_row / weight,
        cell_stratum=cell_leaf,
        cell_cluster=cell_cluster,
        cell_weight=cell_weight,
        residual=np.where(alone, 0.0, by_cell) / np.sqrt(np.where(alone, 1.0, 1 - cell_weight)),
        alone=alone,
        n_clusters=n_clusters,
    )


def _of_classes(parts: Parts, share: Floats) -> Strata:
    """A stratum for each class of each leaf that occurs in gold; its centre is its TP / (TP + FP + FN)."""
    row, kind, numbers = by_class(parts.sums, COLUMNS)
    hits, gold, predicted = np.moveaxis(numbers.mean(axis=1), -1, 0)
    union = gold + predicted - hits
    n_leaves, n_classes = len(share), parts.sums.shape[-1] // COLUMNS
    occurs = totals(parts.leaf[row] * n_classes + kind, gold, n_leaves * n_classes).reshape(n_leaves, n_classes) > 0
    number = occurs.sum(axis=1)
    code = np.full(occurs.shape, -1, np.int64)
    code[occurs] = np.arange(number.sum())
    kept = (union > 0) & occurs[parts.leaf[row], kind]
    row, kind, part, size = row[kept], kind[kept], hits[kept], union[kept]
    stratum = code[parts.leaf[row], kind]
    n = int(number.sum())
    weight = size / totals(stratum, size, n)[stratum]
    y = part / size
    centre = totals(stratum, weight * y, n)
    cell, cell_cluster, cell_stratum, _ = _cells(parts.cluster[row], stratum, n)
    cell_weight = totals(cell, weight, len(cell_stratum))
    alone = cell_weight > _ALL
    moved = np.where(alone, 0.0, totals(cell, weight * (y - centre[stratum]), len(cell_stratum)))
    return Strata(
        value=2 * centre / (1 + centre),
        centre=centre,
        slope=2 / (1 + centre) ** 2,
        share=(share / number)[np.repeat(np.arange(n_leaves), number)],
        stratum=stratum,
        cell=cell,
        weight=weight,
        y=y,
        cell_stratum=cell_stratum,
        cell_cluster=cell_cluster,
        cell_weight=cell_weight,
        residual=moved / np.sqrt(np.where(alone, 1.0, 1 - cell_weight)),
        alone=alone,
        n_clusters=numbered(parts.cluster)[1],
    )
