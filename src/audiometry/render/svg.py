"""A figure as an SVG file: it stands alone, reads on paper and in black and white, and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final, Literal

import msgspec

from audiometry.errors import counted, shown
from audiometry.render import layout
from audiometry.render.escaped import environment
from audiometry.render.figure import Axis, Figure

WIDTH: Final = 720  # px, as for the rest
_EDGE: Final = 16
_LETTERS: Final = {"name": 13.0, "strong": 13.0, "tick": 11.0, "head": 11.0, "caption": 13.0, "small": 10.0}
_LINE: Final = {kind: round(size * 1.35) for kind, size in _LETTERS.items()}
_BOLD: Final = 1.14  # times as broad
_NAMES: Final = 0.36  # of the width that names may take
_KEY: Final = 22  # px before the words of a legend
_CELL: Final = (24, 64)  # px of a matrix's cells at least and at most
_HEAD: Final = 40  # characters of the name of a matrix's column
_SCATTER: Final = 380
_ENTRY: Final = 72  # characters of a name in a legend, of a title of an axis
_CAPTION: Final = 3000  # characters
_TOLD: Final = 400  # marks that are told in words
NOTHING: Final = "Nothing to show: there is no number to draw."

TextKind = Literal["name", "strong", "tick", "head", "caption", "small"]


class Text(msgspec.Struct, frozen=True):
    """A line of text with its base line's place."""

    x: float
    y: float
    text: str
    kind: TextKind = "name"
    anchor: Literal["start", "middle", "end"] = "start"
    slanted: bool = False


class Part(msgspec.Struct, frozen=True):
    """A drawing, or an entry of a legend, with its place: what it is, and the number of its band, series or mark."""

    kind: str
    x: float
    y: float
    width: float = 0.0
    height: float = 0.0
    of: int = 0


class Sheet(msgspec.Struct):
    """What has been put on the paper so far, and how far down it reaches."""

    texts: list[Text]
    parts: list[Part]
    down: float = _EDGE
    width: float = WIDTH

    def lines(self, lines: Iterable[str], kind: TextKind, x: float = _EDGE) -> None:
        """Put lines below what there is."""
        for line in lines:
            self.down += _LINE[kind]
            self.texts.append(Text(x, self.down - 0.25 * _LINE[kind], line, kind))


def svg(figure: Figure) -> str:
    """The file's text: the drawing with its axis, legend, caption, n and signature."""
    sheet = Sheet([], [])
    if not figure.marks:
        sheet.lines([NOTHING], "name")
    else:
        _legend(figure, sheet)
        {"bands": _bands, "bars": _bands, "matrix": _matrix, "scatter": _scatter}[figure.kind](figure, sheet)
    sheet.down += 8
    sheet.lines(layout.wrapped(caption(figure), WIDTH - 2 * _EDGE, _LETTERS["caption"]), "caption")
    if figure.signature:
        signature = shown(figure.signature, _CAPTION)
        sheet.lines(layout.wrapped(signature, WIDTH - 2 * _EDGE, _LETTERS["small"]), "small")
    title, told = shown(figure.full_caption, _CAPTION), _told(figure)
    found: str = _template().render(
        figure=figure, sheet=sheet, width=round(sheet.width), height=round(sheet.down + _EDGE), title=title, told=told
    )
    return found.strip() + "\n"


@cache
def _template() -> Any:
    return environment().get_template("figure.svg.j2")


def caption(figure: Figure) -> str:
    """What stands below a figure: what it shows, of how many items, and what its lines are."""
    parts = [f"{shown(figure.full_caption, _CAPTION).rstrip('.')}."] if figure.full_caption else []
    if figure.n and figure.marks:
        least = f"{figure.n_least:,} to " if 0 < figure.n_least < figure.n else ""
        parts.append(f"n\u00a0=\u00a0{least}{counted(figure.n, figure.n_of)}.")
    if layout.whiskers(figure):
        parts.append("Lines are 95\u00a0% intervals.")
    if figure.unheld:
        parts.append(f"No reference line: {figure.unheld}.")
    return " ".join(parts)


