"""A table that a terminal of any width shows whole: where its columns have no room, each row is a block of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import rich.box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from audiometry.errors import visible

_ANY = 10_000  # columns, more than any table has
_LEAST = 24  # columns of a name that is broken at its joints
_INDENT = "  "


class Fitted:
    """Rows with a name and numbers. Nothing is cut, left out or broken within a word or a number.

    Tried in turn: everything on one line; headings in as many lines as they have words; cells in two lines, at the
    ``to`` of an interval or at two blanks; the same three with names in several lines, at their ``_``, ``-`` and ``/``;
    a block a row, as ``audiometry list runs`` has them: the name, and below it each heading with its number.

    Args:
        corner: heading of the names.
        headings: of the numbers.
    """

    def __init__(self, corner: str, headings: Sequence[str]) -> None:
        self._corner, self._headings = corner, tuple(headings)
        self._rows: list[tuple[str, tuple[str, ...], str]] = []
        self._ends: set[int] = set()

    def add(self, name: str, *cells: str, style: str = "") -> None:
        """A row; an empty cell is one that it does not have."""
        self._rows.append((name, cells, style))

    def section(self) -> None:
        """Set what follows apart."""
        self._ends.add(len(self._rows) - 1)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        ways, names = ((False, False), (True, False), (True, True)), [name for name, _, _ in self._rows]
        longest = max((cell_len(word) for name in (*names, self._corner) for word in visible(name).split()), default=0)
        rooms = []
        for narrow, folded in ways:
            table = self._table(names, narrow=narrow, folded=folded)
            needs = Measurement.get(console, options.update(max_width=_ANY), table).minimum
            if needs <= options.max_width:
                yield table
                return
            rooms.append(options.max_width - (needs - longest))
        for (narrow, folded), room in zip(ways, rooms, strict=True):
            if room >= _LEAST and (joined := [_at_joints(name, room) for name in names]) and all(joined):
                yield self._table(joined, narrow=narrow, folded=folded)
                return
        yield from self._blocks(options.max_width)

    def _table(self, names: Sequence[str], *, narrow: bool, folded: bool) -> Table:
        out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, collapse_padding=narrow)
        out.add_column(self._corner)
        rows = [[_folded(cell) if folded else cell for cell in cells] for _, cells, _ in self._rows]
        for heading, *column in zip(self._headings, *rows, strict=True):
            short = narrow and cell_len(heading) > max(map(_width, column), default=0)
            said = heading.replace(" ", "\n") if short else heading
            out.add_column(said, justify="right", no_wrap=True, min_width=max(map(_width, (said, *column))))
        for number, (name, (_, _, style), cells) in enumerate(zip(names, self._rows, rows, strict=True)):
            out.add_row(Text(name), *map(Text, cells), style=style, end_section=number in self._ends)
        return out

    def _blocks(self, width: int) -> Iterator[Text]:
        yield Text()
        for number, (name, cells, style) in enumerate(self._rows):
            facts = [
                f"{heading} {' '.join(cell.split())}"
                for heading, cell in zip(self._headings, cells, strict=True)
                if cell
            ]
            lines = [""]
            for fact in (*(f"{one};" for one in facts[:-1]), *facts[-1:]):
                if lines[-1] and cell_len(_INDENT) + cell_len(f"{lines[-1]} {fact}") > width:
                    lines.append("")
                lines[-1] = f"{lines[-1]} {fact}".lstrip()
            yield Text("\n".join([" ".join(name.split()), *(f"{_INDENT}{line}" for line in lines)]), style=style)
            if number in self._ends or number == len(self._rows) - 1:
                yield Text()


def _width(cell: str) -> int:
    return max(map(cell_len, visible(cell).split("\n")))


def _at_joints(name: str, room: int) -> str:
    r"""The name in lines of so many columns, broken at blanks and behind joints; empty if a piece of it has no room.

    >>> _at_joints("Speaker_Gender_Recognition_common_voice", 28)
    'Speaker_Gender_Recognition_\ncommon_voice'
    """
    lines = [""]
    for piece in re.findall(r"[^\s_/-]*[_/-]+|[^\s_/-]+|\s+", name):
        if cell_len(visible(lines[-1] + piece.rstrip())) > room:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return "\n".join(line.rstrip() for line in lines) if all(cell_len(visible(line)) <= room for line in lines) else ""


def _folded(cell: str) -> str:
    return cell.replace(" to ", " to\n").replace("  ", "\n")
