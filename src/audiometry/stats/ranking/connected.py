"""Which models the votes can hold against each other, and why others can not be placed.

A chain of votes leads from x to y if x beat or tied with somebody who beat or tied with … y. Strengths exist, finite
and only one set of them, for models with chains both ways between any two (Zermelo 1929, Mathematische Zeitschrift
29, 436-460; Ford 1957, American Mathematical Monthly 64, 28-33). The largest such group is ranked.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.stats.ranking.counts import Counts
from audiometry.stats.ranking.votes import Floats

Bools = NDArray[np.bool_]

Reason = Literal[
    "no votes that count",
    "only ties",
    "not connected",
    "never won",
    "never lost",
    "no win over a ranked model",
    "no loss to a ranked model",
    "no chain of votes",
]


class Groups(msgspec.Struct, frozen=True, kw_only=True):
    """Where each model stands to the group that is ranked, in each of R samples.

    Attributes:
        placed: ``bool[R, M]``, in that group.
        above: ``bool[R, M]``, a chain of votes leads from the model to the group and none back: it is better than
            any number.
        below: ``bool[R, M]``, the other way round.
        mutual: ``bool[R, M, M]``, chains lead both ways.
    """

    placed: Bools
    above: Bools
    below: Bools
    mutual: Bools


def groups(beat: Bools, votes: Floats) -> Groups:
    """The largest group in which chains of votes lead both ways; of equal ones that with more votes, then the first.

    Args:
        beat: ``bool[R, M, M]``, the row's model beat the column's or tied with it.
        votes: ``float64[R, M]``, of each model.
    """
    reach = chains(beat)
    mutual = reach & reach.swapaxes(1, 2)
    share = votes / (1 + votes.sum(axis=1, keepdims=True))
    size = mutual.sum(axis=2) + (mutual @ share[..., None])[..., 0] / 2
    main = size.argmax(axis=1)
    at = np.arange(len(beat))
    placed = mutual[at, main]
    return Groups(placed=placed, above=reach[at, :, main] & ~placed, below=reach[at, main] & ~placed, mutual=mutual)


def chains(beat: Bools) -> Bools:
    """``bool[R, M, M]``, whether a chain leads from row to column; from each model to itself one does."""
    reach = beat | np.eye(beat.shape[-1], dtype=np.bool_)
    length = 1
    while length < beat.shape[-1] - 1:  # each squaring doubles the chains' length
        step = reach.astype(np.float32)
        longer = step @ step > 0
        if (longer == reach).all():
            break
        reach = longer
        length *= 2
    return reach


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """Which models are ranked and why the others are not.

    Attributes:
        placed: ``int64[K]``, codes; none if there is no group of two.
        unplaced: for each other model its code, the reason, and the codes of those to which it does have chains of
            votes both ways.
    """

    placed: Counts
    unplaced: tuple[tuple[int, Reason, tuple[int, ...]], ...]


def placing(wins: Counts, ties: Counts) -> Placing:
    """Find the models that can be ranked.

    A model all of whose votes are ties is not: it would stand exactly where its opponents stand, without any doubt.

    Args:
        wins: ``int64[M, M]``, of row over column.
        ties: ``int64[M, M]``.
    """
    met = wins + wins.T + ties
    decided = _with_decisions(wins + wins.T)
    among = decided[:, None] & decided
    beat = ((wins + ties) > 0) & among
    found = groups(beat[None], (met * among).sum(axis=1, dtype=np.float64)[None])
    placed = found.placed[0] & decided
    if placed.sum() < 2:  # noqa: PLR2004  a ranking has two
        placed[:] = False
    near = chains((beat | beat.T)[None])[0]
    apart: list[tuple[int, Reason, tuple[int, ...]]] = []
    for code in np.flatnonzero(~placed).tolist():
        own = np.flatnonzero(found.mutual[0, code] & decided)
        apart.append((code, _reason(code, wins, ties, decided, placed, found, near), tuple(own[own != code].tolist())))
    return Placing(placed=np.flatnonzero(placed), unplaced=tuple(apart))


def _with_decisions(decisions: Counts) -> Bools:
    """Models with a win or a loss against one that has them too."""
    decided = np.ones(len(decisions), np.bool_)
    while True:
        left = decided & ((decisions * decided).sum(axis=1) > 0)
        if (left == decided).all():
            return decided
        decided = left


def _reason(code: int, wins: Counts, ties: Counts, decided: Bools, placed: Bools, found: Groups, near: Bools) -> Reason:
    """The first that holds, from what the model lacks by itself to where it stands to those that are ranked."""
    drawn, won, lost = (bool(table[code].any()) for table in (ties, wins, wins.T))
    ranked = bool(placed.any())
    holds: dict[Reason, bool] = {
        "no votes that count": not (drawn or won or lost),
        "only ties": not decided[code],
        "not connected": ranked and not bool((near[code] & placed).any()),
        "never won": not (won or drawn),
        "never lost": not (lost or drawn),
        "no win over a ranked model": ranked and bool(found.below[0, code]),
        "no loss to a ranked model": ranked and bool(found.above[0, code]),
    }
    for reason, true in holds.items():
        if true:
            return reason
    return "no chain of votes"
