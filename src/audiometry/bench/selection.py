"""Which items and variants were asked by the commands of a run: what a folder holds never becomes less.

A command with other tasks, categories, limit or variants adds to the folder; one that names less changes nothing. The
selections of the commands are kept, none within another, and what was asked is all that any of them names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import msgspec

from audiometry.bench.benchmark import Benchmark
from audiometry.choices.variant import aside, crossed, in_order, is_crossed
from audiometry.files.asked import Selection, TaskExtent
from audiometry.files.run_folder import RunInfo

Planned: TypeAlias = Mapping[str, AbstractSet[int]]
"""By variant, in order, the positions of the items that are asked in it."""


def positions(benchmark: Benchmark, selections: Sequence[Selection]) -> Sequence[int]:
    """Positions of the items that any of the selections names, in their order.

    Raises:
        UnknownNameError, UsageError: see `Benchmark.select`.
    """
    chosen = [_items(benchmark, one) for one in selections]
    return chosen[0] if len(chosen) == 1 else sorted(set().union(*chosen))


def planned(benchmark: Benchmark, selections: Sequence[Selection]) -> Planned:
    """Every item and variant that any of the selections names.

    Not every item is asked in the variants aside; see `Benchmark.asked_in`.

    Raises:
        UnknownNameError, UsageError: see `Benchmark.select`.
    """
    found: dict[str, AbstractSet[int]] = {}
    for one in selections:
        items = frozenset(_items(benchmark, one))
        some = {variant: frozenset(benchmark.asked_in(variant, items)) for variant in aside(one.variants)}
        for variant in one.variants:
            found[variant] = found.get(variant, frozenset()) | some.get(variant, items)
    return {variant: found[variant] for variant in in_order(found)}


def count(benchmark: Benchmark, wanted: Planned, done: Collection[tuple[str, str]]) -> int:
    """How many items (by id) and variants are among those that are wanted."""
    position = benchmark.items.position
    return sum(variant in wanted and position(item) in wanted[variant] for item, variant in done)


def extent(benchmark: Benchmark, asked: Collection[int]) -> dict[str, TaskExtent]:
    """How much of each task of a benchmark was asked.

    Args:
        benchmark: whose.
        asked: positions of the items that were.
    """
    items, there = benchmark.items, benchmark.tasks()
    counts = dict.fromkeys((*(task.name for task in benchmark.card.task), *there), 0)
    for position in asked:
        counts[items.task_of(position)] += 1
    category = {name: benchmark.card.task_named(name).category for name in counts}
    return {
        name: TaskExtent(category=category[name], n_asked=n, n_items=there.get(name, 0)) for name, n in counts.items()
    }


def joined(benchmark: Benchmark, before: Sequence[Selection], now: Selection) -> tuple[Selection, ...]:
    """The selections of a folder after one more command, none of them within another.

    Args:
        benchmark: as it is now; what it no longer has of the selections before goes out of them.
        before: those of the folder.
        now: of the command.

    Raises:
        UnknownNameError, UsageError: the command asks for what is not there.
    """
    asked = _Joining(benchmark)
    asked.add(now)
    for one in before:
        if (there := _still(benchmark, one)) is not None:
            asked.add(there)
    return tuple(one for one, _ in asked.found)


def options(one: Selection) -> list[str]:
    """The words of ``audiometry run`` that choose it.

    >>> options(Selection(categories=("speech",), limit=9, variants=("plain", "order-1", "noise")))
    ['--category', 'speech', '--limit', '9', '--orders', '2', '--variant', 'noise']
    """
    named = [("--task", one.tasks), ("--category", one.categories), ("--limit", (one.limit,) if one.limit else ())]
    named += [(f"--{way}s", (n,)) for way, n in crossed(one.variants)._asdict().items() if n > 1]
    named += [("--variant", aside(one.variants))]
    return [word for name, values in named for value in values for word in (name, str(value))]


def summary(selections: Sequence[Selection]) -> Selection:
    """The widest of each: all tasks where any selection names none, the highest limit, every variant."""
    limits = [one.limit for one in selections]
    return Selection(
        tasks=_widest([one.tasks for one in selections]),
        categories=_widest([one.categories for one in selections]),
        limit=None if None in limits else max(limit for limit in limits if limit is not None),
        variants=in_order({variant for one in selections for variant in one.variants}),
    )


def stated(benchmark: Benchmark, info: RunInfo, selections: Sequence[Selection]) -> RunInfo:
    """``run.json`` with the account of what those selections name.

    Raises:
        UnknownNameError, UsageError: see `Benchmark.select`.
    """
    asked, widest = positions(benchmark, selections), summary(selections)
    return msgspec.structs.replace(
        info,
        tasks=widest.tasks,
        categories=widest.categories,
        limit=widest.limit,
        variants=widest.variants,
        asked=tuple(selections),
        extent=extent(benchmark, asked),
        n_items=len(asked),
        n_without_clip=sum(not benchmark.items.has_clip(position) for position in asked),
        n_planned=sum(map(len, planned(benchmark, selections).values())),
    )


class _Joining:
    """Selections, each with its items; one that is added takes in what is within it, and is taken in."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self.found: list[tuple[Selection, frozenset[int]]] = []

    def add(self, one: Selection) -> None:
        items = frozenset(_items(self._benchmark, one))
        for place, (other, others) in enumerate(self.found):
            wide = _as_one(one, items, other, others, len(self._benchmark))
            if wide is not None:
                del self.found[place]
                self.add(wide)
                return
        self.found.append((one, items))


