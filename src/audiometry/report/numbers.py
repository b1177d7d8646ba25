"""How the numbers of a measure are printed, wherever they stand."""

from __future__ import annotations

from typing import Protocol

import msgspec

from audiometry.render.numbers import half_up, percent

_BIG = 10  # from here on one decimal place says enough


class Measured(Protocol):
    """A number with its scale: a scored result, or a comparison of two."""

    @property
    def unit(self) -> str:
        """What it counts."""
        ...

    @property
    def range(self) -> tuple[float | None, float | None]:
        """The ends of its scale."""
        ...


class Scale(msgspec.Struct, frozen=True):
    """A measure's scale: ``share``: printed in percent.

    >>> share, judge, wer = Scale(0, 1, share=True), Scale(1, 10), Scale(0, None)
    >>> share.number(0.3595), judge.number(7.125), wer.number(0.12345), wer.number(47.05), share.number(None)
    ('36.0', '7.13', '0.123', '47.1', 'none')
    >>> share.change(-0.00001), judge.change(-1.5), share.span((0.25, 0.5))
    ('+0.0', '-1.50', '25.0 to 50.0')
    """

    low: float | None
    high: float | None
    share: bool = False

    @property
    def heading(self) -> str:
        """Of a column of its numbers."""
        return "correct" if self.share else "value"

    @property
    def unit(self) -> str:
        """Of differences."""
        if self.share or self.low is None or self.high is None:
            return "points" if self.share else ""
        return f"on the scale from {self.low:g} to {self.high:g}"

    def number(self, value: float | None) -> str:
        """The number as it is printed; ``none`` where there is none."""
        if value is None or self.share:
            return percent(value)
        return str(half_up(value, self._places(value)))

    def span(self, interval: tuple[float, float] | None) -> str:
        """An interval; empty for none."""
        return "" if interval is None else f"{self.number(interval[0])} to {self.number(interval[1])}"

    def change(self, difference: float) -> str:
        """A difference with its sign."""
        scaled = 100 * difference if self.share else difference
        return f"{half_up(scaled, 1 if self.share else self._places(scaled)):+z}"

    def changes(self, interval: tuple[float, float]) -> str:
        """The interval of a difference."""
        return f"{self.change(interval[0])} to {self.change(interval[1])}"

    def _places(self, value: float) -> int:
        if self.high is not None and 1 < self.high <= _BIG:
            return 2
        return 1 if abs(value) >= _BIG or (self.high or 0) > _BIG else 3


def counts(of: Measured) -> str:
    """What a number counts and between which ends it lies, where the unit does not say that itself."""
    low, high = of.range
    if scale(of).share:
        return f"{of.unit}, printed in percent"
    if " to " in of.unit:
        return of.unit
    if low is None:
        return f"{of.unit}, on a scale of unstated ends"
    return f"{of.unit}, {low:g} or more" if high is None else f"{of.unit}, {low:g} to {high:g}"


def scale(of: Measured) -> Scale:
    """The scale of a scored result or a comparison."""
    return Scale(*of.range, share=of.unit == "share correct")
