"""What is there of published data, by folder, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import rich.box
from rich.table import Table
from rich.text import Text

from audiometry.bench.coverage import FolderCount
from audiometry.errors import shown


def coverage_table(counts: Sequence[FolderCount]) -> Table:
    """Rows, rows with audio, items, and rows left out or incomplete with their reasons, by folder; nothing vanishes."""
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    whole = (sum(c.rows for c in counts), sum(c.with_audio for c in counts), sum(c.kept for c in counts))
    out.add_column("folder", footer="all", no_wrap=True)
    for heading, total in zip(("rows", "with audio", "items"), whole, strict=True):
        out.add_column(heading, justify="right", footer=f"{total:,}")
    out.add_column("left out", footer=f"{whole[0] - whole[2]:,}")
    for count in counts:
        reasons = _reasons(count, count.dropped)
        if count.noted:
            reasons += ("; " if reasons else "") + f"kept: {_reasons(count, count.noted)}"
        # names are foreign: as texts, since a table would take brackets in a string for markup
        numbers = (f"{count.rows:,}", f"{count.with_audio:,}", f"{count.kept:,}")
        out.add_row(Text(shown(count.folder, 200)), *numbers, Text(reasons))
    return out


def _reasons(count: FolderCount, by_reason: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}{_names(count.named.get(reason, ()), n)}" for reason, n in by_reason.items())


def _names(names: Sequence[str], n: int) -> str:
    listed = ", ".join(shown(name, 60) for name in names)
    return f" ({listed}{', …' if n > len(names) else ''})" if names else ""
