"""A run's numbers in the rows of a paper's tables, beside what the paper printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

import msgspec

from audiometry.score.averages import averages
from audiometry.score.matching import TEXT
from audiometry.score.published import (
    PublishedSystem,
    PublishedTask,
    Slip,
    how_made,
    printed_beside,
    published,
    published_tasks,
    slips,
)
from audiometry.score.result import Row, Scored

AVERAGE, MATCHED, IFR = "average", "replies that plain matching reads", "instruction-following rate"
"""Titles of lines that are no category's."""
FORM: Final = {MATCHED: "matched", IFR: "IFR"}
"""Those that are about the form of replies, and not about being right, with their short names."""


class Own(msgspec.Struct, frozen=True):
    """A run's cell: its number and 95 % interval, 0 to 1, and what keeps it from being the paper's quantity."""

    value: float | None
    interval: tuple[float, float] | None = None
    note: str = ""


class PublishedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a paper's table.

    Attributes:
        title: of the row.
        category: of a task; empty for other rows.
        chance: what guessing gives, 0 to 1; None where there is no such thing.
        own: a cell for each run.
        printed: a cell for each system, 0 to 1; None where the paper leaves it empty.
        made: how the runs' numbers were made, where lines differ in that.
    """

    title: str
    category: str = ""
    chance: float | None
    own: tuple[Own, ...]
    printed: tuple[Decimal | None, ...]
    made: tuple[str, ...] = ()


class PublishedTable(msgspec.Struct, frozen=True):
    """A paper's table: its systems, and its rows in its order."""

    systems: tuple[PublishedSystem, ...]
    lines: tuple[PublishedLine, ...]


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """All that a paper printed of a benchmark, with runs beside it.

    Attributes:
        source: paper and tables.
        how: replies were made into its numbers; empty: that is not known.
        summary: categories and their average (AIR-Bench's table 3), and the share of replies that plain matching
            reads (table 4).
        tasks: its tasks (table 5), of those systems that have any there; no lines where none are printed.
        slips: averages that the printed categories contradict.
        other: the benchmark on which the same systems were printed too; empty for none.
        both: of each system of which an average was printed on both, its name and the two, this benchmark's first.
    """

    source: str
    how: str
    other: str
    both: tuple[tuple[str, Decimal, Decimal], ...]
    summary: PublishedTable
    tasks: PublishedTable
    slips: tuple[Slip, ...]


def beside(benchmark: str, rows: Sequence[Scored]) -> Published | None:
    """What was printed of a benchmark, with runs in the same rows; None where we know of nothing, or of a suite.

    Args:
        benchmark: id, such as ``airbench/foundation``.
        rows: of runs of it, by the same rules.
    """
    systems, tasks = published(benchmark), published_tasks(benchmark)
    if not systems or not rows or any(task.measure for task in tasks):
        return None
    by_task = tuple(system for system in systems if system.tasks)
    return Published(
        source="; ".join(sources(systems)),
        how=how_made(benchmark),
        other=printed_beside(benchmark),
        both=tuple(_both(systems, published(printed_beside(benchmark)))),
        slips=slips(benchmark),
        summary=PublishedTable(systems, tuple(_summary(systems, tasks, rows))),
        tasks=PublishedTable(
            by_task,
            tuple(
                PublishedLine(
                    title=task.task,
                    category=task.category,
                    chance=None if task.chance is None else float(task.chance) / 100,
                    own=tuple(_own(row.tasks.get(task.task_name), _asked(row, [task.task_name])) for row in rows),
                    printed=tuple(one.tasks.get(task.task_name) for one in by_task),
                )
                for task in (tasks if by_task else ())
            ),
        ),
    )


def sources(systems: Sequence[PublishedSystem]) -> Iterator[str]:
    """Where the numbers were printed; of those that were added later, also whose they are."""
    yield next((one.source for one in systems if not one.later), systems[0].source)
    for source in dict.fromkeys(one.source for one in systems if one.later):
        yield f"{' and '.join(one.name for one in systems if one.source == source)}: {source}"


def _both(
    systems: Sequence[PublishedSystem], others: Sequence[PublishedSystem]
) -> Iterator[tuple[str, Decimal, Decimal]]:
    there = {one.name: one.average for one in others}
    for one in systems:
        other = there.get(one.name)
        if one.average is not None and other is not None:
            yield one.name, one.average, other


