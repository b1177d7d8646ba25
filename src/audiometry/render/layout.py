"""Where what a figure shows stands: on a page and in a file of its own alike."""

from __future__ import annotations

import re
from typing import Final

import msgspec
from rich.cells import cell_len

from audiometry.errors import shown
from audiometry.render.figure import Axis, Figure, Mark
from audiometry.render.table import Table

MARK: Final = 12  # px of height that a mark has
LEAST: Final = 26  # of a band
SERIES: Final = 6  # shapes of marks, and colours
_NAME: Final = 160  # characters of a foreign name in a drawing
_SMALL: Final = 28  # of one beside a mark
_LINE: Final = 14  # px
_BROAD_ENOUGH: Final = 620  # px, about as broad as a scatter is
_COLUMN: Final = 40  # px of a matrix's columns on a page, about
_NARROW: Final = frozenset(" \u00a0ijlIft.,:;|!'()[]/-r")
_BROAD: Final = frozenset("mwMW%@")
_PIECES: Final = re.compile(r"[^ _/-]*[_/-]+|[^ _/-]+| +")  # a no-break space is no joint


class Label(msgspec.Struct, frozen=True):
    """A name beside a mark of a scatter: shares of the width and the height, and whether it stands left of it."""

    x: float
    y: float
    text: str
    left: bool


def of_band(figure: Figure, band: int) -> list[Mark]:
    """The marks of a band, from above."""
    return [mark for mark in figure.marks if mark.y == band]


def keyed(figure: Figure, table: Table | None = None) -> list[tuple[int, str]]:
    """The series that a legend names, with their numbers: those that are drawn, or have a column beside it."""
    found = {mark.series for mark in figure.marks}
    found |= {at for at, one in enumerate(figure.x.bands) if figure.kind == "scatter" and one.reference is not None}
    found |= set() if table is None else {one.series for one in table.columns if one.series is not None}
    return [(at, name) for at, name in enumerate(figure.series) if at in found]


def whiskers(figure: Figure) -> str:
    """The class of the lines of intervals: that of the one series that has any, else "any"; empty: none is drawn."""
    hues = {hue(mark.series) for mark in figure.marks if mark.interval or mark.upright}
    return "any" if len(hues) > 1 else f"run-{hues.pop()}" if hues else ""


def tall(figure: Figure, band: int) -> int:
    """How high a band is, in px."""
    return max(LEAST, MARK * len(of_band(figure, band)) + 8)


def middle(figure: Figure, band: int, place: int) -> float:
    """How far below its band's upper edge the middle of a mark stands, in px: each stands below the one before.

    Args:
        figure: whose.
        band: of the mark.
        place: of the mark in its band, from 0.
    """
    return (tall(figure, band) - MARK * len(of_band(figure, band))) / 2 + MARK * (place + 0.5)


def reach(axis: Axis, mark: Mark) -> tuple[float, float]:
    """Between which shares of the axis a bar stands: from nought, or the end next to it, to its value."""
    ends = sorted((axis.at(0.0), axis.at(mark.x)))
    return ends[0], ends[1]


