"""A figure as plain data: marks with intervals in bands, bars, a matrix or a scatter, always with n and a caption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.render.numbers import half_up
from audiometry.render.table import SHARES

FigureKind: TypeAlias = Literal["bands", "bars", "matrix", "scatter"]
_STEPS: Final = (1, 2, 5, 10, 20)  # times a power of ten
_MARKS: Final = 6  # steps of an axis at most


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """One place of an axis of names.

    Attributes:
        name: of it.
        reference: a value of its own to hold its marks against, such as chance; None: none. Of the bands of a
            scatter's x, where a series stands that has no y: a line.
        shade: a stretch of its own that is shaded; None: that of the figure, if any.
        bare: whether it can have no mark, and stands in the table beside its figure only.
        strong, last: see `RowInfo`.
    """

    name: str
    bare: bool = False
    reference: float | None = None
    shade: tuple[float, float] | None = None
    strong: bool = False
    last: bool = False


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """An axis: of numbers between two ends, or of named bands.

    Attributes:
        title: what it shows.
        low, high: its ends.
        ticks: the values that are marked.
        unit: of its values; shares (see `SHARES`) are printed times 100.
        sign: whether its values are differences.
        decimals: places of its values where they are said.
        bands: of an axis of names, from above or from the left.
    """

    title: str = ""
    low: float = 0.0
    high: float = 1.0
    ticks: tuple[float, ...] = ()
    unit: str = ""
    sign: bool = False
    decimals: int = 1
    bands: tuple[Band, ...] = ()

    def at(self, value: float) -> float:
        """How far along a value lies, 0 to 1; what lies beyond an end stands there.

        >>> Axis(low=1.0, high=10.0).at(5.5), Axis().at(7.0)
        (0.5, 1.0)
        """
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def tick(self, value: float) -> str:
        """The number beside a mark of the axis.

        >>> Axis(unit="%").tick(0.25), Axis(unit="points", sign=True).tick(-0.05), Axis(sign=True).tick(0.0)
        ('25', '-5', '0')
        """
        scaled = round(100 * value if self.unit in SHARES else value, 9)
        return f"{scaled:+g}" if self.sign and scaled else f"{scaled:g}"

    def number(self, value: float) -> str:
        """A value as tables print it.

        >>> Axis(unit="%").number(0.70161), Axis(sign=True, decimals=3).number(0.25)
        ('70.2', '+0.250')
        """
        scaled = half_up(100 * value if self.unit in SHARES else value, self.decimals)
        return f"{scaled:{'+z' if self.sign else ''},}"


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a figure.

    Attributes:
        x: where it stands; of bars how far it reaches; of a matrix the number of its column.
        y: number of its band from 0; of a scatter a value.
        interval: about x, its 95 % interval; None: it has none.
        upright: of a scatter, the same about y.
        series: number of what it is of: the run, the judge.
        reference: a value of its own to hold it against, where those of its band have others.
        hollow: whether it was made by others in another way, and is a landmark only.
        n: of a matrix, what is counted there.
        value: of a matrix, what stands there in place of a count, as ``x`` prints it.
        shade: of a matrix, how dark its cell is, 0 to 1; below nought in another colour; None: it sums up others.
        framed: of a matrix, whether its cell is one that all are held against, such as those of right answers.
        sign: of a matrix, what stands behind the number, such as that it is significant.
        name: of a scatter, what it is of.
        items: of a matrix, the items behind the count, as in `RowInfo`.
    """

    x: float
    y: float
    interval: tuple[float, float] | None = None
    upright: tuple[float, float] | None = None
    series: int = 0
    reference: float | None = None
    hollow: bool = False
    n: int = 0
    value: float | None = None
    shade: float | None = None
    framed: bool = False
    sign: str = ""
    name: str = ""
    items: str = ""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """Marks on two axes, with what they are of and how they were made.

    Attributes:
        id: stable: the name of its files.
        caption: what it shows, in a sentence.
        signature: how its numbers were made; empty for what is counted only.
        kind: bands: marks in named rows; bars: lengths in named rows; matrix: numbers in rows and columns, the
            darker the more; scatter.
        x, y: its axes.
        marks: in any order.
        reference: a value of x that everything is held against (a dashed line); None: none, or each band has its own.
        reference_name: what that or the bands' own is, and of a matrix what is framed; empty where there is none.
        unheld: why there is nothing to hold its marks against; empty: there is, or it counts only.
        n: items that it is of, at most where series have their own.
        n_least: items that it is of at least; 0: all series have the same.
        n_of: what these count, where it is not items.
        series: names of what its marks are of.
        shade: a stretch of x that is shaded, such as the differences that could not be told; None: none, or
            each band has its own.
        shade_name: what that is, or what the bands' own are; of a matrix what its darkest cells are.
        of: see `Table`.
    """

    id: str
    caption: str
    signature: str
    kind: FigureKind
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    reference: float | None = None
    reference_name: str = ""
    unheld: str = ""
    n: int = 0
    n_least: int = 0
    n_of: str = "item"
    series: tuple[str, ...] = ()
    shade: tuple[float, float] | None = None
    shade_name: str = ""
    of: str = ""

    @property
    def full_caption(self) -> str:
        """The caption with what it is of, for where it stands alone."""
        return "; ".join(filter(None, (self.caption, self.of)))

    def printed(self, mark: Mark) -> str:
        """The number of a mark, as it is said and as it stands in a matrix."""
        if self.kind != "matrix":
            return self.x.number(mark.x)
        return f"{f'{mark.n:,}' if mark.value is None else self.x.number(mark.value)}{mark.sign}"


def ticks(low: float, high: float) -> tuple[float, ...]:
    """Two to seven round numbers of which the first is at most ``low`` and the last at least ``high``.

    >>> ticks(0.03, 0.38)
    (0.0, 0.1, 0.2, 0.3, 0.4)
    """
    wide = max(high - low, 0.04)
    power = 10.0 ** math.floor(math.log10(wide / _MARKS))
    step, first, last = power, 0, _MARKS + 1
    for one in _STEPS:
        if last - first <= _MARKS and wide <= _MARKS * step * (1 + 1e-9):
            break
        step = round(one * power, 9)
        first = math.floor(low / step + 1e-9)
        last = max(first + 1, math.ceil(high / step - 1e-9))
    return tuple(round(place * step, 9) for place in range(first, last + 1))


def axis_around(
    values: Sequence[float], *, title: str = "", unit: str = "", sign: bool = False, decimals: int = 1
) -> Axis:
    """An axis that holds all values between round numbers.

    Args:
        values: at least one, finite.
        title: see `Axis`, as for the rest.
        unit: of its values.
        sign: whether they are differences.
        decimals: of its values.
    """
    marked = ticks(min(values), max(values))
    return Axis(title=title, low=marked[0], high=marked[-1], ticks=marked, unit=unit, sign=sign, decimals=decimals)
