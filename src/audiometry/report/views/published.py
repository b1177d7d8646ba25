"""Runs beside what papers printed of a benchmark: landmarks, not tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import Final

import msgspec

from audiometry.errors import counted
from audiometry.render.document import Block, Chart, Folded, Section, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Cell, Column, Estimate, Order, RowInfo, Table
from audiometry.report.numbers import Scale, scale
from audiometry.report.published import AVERAGE, FORM, IFR, MATCHED, Own, Published, PublishedLine, PublishedTable
from audiometry.score.published import printed_beside
from audiometry.score.result import Scored

MOST: Final = 100  # systems in one table; those beyond are folded up
FEW: Final = 30  # rows of which categories are drawn too
_NONE: Final = "–"
_JUDGE: Final = Scale(1, 10)
_SHARE: Final = Scale(0, 1, share=True)


def published(
    found: Published,
    scored: Sequence[Scored],
    labels: Sequence[str],
    unlike: Sequence[Sequence[str]] = (),
    section: str = "published",
) -> Section:
    """Systems a row, the runs first, and their averages on one axis; then the tasks, and systems printed twice.

    Args:
        found: what was printed.
        scored: of each run, by the same rules.
        labels: of the runs.
        unlike: how each run was asked otherwise than what was printed (`OpenedRun.unlike_published`).
        section: its id.
    """
    its, rules = scale(scored[0]), scored[0].profile
    several = len(labels) > 1
    how = f", and {found.how}" if found.how else ""
    blocks: list[Block] = [
        line(f"By the rules of {rules}: {'these runs' if several else 'this run'}, and what was printed of others."),
        line(
            f"Published numbers come from other prompts and each system's own decoding{how}. They have no "
            "interval and cannot be tested against: landmarks, not tests.",
            weight="dim",
        ),
    ]
    told = [", ".join(words) for words in unlike]
    for label, words in zip(labels, told, strict=False):
        if words:
            who = name(label) if several else "This run"
            blocks.append(line(who, " is unlike what was printed: ", strong(words), ".", weight="minded"))
    blocks += _systems(found, scored, labels, section, told)
    if found.tasks.lines:
        table = _by_task(found.tasks, _made(found, scored), labels, its, section)
        blocks.append(Folded(f"All {len(found.tasks.lines)} tasks", (table,)))
    if found.both:
        own = [line_.own for line_ in found.summary.lines if line_.title == AVERAGE]
        blocks.append(_both(found, own[0] if own else (), labels, its, section))
    blocks += [line(words, weight="dim") for words in _sources(found, its)]
    return Section(id=section, title="Published systems", short="Published", blocks=tuple(blocks))


def _made(found: Published, scored: Sequence[Scored]) -> str:
    """How the numbers of the runs were made, and where the others are from."""
    own = dict.fromkeys(one.signature for one in scored)
    return f"{'; '.join(own)}; published numbers: {found.source}"


def _sources(found: Published, its: Scale) -> Iterator[str]:
    yield f"Published numbers: {found.source}."
    if any(one.title == MATCHED for one in found.summary.lines):
        yield "Matched: replies that are a letter and no more (table 4), a matter of form, not of being right."
    if any(one.title == IFR for one in found.summary.lines):
        yield "IFR: the share of all replies that the rules could read, right or wrong."
    for one in found.slips:
        yield (
            f"A slip of the paper: {one.system}'s average is printed {its.number(float(one.printed))}, the mean of "
            f"its categories is {its.number(float(one.computed))}."
        )


def _systems(
    found: Published, scored: Sequence[Scored], labels: Sequence[str], section: str, unlike: Sequence[str]
) -> Iterator[Block]:
    """The runs, what guessing gives, and the systems, with averages and categories drawn."""
    # what is drawn stands first
    lines, its = sorted(found.summary.lines, key=lambda one: one.title != AVERAGE), scale(scored[0])
    columns = (
        Column(id="system", title="system", kind="name"),
        *(
            _SHARE.column(FORM[one.title], FORM[one.title]) if one.title in FORM else its.column(one.title, one.title)
            for one in lines
        ),
    )
    marked = [f"{label} ({words})" if words else label for label, words in zip_longest(labels, unlike)]
    ours = [(label, *(_own(one.own[n]) for one in lines)) for n, label in enumerate(marked)]
    chances = [("chance of the items", *cells) for cells in [_chance_of(scored, lines)] if any(cells)]
    if any(one.chance is not None for one in lines):
        chances.append(("chance of the paper's tasks", *(one.chance for one in lines)))
    above = [*ours, *chances]
    systems = [
        (f"{one.name} (published{' later' * one.later})", *(_printed(line_.printed[n]) for line_ in lines))
        for n, one in enumerate(found.summary.systems)
    ]
    info = [RowInfo(strong=n < len(ours), last=n in {len(ours) - 1, len(above) - 1}) for n in range(len(above))]
    rows = (*above, *systems[:MOST])
    table = Table(
        id=section,
        caption=f"{'Share correct' if its.share else 'Mean score'} by category, with intervals of runs alone",
        signature=_made(found, scored),
        columns=columns,
        rows=rows,
        info=(*info, *[RowInfo()] * len(systems[:MOST])),
        orders=_orders(rows),
    )
    rest = systems[MOST:]
    drawn = [one for one in lines if one.title not in FORM][: None if len(table.rows) <= FEW else 1]
    others = tuple(labels) if len(labels) > 1 else ()  # their marks and colours mean runs on all of the page
    marks = [
        mark for at, one in enumerate(drawn, len(others)) for mark in marks_of(one, at, len(above), len(table.rows))
    ]
    what, title = ("Share correct", "correct") if its.share else ("Score", "score")
    ns, axis = [one.n_items for one in scored], _axis(its, title, _ends(marks))
    yield Chart(drawing(table, marks, ns, drawn, axis, f"{what} by category", others), table) if marks else table
    if rest:
        more = Table(
            id=f"{section}-more", caption=table.caption, signature=table.signature, columns=columns, rows=tuple(rest)
        )
        words = f"{counted(len(rest), 'more system')}"
        yield Folded(words, (more,), f"And {words}, which audiometry report shows.")


def _orders(rows: Sequence[Sequence[Cell]]) -> tuple[Order, ...]:
    """The rows as printed, and the best average first."""
    cells = (row[1].value if isinstance(row[1], Estimate) else row[1] for row in rows)
    values = [-cell if isinstance(cell, float) else math.inf for cell in cells]
    return Order("paper", tuple(range(len(rows)))), Order(
        "score", tuple(sorted(range(len(rows)), key=values.__getitem__))
    )


def marks_of(of: PublishedLine, series: int, first: int, rows: int) -> Iterator[Mark]:
    """A category or the average: of runs with its interval, of systems without, hollow."""
    for n, own in enumerate(of.own):
        if own.value is not None:
            yield Mark(x=own.value, y=n, interval=own.interval, series=series)
    for n, printed in enumerate(of.printed[: rows - first]):
        if printed is not None:
            yield Mark(x=float(printed), y=first + n, series=series, hollow=True)


def drawing(
    table: Table,
    marks: Sequence[Mark],
    ns: Sequence[int],
    lines: Sequence[PublishedLine],
    axis: Axis,
    what: str,
    others: tuple[str, ...],
) -> Figure:
    """Runs and systems in bands; rows that have no number stand in the table only.

    Args:
        table: with a row a band, runs first.
        marks: as `marks_of` makes them.
        ns: items of each run.
        lines: that are drawn, each a series.
        axis: of their numbers.
        what: they are, for the caption.
        others: series of the page that are none of these.
    """
    drawn = {mark.y for mark in marks}
    bands = (
        Band(name=_noted(str(row[0]), lines, n), strong=info.strong, last=info.last, bare=n not in drawn)
        for n, (row, info) in enumerate(zip(table.rows, table.info, strict=True))
    )
    chance = next((one.chance for one in lines if one.title == AVERAGE), None)
    none = "each set has a chance of its own" if axis.unit else "judges' scores have no chance"
    return Figure(
        id=table.id,
        caption=f"{what} of {counted(len(drawn), 'system')}, published ones hollow and without intervals",
        signature=table.signature,
        kind="bands",
        x=axis,
        y=Axis(bands=tuple(bands)),
        marks=tuple(marks),
        reference=chance,
        reference_name="" if chance is None else "average chance of the paper's tasks",
        unheld="" if chance is not None else none,
        n=max(ns),
        n_least=min(ns),
        series=(*others, *(one.title for one in lines)),
    )


def _ends(marks: Sequence[Mark]) -> list[float]:
    return [end for mark in marks for end in (mark.x, *(mark.interval or ()))]


def _noted(name: str, lines: Sequence[PublishedLine], run: int) -> str:
    """A run's name with what keeps its numbers from being the paper's quantities."""
    owns = [(one.title, one.own[run]) for one in lines if run < len(one.own)]
    notes: dict[str, list[str]] = {}
    for title, own in owns:
        if own.note and own.value is not None:
            notes.setdefault(own.note, []).append(title)
    said = "; ".join(f"{', '.join(of)}: {note}" if len(of) < len(owns) else note for note, of in notes.items())
    return f"{name} ({said})" if said else name


def _axis(its: Scale, title: str, values: Sequence[float] = ()) -> Axis:
    """From end to end of the scale."""
    return msgspec.structs.replace(its.axis(values), title=title)


def _by_task(tasks: PublishedTable, signature: str, labels: Sequence[str], its: Scale, section: str) -> Table:
    """The paper's table of tasks in its rows and order, with the runs before it."""
    category = [one.category for one in tasks.lines]
    return Table(
        id=f"{section}-tasks",
        caption="Share correct by task: chance, runs with 95 % intervals, and published systems without any",
        signature=signature,
        columns=(
            Column(id="task", title="task", kind="name"),
            its.column("chance", "chance of the paper"),
            *(its.column(f"run-{n}", label, series=n) for n, label in enumerate(labels)),
            *(its.column(f"system-{n}", one.name) for n, one in enumerate(tasks.systems)),
        ),
        rows=tuple(
            (f"{one.category}: {one.title}", one.chance, *map(_own, one.own), *map(_printed, one.printed))
            for one in tasks.lines
        ),
        info=tuple(RowInfo(last=after != before) for before, after in zip(category, [*category[1:], ""], strict=True)),
    )


