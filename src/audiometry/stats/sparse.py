"""Tables of which nearly all numbers are 0: measures by classes have columns for each, of which a reply fills a few."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Sparse(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers ``float64[rows, V, k]``, as those that are not 0.

    Attributes:
        ends: ``int64[rows * V + 1]``, where the numbers of each row in each variant end; the first is 0.
        column: ``int64[m]``, of each number.
        value: ``float64[m]``, the numbers.
        n_variants: V.
        n_columns: k.
    """

    ends: Codes
    column: Codes
    value: Floats
    n_variants: int = 1
    n_columns: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, variants and columns."""
        return (len(self.ends) - 1) // self.n_variants, self.n_variants, self.n_columns

    @property
    def line(self) -> Codes:
        """``int64[m]``, the row and variant of each number, ``row * V + variant``."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    def __getitem__(self, rows: Bools) -> Sparse:
        """Some of the rows."""
        lines = np.flatnonzero(np.repeat(rows, self.n_variants))
        return msgspec.structs.replace(self.at(lines), n_variants=self.n_variants)

    def at(self, lines: Codes) -> Sparse:
        """These lines, in this order, as often as they are named; each of one variant."""
        size = np.diff(self.ends)[lines]
        ends = np.concatenate(([0], np.cumsum(size)))
        taken = np.arange(ends[-1]) + np.repeat(self.ends[lines] - ends[:-1], size)
        return Sparse(ends=ends, column=self.column[taken], value=self.value[taken], n_columns=self.n_columns)

    def dense(self) -> Floats:
        """All numbers, ``float64[rows, V, k]``."""
        out = np.zeros((len(self.ends) - 1, self.n_columns))
        out[self.line, self.column] = self.value
        return out.reshape(self.shape)

    def totals(self, codes: Codes, size: int) -> Floats:
        """The sums of the rows under each code from 0 to ``size`` - 1, ``float64[size, V, k]``."""
        row, variant = np.divmod(self.line, self.n_variants)
        place = (codes[row] * self.n_variants + variant) * self.n_columns + self.column
        shape = size, self.n_variants, self.n_columns
        return _sums(place, self.value, size * self.n_variants * self.n_columns).reshape(shape)


def of_dense(table: Floats) -> Sparse:
    """The same of ``float64[rows, k]``."""
    line, column = np.nonzero(table)
    ends = np.searchsorted(line, np.arange(len(table) + 1))
    return Sparse(ends=ends, column=column, value=table[line, column], n_columns=table.shape[1])


def by_class(sums: Floats | Sparse, each: int) -> tuple[Codes, Codes, Floats]:
    """What there is of each row in each class: the row, the class, and its numbers, ``float64[m, V, each]``.

    Args:
        sums: ``[rows, V, each * classes]``.
        each: how many columns a class has.
    """
    n_rows, n_variants, n_columns = sums.shape
    n_classes = n_columns // each
    if isinstance(sums, Sparse):
        row, variant = np.divmod(sums.line, n_variants)
        found, at = np.unique(row * n_classes + sums.column // each, return_inverse=True)
        place = (at * n_variants + variant) * each + sums.column % each
        numbers = _sums(place, sums.value, len(found) * n_variants * each)
        return *np.divmod(found, max(1, n_classes)), numbers.reshape(-1, n_variants, each)
    of = sums.reshape(n_rows, n_variants, n_classes, each)
    row, kind = np.nonzero((of != 0).any(axis=(1, 3)))
    return row, kind, of[row, :, kind]


def _sums(codes: Codes, values: Floats, size: int) -> Floats:
    return np.bincount(codes, values, size).astype(np.float64, copy=False)  # of nothing it counts in integers
