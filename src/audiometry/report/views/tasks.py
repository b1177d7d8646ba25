"""What one run, or several, score by one measure: over everything, by category, task, tag and folder of the data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

import msgspec

from audiometry.errors import shown
from audiometry.records import Card
from audiometry.render.document import Block, Copied, Folded, Line, Section, line
from audiometry.render.table import Cell, Column, filed
from audiometry.report.naming import FEW
from audiometry.report.numbers import Scale
from audiometry.report.said import of_tag, said
from audiometry.report.titles import extent, measure_title, titled
from audiometry.report.views.confusion import confusion
from audiometry.report.views.entries import Entries, Entry, Get, Runs
from audiometry.report.views.form import form
from audiometry.report.views.score_rows import charted
from audiometry.score.extras import Against, Beside
from audiometry.score.result import Row, Scored
from audiometry.score.rows import is_span


def tasks(
    name: str,
    runs: Runs,
    card: Card,
    *,
    place: str = "tasks",
    of: int = 0,
    order: Sequence[str] = (),
    more: Sequence[Sequence[Line]] = (),
) -> Section:
    """The section of a score.

    Args:
        name: of the score.
        runs: its numbers.
        card: of the benchmark.
        place: the section's id.
        of: how many items the run has, for a title that says which score it is; 0: there is no other.
        order: of the tasks; none: as the runs have them.
        more: what else is said of each run.
    """
    first = runs.first
    title = "Tasks beside the reference" if runs.judged else "Tasks against chance" if runs.reference else "Tasks"
    n = max(one.n_items for one in runs.scored if one is not None)
    short = measure_title(first)
    return Section(
        id=place,
        title=title if not of else f"{titled(first)} · {extent(n, of)}",
        blocks=(
            *_charts(runs, card, place, order),
            *_told(name, runs, card, more, place),
            *form(runs, place),
            *confusion(runs, card, place),
        ),
        short="Tasks" if not of else f"{short[:1].upper()}{short[1:]}",
    )


def mean_of(scored: Scored) -> str:
    """What the number over everything is."""
    named = {"none": "no overall mean", "items": "all items"}
    return named.get(scored.average, f"mean of {scored.average}")


def headline(runs: Runs, *, place: str = "headline", of: int = 0) -> Section:
    """The number over everything of each run, in a band each.

    Args:
        runs: its numbers.
        place: the section's id.
        of: how many items the runs have, for a title that says which score it is; 0: there is no other.
    """
    first, what = runs.first, "The runs side by side" if runs.several else "The score over everything"
    each = [
        Entry(
            title=label,
            rows=(one,),
            against=(one.extras.beside.all if one is not None and one.extras.beside else None,),
            series=at,
            absent=runs.absent[at] if one is None else "",
        )
        for at, (one, label) in enumerate(zip(runs.scored, runs.labels, strict=True))
    ]
    more: list[tuple[Column, Get]] = []
    if runs.its.share:
        more.append((runs.its.column("answered-alone", "of answered"), _over_answered))
    if any(one is not None and one.part for one in runs.scored):
        more.append((Column(id="asked", title="asked", kind="text"), lambda row, _: getattr(row, "part", "")))
    if len(each) > FEW:  # a list to read from its head; of fewer the order is the one they were given in
        sign = 1 if first.direction == "down" else -1
        each.sort(key=lambda one: [sign * value for value in one.values()] or [math.inf])
    entries = Entries(
        all=tuple(each),
        place=place,
        corner="run",
        caption=f"{what}: {titled(first)}{runs.caveat}",
        more=tuple(more),
    )
    n = max(one.n_items for one in runs.scored if one is not None)
    mean = mean_of(first) if first.average != "items" else ""
    title = ", ".join(filter(None, (f"{titled(first)} · {extent(n, of)}", mean))) if of else ""
    one = msgspec.structs.replace(runs, scored=(first,))
    return Section(id=f"{entries.place}-runs", title=title, blocks=charted(one, entries))


def _over_answered(row: Row, _: Against | None) -> Cell:
    return "none" if row.over_answered is None else row.over_answered


def _charts(runs: Runs, card: Card, place: str, order: Sequence[str]) -> Iterator[Block]:
    what = "share correct" if runs.its.share else measure_title(runs.first)
    held = f" and {runs.reference}" if runs.reference else ""

    def entries(each: Sequence[Entry], corner: str, ending: str = "", *, sortable: bool = False) -> Entries:
        caption = (
            f"{what[:1].upper()}{what[1:]} by {corner}{', in percent' * runs.its.share}, with its 95 % interval{held}"
            f"{runs.caveat}"
        )
        spot = f"{place}-by-{ending}" if ending else place
        return Entries(all=tuple(each), place=spot, corner=corner, caption=caption, sortable=sortable)

    yield from charted(runs, entries(_by_task(runs, card, order), "task", sortable=True))
    if pools := _entries(runs, "pools"):
        yield from charted(runs, entries(pools, "pool", "pool"))
    for at, tag in enumerate(dict.fromkeys(tag for one in runs.scored if one is not None for tag in one.by), 1):
        if values := _by_tag(runs, tag):
            ending = filed(tag, 40) or "tag"
            yield from charted(runs, entries(values, shown(tag, 60), f"{ending}-{at}" if at > 1 else ending))
    for tag, values in _by_dimension(runs).items():
        corner, ending = values[0].title, filed(tag, 40) or "dimension"
        yield from charted(runs, entries(values, shown(corner, 60), f"dimension-{ending}", sortable=True))
    if len(folders := _entries(runs, "folders")) > 1:
        chart = charted(runs, entries(folders, "folder", "folder"))
        yield Folded(f"All {len(folders)} folders of the data", chart, printed=True)


def _by_task(runs: Runs, card: Card, order: Sequence[str]) -> list[Entry]:
    """Everything, then each category with its tasks; tasks without a category last."""
    beside = [one.extras.beside if one is not None else None for one in runs.scored]
    names = list(dict.fromkeys(name for one in runs.scored if one is not None for name in one.tasks))
    names = [*(name for name in order if name in names), *(name for name in names if name not in order)]
    title = ", ".join(filter(None, (mean_of(runs.first), runs.part)))
    all_of = Entry(
        title=f"{title[:1].upper()}{title[1:]}",
        rows=runs.scored,
        against=tuple(one.all if one else None for one in beside),
        strong=True,
        last=True,
        tests=runs.tests.of("all") if runs.tests else (),
    )
    found = [all_of]
    categories = dict.fromkeys(card.task_named(name).category for name in names)
    categories |= dict.fromkeys(name for one in runs.scored if one is not None for name in one.categories)
    several = any(one is not None and len(one.categories) > 1 for one in runs.scored)
    for category in sorted(categories, key=lambda one: not one):
        found += _entries(runs, "categories", [category], strong=True) if category and several else []
        mine = [name for name in names if card.task_named(name).category == category]
        found += _entries(runs, "tasks", mine, card=card)
        found[-1] = msgspec.structs.replace(found[-1], last=several or len(found) == 1)
    return found


def _entries(
    runs: Runs, kind: str, names: Sequence[str] | None = None, *, card: Card | None = None, strong: bool = False
) -> list[Entry]:
    """An entry each of these names of categories, tasks, pools or folders; of all that any run has."""
    each: list[Mapping[str, Row]] = [{} if one is None else getattr(one, kind) for one in runs.scored]
    beside: list[Beside | None] = [one.extras.beside if one is not None else None for one in runs.scored]
    found = []
    for name in dict.fromkeys(name for rows in each for name in rows) if names is None else names:
        task, n = None if card is None else card.task_named(name), max(of[name].n_items for of in each if name in of)
        found.append(
            Entry(
                title=name if card is None else card.called(name, asked=n),
                rows=tuple(rows.get(name) for rows in each),
                against=tuple(getattr(one, kind, {}).get(name) for one in beside) if any(beside) else (),
                note="" if task is None else task.note,
                items="" if task is None else f"task={quote(name, safe='')}",
                strong=strong,
                tests=runs.tests.of(kind, name) if runs.tests else (),
            )
        )
    return found


def _by_tag(runs: Runs, tag: str) -> list[Entry]:
    """An entry each value of a tag."""
    each = [{} if one is None else one.by.get(tag, {}) for one in runs.scored]
    return [
        Entry(
            title=of_tag(tag, value),
            rows=tuple(rows.get(value) for rows in each),
            items=f"tag={quote(tag if is_span(value) else f'{tag}:{value}', safe='')}" if value else "",
        )
        for value in dict.fromkeys(value for rows in each for value in rows)
    ]


def _by_dimension(runs: Runs) -> dict[str, list[Entry]]:
    """By tag, an entry for all that is about anything in it, and one each value; an item may be in several."""
    each = [{} if one is None else one.extras.dimensions for one in runs.scored]
    found: dict[str, list[Entry]] = {}
    for tag, first in {tag: one for of in reversed(each) for tag, one in of.items() if one.values}.items():
        mine = [of.get(tag) for of in each]
        names = dict.fromkeys(value for one in mine if one is not None for value in one.values)
        rows = tuple(None if one is None else one.any for one in mine)
        found[tag] = [Entry(title=first.title, rows=rows, strong=True, last=True)]
        found[tag] += [
            Entry(
                title=value,
                rows=tuple(None if one is None else one.values.get(value) for one in mine),
                items=f"tag={quote(f'{tag}:{value}', safe='')}",
            )
            for value in names
        ]
    return found


def _told(name: str, runs: Runs, card: Card, more: Sequence[Sequence[Line]], place: str) -> Iterator[Block]:
    """What the rows do not tell: how the numbers are made, what is to be minded; of several runs what they share."""
    each = [
        None if one is None else [*_lines(name, one, runs.its, card), *(more[at] if more else ())]
        for at, one in enumerate(runs.scored)
    ]
    first, *others = (lines for lines in each if lines is not None)
    alike = [one for one in first if all(one in lines for lines in others)]
    own = [[one for one in lines or () if one not in alike] for lines in each]
    signatures = [(number, one.signature) for number, one in enumerate(runs.scored) if one is not None]
    if not runs.several:
        yield from (Copied(text, name) for _, text in signatures)
    yield from alike
    for number, lines in enumerate(own):
        if lines:
            yield Section(id=f"{place}-run-{number + 1}", title="", of=runs.labels[number], blocks=tuple(lines))
    if runs.several:
        copied = (Copied(text, f"{name}, {runs.labels[at]}") for at, text in signatures)
        yield Folded("Signatures", tuple(copied))


def _lines(name: str, scored: Scored, its: Scale, card: Card) -> Iterator[Line]:
    yield from said(name, scored, its, card)
    if further := [tag for tag in card.data.columns.tags if tag not in scored.by]:
        yield line(f"Further rows on demand: --by {shown(' --by '.join(further), 200)}.", weight="dim")
    for tag in (tag for tag, values in scored.by.items() if not values):
        yield line(f"No item of this table has the tag {shown(tag, 60)}.", weight="dim")
