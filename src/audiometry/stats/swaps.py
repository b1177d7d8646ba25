"""The swap test: two models' parts of whole clusters change places, and the measure is computed anew.

If neither model is better, what each adds to a cluster could as well have been the other's. For means this is the
sign flip of the clusters' differences, and for single right-or-wrong items McNemar's exact test; for other measures
nothing is linearised. Only clusters that differ matter, and clusters that differ alike are interchangeable: how many of
them change places is one binomial draw.

Sources: Fisher 1935, The Design of Experiments, section 21; Noreen 1989, Computer-Intensive Methods for Testing
Hypotheses, chapter 2 (approximate randomization); Phipson and Smyth 2010, Statistical Applications in Genetics and
Molecular Biology 9, 39.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audiometry.stats.parts import Codes, Floats
from audiometry.stats.sparse import Sparse, of_dense

ENUMERATED = 16  # clusters whose 2^15 patterns (the mirror images say the same) are all looked at
_LIKE = 8  # clusters that differ alike from which one binomial draw is faster than theirs
_BLOCK = 256  # clusters whose signs are drawn at a time
_EXACT = 1 << 24  # below it whole numbers are added without loss in half the bytes, and in half the time
_AT_ONCE = 1 << 17  # numbers that are held at a time, 1 MB, of all that grows with clusters or patterns
_DUST = 1e-10  # of the observed difference and the largest found: below it, two are a tie

Statistic = Callable[[Floats, Floats], Floats]  # sums of both models, float64[m, c] -> float64[m], or several [m, t]


def swap_test(
    middle: Floats, half: Floats | Sparse, statistic: Statistic, *, rng: np.random.Generator, swaps: int
) -> tuple[float, bool]:
    """How often swapped clusters put the models at least as far apart as they are.

    p does not depend on the order of clusters, nor on which model is the first.

    Args:
        middle: ``float64[c]``, the mean of both models' sums.
        half: ``[G, c]``, half of what each cluster adds to the first model's sums more than to the second's.
        statistic: the difference of the values of two models with these sums; NaN counts as far apart. Of several, p is
            the largest.
        rng: source of the random patterns; used where more than 16 clusters differ.
        swaps: how many random patterns.

    Returns:
        p, above 0 and at most 1, and whether all patterns were looked at.
    """
    rows = _Rows(half)
    observed = abs(_apart(middle, rows.moved, rows.total[None], statistic)[0])
    exact = len(rows) <= ENUMERATED
    drawn = _every(rows.at(slice(None))) if exact else _random(rows, rng, swaps)
    steps = _steps(len(drawn), len(middle))
    apart = np.abs(np.concatenate([_apart(middle, rows.moved, drawn[step], statistic) for step in steps]))
    far = ~(apart < observed - _DUST * np.maximum(observed, np.nanmax(apart, axis=0, initial=0.0)))
    many = int(far.sum(axis=0).max())
    return (many / len(far), True) if exact else ((1 + many) / (1 + swaps), False)


class _Rows:
    """The clusters that differ, in an order of their own: rows of a matrix of which nothing is copied.

    A pattern and its mirror image are as likely, so a row is turned so that a fixed weighted sum of it is positive, and
    rows are sorted by it: that changes nothing but which draw stands for which.

    Args:
        half: ``[G, c]``, of all clusters.

    Attributes:
        moved: columns in which any differs.
        total: ``float64[moved]``, the sums of all rows.
        key: ``float64[rows]``, rising: one number a row, which no two different rows of whole numbers share.
        first: ``int64[rows]``, the first column in which a row differs: rows of one task are near one another by it.
    """

    def __init__(self, half: Floats | Sparse) -> None:
        self._half = half if isinstance(half, Sparse) else of_dense(half)
        self.moved = np.unique(self._half.column)
        size = np.diff(self._half.ends)
        self.total: Floats = self._half.totals(np.zeros(len(size), np.int64), 1)[0, 0, self.moved]
        row = np.flatnonzero(size)
        weight = np.sin(np.arange(1, len(self.moved) + 1))
        key = np.empty(len(row))
        for step in _steps(len(row), len(weight)):
            key[step] = (self._dense(row[step]) * weight).sum(axis=1)
        order = np.argsort(-np.abs(key), kind="stable")
        self._row, self._turned = row[order], np.where(key < 0, -1.0, 1.0)[order]
        self.key = -np.abs(key)[order]
        self.first: Codes = (np.minimum.reduceat(self._half.column, self._half.ends[row]) if len(row) else row)[order]

    def __len__(self) -> int:
        return len(self._row)

    def at(self, which: slice | Codes) -> Floats:
        """Some of them, ``float64[rows, moved]``."""
        return self._dense(self._row[which]) * self._turned[which][:, None]

    def _dense(self, rows: Codes) -> Floats:
        return np.asarray(self._half.at(rows).dense()[:, 0, self.moved])


def _steps(n: int, width: int) -> list[slice]:
    """Of so many rows, those that are looked at together."""
    size = max(1, _AT_ONCE // max(1, width))
    return [slice(at, at + size) for at in range(0, n, size)] or [slice(0, 0)]


def _apart(middle: Floats, moved: Codes, shift: Floats, statistic: Statistic) -> Floats:
    above, below = np.tile(middle, (len(shift), 1)), np.tile(middle, (len(shift), 1))
    above[:, moved] += shift
    below[:, moved] -= shift
    return np.asarray(statistic(above, below))


def _every(half: Floats) -> Floats:
    """The sums of all patterns of signs in which the first row keeps its own, ``float64[2^(G-1), c]``."""
    sums = half[:1].sum(axis=0)[None]
    for row in half[1:]:
        sums = np.concatenate((sums + row, sums - row))
    return np.asarray(sums)


def _random(rows: _Rows, rng: np.random.Generator, swaps: int) -> Floats:
    """The sums of random patterns of signs, ``float64[swaps, moved]``."""
    _, first, count = np.unique(rows.key, return_index=True, return_counts=True)
    many = count >= _LIKE
    sums = np.zeros((swaps, len(rows.moved)))
    if many.any():
        alike, times = rows.at(first[many]), count[many]
        for step in _steps(swaps, len(times)):
            sums[step] += (2.0 * rng.binomial(times, 0.5, (len(sums[step]), len(times))) - times) @ alike
    single = np.flatnonzero(np.repeat(~many, count))
    single = single[np.argsort(rows.first[single], kind="stable")]
    for start in range(0, len(single), _BLOCK):
        block = rows.at(single[start : start + _BLOCK])
        moved = np.flatnonzero(block.any(axis=0))  # those of a few tasks, where clusters lie within one
        block = block[:, moved]
        twice: Any = 2 * block
        if (twice == np.rint(twice)).all() and np.abs(twice).sum() < _EXACT:
            twice = twice.astype(np.float32)
        drawn = rng.integers(0, 256, (swaps, -(-len(block) // 8)), np.uint8)
        for step in _steps(swaps, len(block)):
            kept = np.unpackbits(drawn[step], axis=1, count=len(block)).astype(twice.dtype)
            sums[step, moved] += kept @ twice
        sums[:, moved] -= block.sum(axis=0)
    return sums
