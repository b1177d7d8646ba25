"""How often each model beat each other one."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.ranking.votes import Outcome, Votes

Counts = NDArray[np.int64]

MOST_MODELS: Final = 1_000  # up to here tables of all pairs stay small
SAID: Final = len(Outcome)
SIDES: Final = 3  # shown first: not known, a, b


class WinMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """Votes of each pair of models as they were given, both-bad ones among them.

    Attributes:
        models: names, by row and column.
        wins: ``int64[M, M]``, how often the row's model was preferred to the column's.
        ties: ``int64[M, M]``, symmetric.
        both_bad: ``int64[M, M]``, symmetric.
    """

    models: tuple[str, ...]
    wins: Counts
    ties: Counts
    both_bad: Counts

    @property
    def n(self) -> Counts:
        """``int64[M, M]``, battles of each pair."""
        return self.wins + self.wins.T + self.ties + self.both_bad


def keys(votes: Votes, *, sides: bool) -> Counts:
    """``int64[n]``, one number for who met whom, what was said and, on request, who was shown first.

    Raises:
        UsageError: more models than tables of pairs are made for.
    """
    models = len(votes.models)
    if models > MOST_MODELS:
        raise UsageError(f"{models:,} models are more than the {MOST_MODELS:,} that can be ranked; choose some of them")
    key = votes.a.astype(np.int64)
    for column, several in ((votes.b, models), (votes.outcome, SAID)):
        key *= several
        key += column
    if sides and votes.first is not None:
        key = key * SIDES + votes.first + 1
    return key


def counted(key: Counts, models: int, *, sides: bool) -> Counts:
    """``int64[M, M, 4, 1 or 3]``: votes by model on side a, model on side b, what was said, side shown first."""
    shape = (models, models, SAID, SIDES if sides else 1)
    return np.bincount(key, minlength=int(np.prod(shape))).reshape(shape)


def win_matrix(models: tuple[str, ...], counts: Counts) -> WinMatrix:
    """Wins, ties and both-bad votes of each pair, from `counted`."""
    said = counts.sum(axis=3)
    ties, bad = (said[:, :, one] + said[:, :, one].T for one in (Outcome.TIE, Outcome.BOTH_BAD))
    wins = said[:, :, Outcome.A] + said[:, :, Outcome.B].T
    return WinMatrix(models=models, wins=wins, ties=ties, both_bad=bad)
