"""Rows of one score drawn: a band a row with a mark a run, or a row a run with a cell a row."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec

from audiometry.render.bands import CROWD, fitted, reached
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.report.titles import FEWER, value_title
from audiometry.report.views.entries import Entries, Entry, Runs
from audiometry.score.result import Row, Scored


def as_fits(figure: Figure, runs: Runs, entries: Entries, most: int = CROWD) -> Figure:
    """The figure as it is; or, where a band has more marks than there is room for, as a heat map with signs.

    Args:
        figure: see `drawn`.
        runs: whose.
        entries: that it shows.
        most: marks that a band has room for.
    """
    caption, first = entries.caption_of_values, None
    if runs.tests is not None and entries.tested:
        others = sum(row is not None and row.value is not None for one in entries.all for row in one.rows[1:])
        caption, first = caption + runs.tests.told(runs.labels[0], others), 0
    parts = [one.part if one is not None and not runs.part else "" for one in runs.scored]
    rows = tuple(", ".join(filter(None, both)) for both in zip(figure.series, parts, strict=False))
    named = msgspec.structs.replace(figure, series=rows)
    found = fitted(named, down=runs.first.direction == "down", caption=caption, most=most, against=first)
    return figure if found is named else found


def drawn(runs: Runs, entries: Entries) -> Figure:
    """A band an entry, with a mark a run; of many runs a row each with a cell an entry, by the first of these."""
    against = [held(one) for one in entries.all]
    marks = [
        Mark(
            x=row.value,
            y=band,
            interval=row.interval,
            series=entry.series or number,
            reference=_reference(entry, number, row) if against[band] is None else None,
            items=f"{entry.items}&{urlencode({'run': runs.labels[number]})}" if entry.items and runs.several else "",
            sign="" if not entry.tests or (test := entry.tests[number]) is None else test.sign,
        )
        for band, entry in enumerate(entries.all)
        for number, row in enumerate(entry.rows)
        if row is not None and row.value is not None
    ]
    bounds = [one.rows[0].bounds if len(one.rows) == 1 and one.rows[0] is not None else None for one in entries.all]
    ends = [*reached(marks), *(end for both in bounds for end in both or () if end is not None)]
    axis = runs.its.axis(ends)
    bands = tuple(
        Band(
            name=one.title,
            reference=reference,
            shade=None if both is None else (both[0] or axis.low, axis.high if both[1] is None else both[1]),
            strong=one.strong,
            last=one.last,
        )
        for one, reference, both in zip(entries.all, against, bounds, strict=True)
    )
    known = any(one is not None for one in (*against, *(mark.reference for mark in marks)))
    ns = [row.n_items for row in entries.all[0].rows if row is not None] or [runs.first.n_items]
    return Figure(
        id=entries.place,
        caption=entries.caption,
        signature=made(runs, entries),
        kind="bands",
        x=msgspec.structs.replace(axis, title=_better(runs)),
        y=Axis(bands=bands),
        marks=tuple(marks),
        reference_name=runs.reference if known else "",
        unheld="" if known else FEWER if runs.judged else "what guessing gives is not known",
        shade_name="bounds, where replies are missing" if any(bounds) else "",
        n=max(ns),
        n_least=min(ns),
        series=runs.labels if runs.several else (),
    )


def made(runs: Runs, entries: Entries) -> str:
    """How the numbers of all rows were made, each way once."""
    every = (*runs.scored, *entries.rows)
    return entries.signature or "; ".join(dict.fromkeys(one.signature for one in every if isinstance(one, Scored)))


def _better(runs: Runs) -> str:
    """What the axis shows, and which way is better where that is not plain."""
    title = value_title(runs.first)
    return title if runs.its.share else f"{title}, {'higher' if runs.first.direction == 'up' else 'lower'} is better"


def held(entry: Entry) -> float | None:
    """What all marks of an entry are held against, if that is one number."""
    found = {_reference(entry, number, row) for number, row in enumerate(entry.rows) if row is not None}
    return found.pop() if len(found) == 1 else None


def _reference(entry: Entry, number: int, row: Row) -> float | None:
    """What a run's mark is held against: the references that its judges scored beside it, or chance."""
    against = entry.against[number] if number < len(entry.against) else None
    if against is None:
        return row.chance
    return against.reference if against.beside(row.n_counted) else None
