"""Runs of a suite set by set beside the systems that were printed of it, their means, and open against commercial."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from audiometry.records import Card
from audiometry.report.published import Own, PublishedLine
from audiometry.report.titles import measure_title
from audiometry.score.published import PublishedSystem, PublishedTask, published, published_tasks
from audiometry.score.result import Scored
from audiometry.stats.two_groups import Shift, shift

OTHER, FEWER, LOST = MARKS = "*", "+", "!"
"""Marks of numbers by another measure than those beside them, of fewer items than were published, and without some
replies."""
WER: Final = "wer"


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Commercial against open systems, as printed: the mean of each over some sets, and the difference, 0 to 1."""

    title: str
    open: float
    commercial: float
    shift: Shift


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """What was printed of the sets of a suite, with runs beside it.

    Attributes:
        source: of the printed numbers.
        systems: that were printed, in the order of the paper.
        sets: a line each; a run's note has its marks.
        means: over all sets, and over those of each category; none of a single set. Those of categories are ours.
        transcripts: word error rates of sets that the printed table does not have.
        others: what `OTHER` stands for: our measure, theirs, and the sets.
        gaps: commercial against open systems; none where all are of one sort.
        n_items: of each run, those of the sets that were printed.
    """

    source: str
    systems: tuple[PublishedSystem, ...]
    sets: tuple[PublishedLine, ...]
    means: tuple[PublishedLine, ...]
    transcripts: tuple[PublishedLine, ...]
    others: dict[tuple[str, str], tuple[str, ...]]
    gaps: tuple[Gap, ...]
    n_items: tuple[int, ...]


def suite(benchmark: str, card: Card, runs: Sequence[Sequence[Scored]]) -> Suite | None:
    """What was printed of a suite or of a set of it, with runs set by set; None where we know of nothing.

    Args:
        benchmark: id, such as ``static20`` or ``static20/iemocap``.
        card: of the benchmark, which has the sets' tasks.
        runs: the scores of each run.
    """
    of = benchmark if published_tasks(benchmark) else benchmark.partition("/")[0]
    there = {task.name for task in card.task}
    tasks = [task for task in published_tasks(of) if task.measure and task.task_name in there]
    if not tasks or not any(runs):
        return None
    systems = published(of)
    used = [_used(tasks, card, scored) for scored in runs]
    sets = [_line(task, card, used, systems) for task in tasks]
    others: dict[tuple[str, str], dict[str, None]] = {}
    for task, one in zip(tasks, sets, strict=True):
        for mine in used:
            if (scored := mine.get(task.task_name)) is not None and not _alike(scored, task):
                others.setdefault((measure_title(scored), task.measure), {})[one.title] = None
    whole = {f"mean of {len(tasks)}": tasks} if len(tasks) > 1 else {}
    categories = {name: [task for task in tasks if task.category == name] for name in (t.category for t in tasks)}
    groups = whole | (categories if len(categories) > 1 else {})
    means = [_mean(title, own, [sets[tasks.index(task)] for task in own], systems) for title, own in groups.items()]
    return Suite(
        source=systems[0].source,
        systems=systems,
        sets=tuple(sets),
        means=tuple(means),
        transcripts=tuple(_transcripts(card, runs, len(systems))),
        others={both: tuple(titles) for both, titles in others.items()},
        gaps=tuple(_gaps(means or sets, systems)),
        n_items=tuple(sum(one.tasks[name].n_items for name, one in mine.items()) for mine in used),
    )


def _used(tasks: Sequence[PublishedTask], card: Card, scored: Sequence[Scored]) -> dict[str, Scored]:
    """By set the score to show: by the published measure if there is one, else by the card's, else the first share."""
    found: dict[str, Scored] = {}
    for task in tasks:
        name = task.task_name
        may_be = [one for one in scored if name in one.tasks and one.range[1] == 1 and one.direction == "up"]
        own = card.task_named(name).measure
        if may_be:
            found[name] = min(may_be, key=lambda one: (not _alike(one, task), one.measure != own))
    return found


def _alike(scored: Scored, task: PublishedTask) -> bool:
    """Whether a score is by the measure of the printed numbers, or by a program that says so in its name."""
    return task.measure.casefold() in scored.measure.casefold()


