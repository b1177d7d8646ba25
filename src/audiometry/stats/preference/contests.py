"""Votes between pairs of systems as counts: how often each side won, by pair and, where it is known, by voter."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Contests(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of votes that are alike: of one pair, and of one voter where voters are known.

    Attributes:
        n_systems: how many systems there are.
        pairs: ``int64[p, 2]``, the two systems of each pair that met, each pair once.
        pair: ``int64[r]``, the pair of each row.
        won, lost: ``float64[r]``, votes for the pair's first and for its second system; a halved tie is half of each.
        voter: ``int64[r]``, whose votes they are, 0 to voters - 1; None: not known.
    """

    n_systems: int
    pairs: Codes
    pair: Codes
    won: Floats
    lost: Floats
    voter: Codes | None = None

    @property
    def n_votes(self) -> float:
        """Votes in all; each halved tie is one."""
        return float(self.won.sum() + self.lost.sum())

    @property
    def of_pairs(self) -> Contests:
        """The same with the voters forgotten: a row a pair."""
        if self.voter is None:
            return self
        won, lost = (_sums(self.pair, one, len(self.pairs)) for one in (self.won, self.lost))
        return msgspec.structs.replace(self, pair=np.arange(len(self.pairs)), won=won, lost=lost, voter=None)

    def among(self, systems: Codes) -> Contests:
        """The votes between some of the systems.

        Args:
            systems: ``int64[m]``, codes, each once; the first becomes 0, the second 1 and so on.
        """
        code = np.full(self.n_systems, -1, np.int64)
        code[systems] = np.arange(len(systems))
        both: NDArray[np.bool_] = (code[self.pairs] >= 0)[:, 0] & (code[self.pairs] >= 0)[:, 1]
        rows = both[self.pair]
        voter = None if self.voter is None else np.unique(self.voter[rows], return_inverse=True)[1]
        return Contests(
            n_systems=len(systems),
            pairs=code[self.pairs[both]],
            pair=(np.cumsum(both) - 1)[self.pair[rows]],
            won=self.won[rows],
            lost=self.lost[rows],
            voter=voter,
        )


def contests(
    a: Codes, b: Codes, shares: Floats, n_systems: int, *, voter: Codes | None = None, times: Floats | None = None
) -> Contests:
    """Single votes as counts.

    Args:
        a: ``int[n]``, the code of the one system of each vote.
        b: ``int[n]``, that of the other, never the same.
        shares: ``float64[n]``, 1 where a was preferred, 0 where b was, 0.5 for a tie.
        n_systems: codes are below it.
        voter: ``int[n]``, codes; None: not known.
        times: ``float64[n]``, how many votes each row stands for; None: one.

    Raises:
        UsageError: lengths that differ, or a system that met itself.
    """
    given = [np.asarray(one) for one in (a, b, shares, voter, times) if one is not None]
    if len({one.shape for one in given}) != 1:
        raise UsageError(f"columns of {', '.join(str(len(one)) for one in given)} votes; give one length")
    if (given[0] == given[1]).any():
        raise UsageError("a system met itself; such votes say nothing, leave them out")
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    weight = np.ones(len(low)) if times is None else np.asarray(times, np.float64)
    met, pair = np.unique(low * n_systems + high, return_inverse=True)
    row, whose, n_rows = pair, None, len(met)
    if voter is not None:
        who = np.unique(voter, return_inverse=True)[1]
        cells, row = np.unique(who * len(met) + pair, return_inverse=True)
        whose, pair_of, n_rows = cells // max(1, len(met)), cells % max(1, len(met)), len(cells)
    else:
        pair_of = np.arange(len(met))
    of_low = np.where(a == low, shares, 1 - np.asarray(shares, np.float64)) * weight
    return Contests(
        n_systems=n_systems,
        pairs=np.stack([met // n_systems, met % n_systems], axis=1) if len(met) else np.zeros((0, 2), np.int64),
        pair=pair_of,
        won=_sums(row, of_low, n_rows),
        lost=_sums(row, weight - of_low, n_rows),
        voter=whose,
    )


def _sums(code: Codes, values: Floats, n: int) -> Floats:
    return np.asarray(np.bincount(code, values, n), np.float64)
