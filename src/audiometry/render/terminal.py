"""A table on a terminal of any width: no number cut, no word broken, nothing left out but columns of noughts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from audiometry.errors import shown
from audiometry.render.numbers import TOGETHER, WORD
from audiometry.render.table import Cell, Column, Estimate, Table

_GAP: Final = 2  # columns of the terminal between those of the table
_LEAST: Final = 24  # of a name that is broken at its joints, and of a text that is wrapped
_LONGEST: Final = 300  # characters of a foreign text in a cell: what tells two cascades apart stands at the end
_INDENT: Final = "  "
_PIECE: Final = re.compile(rf"{TOGETHER.pattern}(?![\w/-])|[^\s_/-]*[_/-]+|[^\s_/-]+|\s+")
_HEADING: Final = re.compile(r"\S+(?:(?<=,) %)?")  # words of a heading: one has its sign of percent with it


class _Grid(msgspec.Struct, frozen=True):
    """A table's cells in lines, as wide as they are."""

    headings: list[list[str]]
    rows: list[list[list[str]]]

    @property
    def widths(self) -> list[int]:
        columns = zip(self.headings, *self.rows, strict=True)
        return [max(cell_len(line) for cell in column for line in cell) for column in columns]

    @property
    def width(self) -> int:
        return sum(self.widths) + _GAP * (len(self.headings) - 1)


class _Way(msgspec.Struct, frozen=True):
    """How a table is made narrower.

    Attributes:
        narrow: headings in as many lines as they have words.
        folded: numbers above their intervals.
        joints: names in several lines, at their blanks and behind ``_``, ``-`` and ``/``.
    """

    narrow: bool = False
    folded: bool = False
    joints: bool = False


_AS_IT_IS: Final = _Way()
_WAYS: Final = tuple(
    _Way(narrow, folded, joints)
    for joints in (False, True)
    for narrow, folded in ((False, False), (True, False), (True, True))
)


class Fitted:
    """A table that finds its room by itself.

    Tried in turn: everything on one line; without the columns of noughts that may go, which a line names; narrower in
    one `_Way` after the other; its columns in several tables of the same rows, as few as can be; the same with marks
    in place of names that no column has room for, which stand below; a block a row, as always of one row: the name, and
    below it each heading with its cell. A text in the last column is wrapped to what room there is.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        table, width = self._table, options.max_width
        if not table.rows:
            return
        idle = table.idle()
        less = table.without(idle) if idle and _fits(table, width, _AS_IT_IS) is None else table
        parts, long = _parts(less, width), dict[str, str]()
        if not parts and len(table.rows) > 1:
            parts, long = _marked(less, width)
        yield Text()
        for part, grid in parts:
            yield from _lines(part, grid)
        yield from () if parts else _blocks(less, width)
        for name, mark in long.items():
            yield Text(f"{mark}:\n{_INDENT}{name}", overflow="ignore")
        if less is not table:
            empty = {at for at in idle if all(row[at] in {None, ""} for row in table.rows)}
            for said, those in (("All 0", set(idle) - empty), ("Empty", empty)):
                if those:
                    names = ", ".join(table.columns[at].title for at in sorted(those))
                    yield Text(f"{said}, so left out: {names}.", style="dim")


def _marked(table: Table, width: int) -> tuple[list[tuple[Table, _Grid]], dict[str, str]]:
    """The same with marks in place of names too long for any column, and the mark of each; empty: no such name."""
    names = [at for at, one in enumerate(table.columns) if one.kind == "name"]
    said = {_text(table.columns[at].printed(row[at])) for row in table.rows for at in names}
    marks = (mark for n in count() if (mark := f"[{chr(ord('a') + n % 26) * (1 + n // 26)}]") not in said)
    long: dict[str, str] = {}
    rows = []
    for row in table.rows:
        cells = list(row)
        for at in names:
            name = _text(table.columns[at].printed(row[at]))
            if max(map(cell_len, _PIECE.findall(name)), default=0) > width // 2:
                cells[at] = long.get(name) or long.setdefault(name, next(marks))
        rows.append(tuple(cells))
    parts = _parts(msgspec.structs.replace(table, rows=tuple(rows)), width) if long else []
    return parts, long if parts else {}


def _parts(table: Table, width: int) -> list[tuple[Table, _Grid]]:
    """A table in as few tables as have room, each made narrower in the first way that does; empty: there is none."""
    if (grid := _first(table, width)) is not None:
        return [(table, grid)]
    tried = [found for way in _WAYS if (found := _apart(table, width, way))] if len(table.rows) > 1 else []
    return [(part, _first(part, width) or grid) for part, grid in min(tried, key=len, default=[])]


def _first(table: Table, width: int) -> _Grid | None:
    return next((grid for way in _WAYS if (grid := _fits(table, width, way)) is not None), None)


def _apart(table: Table, width: int, way: _Way) -> list[tuple[Table, _Grid]]:
    """A table's columns in tables of the same rows, each of as many as have room; empty if one alone has none."""
    keys = _keys(table)
    groups = [[at] for at in range(keys, len(table.columns))]
    for at in range(len(table.columns) - 1, keys, -1):
        if table.columns[at].kind == "interval":  # stands with its number
            groups[at - keys - 1] += groups.pop(at - keys)
    found: list[tuple[Table, _Grid]] = []
    kept: list[int] = []
    for group in groups:
        both = _of(table, [*range(keys), *kept, *group])
        if kept and (grid := _fits(both, width, way)) is not None:
            found[-1], kept = (both, grid), [*kept, *group]
            continue
        alone = _of(table, [*range(keys), *group])
        if (grid := _fits(alone, width, way)) is None:
            return []
        found.append((alone, grid))
        kept = group
    return found


