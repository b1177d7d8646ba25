"""Runs of a suite set by set beside the systems that were printed of it, their means, and open against commercial."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from audiometry.records import Card
from audiometry.report.published import Own, PublishedLine
from audiometry.report.titles import measure_title
from audiometry.score.published import PublishedSystem, PublishedTask, published, published_tasks
from audiometry.score.result import Scored
from audiometry.stats.two_groups import Shift, shift

OTHER, FEWER, LOST = MARKS = "*", "†", "!"
"""Marks of numbers by another measure than those beside them, of fewer items than were published, and without some
replies."""
WER: Final = "wer"
_SAME: Final = 1e-9


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
        by_category: whether a run's own score is another mean, of categories.
    """

    source: str
    systems: tuple[PublishedSystem, ...]
    sets: tuple[PublishedLine, ...]
    means: tuple[PublishedLine, ...]
    transcripts: tuple[PublishedLine, ...]
    others: dict[tuple[str, str], tuple[str, ...]]
    gaps: tuple[Gap, ...]
    n_items: tuple[int, ...]
    by_category: bool


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
    means = [
        _mean(title, own, [sets[tasks.index(task)] for task in own], used, systems) for title, own in groups.items()
    ]
    return Suite(
        source=systems[0].source,
        systems=systems,
        sets=tuple(sets),
        means=tuple(means),
        transcripts=tuple(_transcripts(card, runs, len(systems))),
        others={both: tuple(titles) for both, titles in others.items()},
        gaps=tuple(_gaps(means or sets, systems)),
        n_items=tuple(sum(one.tasks[name].n_items for name, one in mine.items()) for mine in used),
        by_category=any(one.average == "categories" for mine in used for one in mine.values()),
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
    marks = [mark for mark, so in zip(MARKS, is_so, strict=True) if so]
    return Own(row.value, row.interval, " ".join([*marks, *(_classes(scored, card, name) if FEWER in marks else ())]))


def _classes(scored: Scored, card: Card, name: str) -> Iterator[str]:
    """Of how many of its classes macro F1 is a mean, where fewer items have not all of them."""
    found, n = scored.extras.confusion.get(name), len(card.task_named(name).labels)
    if found is not None and not found.n_others and scored.measure == "macro-f1":
        there = sum(any(read) or none > 0 for read, none in zip(found.counts, found.without_label, strict=True))
        yield from [f"{there} of {n} classes"] * (there < n)


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
    title: str,
    tasks: Sequence[PublishedTask],
    lines: Sequence[PublishedLine],
    used: Sequence[Mapping[str, Scored]],
    systems: Sequence[PublishedSystem],
) -> PublishedLine:
    """The mean over sets; of a system over all of them the one that was printed."""
    names, printed = [task.task_name for task in tasks], []
    for number, system in enumerate(systems):
        values = [line.printed[number] for line in lines]
        known = [value for value in values if value is not None]
        own = sum(known, Decimal(0)) / len(known) if len(known) == len(names) else None
        printed.append(system.average if set(names) == set(system.tasks) else own)
    each = [{name: line.own[n] for name, line in zip(names, lines, strict=True)} for n in range(len(used))]
    runs = tuple(_mean_of(title, owns, mine) for owns, mine in zip(each, used, strict=True))
    made = tuple(dict.fromkeys(one for line in lines for one in line.made))
    return PublishedLine(title=title, chance=None, own=runs, printed=tuple(printed), made=made)


def _mean_of(title: str, owns: Mapping[str, Own], mine: Mapping[str, Scored]) -> Own:
    """A run's mean over the sets that it has, with marks of what they have.

    Its interval is that of the score, which knows what clips and speakers sets have in common. Of sets by several
    measures, which have none in common, the distances to the limits by each are added as standard errors are (MOVER).
    """
    known = {name: own.value for name, own in owns.items() if own.value is not None}
    if not known:
        return Own(None)
    value, below, above = math.fsum(known.values()) / len(known), 0.0, 0.0
    for scored in {mine[name].signature: mine[name] for name in known}.values():
        values = [known[name] for name in known if mine[name].signature == scored.signature]
        low, high = _limits(scored, title, math.fsum(values) / len(values), len(values) / len(known))
        below, above = math.hypot(below, low), math.hypot(above, high)
    marks = [mark for mark in MARKS if any(mark in owns[name].note for name in known)]
    part = [f"{len(known)} of {len(owns)} sets"] * (len(known) < len(owns))
    interval = None if math.isnan(below + above) else (max(0.0, value - below), min(1.0, value + above))
    return Own(value, interval, " ".join([*marks, *part]))


def _limits(scored: Scored, title: str, value: float, share: float) -> tuple[float, float]:
    """How far the limits lie from a mean over sets of one score, of which it is a row; NaN where it is none."""
    for row in (scored.categories.get(title), scored.alike, scored):
        if row is not None and row.value is not None and row.interval is not None and abs(row.value - value) < _SAME:
            return share * (value - row.interval[0]), share * (row.interval[1] - value)
    return math.nan, math.nan


def document(found: Suite) -> dict[str, Any]:
    """What `Suite` says of one run, for a document: shares, 0 to 1.

    Args:
        found: with one run.
    """
    return {
        "source": found.source,
        "means": [_documented(one, found.systems) for one in found.means],
        "sets": [_documented(one, found.systems) for one in (*found.sets, *found.transcripts)],
        "open_and_commercial": [
            {"of": one.title, "open": one.open, "commercial": one.commercial} | msgspec.to_builtins(one.shift)
            for one in found.gaps
        ],
    }


def _documented(one: PublishedLine, systems: Sequence[PublishedSystem]) -> dict[str, Any]:
    printed = {
        system.name: float(value) for system, value in zip(systems, one.printed, strict=True) if value is not None
    }
    return {"of": one.title, **msgspec.to_builtins(one.own[0]), "published": printed}


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
