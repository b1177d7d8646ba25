"""Voters who always choose the same side, whatever stands there."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from audiometry.arena.abuse.chance import SURE
from audiometry.records.votes import Outcome, Votes
from audiometry.stats.sequential import tops, walks

MOST: Final = 0.75
"""Share of choices of one side that a voter with a leaning may have; sides are drawn, so it is near one half."""
_ALWAYS: Final = 0.98


def one_side(votes: Votes) -> NDArray[np.bool_]:
    """``bool[V]``, who chooses one side beyond any leaning; of a voter with a leaning of `MOST` one in twenty is.

    Each choice multiplies the odds of one who always takes the first (98 %) against one who takes it at `MOST`, and
    the same of the second; their mean is the test. Fourteen choices of one side and none of the other are enough.

    Args:
        votes: in the order of time. Those of which the side shown first is not known say nothing: in many files the
            model called a is always the same of the two, and not the one on the left.
    """
    if votes.voter is None:
        return np.zeros(0, np.bool_)
    size = int(votes.voter.max(initial=-1)) + 1
    if votes.first is None:
        return np.zeros(size, np.bool_)
    rows = np.flatnonzero((votes.voter >= 0) & (votes.outcome < Outcome.TIE) & (votes.first >= 0))
    who = votes.voter[rows]
    chosen = np.where(votes.first[rows] == 1, 1 - votes.outcome[rows], votes.outcome[rows])
    same, other = math.log(_ALWAYS / MOST), math.log((1 - _ALWAYS) / (1 - MOST))
    walked = [walks(np.where(chosen == side, same, other), who) for side in (0, 1)]
    return tops(np.logaddexp(*walked) - math.log(2), who, size) >= SURE