def _told(figure: Figure) -> str:
    if len(figure.marks) > _TOLD:
        return f"{len(figure.marks):,} numbers."
    if figure.kind == "scatter":
        pairs = ((mark, figure.x.number(mark.x), figure.y.number(mark.y)) for mark in figure.marks)
        held = [one for one in figure.x.bands if one.reference is not None]
        lines = [f"{shown(one.name, _ENTRY)}: {figure.x.number(one.reference or 0.0)}" for one in held]
        return ". ".join([*(f"{shown(mark.name, _ENTRY) or 'mark'}: {x}, {y}" for mark, x, y in pairs), *lines])
    bands = [(at, one) for at, one in enumerate(figure.y.bands) if not one.bare]
    drawn = {mark.series for mark in figure.marks}
    said = [(one.name, layout.told(figure, at)) for at, one in bands]
    said += [(name, "") for at, name in enumerate(figure.series) if at not in drawn]
    return ". ".join(f"{shown(name, _ENTRY)}: {shown(numbers, _CAPTION) or 'no number'}" for name, numbers in said)


def _legend(figure: Figure, sheet: Sheet) -> None:
    """Each mark beside its word, in as many lines as they need."""
    entries = [("series", name, at) for at, name in layout.keyed(figure)]
    if layout.whiskers(figure):
        entries.append(("whisker", "95\u00a0% interval", 0))
    cells = figure.kind == "matrix"
    entries += [("frame" if cells else "reference", figure.reference_name, 0)] if figure.reference_name else []
    entries += [("cells" if cells else "shade", figure.shade_name, 0)] if figure.shade_name else []
    x, line = float(_EDGE), 20
    for kind, name, of in entries:
        words = shown(name, _ENTRY).replace(" %", "\u00a0%")
        broad = _KEY + layout.breadth(words, _LETTERS["tick"]) + 18
        if x > _EDGE and x + broad > WIDTH - _EDGE:
            x, sheet.down = float(_EDGE), sheet.down + line
        sheet.parts.append(Part(kind, x, sheet.down + line / 2, of=of))
        sheet.texts.append(Text(x + _KEY, sheet.down + line / 2 + 4, words, "tick"))
        x += broad
    sheet.down += line + 6 if entries else 0


def _bands(figure: Figure, sheet: Sheet) -> None:
    size, kept = _LETTERS["name"], [(at, band) for at, band in enumerate(figure.y.bands) if not band.bare]
    bands = [band for _, band in kept]
    names = [layout.named(band.name, WIDTH * _NAMES, size) for band in bands]
    broadest = max(layout.breadth(line, _BOLD * size) for lines in names for line in lines)
    left = _EDGE + min(WIDTH * _NAMES, broadest) + 18
    broad = WIDTH - left - 2 * _EDGE
    if figure.y.title:
        sheet.lines([shown(figure.y.title, _ENTRY)], "tick")
        sheet.down += 4
    for at, ((number_of, band), lines) in enumerate(zip(kept, names, strict=True)):
        drawn = layout.tall(figure, number_of)
        height = max(drawn, _LINE["name"] * len(lines) + 6)
        if band.strong and at and not bands[at - 1].last:
            sheet.parts.append(Part("rule", _EDGE, sheet.down, WIDTH - 2 * _EDGE))
        first = sheet.down + (height - _LINE["name"] * len(lines)) / 2
        for number, line in enumerate(lines):
            y = first + _LINE["name"] * (number + 0.75)
            sheet.texts.append(Text(_EDGE, y, line, "strong" if band.strong else "name"))
        sheet.parts.append(Part("band", left, sheet.down + (height - drawn) / 2, broad, drawn, number_of))
        sheet.down += height
        if band.last and at + 1 < len(bands):
            sheet.parts.append(Part("rule", _EDGE, sheet.down, WIDTH - 2 * _EDGE))
    _axis(figure.x, sheet, left, broad)


