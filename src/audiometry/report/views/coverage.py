"""What is there of published data, by folder; nothing vanishes."""

from __future__ import annotations

from collections.abc import Sequence

from audiometry.bench.coverage import FolderCount
from audiometry.errors import shown
from audiometry.render.table import Column, RowInfo, Table


def coverage(counts: Sequence[FolderCount]) -> Table:
    """Rows, rows with audio, items, and rows left out or incomplete with their reasons, by folder and in all."""
    numbers = [(one.rows, one.with_audio, one.kept) for one in counts]
    rows, with_audio, kept = (sum(each) for each in zip(*numbers, strict=True))
    return Table(
        id="coverage",
        caption="What is there of the published data, by folder",
        signature="",
        columns=(
            Column(id="folder", title="folder", kind="name"),
            Column(id="rows", title="rows", kind="count"),
            Column(id="with-audio", title="with audio", kind="count"),
            Column(id="items", title="items", kind="count"),
            Column(id="left-out", title="left out", kind="text"),
        ),
        rows=(
            *((one.folder, *of, _left_out(one)) for one, of in zip(counts, numbers, strict=True)),
            ("all", rows, with_audio, kept, f"{rows - kept:,}"),
        ),
        info=(*(RowInfo(last=n == len(counts)) for n in range(1, len(counts) + 1)), RowInfo(strong=True)),
    )


def _left_out(count: FolderCount) -> str:
    noted = f"kept: {_reasons(count, count.noted)}" if count.noted else ""
    return "; ".join(filter(None, (_reasons(count, count.dropped), noted)))


def _reasons(count: FolderCount, by_reason: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}{_names(count.named.get(reason, ()), n)}" for reason, n in by_reason.items())


def _names(names: Sequence[str], n: int) -> str:
    listed = ", ".join(shown(name, 60) for name in names)
    return f" ({listed}{', …' if n > len(names) else ''})" if names else ""