def _of(table: Table, columns: Sequence[int]) -> Table:
    return table.without(tuple(at for at in range(len(table.columns)) if at not in columns))


def _keys(table: Table) -> int:
    """How many of the first columns it takes to tell its rows apart by their names."""
    names = next((at for at, one in enumerate(table.columns) if one.kind != "name"), len(table.columns))
    told = (at for at in range(1, names) if len({row[:at] for row in table.rows}) == len(table.rows))
    return next(told, max(1, names))


def _fits(table: Table, width: int, way: _Way) -> _Grid | None:
    """A table's cells in lines, narrowed in a way; None where they have no room in it."""
    columns = table.columns
    rows = [[_cell(one, cell, folded=way.folded) for one, cell in zip(columns, row, strict=True)] for row in table.rows]
    headings = []
    for at, column in enumerate(columns):
        widest = max((cell_len(line) for row in rows for line in row[at]), default=0)
        heading = _text(column.heading)
        words = _HEADING.findall(heading)
        headings.append(_wrapped(words, max(widest, *map(cell_len, words))) if way.narrow and words else [heading])
    grid = _Grid(headings, rows)
    if columns[-1].kind == "text" and len(columns) > 1:
        room = width - (grid.width - grid.widths[-1])
        if room < min(_LEAST, grid.widths[-1]):
            return None
        for row in rows:
            row[-1] = _wrapped(_words(" ".join(row[-1])), room)
    if way.joints and not _broken(grid, [at for at, one in enumerate(columns) if one.kind == "name"], width):
        return None
    return grid if grid.width <= width else None


def _broken(grid: _Grid, names: Sequence[int], width: int) -> bool:
    """Break the longest names of a grid until all has room; False: they cannot be."""
    while (over := grid.width - width) > 0:
        at = max(names, key=lambda name: grid.widths[name])
        others = [grid.widths[name] for name in names if grid.widths[name] < grid.widths[at]]
        room = max(grid.widths[at] - over, *others, _LEAST)
        cells = [_at_joints(" ".join(row[at]), room) for row in grid.rows]
        if room >= grid.widths[at] or not all(cells):
            return False
        for row, cell in zip(grid.rows, cells, strict=True):
            row[at] = cell
        if grid.width - width >= over:  # its heading is as wide
            return False
    return True


def _cell(column: Column, cell: Cell, *, folded: bool) -> list[str]:
    if folded and not column.left and isinstance(cell, Estimate) and cell.interval is not None:
        return list(filter(None, (column.number(cell.value), column.span(cell.interval), _text(cell.note))))
    return [_text(column.printed(cell))]


def _text(text: str) -> str:
    return text if text.isascii() and text.isprintable() and len(text) <= _LONGEST else shown(text, _LONGEST)


def _words(text: str) -> list[str]:
    return [word.rstrip() for word in WORD.findall(text)]


def _wrapped(words: Iterable[str], room: int) -> list[str]:
    """Words in lines of so many columns, none of them broken."""
    lines = [""]
    for word in words:
        if lines[-1] and cell_len(f"{lines[-1]} {word}") > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip()
    return lines


def _lines(table: Table, grid: _Grid) -> Iterator[Text]:
    """The lines of a table, none of them padded at its end."""
    widths, rule = grid.widths, Text("─" * grid.width, style="dim")
    deepest = max(map(len, grid.headings))
    headings = [[""] * (deepest - len(one)) + one for one in grid.headings]
    yield _row(table.columns, headings, widths, "bold")
    yield rule
    for at, cells in enumerate(grid.rows):
        info = table.about(at)
        yield _row(table.columns, cells, widths, "bold" if info.strong else "")
        if info.last and at + 1 < len(grid.rows):
            yield rule
    yield Text()


def _row(columns: Sequence[Column], cells: Sequence[Sequence[str]], widths: Sequence[int], style: str) -> Text:
    out = []
    for number in range(max(map(len, cells))):
        parts = []
        for column, cell, width in zip(columns, cells, widths, strict=True):
            text = cell[number] if number < len(cell) else ""
            blank = " " * (width - cell_len(text))
            parts.append(text + blank if column.left else blank + text)
        out.append((" " * _GAP).join(parts).rstrip())
    return Text("\n".join(out), style=style, no_wrap=True, overflow="ignore")


def _blocks(table: Table, width: int) -> Iterator[Text]:
    for at, row in enumerate(table.rows):
        name, *cells = (_text(one.printed(cell)) for one, cell in zip(table.columns, row, strict=True))
        facts = [f"{one.heading} {cell}" for one, cell in zip(table.columns[1:], cells, strict=True) if cell]
        room = width - len(_INDENT)
        parted = (*(f"{one};" for one in facts[:-1]), *facts[-1:])
        words = (word for fact in parted for word in ([fact] if cell_len(fact) <= room else _words(fact)))
        lines = _wrapped(words, room)
        info = table.about(at)
        text = "\n".join([" ".join(name.split()), *(f"{_INDENT}{line}" for line in lines if line)])
        yield Text(text, style="bold" if info.strong else "", overflow="ignore")
        if info.last or at == len(table.rows) - 1:
            yield Text()


def _at_joints(name: str, room: int) -> list[str]:
    r"""The name in lines of so many columns, broken at blanks and behind joints; empty if a piece of it has no room.

    >>> _at_joints("Speaker_Gender_Recognition_common_voice", 28)
    ['Speaker_Gender_Recognition_', 'common_voice']
    """
    lines = [""]
    for piece in _PIECE.findall(name):
        if cell_len(lines[-1] + piece.rstrip()) > room:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    lines = [line.rstrip() for line in lines]
    return lines if all(cell_len(line) <= room for line in lines) else []
