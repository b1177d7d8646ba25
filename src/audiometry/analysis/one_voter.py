"""That one voter has so large a part in shares that their intervals say little, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST: Final = 0.15
"""Share of one voter from which on intervals of small shares are twice as wide as those of equal voters, or more."""


def told(voter: NDArray[np.integer[Any]], what: str) -> Iterator[str]:
    """A sentence without its full stop, if one voter has more than `MOST`.

    Args:
        voter: ``int[n]``, who, of each row that counts; below 0: not known.
        what: rows, in the plural.
    """
    known = voter[voter >= 0]
    most = int(np.bincount(known).max()) if len(known) else 0
    if len(np.unique(known)) > 1 and most > MOST * len(voter):
        yield (
            f"one voter has {most:,} of {len(voter):,} {what}: shares lean to that one, and as nobody knows how like "
            "the others such a voter is, intervals of small shares are very wide"
        )
