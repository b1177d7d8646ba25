"""Rows of one score, of one run or of several side by side: drawn in bands, with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import msgspec

from audiometry.errors import counted
from audiometry.render.document import Block, Chart, Folded
from audiometry.render.numbers import percent
from audiometry.render.table import Cell, Column, Estimate, Order, OutOf, RowInfo, Table
from audiometry.report.titles import STATES, field, measure_title, value_title
from audiometry.report.views.entries import Entries, Get, Runs
from audiometry.report.views.score_figure import as_fits, drawn, held, made
from audiometry.score.extras import Against
from audiometry.score.result import Row, Scored

SORTED: Final = 3  # rows from which on they can be put in another order


def charted(runs: Runs, entries: Entries) -> tuple[Block, ...]:
    """Entries in bands with their numbers; of several runs all that is known of each row too, on demand.

    Args:
        runs: whose.
        entries: what has a number in each.
    """
    figure, table = drawn(runs, entries), (_beside if runs.several else _alone)(runs, entries)
    chart = Chart(as_fits(figure, runs, entries), msgspec.structs.replace(table, orders=_orders(runs, entries)))
    folded = [Folded("All numbers, run by run", (_every(runs, entries),))] if runs.several else []
    if entries.tested and chart.figure is figure:
        heat = as_fits(msgspec.structs.replace(figure, id=f"{figure.id}-heat"), runs, entries, most=0)
        folded.insert(0, Folded("The same as a heat map, with what differs from the first run", (heat,)))
    return chart, *folded


def side_by_side(each: Sequence[Runs], names: Sequence[str]) -> Table:
    """The number over everything of each run by each of several scores.

    Args:
        each: the scores.
        names: for their columns, for files.
    """
    series = each[0].labels if each[0].several else ()
    both = tuple(zip(each, names, strict=True))
    caveats = (one.caveat.replace("; ", f"; {measure_title(one.first)} ", 1) for one in each)
    return Table(
        id="scores",
        caption=f"Each score over everything, with its 95 % interval{''.join(caveats)}",
        signature="; ".join(dict.fromkeys(one.signature for one in each)),
        columns=(
            Column(id="run", title="run", kind="name"),
            *(one.its.column(name, measure_title(one.first)) for one, name in both),
        ),
        rows=tuple(
            (label, *(runs_cell(one, at, one.scored[at], _noted(one, one.scored[at])) for one in each))
            for at, label in enumerate(each[0].labels)
        ),
        info=tuple(RowInfo(series=at if series else None) for at in range(len(each[0].labels))),
        series=series,
    )


def value(row: Row) -> Cell:
    """A row's number, or why there is none."""
    if not row.replied:
        return "not all asked" if row.n_not_asked else "no reply"
    if row.value is not None:
        return row.value
    if row.n_not_asked or not row.n_counted:
        return "not all asked" if row.n_not_asked else "none counts"
    return "no mean" if isinstance(row, Scored) else "none"


def reference_cell(row: Row, against: Against | None) -> Cell:
    """The reference answers' score, and of how many replies where these are not all that count."""
    if against is None or against.reference is None or against.beside(row.n_counted):
        return None if against is None else against.reference
    return Estimate(against.reference, None, f"of {counted(against.n_reference or 0, 'reply')}")


def _columns(runs: Runs, entries: Entries) -> Iterator[tuple[Column, Get]]:
    """The columns of one run's rows."""
    its = runs.its
    yield its.column("value", value_title(runs.first)), lambda row, _: value(row)
    if any(row.interval is not None for row in entries.rows):
        yield its.column("interval", "95 %", "interval"), lambda row, _: row.interval
    if "label" in runs.first.kinds and any(row.n_refused for row in entries.rows):
        yield Column(id="refusal-rate", title="refused", kind="number", unit="%"), partial(counted_as, "refusal_rate")
    if any(row.bounds is not None for row in entries.rows):
        yield its.column("bounds", "bounds", "interval"), lambda row, _: row.bounds
    if entries.chance:
        yield its.column("chance", "chance"), lambda row, _: row.chance
    if runs.judged:
        yield its.column("reference", "reference"), reference_cell
        for name in ("win", "tie", "loss"):
            yield Column(id=name, title=name, kind="number", unit="%"), partial(_outcome, name)
    yield Column(id="items", title="items", kind="count"), lambda row, _: row.n_items
    yield Column(id="answered", title="answered", kind="count"), lambda row, _: OutOf(row.n_answered, row.n_replies)
    for state in (state for state in STATES if any(getattr(row, field(state)) for row in entries.rows)):
        yield Column(id=state.replace(" ", "-"), title=state, kind="count"), partial(counted_as, field(state))
    yield from entries.more


def said_of_refused(row: Row) -> str:
    """Which share of a row's replies declined; empty for none."""
    return f"{percent(row.refusal_rate or 0.0)} % refused" if row.n_refused else ""


def counted_as(of: str, row: Row, _: Against | None = None) -> Cell:
    """A count of a row, or nothing where it has none of this name."""
    found: Cell = getattr(row, of, None)
    return found


def _outcome(name: str, _: Row, against: Against | None) -> Cell:
    """How large a share of the items win, tie or lose."""
    share: float | None = getattr(against, name, None)
    return share


