"""What a metric is given, and what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from audiometry.records import Failure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"  # a text, as numpy is loaded by what computes: listing metrics needs none
PROGRAM = "exec/"


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """An answer and what it should have been.

    Attributes:
        item: id of the item; several pairs may have the same.
        prediction: the answer, without reasoning; empty if there was none. At most as much as is read of a reply.
        references: one or more, any of which would do.
        language: of the references, ISO 639-1 where there is a code; empty if not known.
        cut_characters, cut_words: how much more the reply held than is read of it.
    """

    item: str
    prediction: str
    references: tuple[str, ...]
    language: str = ""
    cut_characters: int = 0
    cut_words: int = 0


class Counted(msgspec.Struct, frozen=True):
    """What a metric found, a row a pair.

    Attributes:
        counts: ``float64[n, k]``, quantities whose sums over pairs give the metric's value; rows of failures are 0.
        failures: by the number of the pair, why it could not be measured.
    """

    counts: Floats
    failures: dict[int, Failure] = {}