def _summary(
    systems: Sequence[PublishedSystem], tasks: Sequence[PublishedTask], rows: Sequence[Scored]
) -> Iterator[PublishedLine]:
    of_category = {
        category: [t.task_name for t in tasks if t.category == category] for category in systems[0].categories
    }
    chances = averages(
        {t.task_name: None if t.chance is None else t.chance.scaleb(-2) for t in tasks},
        {t.task_name: t.category for t in tasks},
    )
    for category, names in of_category.items():
        yield PublishedLine(
            title=category,
            chance=_float(chances.categories.get(category)),
            own=tuple(_own(row.categories.get(category), _part(row, names, category)) for row in rows),
            printed=tuple(system.categories.get(category) for system in systems),
        )
    everything = [name for names in of_category.values() for name in names]
    yield PublishedLine(
        title=AVERAGE,
        chance=_float(chances.overall),
        own=tuple(_average(row, _part(row, everything), list(of_category)) for row in rows),
        printed=tuple(system.average for system in systems),
    )
    for tag in systems[0].dimensions:
        yield _dimension(tag, systems, rows)
    if any(system.ifr is not None for system in systems):
        yield PublishedLine(
            title=IFR, chance=None, own=tuple(map(_read, rows)), printed=tuple(system.ifr for system in systems)
        )
    matched = [row.extras.plain_matching.get(TEXT) for row in rows]
    if not any(matched) or all(system.plain_matching is None for system in systems):
        return
    yield PublishedLine(
        title=MATCHED,
        chance=None,
        own=tuple(
            Own(one.share if one else None, note=_asked(row, everything))
            for one, row in zip(matched, rows, strict=True)
        ),
        printed=tuple(system.plain_matching for system in systems),
    )


def _dimension(tag: str, systems: Sequence[PublishedSystem], rows: Sequence[Scored]) -> PublishedLine:
    """Items that have any value of a tag; of part of the benchmark they are another quantity."""
    found = [row.extras.dimensions.get(tag) for row in rows]
    return PublishedLine(
        title=next((one.title for one in found if one is not None), tag),
        chance=None,
        own=tuple(
            _own(None if one is None else one.any, "" if row.whole else "not asked in full")
            for one, row in zip(found, rows, strict=True)
        ),
        printed=tuple(system.dimensions.get(tag) for system in systems),
    )


def _read(row: Scored) -> Own:
    """The share of all replies that could be read."""
    found = None if row.extras.ifr is None else row.extras.ifr.of_all
    note = "" if row.whole else "not asked in full"
    return Own(None, note="not all asked") if found is None else Own(found.value, found.interval, note)


def _average(row: Scored, note: str, categories: Sequence[str]) -> Own:
    """The mean of the categories, where the rules have one and all of them were asked in full."""
    if row.average == "none":
        return Own(None)
    return _own(row, note or _lacks(row, categories)) if row.whole else Own(None, note=note or "not asked in full")


def _own(row: Row | None, note: str = "") -> Own:
    if row is None:
        return Own(None, note="not asked")
    if row.value is None:
        return Own(None, note="not all asked" if row.n_not_asked else "no reply counts")
    return Own(row.value, row.interval, note)


def _float(share: Fraction | None) -> float | None:
    return None if share is None else float(share)


def _part(row: Scored, names: Sequence[str], category: str = "") -> str:
    """How the run's mean is another than the paper's: of fewer tasks, or of items.

    Args:
        row: of the run.
        names: of the paper's tasks; none where it prints none.
        category: whose mean it is.
    """
    if not names and (part := row.asked_in.get(category)):
        return _of(part)
    known = [name for name in names if name in row.tasks and row.tasks[name].value is not None]
    parts = [f"{len(known)} of {len(names)} tasks"] if len(known) < len(names) else []
    parts += filter(None, [_asked(row, known)])
    return ", ".join([*parts, *(["mean of items"] if row.average == "items" and len(row.tasks) > 1 else [])])


def _asked(row: Scored, names: Sequence[str]) -> str:
    """How many items of these tasks were asked, where not all were."""
    parts = [row.asked_of[name] for name in names if name in row.asked_of]
    if not parts:
        return ""
    others = sum(row.tasks[name].n_items for name in names if name in row.tasks and name not in row.asked_of)
    n_asked, n_items = (sum(both) + others for both in zip(*parts, strict=True))
    return _of((n_asked, n_items))


def _lacks(row: Scored, categories: Sequence[str]) -> str:
    """That the run's mean is of fewer categories than the paper's."""
    known = [name for name in categories if name in row.categories and row.categories[name].value is not None]
    return f"{len(known)} of {len(categories)} categories" if len(known) < len(categories) else ""


def _of(part: tuple[int, int]) -> str:
    return f"{part[0]:,} of {part[1]:,} asked"