def _both(found: Published, own: Sequence[Own], labels: Sequence[str], its: Scale, section: str) -> Section:
    """Systems that were printed on two benchmarks: single choice against open answers."""
    names = (
        Column(id="system", title="system", kind="name"),
        its.column("here", f"average on {printed_beside(found.other)}"),
    )
    other = (_JUDGE if its.share else _SHARE).column("there", f"average on {found.other}")
    rows = tuple((system, float(here), float(there)) for system, here, there in found.both)
    table = Table(
        id=f"{section}-both",
        caption=f"{counted(len(rows), 'system')} of which an average was printed here and on {found.other}",
        signature=found.source,
        columns=(*names, other),
        rows=rows,
    )
    runs = tuple(Band(name=label, reference=one.value) for label, one in zip(labels, own, strict=False))
    some = [one for one in runs if one.reference is not None]
    alone = len(runs) == len(some) == 1
    interval = own[0].interval if alone else None
    figure = Figure(
        id=table.id,
        caption=table.caption,
        signature=table.signature,
        kind="scatter",
        x=msgspec.structs.replace(_axis(its, names[1].title), bands=() if alone else runs),
        y=_axis(_JUDGE if its.share else _SHARE, other.title),
        marks=tuple(
            Mark(x=here, y=there, series=len(labels), hollow=True, name=system) for system, here, there in rows
        ),
        reference=some[0].reference if alone else None,
        reference_name="this run" if alone else "",
        shade=interval,
        shade_name="its 95 % interval" if interval else "",
        series=() if alone else tuple(labels),
    )
    lead = "Single choice against open answers: each mark is a system of which both averages were printed."
    lead += "" if alone else " A run is a line at its average here."
    blocks: tuple[Block, ...] = (line(lead, weight="about"), figure, Folded(f"{table.caption}: the numbers", (table,)))
    return Section(id=f"{section}-twice", title="", blocks=blocks)


def _chance_of(scored: Sequence[Scored], lines: Sequence[PublishedLine]) -> list[Cell]:
    """What guessing gives on the items that the first run was asked."""
    first = scored[0]
    rows = {**{one.title: one.any for one in first.extras.dimensions.values()}, **first.categories, AVERAGE: first}
    return [None if (row := rows.get(one.title)) is None else row.chance for one in lines]


def _own(cell: Own) -> Cell:
    return (cell.note or "none") if cell.value is None else Estimate(cell.value, cell.interval, cell.note)


def _printed(value: Decimal | None) -> Cell:
    return _NONE if value is None else float(value)
