"""Scales of drawings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

_STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


class Axis(msgspec.Struct, frozen=True):
    """A drawing's scale: its ends, and the values that are marked."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """How far along a value lies, in percent, within the drawing."""
        return round(100 * min(1.0, max(0.0, (value - self.low) / (self.high - self.low))), 3)


def axis(values: Sequence[float], top: float | None = None) -> Axis:
    """A scale that holds all values, with two to six marks at round numbers.

    Args:
        values: at least one, finite.
        top: where the scale ends, if that is known.
    """
    low, high = min(values), max(values) if top is None else max(top, *values)
    wide = max(high - low, 0.04)
    step = next((step for step in _STEPS if wide / step <= 5), 10.0 ** math.ceil(math.log10(wide / 5)))  # noqa: PLR2004  marks
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    return Axis(first * step, last * step, tuple(round(place * step, 9) for place in range(first, last + 1)))
