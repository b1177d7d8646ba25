"""Mixed audio: how answers fare by how the sources lie over each other, and beside items with one source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Line, Section, line, name, strong
from audiometry.render.figure import Mark
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.numbers import Scale, scale
from audiometry.score.result import Scored
from audiometry.score.row import Mixed

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
    every = [(n, one, one.extras.mixed) for n, one in enumerate(scored) if one is not None]
    some = [(n, one, mine) for n, one, mine in every if mine is not None]
    if not some:
        return None
    told = (_told(scale(one), mine, labels[n] if len(labels) > 1 else "") for n, one, mine in some)
    blocks: list[Block] = [one for one in told if one is not None]
    none = line("The items have no tags that say which source is louder or ahead, or by how much.", weight="dim")
    blocks.append(_chart(some, labels) or none)
    return Section(id="mixed", title="Mixed audio", blocks=tuple(blocks), short="Mixed audio")


def _told(its: Scale, found: Mixed, label: str) -> Line | None:
    if found.difference is None:
        return None
    interval = "" if found.interval is None else f" (95 %: {its.changes(found.interval)})"
    return line(
        *((name(label), ": ") if label else ()),
        "Several sources at a time ",
        strong(its.number(found.mixed)),
        ", one source ",
        strong(its.number(found.single)),
        f": {its.change(found.difference)}{interval}; the items differ, not the sources alone.",
        weight="minded" if found.interval is not None and found.interval[1] < 0 else "plain",
    )


def _chart(some: Sequence[tuple[int, Scored, Mixed]], labels: Sequence[str]) -> Chart | None:
    """A band each value of a tag, with a mark a run."""
    each = {(tag, value): one for _, _, mine in some for tag, of in mine.by.items() for value, one in of.items()}
    keys = sorted(each, key=lambda key: [*TAGS, key[0]].index(key[0]))  # values of a tag stay together
    if not keys:
        return None
    several, first = len(labels) > 1, some[0]
    its = scale(first[1])
    found = {n: [mine.by.get(tag, {}).get(value) for tag, value in keys] for n, _, mine in some}
    columns = [Column(id="by", title="by", kind="name"), Column(id="items", title="items", kind="count")]
    cells: list[list[Cell]] = [[f"{TAGS.get(tag, tag)}: {value}", each[tag, value].n_items] for tag, value in keys]
    for n, rows in found.items():
        if several:
            columns.append(its.column(f"score-{n + 1}", labels[n], series=n))
            own: list[tuple[Cell, ...]] = [
                (None if one is None else Estimate(one.value, one.interval),) for one in rows
            ]
        else:
            columns += [its.column("score", "score"), its.column("interval", "95 %", "interval")]
            own = [(None, None) if one is None else (one.value, one.interval) for one in rows]
        for row, more in zip(cells, own, strict=True):
            row.extend(more)
    marks = [
        Mark(x=one.value, y=y, interval=one.interval, series=n, reference=mine.mixed if several else None)
        for n, _, mine in some
        for y, one in enumerate(found[n])
        if one is not None and one.value is not None
    ]
    table = Table(
        id="mixed",
        caption="Mean score of mixed items by what their tags say",
        signature="; ".join(dict.fromkeys(one.signature for _, one, _ in some)),
        columns=tuple(columns),
        rows=tuple(map(tuple, cells)),
        info=tuple(RowInfo(last=n + 1 == len(keys) or keys[n + 1][0] != key[0]) for n, key in enumerate(keys)),
        series=tuple(labels) if several else (),
    )
    ends = [*reached(marks), *(mark.reference for mark in marks if mark.reference is not None)]
    return banded(
        table,
        marks,
        its.axis(ends),
        ns=[max(sum(one.n_items for one in of.values()) for of in mine.by.values()) for _, _, mine in some if mine.by],
        reference=None if several else first[2].mixed,
        reference_name="" if all(mine.mixed is None for _, _, mine in some) else "all mixed items",
    )
