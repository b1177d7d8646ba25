"""A table as comma-separated values (RFC 4180): data alone, a number a cell, as many decimals as are printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, Estimate, Link, OutOf, Table, whole

_Part: TypeAlias = Callable[[Column, Cell], str]
_FORMULAS: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""With what a cell begins that spreadsheets calculate; a tab does not come here."""
_APART: Final = (",", ";", '"')  # the second parts cells where commas are in numbers


def delimited(table: Table) -> str:
    """A line of headings with their units, and a line a row.

    An interval is two columns, a number with its interval three, a count of a whole two. Numbers have no thousands
    separators. Its caption with what it is of, where that is known, is the last column, so that a file alone says
    whose numbers of what it has. A text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    heads: list[str] = []
    columns: list[list[str]] = []
    for at, column in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        for head, part in _parts(column, cells):
            heads.append(_unlike(guarded(head), column, heads))
            columns.append([part(column, cell) for cell in cells])
    if table.of:
        heads.append(_unlike("of", table.columns[0], heads))
        columns.append([guarded(table.full_caption)] * len(table.rows))
    lines = (heads, *zip(*columns, strict=True))
    return "".join(",".join(map(_quoted, cells)) + "\r\n" for cells in lines)


def guarded(text: str) -> str:
    """A text that no spreadsheet calculates; numbers stay as they are.

    >>> guarded("=1+1"), guarded("-0.5"), guarded("a=b"), guarded("＝1")
    ("'=1+1", '-0.5', 'a=b', "'＝1")
    """
    flat = whole(text)
    return f"'{flat}" if flat.startswith(_FORMULAS) and not _is_number(flat) else flat


def _quoted(cell: str) -> str:
    return '"{}"'.format(cell.replace('"', '""')) if any(sign in cell for sign in _APART) else cell


def _parts(column: Column, cells: list[Cell]) -> list[tuple[str, _Part]]:
    """What of a column becomes columns of their own, each with its heading; the first of them takes words."""
    ends = column.kind == "interval" or any(_ends(cell) is not None for cell in cells)
    numbers = column.kind != "interval" or any(cell is not None and not isinstance(cell, tuple) for cell in cells)
    unit = f", {column.unit}" if column.unit else ""
    bare = column.title if column.kind == "interval" or not ends else f"{column.title} 95 %"
    found: list[tuple[str, _Part]] = [(column.heading, _value)] if numbers else []
    if any(isinstance(cell, OutOf) for cell in cells):
        found.append((f"{column.title} of", lambda _, cell: str(cell.of) if isinstance(cell, OutOf) else ""))
    if ends:
        found += [(f"{bare} low{unit}", lambda one, cell: _end(one, cell, 0))]
        found += [(f"{bare} high{unit}", lambda one, cell: _end(one, cell, 1))]
    if any(isinstance(cell, Estimate) and cell.note for cell in cells):
        found.append((f"{column.title} note", lambda _, cell: guarded(cell.note) if isinstance(cell, Estimate) else ""))
    return found


def _value(column: Column, cell: Cell) -> str:
    if cell is None or isinstance(cell, tuple):
        return ""
    if isinstance(cell, str):
        return guarded(cell)
    if isinstance(cell, OutOf | Link):
        return str(cell.n)
    if isinstance(cell, Estimate):
        return _bare(column.number(cell.value))
    if column.kind == "p":
        printed = p_value(cell)
        return f"{cell:.1e}" if cell and not _is_number(printed) else printed
    return str(cell) if column.kind == "count" else _bare(column.number(cell))


def _ends(cell: Cell) -> tuple[float | None, float | None] | None:
    if isinstance(cell, Estimate):
        return cell.interval
    return cell if isinstance(cell, tuple) else None


def _end(column: Column, cell: Cell, which: int) -> str:
    ends = _ends(cell)
    return "" if ends is None else _bare(column.number(ends[which]))


def _bare(number: str) -> str:
    return number.replace(",", "").removeprefix("+")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _unlike(head: str, column: Column, others: list[str]) -> str:
    """A heading that no other column has."""
    if head not in others:
        return head
    head = f"{head} ({column.id})"
    return next(name for n in range(1, len(others) + 2) if (name := head if n == 1 else f"{head} {n}") not in others)
