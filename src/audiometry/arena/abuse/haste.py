"""Votes that came sooner than anybody can read, or more in a minute than anybody can ask."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CHARACTERS_A_SECOND: Final = 100.0
"""More than a thousand English words a minute, four times as fast as people read silently."""
SHORTEST_S: Final = 1.0
"""To look at two replies of one word each and press a key."""
WINDOW_S: Final = 60.0
MOST_IN_WINDOW: Final = 12
"""Votes of one voter, who has to ask, wait and read before each."""


def too_fast(seconds: Floats, characters: Floats | None = None) -> NDArray[np.bool_]:
    """``bool[n]``, votes cast before both replies can have been read.

    Args:
        seconds: ``float64[n]``, from both replies being there to the first vote; NaN where not known.
        characters: ``float64[n]``, of both replies together; NaN or None where not known: then a second is enough.

    Source of reading rates: Brysbaert 2019, Journal of Memory and Language 109, 104047 (238 words a minute).
    """
    least = np.full(len(seconds), SHORTEST_S)
    if characters is not None:
        least = np.fmax(least, characters / CHARACTERS_A_SECOND)
    fast: NDArray[np.bool_] = np.less(seconds, least)
    return fast


def bursts(voter: NDArray[np.int32], at: Floats) -> NDArray[np.bool_]:
    """``bool[n]``, votes of a minute in which their voter voted more than `MOST_IN_WINDOW` times.

    Args:
        voter: ``int32[n]``, -1 where not known.
        at: ``float64[n]``, seconds since any moment; NaN where not known.
    """
    out = np.zeros(len(at), np.bool_)
    rows = np.flatnonzero((voter >= 0) & ~np.isnan(at))
    rows = rows[np.lexsort((at[rows], voter[rows]))]
    who, when = voter[rows], at[rows]
    far = np.arange(MOST_IN_WINDOW, len(rows))
    first = far - MOST_IN_WINDOW
    crowded = (who[far] == who[first]) & (when[far] - when[first] < WINDOW_S)
    edges = np.zeros(len(rows) + 1, np.int64)  # each crowded stretch is from its first vote to its last
    np.add.at(edges, first[crowded], 1)
    np.add.at(edges, far[crowded] + 1, -1)
    out[rows] = np.cumsum(edges[:-1]) > 0
    return out