def _alone(runs: Runs, entries: Entries) -> Table:
    """The rows of one run."""
    columns = list(_columns(runs, entries))
    rows = []
    for entry in entries.all:
        row, against = entry.rows[0], next(iter(entry.against), None)
        absent = (entry.absent, *[None] * (len(columns) - 1))
        rows.append((entry.title, *(absent if row is None else (get(row, against) for _, get in columns))))
    return _table(runs, entries, [column for column, _ in columns], rows)


def _beside(runs: Runs, entries: Entries) -> Table:
    """The rows of several runs with the numbers of each in a column."""
    columns = [runs.its.column(f"run-{n}", label, series=n) for n, label in enumerate(runs.labels)]
    columns += [runs.its.column("chance", "chance")] if entries.chance else []
    every = [[row.n_items for row in entry.rows if row is not None] or [0] for entry in entries.all]
    ends = ("fewest", "most") if any(min(ns) < max(ns) for ns in every) else ()  # a number a cell
    columns += [Column(id=f"items-{end}", title=f"{end} items", kind="count") for end in ends]
    columns += [] if ends else [Column(id="items", title="items", kind="count")]
    rows = []
    for entry, ns in zip(entries.all, every, strict=True):
        parts = [_noted(runs, row) for row in entry.rows]
        cells = [runs_cell(runs, number, row, parts[number]) for number, row in enumerate(entry.rows)]
        cells += [held(msgspec.structs.replace(entry, against=()))] if entries.chance else []
        rows.append((entry.title, *cells, min(ns), *([max(ns)] if ends else [])))
    return _table(runs, entries, columns, rows)


def _noted(runs: Runs, row: Row | None) -> str:
    """What part of all items a number is of, if runs differ in that, and between which ends it lies."""
    part = row.part if isinstance(row, Scored) and not runs.part else ""
    rate = "" if row is None or "label" not in runs.first.kinds else said_of_refused(row)
    ends = "" if row is None or row.bounds is None else f"bounds {runs.its.span(row.bounds)}"
    return ", ".join(filter(None, (part, rate, ends)))


def runs_cell(runs: Runs, number: int, row: Row | None, note: str = "") -> Cell:
    """A run's number with its interval in one cell, or why there is none.

    Args:
        runs: all of them.
        number: of the run.
        row: its row.
        note: what else is said of it.
    """
    if row is None:
        return runs.absent[number] if runs.scored[number] is None else "not asked"
    said = value(row)
    why = said if isinstance(said, str) else ""
    return why if why and not note else Estimate(row.value, row.interval, ", ".join(filter(None, (why, note))))


def _every(runs: Runs, entries: Entries) -> Table:
    """A line an entry and run."""
    columns = list(_columns(runs, entries))
    ps = [Column(id="p", title="p", kind="p"), Column(id="p-corrected", title="p corrected", kind="p")] * entries.tested
    rows: list[tuple[Cell, ...]] = []
    info = []
    for entry in entries.all:
        for number, row in enumerate(entry.rows):
            against = entry.against[number] if entry.against else None
            missing = (runs_cell(runs, number, None), *[None] * (len(columns) - 1))
            cells = missing if row is None else tuple(get(row, against) for _, get in columns)
            test = entry.tests[number] if entry.tests else None
            more: tuple[Cell, ...] = (None, None) if test is None else (test.p, test.corrected)
            rows.append((entry.title, runs.labels[number], *cells, *(more if entries.tested else ())))
            info.append(RowInfo(series=number, strong=entry.strong, last=number == len(entry.rows) - 1))
    told = "; p against the first run, corrected over all others' cells (Holm)" if entries.tested else ""
    return Table(
        id=f"{entries.place}-numbers",
        caption=f"{entries.caption}, and what became of the replies, run by run{told}",
        signature=made(runs, entries),
        columns=(
            Column(id="name", title=entries.corner, kind="name"),
            Column(id="run", title="run", kind="name"),
            *(column for column, _ in columns),
            *ps,
        ),
        rows=tuple(rows),
        info=tuple(info),
        series=runs.labels,
    )


def _table(runs: Runs, entries: Entries, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]]) -> Table:
    info = (
        RowInfo(strong=one.strong, last=one.last, note=one.note, items=one.items, series=one.series)
        for one in entries.all
    )
    return Table(
        id=entries.place,
        caption=entries.caption,
        signature=made(runs, entries),
        columns=(Column(id="name", title=entries.corner, kind="name"), *columns),
        rows=tuple(rows),
        info=tuple(info),
        series=runs.labels if runs.several else (),
    )


def _orders(runs: Runs, entries: Entries) -> tuple[Order, ...]:
    """In which orders rows can be read: what sums up others first, then by the mean, or by the widest difference."""
    every = entries.all
    sums, each = ([at for at, one in enumerate(every) if one.strong is strong] for strong in (True, False))
    if not entries.sortable or len(each) < SORTED:
        return ()
    better = 1 if runs.first.direction == "down" else -1

    def mean(at: int) -> tuple[bool, float]:
        found = every[at].values()
        return not found, better * sum(found) / max(1, len(found))

    def apart(at: int) -> float:
        return min(every[at].values(), default=0.0) - max(every[at].values(), default=0.0)

    orders = [Order("benchmark", tuple(range(len(every)))), Order("score", (*sums, *sorted(each, key=mean)))]
    return (*orders, *([Order("difference", (*sums, *sorted(each, key=apart)))] if runs.several else []))
