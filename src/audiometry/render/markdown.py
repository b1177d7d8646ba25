"""A table as Markdown: pipes in line, as GitHub reads it, and every foreign text only text."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len

from audiometry.render.table import Table, whole

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&|~$#@!]|(?<=www)\.|:(?=//)")
"""What makes markup inside a line, or a link of a bare address."""


def markdown(table: Table) -> str:
    """Its caption, its rows under their headings, and how its numbers were made.

    The columns stand in line in an editor. Rows that sum up others have their names in bold.
    """
    rows = []
    for number, row in enumerate(table.rows):
        cells = [escaped(one.typeset(cell)) for one, cell in zip(table.columns, row, strict=True)]
        if table.about(number).strong and cells[0]:
            cells[0] = f"**{cells[0]}**"
        rows.append(cells)
    headings = [escaped(one.typeset_heading) for one in table.columns]
    widths = [max(3, *map(cell_len, column)) for column in zip(headings, *rows, strict=True)]
    sides = [one.left for one in table.columns]
    dashes = ["-" * (width - 1) for width in widths]
    under = [f":{dash}" if left else f"{dash}:" for dash, left in zip(dashes, sides, strict=True)]
    lines = [_line(cells, widths, sides) for cells in (headings, under, *rows)]
    parts = [escaped(table.full_caption), "\n".join(lines), escaped(table.signature)]
    return "\n\n".join(filter(None, parts)) + "\n"


def escaped(text: str) -> str:
    r"""A foreign text of which Markdown makes nothing but text.

    >>> escaped("a|b_c <b> [x](y)")
    'a\\|b\\_c \\<b\\> \\[x\\](y)'
    """
    return _MARKUP.sub(r"\\\g<0>", whole(text))


def _line(cells: list[str], widths: list[int], sides: list[bool]) -> str:
    padded = []
    for cell, width, left in zip(cells, widths, sides, strict=True):
        blank = " " * (width - cell_len(cell))
        padded.append(cell + blank if left else blank + cell)
    return f"| {' | '.join(padded)} |"
