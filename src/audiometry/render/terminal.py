"""A table on a terminal of any width: no number cut, no word broken, nothing left out but columns of noughts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from audiometry.errors import shown
from audiometry.render.numbers import WORD
from audiometry.render.table import Cell, Column, Estimate, Table

_GAP: Final = 2  # columns of the terminal between those of the table
_LEAST: Final = 24  # of a name that is broken at its joints, and of a text that is wrapped
_LONGEST: Final = 300  # characters of a foreign text in a cell: what tells two cascades apart stands at the end
_INDENT: Final = "  "


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


class Fitted:
    """A table that finds its room by itself.

    Tried in turn: everything on one line; without the columns of noughts that may go, which a line names; headings in
    as many lines as they have words; numbers above their intervals; the same with names in several
    lines, at their ``_``, ``-`` and ``/``; a block a row: the name, and below it each heading with its cell. A text in
    the last column is wrapped to what room there is.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        table, width = self._table, options.max_width
        if not table.rows:
            return
        idle = table.idle()
        whole, less = _laid(table, width), table.without(idle) if idle else table
        if idle and (whole is None or whole.width > width):
            grid = _fit(less, width)
        else:
            grid, less = _fit(table, width) if whole is None or whole.width > width else whole, table
        yield from _blocks(less, width) if grid is None else _lines(less, grid)
        if less is not table:
            yield Text(f"Nothing but 0: {', '.join(table.columns[at].title for at in sorted(idle))}.", style="dim")


def _fit(table: Table, width: int) -> _Grid | None:
    """The first way in which a table has room; None: it has none."""
    ways = ((False, False), (True, False), (True, True))
    for narrow, folded in ways:
        grid = _laid(table, width, narrow=narrow, folded=folded)
        if grid is not None and grid.width <= width:
            return grid
    for narrow, folded in ways:
        grid = _laid(table, width, narrow=narrow, folded=folded, joints=True)
        if grid is not None and grid.width <= width:
            return grid
    return None


def _laid(
    table: Table, width: int, *, narrow: bool = False, folded: bool = False, joints: bool = False
) -> _Grid | None:
    """A table's cells in lines; None where names cannot be broken to what room they have."""
    columns = table.columns
    rows = [[_cell(one, cell, folded=folded) for one, cell in zip(columns, row, strict=True)] for row in table.rows]
    headings = []
    for at, column in enumerate(columns):
        widest = max((cell_len(line) for row in rows for line in row[at]), default=0)
        heading = _text(column.heading)
        words = max(map(cell_len, heading.split(" ")))
        headings.append(_wrapped(heading, max(widest, words)) if narrow else [heading])
    grid = _Grid(headings, rows)
    if columns[-1].kind == "text" and len(columns) > 1:
        room = width - (grid.width - grid.widths[-1])
        if room < min(_LEAST, grid.widths[-1]):
            return None
        for row in rows:
            row[-1] = _wrapped(" ".join(row[-1]), room)
    if not joints:
        return grid
    room = width - (grid.width - grid.widths[0])
    names = [_at_joints(" ".join(row[0]), room) for row in rows]
    if room < _LEAST or not all(names):
        return None
    for row, name in zip(rows, names, strict=True):
        row[0] = name
    return grid


def _cell(column: Column, cell: Cell, *, folded: bool) -> list[str]:
    if folded and not column.left and isinstance(cell, Estimate) and cell.interval is not None:
        return list(filter(None, (column.number(cell.value), column.span(cell.interval), _text(cell.note))))
    return [_text(column.printed(cell))]


def _text(text: str) -> str:
    return text if text.isascii() and text.isprintable() and len(text) <= _LONGEST else shown(text, _LONGEST)


def _wrapped(text: str, room: int) -> list[str]:
    return textwrap.wrap(text, max(room, 1), break_long_words=False, break_on_hyphens=False) or [""]


def _lines(table: Table, grid: _Grid) -> Iterator[Text]:
    """The lines of a table, none of them padded at its end."""
    widths, rule = grid.widths, Text("─" * grid.width, style="dim")
    yield Text()
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
    yield Text()
    for at, row in enumerate(table.rows):
        name, *cells = (_text(one.printed(cell)) for one, cell in zip(table.columns, row, strict=True))
        facts = [f"{one.heading} {cell}" for one, cell in zip(table.columns[1:], cells, strict=True) if cell]
        lines = [""]
        for fact in (*(f"{one};" for one in facts[:-1]), *facts[-1:]):
            for word in [fact] if cell_len(fact) <= width - len(_INDENT) else map(str.rstrip, WORD.findall(fact)):
                if lines[-1] and cell_len(_INDENT) + cell_len(f"{lines[-1]} {word}") > width:
                    lines.append("")
                lines[-1] = f"{lines[-1]} {word}".lstrip()
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
    for piece in re.findall(r"[^\s_/-]*[_/-]+|[^\s_/-]+|\s+", name):
        if cell_len(lines[-1] + piece.rstrip()) > room:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines] if all(cell_len(line) <= room for line in lines) else []
