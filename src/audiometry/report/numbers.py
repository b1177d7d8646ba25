"""How the numbers of a measure are printed, wherever they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from audiometry.render.figure import Axis, axis_around
from audiometry.render.table import Column, Kind

_BIG = 10  # a scale that ends beyond has one decimal place


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
    ('36.0', '7.13', '0.123', '47.050', 'none')
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

    @property
    def decimals(self) -> int:
        """Places of its numbers: one of percent and of long scales, two of judges' scores, else three."""
        if self.share or (self.high or 0) > _BIG:
            return 1
        return 2 if self.high is not None and self.high > 1 else 3

    def column(
        self, name: str, title: str, kind: Kind = "number", *, sign: bool = False, series: int | None = None
    ) -> Column:
        """A column of its numbers, or of differences of them.

        Args:
            name: id of the column.
            title: its heading, without the unit.
            kind: see `Column`, as for the rest.
            sign: whether they are differences.
            series: number of the run.
        """
        unit = ("points" if sign else "%") if self.share else ""
        return Column(id=name, title=title, kind=kind, unit=unit, decimals=self.decimals, sign=sign, series=series)

    def axis(self, values: Sequence[float]) -> Axis:
        """The axis of a drawing, from end to end of the scale; without an upper end as far as the values go.

        >>> Scale(0, None).axis([0.2, 37.0]).ticks
        (0.0, 10.0, 20.0, 30.0, 40.0)

        Args:
            values: that are drawn, ends of intervals among them.
        """
        if self.share:
            return Axis(ticks=(0.0, 0.25, 0.5, 0.75, 1.0), unit="%")
        if self.low is None:
            return axis_around([0.0, 1.0, *values], decimals=self.decimals)
        if self.high is None:
            return axis_around([self.low, max([self.low + 1.0, *values])], decimals=self.decimals)
        if self.low == 1:
            thirds = (1.0 + (self.high - 1.0) * n / 3 for n in range(4))
            return Axis(low=1.0, high=self.high, ticks=tuple(thirds), decimals=self.decimals)
        return axis_around([self.low, self.high], decimals=self.decimals)

    def number(self, value: float | None) -> str:
        """The number as it is printed; ``none`` where there is none."""
        return self.column("", "").number(value) or "none"

    def span(self, interval: tuple[float | None, float | None] | None) -> str:
        """An interval; empty for none."""
        return "" if interval is None else self.column("", "").span(interval)

    def change(self, difference: float) -> str:
        """A difference with its sign."""
        return self.column("", "", sign=True).number(difference)

    def changes(self, interval: tuple[float, float]) -> str:
        """The interval of a difference."""
        return self.column("", "", sign=True).span(interval)


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
