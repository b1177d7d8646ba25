"""Voters who are not of others' mind, yet of one another's: people of another taste, and not coins.

Coins agree with nobody. Of those who choose the worse model all agree, but whoever turned everybody's choices round
would foretell them as well; a group with an order of its own is foretold by its members alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from audiometry.stats.sequential import ends, tops, walks

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
_ROUNDS = 10  # of going by those alone who agree


def agreed(
    found: Bools, who: NDArray[np.int64], likely: Floats, told_by: Callable[[Bools], Floats], sure: float
) -> Bools:
    """``bool[V]``, of voters who were found those whose choices the others of them foretell.

    Better by the odds of ``exp(sure)`` than a coin, and than whoever turns round what everybody else prefers. A coin is
    so held against others that it ever agrees in at most one of ``exp(sure)`` cases.

    Args:
        found: ``bool[V]``, who does not choose as others do.
        who: ``int64[n]``, the voter of each choice.
        likely: ``float64[n]``, how likely each choice was by those who are not found.
        told_by: how likely each choice is by some voters, ``bool[V]``, its own voter's later ones left out.
        sure: the logarithm of the odds.
    """
    among, own = found, np.zeros_like(found)
    for _ in range(_ROUNDS if found.any() else 0):
        by_them = np.log(told_by(among))
        before, own = own, found.copy()
        for steps in (by_them - math.log(0.5), by_them - np.log(1 - likely)):
            walked = walks(steps, who)
            now = ends(walked, who, len(found))
            own &= (now > 0) & (tops(walked, who, len(found)) >= sure)
        if (own == before).all() or not own.any():
            break
        among = own
    return own