def _axis(axis: Axis, sheet: Sheet, left: float, broad: float) -> None:
    """The numbers below a drawing, and what they are."""
    sheet.down += _LINE["tick"]
    for tick in axis.ticks:
        words = axis.tick(tick).replace("-", "\u2212")
        sheet.texts.append(Text(left + broad * axis.at(tick), sheet.down, words, "tick", "middle"))
    title = ", ".join(filter(None, (axis.title, axis.unit)))
    if title:
        sheet.down += _LINE["tick"] + 2
        sheet.texts.append(Text(left + broad / 2, sheet.down, shown(title, _ENTRY), "tick", "middle"))
    sheet.down += 4


def _matrix(figure: Figure, sheet: Sheet) -> None:
    size, rows, columns = _LETTERS["tick"], figure.y.bands, figure.x.bands
    names = [layout.named(band.name, WIDTH * _NAMES, size) for band in rows]
    corner = [shown(figure.y.title, _HEAD)]
    left = _EDGE + max(layout.breadth(line, _BOLD * size) for lines in [*names, corner] for line in lines) + 12
    broadest = max(layout.breadth(figure.printed(mark), size) for mark in figure.marks) + 8
    cell = min(_CELL[1], max(_CELL[0], broadest, (WIDTH - left - 2 * _EDGE) / len(columns)))
    heads = [shown(band.name, _HEAD) for band in columns]
    slanted = any(layout.breadth(head, size) > cell - 4 for head in heads)
    broad = [0.72 * layout.breadth(head, size) for head in heads]
    if figure.x.title:
        sheet.lines([shown(figure.x.title, _ENTRY)], "tick", left)
    sheet.down += max(broad) + 8 if slanted else _LINE["tick"]
    reach = (cell * (at + 0.5) + one for at, one in enumerate(broad if slanted else [cell / 2] * len(heads)))
    sheet.width = max(sheet.width, left + max(reach) + _EDGE)
    for at, head in enumerate(heads):
        x = left + cell * (at + 0.5)
        kind: TextKind = "head" if columns[at].strong else "tick"
        sheet.texts.append(Text(x, sheet.down - 4, head, kind, "start" if slanted else "middle", slanted))
    sheet.texts.append(Text(left - 8, sheet.down - 4, corner[0], "small", "end"))
    high = max(22.0, *(len(lines) * _LINE["tick"] + 4.0 for lines in names))
    for at, lines in enumerate(names):
        first = sheet.down + high * at + (high - _LINE["tick"] * len(lines)) / 2
        for number, line in enumerate(lines):
            sheet.texts.append(Text(left - 8, first + _LINE["tick"] * (number + 0.75), line, "tick", "end"))
    for at, mark in enumerate(figure.marks):
        place = (left + cell * mark.x, sheet.down + high * mark.y)
        sheet.parts.append(Part("cell", *place, cell, high, at))
    sheet.down += high * len(rows)


def _scatter(figure: Figure, sheet: Sheet) -> None:
    left = _EDGE + 44.0
    broad = WIDTH - left - 2 * _EDGE
    sheet.lines([shown(", ".join(filter(None, (figure.y.title, figure.y.unit))), _ENTRY)], "tick")
    sheet.down += 8
    for tick in figure.y.ticks:
        y = sheet.down + (1 - figure.y.at(tick)) * _SCATTER
        sheet.texts.append(Text(left - 8, y + 4, figure.y.tick(tick).replace("-", "\u2212"), "tick", "end"))
    sheet.parts.append(Part("scatter", left, sheet.down, broad, _SCATTER))
    sheet.down += _SCATTER + 4
    _axis(figure.x, sheet, left, broad)