def _line(
    task: PublishedTask, card: Card, used: Sequence[Mapping[str, Scored]], systems: Sequence[PublishedSystem]
) -> PublishedLine:
    name = task.task_name
    return PublishedLine(
        title=card.called(name, task.task.replace("-", " ")),
        category=task.category,
        chance=None,
        own=tuple(_own(mine.get(name), card, name, task) for mine in used),
        printed=tuple(one.tasks.get(name) for one in systems),
        corpus=task.corpus,
        made=_made(mine.get(name) for mine in used),
    )


def _made(scored: Iterable[Scored | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.signature for one in scored if one is not None))


def _own(scored: Scored | None, card: Card, name: str, task: PublishedTask | None = None) -> Own:
    if scored is None or (row := scored.tasks[name]).value is None:
        return Own(None)
    is_so = (
        task is not None and not _alike(scored, task),
        name in scored.asked_of or row.n_items < card.size_of(name),
        row.n_lost > 0,
    )
    return Own(row.value, row.interval, "".join(mark for mark, so in zip(MARKS, is_so, strict=True) if so))


def _transcripts(card: Card, runs: Sequence[Sequence[Scored]], n_systems: int) -> Iterator[PublishedLine]:
    for name in (task.name for task in card.task if task.kind == "transcript"):
        each = [next((one for one in scored if one.measure == WER and name in one.tasks), None) for scored in runs]
        yield PublishedLine(
            title=f"WER: {card.called(name)}",
            chance=None,
            own=tuple(_own(one, card, name) for one in each),
            printed=(None,) * n_systems,
            made=_made(each),
        )


def _mean(
    title: str, tasks: Sequence[PublishedTask], lines: Sequence[PublishedLine], systems: Sequence[PublishedSystem]
) -> PublishedLine:
    """The mean over sets; of a system over all of them the one that was printed."""
    names, printed = [task.task_name for task in tasks], []
    for number, system in enumerate(systems):
        values = [line.printed[number] for line in lines]
        known = [value for value in values if value is not None]
        own = sum(known, Decimal(0)) / len(known) if len(known) == len(names) else None
        printed.append(system.average if set(names) == set(system.tasks) else own)
    runs = tuple(mean_of([(line.own[n], line.corpus) for line in lines]) for n in range(len(lines[0].own)))
    made = tuple(dict.fromkeys(one for line in lines for one in line.made))
    return PublishedLine(title=title, chance=None, own=runs, printed=tuple(printed), made=made)


def mean_of(each: Sequence[tuple[Own, str]]) -> Own:
    """A run's mean over the sets that it has, with an interval from theirs, and marks of what they have.

    Distances to the sets' limits are added as standard errors are (MOVER); those of sets of one corpus, which have
    their speakers in common, as they stand: as if these moved as one, the most that there can be.

    Args:
        each: number of a set, and the corpus that it is drawn from; empty: one of its own.
    """
    known = [(own.value, own, corpus or f"{n}") for n, (own, corpus) in enumerate(each) if own.value is not None]
    if not known:
        return Own(None)
    value = math.fsum(one for one, _, _ in known) / len(known)
    reach: list[dict[str, float]] = [{}, {}]
    for one, own, corpus in known:
        for side, end in zip(reach, own.interval or (math.nan, math.nan), strict=True):
            side[corpus] = side.get(corpus, 0.0) + abs(one - end)
    below, above = (math.hypot(*side.values()) / len(known) for side in reach)
    marks = "".join(mark for mark in MARKS if any(mark in own.note for _, own, _ in known))
    part = f"{len(known)} of {len(each)} sets" if len(known) < len(each) else ""
    interval = None if math.isnan(below + above) else (max(0.0, value - below), min(1.0, value + above))
    return Own(value, interval, " ".join(filter(None, (marks, part))))


def _gaps(lines: Sequence[PublishedLine], systems: Sequence[PublishedSystem]) -> Iterator[Gap]:
    for one in lines:
        both = [
            [float(value) for value, system in zip(one.printed, systems, strict=True)
             if value is not None and system.commercial is sort]
            for sort in (False, True)
        ]  # fmt: skip
        if all(both):
            means = (math.fsum(values) / len(values) for values in both)
            yield Gap(title=one.title, open=next(means), commercial=next(means), shift=shift(both[1], both[0]))
