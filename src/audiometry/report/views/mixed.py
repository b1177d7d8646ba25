"""Mixed audio: how answers fare by how the sources lie over each other, and beside items with one source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Section, line, strong
from audiometry.render.figure import Mark
from audiometry.render.table import Column, RowInfo, Table
from audiometry.report.numbers import scale
from audiometry.score.extras import Mixed
from audiometry.score.result import Scored

TAGS: Final = {
    "louder": "Louder part",
    "ahead": "Part that starts",
    "level_difference": "Level difference",
    "offset_s": "Offset of onsets",
}


def mixed(scored: Sequence[Scored | None], labels: Sequence[str]) -> Section | None:
    """The mixed items of one or several runs; None where there are none.

    Args:
        scored: of each run, by judges; None where it has no such score.
        labels: what the runs are called.
    """
    blocks: list[Block] = []
    found = [(n, one, one.extras.mixed) for n, one in enumerate(scored) if one is not None]
    some = [(n, one, mine) for n, one, mine in found if mine is not None]
    for place, (n, one, mine) in enumerate(some, 1):
        own = "mixed" if place == 1 else f"mixed-{place}"
        several = len(labels) > 1
        inner = _of_one(one, mine, own, n, labels[n] if several else "")
        blocks += [Section(id=f"{own}-of", title="", of=labels[n], blocks=inner)] if several else inner
    return Section(id="mixed", title="Mixed audio", blocks=tuple(blocks), short="Mixed audio") if some else None


def _of_one(scored: Scored, found: Mixed, place: str, run: int, label: str) -> tuple[Block, ...]:
    its, blocks = scale(scored), list[Block]()
    if found.difference is not None:
        interval = "" if found.interval is None else f" (95 %: {its.changes(found.interval)})"
        blocks.append(
            line(
                "Several sources at a time ",
                strong(its.number(found.mixed)),
                ", one source ",
                strong(its.number(found.single)),
                f": {its.change(found.difference)}{interval}; the items differ, not the sources alone.",
                weight="minded" if found.interval is not None and found.interval[1] < 0 else "plain",
            )
        )
    chart = _chart(scored, found, place, run, label)
    none = line("The items have no tags that say which source is louder or ahead, or by how much.", weight="dim")
    return (*blocks, chart or none)


def _chart(scored: Scored, found: Mixed, place: str, run: int, label: str) -> Chart | None:
    its = scale(scored)
    rows = [(TAGS.get(tag, tag), value, one) for tag, values in found.by.items() for value, one in values.items()]
    if not rows:
        return None
    caption = f"Mean score of mixed items by what their tags say{label and f': {label}'}"
    last = [n + 1 == len(rows) or rows[n + 1][0] != tag for n, (tag, _, _) in enumerate(rows)]
    marks = [
        Mark(x=one.value, y=n, interval=one.interval, series=run)
        for n, (_, _, one) in enumerate(rows)
        if one.value is not None
    ]
    table = Table(
        id=place,
        caption=caption,
        signature=scored.signature,
        columns=(
            Column(id="by", title="by", kind="name"),
            Column(id="items", title="items", kind="count"),
            its.column("score", "score"),
            its.column("interval", "95 %", "interval"),
        ),
        rows=tuple((f"{tag}: {value}", one.n_items, one.value, one.interval) for tag, value, one in rows),
        info=tuple(RowInfo(last=end) for end in last),
    )
    return banded(
        table,
        marks,
        its.axis(reached(marks)),
        ns=[max(sum(one.n_items for one in values.values()) for values in found.by.values())],
        reference=found.mixed,
        reference_name="all mixed items" if found.mixed is not None else "",
    )
