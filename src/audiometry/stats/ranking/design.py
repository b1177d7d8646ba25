"""Votes as rows of a regression: all votes with the same expectation make one row.

Without covariates a row is a pair of models (and the side shown first), so that a million votes over 40 models are
780 rows. With covariates each vote is a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.ranking.counts import SAID, SIDES, Counts
from audiometry.stats.ranking.votes import Floats, Outcome, Votes

FIRST: Final = "first"  # the term for being shown first
_SEEN_FROM_B = np.array([Outcome.B, Outcome.A, Outcome.TIE, Outcome.BOTH_BAD])
_SIGN = np.array([0.0, 1.0, -1.0])  # of the first-position term: not known, lower model first, higher model first


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """Votes of the ranked models as rows, each seen from the lower model of its pair.

    A cell is a row and what was said: 3 × row + 0 (the lower model won), 1 (the higher one), 2 (a tie).

    Attributes:
        models: ``int64[K]``, codes of the ranked models.
        low, high: ``int64[P]``, places in ``models`` of the two of each pair, low < high.
        pair: ``int64[m]``, the pair of each row, ascending.
        start: ``int64[P]``, the first row of each pair.
        x: ``float64[m, k]``, the terms beside the models' strengths.
        terms: names of these k.
        scale: ``float64[k]``, the root mean square by which each was divided.
        vote: ``int64[n]``, the votes that are in the fit, ascending.
        cell: ``int64[n]``, the cell of each.
    """

    models: Counts
    low: Counts
    high: Counts
    pair: Counts
    start: Counts
    x: Floats
    terms: tuple[str, ...]
    scale: Floats
    vote: Counts
    cell: Counts

    @property
    def size(self) -> int:
        """Ranked models, K."""
        return len(self.models)

    def tally(self, weight: Floats | None = None) -> Floats:
        """``float64[m, 3]``, the votes of each cell, or their weights (``float64[n]``) added up."""
        return np.bincount(self.cell, weight, 3 * len(self.pair)).reshape(-1, 3).astype(np.float64, copy=False)


def by_pair(key: Counts, counts: Counts, placed: Counts, *, first: bool) -> Design:
    """A row for each pair, or for each pair and the side shown first.

    Args:
        key: ``int64[n]``, of all votes, as `keys` has them.
        counts: of them, as `counted` has them.
        placed: ``int64[K]``, codes of the models to rank.
        first: make a term of the side shown first.
    """
    models = len(counts)
    local = np.full(models, -1)
    local[placed] = np.arange(len(placed))
    there = np.flatnonzero(counts)
    a, b, said, side = np.unravel_index(there, counts.shape)
    a, b = local[a], local[b]
    used = (a >= 0) & (b >= 0) & (said != Outcome.BOTH_BAD)
    there, a, b, said, side = (column[used] for column in (there, a, b, said, side))
    swapped = a > b
    said = np.where(swapped, _SEEN_FROM_B[said], said)
    side = np.where(swapped & (side > 0), SIDES - side, side)
    low, high = np.minimum(a, b), np.maximum(a, b)
    rows, row = np.unique((low * len(placed) + high) * SIDES + side, return_inverse=True)
    cell_of = np.full(counts.size, -1)
    cell_of[there] = row * (SAID - 1) + said
    cell = cell_of[key]
    vote = np.flatnonzero(cell >= 0)
    x = _SIGN[rows % SIDES][:, None] if first else np.zeros((len(rows), 0))
    return _designed(placed, rows // SIDES, x, (FIRST,) if first else (), np.ones(x.shape[1]), vote, cell[vote])


def by_vote(votes: Votes, kept: NDArray[np.bool_], placed: Counts, contrasts: Sequence[str], *, first: bool) -> Design:
    """A row for each vote, with its covariates as ``(a - b) / (a + b)``, divided by their root mean square.

    They are never centred: which model is on side a is arbitrary, and the mean would hang on it.

    Args:
        votes: all of them.
        kept: ``bool[n]``, those of which the covariates are known.
        placed: ``int64[K]``, codes of the models to rank.
        contrasts: names of covariates.
        first: make a term of the side shown first as well.

    Raises:
        UsageError: a covariate is the same on both sides of every vote.
    """
    local = np.full(len(votes.models), -1)
    local[placed] = np.arange(len(placed))
    a, b = local[votes.a], local[votes.b]
    vote = np.flatnonzero(kept & (a >= 0) & (b >= 0) & (votes.outcome != Outcome.BOTH_BAD))
    a, b, said = a[vote], b[vote], votes.outcome[vote]
    swapped = a > b
    low, high = np.minimum(a, b), np.maximum(a, b)
    columns = [_relative(votes.contrasts[name][vote]) for name in contrasts]
    scale = [float(np.sqrt((column**2).mean())) for column in columns]
    for name, size in zip(contrasts, scale, strict=True):
        if size == 0:
            raise UsageError(f"'{name}' is the same on both sides of every vote, so it can explain none; leave it out")
    columns = [column / size for column, size in zip(columns, scale, strict=True)]
    if first and votes.first is not None:
        columns.insert(0, _SIGN[votes.first[vote] + 1])
        scale.insert(0, 1.0)
    x = np.where(swapped, -1.0, 1.0)[:, None] * np.stack(columns, axis=1)
    key = low * len(placed) + high
    order = np.argsort(key, kind="stable")
    cell = np.empty(len(vote), np.int64)
    cell[order] = np.arange(len(vote)) * (SAID - 1)
    cell += np.where(swapped, _SEEN_FROM_B[said], said)
    terms = (*((FIRST,) if first else ()), *contrasts)
    return _designed(placed, key[order], x[order], terms, np.array(scale), vote, cell)


def _relative(values: Floats) -> Floats:
    """``(a - b) / (a + b)``, 0 where both are 0."""
    total = values.sum(axis=1)
    return (values[:, 0] - values[:, 1]) / np.where(total > 0, total, 1)


def _designed(
    placed: Counts, row_key: Counts, x: Floats, terms: tuple[str, ...], scale: Floats, vote: Counts, cell: Counts
) -> Design:
    pairs, start, pair = np.unique(row_key, return_index=True, return_inverse=True)
    low, high = np.divmod(pairs, len(placed))
    return Design(
        models=placed,
        low=low,
        high=high,
        pair=pair,
        start=start,
        x=x,
        terms=terms,
        scale=scale,
        vote=vote,
        cell=cell,
    )
