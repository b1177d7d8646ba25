"""The same replies under several sets of rules: what each makes of them, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from audiometry.records import Card
from audiometry.render.document import Block, Copied, Folded, Line, Section, line, name
from audiometry.render.table import Cell, Column, RowInfo, Table
from audiometry.report.naming import endings
from audiometry.report.numbers import scale
from audiometry.report.rows_text import said_of_blocked
from audiometry.report.said import incomplete, left_out, matching, of_tag, pooled, slices
from audiometry.report.views.entries import Entries, Entry, Get, Runs
from audiometry.report.views.ranks import ranks
from audiometry.report.views.score_rows import charted, counted_as, value
from audiometry.score.profiles import PROFILES
from audiometry.score.result import Row, Scored, Scores

READ_AGAIN: Final = (
    "The same replies under the rules of papers and of others' ports, read again without asking the model{}. Numbers "
    "of different rules are not to be compared with each other."
)
BY_TASK: Final = 4  # runs of which each has a table of its tasks; more share one
SAID_AGAIN: Final = "What the judges said is read again by each profile's rules; nobody is asked for it."


def rules(
    each: Sequence[Mapping[str, Scored]],
    labels: Sequence[str],
    card: Card,
    *,
    place: str = "rules",
    profile: str = "",
    places: Sequence[Scores] = (),
    aside: str = "",
    alone: bool = False,
) -> Section:
    """One measure under several profiles.

    Args:
        each: of each run its score under each profile; all have the same profiles.
        labels: of the runs.
        card: of the benchmark.
        place: the section's id.
        profile: the one that other sections go by; empty: none.
        places: of several runs, their scores with their ranks.
        aside: how they are read again, where other sections have another way.
        alone: whether no other section tells how these numbers are made.
    """
    first = next(iter(each[0].values()))
    judged = first.extras.beside is not None
    runs = Runs(scored=tuple(next(iter(one.values())) for one in each), labels=tuple(labels))
    entries = Entries(
        all=tuple(_entries(each, profile)),
        place=place,
        corner="rules",
        caption=f"{first.unit[:1].upper()}{first.unit[1:]} under each profile, with its 95 % interval and what the "
        f"rules make of the replies{'' if all(one.complete for one in runs.scored if one) else '; incomplete'}",
        more=tuple(_columns([scored for one in each for scored in one.values()])),
    )
    blocks: list[Block] = [
        line(SAID_AGAIN if judged else READ_AGAIN.format(f", {aside}" if aside else ""), weight="about")
    ]
    blocks += charted(runs, entries)
    blocks += _by_task(each, labels, card, place) if len(each) <= BY_TASK else _by_run(each, labels, card, place)
    placed = any(one.ranks for one in places)
    blocks += _told(each[0]) if alone else () if placed else _matched(each, labels)
    if placed:
        blocks.append(ranks(places, labels, place=f"{place}-places"))
    elif len(each) > 1:
        blocks.append(line("The runs were not asked the same items, so they have no places.", weight="dim"))
    signatures = (
        Copied(scored.signature, f"{called}, {label}" if len(each) > 1 else called)
        for one, label in zip(each, labels, strict=True)
        for called, scored in one.items()
    )
    title = "The same verdicts under others' rules" if judged else "Rules side by side"
    title = " · ".join(filter(None, (title, first.part)))
    return Section(
        id=place, title=title, blocks=(*blocks, Folded("Signatures", tuple(signatures), printed=True)), short="Rules"
    )


def _entries(each: Sequence[Mapping[str, Scored]], profile: str) -> Iterator[Entry]:
    known = PROFILES.all()
    for rules_of, first in each[0].items():
        rows = tuple(one[rules_of] for one in each)
        against = tuple(one.extras.beside.all if one.extras.beside else None for one in rows)
        about = known[first.profile].about if first.profile in known else ""
        about += " The other sections go by these rules." if rules_of == profile else ""
        yield Entry(title=rules_of, rows=rows, against=against, note=about, strong=rules_of == profile)


def _columns(every: Sequence[Scored]) -> Iterator[tuple[Column, Get]]:
    """What rules alone have: what they count and draw, what they are means of."""
    for of, title in (("n_counted", "counted"), ("n_guessed", "guessed"), ("n_guessed_right", "guessed right")):
        if of == "n_counted" or any(getattr(one, of) for one in every):
            yield Column(id=title.replace(" ", "-"), title=title, kind="count"), partial(counted_as, of)
    yield Column(id="mean", title="mean of", kind="text"), partial(counted_as, "average")


def _by_task(each: Sequence[Mapping[str, Scored]], labels: Sequence[str], card: Card, place: str) -> Iterator[Folded]:
    """Each task and category under each profile, run by run."""
    for found, label, ending in zip(each, labels, endings(labels), strict=True):
        rows = _tasks_of(found, card)
        if len(rows) == 1:
            continue
        of = f", {label}" if len(each) > 1 else ""
        table = Table(
            id=f"{place}-by-task{ending}",
            caption=f"Each task under each profile{of}",
            signature="; ".join(one.signature for one in found.values()),
            columns=(
                Column(id="task", title="task", kind="name"),
                *(scale(one).column(name, name) for name, one in found.items()),
            ),
            rows=tuple((title, *cells) for title, cells, _ in rows),
            info=tuple(RowInfo(strong=strong) for _, _, strong in rows),
        )
        yield Folded(f"Each task under each profile{of}", (table,), printed=True)


def _by_run(each: Sequence[Mapping[str, Scored]], labels: Sequence[str], card: Card, place: str) -> Iterator[Folded]:
    """Each task and category of each run under each profile, in one table."""
    every = [_tasks_of(found, card) for found in each]
    rows = [
        (title, label, *cells, strong)
        for title in dict.fromkeys(title for rows in every for title, _, _ in rows)
        for label, rows in zip(labels, every, strict=True)
        for named, cells, strong in rows
        if named == title
    ]
    if max(map(len, every)) > 1:
        table = Table(
            id=f"{place}-by-task",
            caption="Each task of each run under each profile",
            signature="; ".join(dict.fromkeys(one.signature for found in each for one in found.values())),
            columns=(
                Column(id="task", title="task", kind="name"),
                Column(id="run", title="run", kind="name"),
                *(scale(one).column(name, name) for name, one in each[0].items()),
            ),
            rows=tuple(row[:-1] for row in rows),
            info=tuple(RowInfo(strong=bool(row[-1])) for row in rows),
        )
        yield Folded(table.caption, (table,), printed=True)


def _tasks_of(found: Mapping[str, Scored], card: Card) -> list[tuple[str, tuple[Cell, ...], bool]]:
    """A run's tasks, categories and values of tags with their numbers under each profile; the categories are strong."""
    first = next(iter(found.values()))
    rows: list[tuple[str, list[Row | None], bool]] = [
        (card.called(name, asked=row.n_items), [one.tasks.get(name) for one in found.values()], False)
        for name, row in first.tasks.items()
    ]
    if len(first.categories) > 1:
        rows += [(name, [one.categories.get(name) for one in found.values()], True) for name in first.categories]
    for tag, values in first.by.items():
        rows += [(of_tag(tag, at), [one.by[tag].get(at) for one in found.values()], False) for at in values]
    return [(title, tuple(None if row is None else value(row) for row in cells), bold) for title, cells, bold in rows]


def _matched(each: Sequence[Mapping[str, Scored]], labels: Sequence[str]) -> Iterator[Line]:
    """How many replies of each run plain matching reads."""
    for found, label in zip(each, labels, strict=True):
        for told in matching(next(iter(found.values())).extras):
            yield Line(((name(label), ": ") if len(each) > 1 else ()) + told.words, told.weight)


def _told(found: Mapping[str, Scored]) -> Iterator[Line]:
    """What the numbers of a run rest on, and what is to be minded."""
    first = next(iter(found.values()))
    yield from matching(first.extras)
    yield from (line(text, weight="dim") for text in (*pooled(first), *slices(first)))
    if blocked := said_of_blocked(first.n_refused, first.n_blocked):
        yield line(blocked, weight="minded")
    yield from (line(left_out(name, one), weight="minded") for name, one in found.items() if one.left_out)
    if not first.complete:
        yield line(incomplete(first, scale(first)), weight="minded")