def _as_one(
    one: Selection, items: AbstractSet[int], other: Selection, others: AbstractSet[int], n_items: int
) -> Selection | None:
    """The selection that names what either names and nothing else; None if there is none."""
    variants = in_order({*one.variants, *other.variants})
    wide, narrow = (one, other) if items >= others else (other, one)
    found = None
    if items == others and is_crossed(variants):
        found = min(one, other, key=lambda s: (s.limit is not None, bool(s.tasks or s.categories), -(s.limit or 0)))
    elif (items >= others or others >= items) and set(wide.variants) >= set(narrow.variants):
        found = wide
    elif set(one.variants) == set(other.variants):
        found = _together(one, other, whole=len(items | others) == n_items)
    return None if found is None else msgspec.structs.replace(found, variants=variants)


def _together(one: Selection, other: Selection, *, whole: bool) -> Selection | None:
    """Selections of the same variants as one, if there is one that names no more; variants left aside."""
    if whole:
        return Selection(variants=())
    if one.limit is not None or other.limit is not None:
        return None
    if not one.tasks and not other.tasks:
        return Selection(categories=_widest([one.categories, other.categories]), variants=())
    if not one.categories and not other.categories:
        return Selection(tasks=_widest([one.tasks, other.tasks]), variants=())
    return None


def _still(benchmark: Benchmark, one: Selection) -> Selection | None:
    """A selection without what the benchmark no longer has; None if nothing is left of it."""
    there = benchmark.tasks()
    categories = {benchmark.card.task_named(name).category for name in there}
    tasks = tuple(name for name in one.tasks if name in there)
    within = tuple(name for name in one.categories if name in categories)
    if bool(tasks) < bool(one.tasks) or bool(within) < bool(one.categories):
        return None
    if tasks and within:
        tasks = tuple(name for name in tasks if benchmark.card.task_named(name).category in within)
        if not tasks:
            return None
    return msgspec.structs.replace(one, tasks=tasks, categories=within)


def _items(benchmark: Benchmark, one: Selection) -> Sequence[int]:
    return benchmark.select(one.tasks, one.limit, one.categories)


def _widest(names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    if () in names:
        return ()
    return names[0] if len(names) == 1 else tuple(sorted({name for some in names for name in some}))
