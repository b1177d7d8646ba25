"""Votes as columns: who met whom, and what was said. Read from files, counted, ranked; as many as ten million."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import msgspec
import numpy as np
from numpy.typing import NDArray


class Outcome(IntEnum):
    """What a voter said of two replies."""

    A = 0
    B = 1
    TIE = 2
    BOTH_BAD = 3


class Votes(msgspec.Struct, frozen=True, kw_only=True):
    """Votes of battles between two models each, a row a vote.

    Attributes:
        models: their names, by code, in order of name.
        a, b: ``int32[n]``, codes of the two models, which differ.
        outcome: ``int8[n]``, see `Outcome`.
        voter: ``int32[n]``, who voted, as a number from 0; -1: not known. None: of no vote.
        first: ``int8[n]``, which side was shown first, or on the left: 0 a, 1 b; -1: not known. None: of no vote.
        propensity: ``float64[n]``, above 0 to 1, how likely the pair was to be drawn, whichever side was which; NaN:
            not known. None: of no vote.
        contrasts: covariates by name (``length``, ``latency``), ``float64[n, 2]``: a's value and b's, not below 0;
            NaN: not known.
    """

    models: tuple[str, ...]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    outcome: NDArray[np.int8]
    voter: NDArray[np.int32] | None = None
    first: NDArray[np.int8] | None = None
    propensity: NDArray[np.float64] | None = None
    contrasts: Mapping[str, NDArray[np.float64]] = msgspec.field(default_factory=dict)

    @property
    def n(self) -> int:
        """Votes."""
        return len(self.a)
