"""Which items give themselves away: models answer them without their clip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.analysis.giveaways import Giveaways
from audiometry.errors import counted
from audiometry.render.document import Block, line, strong
from audiometry.render.table import Column, OutOf, Table

MOST_ITEMS: Final = 20  # that are written out


def giveaways(found: Giveaways) -> Iterator[Block]:
    """How many items give themselves away, and which."""
    head = f"{len(found.items):,} of {found.n_items:,} items give themselves away"
    yield line(strong(head), f": {found.reason}.")
    columns = (
        Column(id="item", title="item", kind="name"),
        Column(id="right", title="right", kind="count"),
        Column(id="expected", title="expected", kind="number"),
        Column(id="p", title="p", kind="p"),
        Column(id="p-corrected", title="p corrected", kind="p"),
        Column(id="answer", title="answer", kind="text"),
    )
    cut = f"; the first {MOST_ITEMS} of {len(found.items):,}" if len(found.items) > MOST_ITEMS else ""
    yield Table(
        id="giveaways",
        caption=f"Items that models answer without their clip{cut}",
        signature=f"text only, {counted(len(found.models), 'model')}",
        columns=columns,
        rows=tuple(
            (one.item, OutOf(one.n_right, one.n_models), one.expected, one.p, one.p_corrected, one.answer)
            for one in found.items[:MOST_ITEMS]
        ),
    )
    if (more := len(found.items) - MOST_ITEMS) > 0:
        yield line(f"and {more:,} more; --json lists all")