def hue(series: int) -> int:
    """The colour of a series: as many as there are shapes, in another order each time these begin anew."""
    return (series + series // SERIES) % SERIES


def hollow(figure: Figure, series: int) -> bool:
    """Whether all marks of a series are hollow."""
    own = [mark.hollow for mark in figure.marks if mark.series == series]
    return bool(own) and all(own)


def steep(figure: Figure) -> bool:
    """Whether names of a matrix's columns stand upright, for there are too many of them, or they are too long."""
    return sum(max(_COLUMN, breadth(band.name, MARK)) for band in figure.x.bands) > _BROAD_ENOUGH


def two_sided(figure: Figure) -> bool:
    """Whether a matrix has cells of both colours, so that its key has both."""
    return figure.x.sign or any((mark.shade or 0.0) < 0 for mark in figure.marks)


def told(figure: Figure, band: int) -> str:
    """The numbers of a band in words, for who does not see them."""
    parts = []
    for mark in of_band(figure, band):
        number = figure.printed(mark)
        if mark.interval:
            number += f" ({figure.x.number(mark.interval[0])} to {figure.x.number(mark.interval[1])})"
        number = number.replace("-", "\u2212")
        if figure.kind == "matrix":
            number = f"{figure.x.bands[int(mark.x)].name} {number}"
        elif len(figure.series) > 1:
            number = f"{figure.series[mark.series]} {number}"
        parts.append(number)
    return "; ".join(parts)


def beside(figure: Figure, height: float, width: float = _BROAD_ENOUGH) -> list[Label]:
    """The names of a scatter's marks, each where it covers no mark, no other name and no line, as far as there is room.

    Args:
        figure: of which the marks have names.
        height: of the drawing, in px.
        width: about how broad it is; in a small one a name without room is left out.
    """
    taken = []
    for one in figure.marks:
        low, high = (width * figure.x.at(end) for end in one.interval or (one.x, one.x))
        taken.append(_Box((low + high) / 2, height * (1 - figure.y.at(one.y)), high - low + MARK))
    held = (figure.reference, *(band.reference for band in figure.x.bands))
    lines = [width * figure.x.at(one) for one in held if one is not None]
    found = []
    for mark in figure.marks:
        text = shown(mark.name, _SMALL)
        x, y, wide = figure.x.at(mark.x), height * (1 - figure.y.at(mark.y)), breadth(text, MARK)
        best: tuple[int, _Box, bool] | None = None
        for apart in (0, -_LINE, _LINE, -2 * _LINE, 2 * _LINE) if text else ():
            for left in (False, True):
                middle_of = width * x + (wide / 2 + 9) * (-1 if left else 1)
                box = _Box(middle_of, y + apart, wide)
                outside = not wide / 2 <= middle_of <= width - wide / 2
                struck = sum(abs(box.x - line) < wide / 2 + 3 for line in lines)
                hits = sum(map(box.covers, taken)) + struck + 2 * outside
                if best is None or hits < best[0]:
                    best = (hits, box, left)
        if best is not None and (best[0] == 0 or width >= _BROAD_ENOUGH):
            taken.append(best[1])
            found.append(Label(x, best[1].y / height, text, best[2]))
    return found


class _Box(msgspec.Struct, frozen=True):
    """Room of a text or a mark about its middle, in px."""

    x: float
    y: float
    wide: float

    def covers(self, other: _Box) -> bool:
        return abs(self.x - other.x) < (self.wide + other.wide) / 2 and abs(self.y - other.y) < _LINE - 1


def breadth(text: str, size: float) -> float:
    """About how broad a text is in px at a size in px, in DejaVu Sans, the broadest that files ask for."""
    ems = 0.0
    for letter in text:
        if letter in _NARROW:
            ems += 0.36
        elif not letter.isascii():
            ems += 0.66 * cell_len(letter)
        else:
            ems += 0.98 if letter in _BROAD else 0.72 if letter.isupper() else 0.625
    return ems * size


def wrapped(text: str, room: float, size: float) -> list[str]:
    """A text in lines no broader than so many px, broken at blanks, else at joints, else anywhere."""
    lines = [""]
    for piece in _PIECES.findall(text):
        rest = piece
        if breadth(lines[-1] + rest.rstrip(), size) > room and lines[-1]:
            lines.append("")
            rest = rest.lstrip()
        while breadth(rest.rstrip(), size) > room:
            most = max(1, int(room / size))
            lines[-1:] = [rest[:most], ""]
            rest = rest[most:]
        lines[-1] += rest
    return [line.strip() for line in lines if line.strip()] or [""]


def named(text: str, room: float, size: float) -> list[str]:
    """A foreign name in such lines, cut where it is too long to be one."""
    return wrapped(shown(text, _NAME), room, size)
