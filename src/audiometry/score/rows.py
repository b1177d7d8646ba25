"""All rows of a run under one profile and one measure: tasks, pools, categories, folders, any tag, and the whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.files import asked
from audiometry.files.asked import Extent
from audiometry.score.items import FOLDER, KINDS, Bools, occurring
from audiometry.score.result import Scored
from audiometry.score.row import Row
from audiometry.score.sheet import Sheet
from audiometry.score.table import MOST_FAILED, Table

MOST_VALUES: Final = 20
"""Rows of a tag whose values are numbers with decimals, such as a score of each item; of more there are four."""
_TO: Final = " to "
_NUMBER: Final = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?", re.ASCII)
ONE_CLUSTER: Final = "all items are one cluster (of one clip or group), so that nothing tells how exact the number is"


def rows(sheet: Sheet, signature: str = "", tags: Iterable[str] = (), *, whole_only: bool = False) -> Scored:
    """All rows of a run under one profile and one measure.

    Args:
        sheet: with all of the run's variants; those that replace the items' own clips are in none of these rows.
        signature: how the numbers are made.
        tags: of the items, by whose values there are rows too.
        whole_only: only the row over everything has an interval; of tasks and categories their values are enough.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    table, items, measure = Table(own), own.items, sheet.measure
    whole = table.whole()
    tasks, categories = tasks_of(table, limits=not whole_only), categories_of(table, limits=not whole_only)
    pooled, by_folder = ({}, {}) if whole_only else (_pooled(table), items.tagged(FOLDER))
    by = {tag: {value: table.row(rows) for value, rows in quarters(items.tagged(tag)).items()} for tag in tags}
    extent, card = sheet.run.info.extent, sheet.run.benchmark.card
    kinds = tuple(KINDS[code] for code in occurring(items.kind).tolist())
    averaged = _mean_of(table)
    of_suite = card.data.source == "cards" and averaged == "categories" and not whole_only
    present = {items.tasks[code] for code in occurring(items.task).tolist()}
    return Scored(
        **{name: getattr(whole, name) for name in Row.__struct_fields__},
        signature=signature,
        profile=sheet.profile.name,
        measure=measure.name,
        unit=measure.unit,
        kinds=kinds,
        direction=measure.direction,
        range=measure.range,
        average=averaged,
        complete=whole.n_lost == 0,
        rankable=whole.n_lost <= MOST_FAILED * whole.n_replies,
        whole=all(asked.whole(extent).values()),
        asked_of={
            name: (task.n_asked, task.n_items)
            for name, task in extent.items()
            if not task.whole and (name in present or card.task_named(name).kind in kinds)
        },
        asked_in=_asked_in(extent),
        failures=dict(sorted(Counter(own.why.values()).items())),
        n_blocked=len(own.blocked),
        categories=categories,
        pools={name: table.row(table.pool == table.pools.index(name)) for name in pooled if name in table.pools},
        tasks=tasks,
        alike=table.row(np.ones(len(items), np.bool_), "tasks") if of_suite else None,
        folders=_folders(table, by_folder),
        by=by,
        pooled=pooled | _merged(table, by_folder),
        left_out=tuple(name for name, row in tasks.items() if _left_out(row)),
        unscored_items=dict(sheet.left_out),
        notes=(ONE_CLUSTER,) if whole.n_clusters == 1 < whole.n_items else (),
    )


def quarters(tagged: Mapping[str, Bools]) -> dict[str, Bools]:
    """The items with each value of a tag; a quarter of them together where values are many numbers with decimals.

    Args:
        tagged: by value, as text, which items have it.
    """
    if len(tagged) <= MOST_VALUES or not all(map(_NUMBER.fullmatch, tagged)) or all(map(str.isdecimal, tagged)):
        return dict(tagged)
    rising = sorted(tagged, key=float)
    number = np.array([float(value) for value in rising])
    each = np.repeat(number, [int(tagged[value].sum()) for value in rising])
    place = np.searchsorted(np.quantile(each, [0.25, 0.5, 0.75], method="inverted_cdf"), number)
    found = {}
    for quarter in occurring(place).tolist():
        its = [value for value, at in zip(rising, place.tolist(), strict=True) if at == quarter]
        found[f"{its[0]}{_TO}{its[-1]}"] = np.any([tagged[value] for value in its], axis=0)
    return found


def is_span(value: str) -> bool:
    """Whether a row is that of a quarter, or is called as one would be, and no value to look items up by."""
    ends = value.split(_TO)
    return len(ends) > 1 and all(map(_NUMBER.fullmatch, ends))


def _left_out(row: Row) -> bool:
    """Whether a task is in no average: not where no reply came and its failures count."""
    return row.value is None and not row.n_not_asked and (row.replied or not row.n_counted)


def _mean_of(table: Table) -> str:
    """What the value is a mean of: of one category that of its tasks, of one task that of its items."""
    by = table.averaged_by
    if by != "none" and len(occurring(table.sheet.items.task)) == 1:
        return "items"
    categories = {table.categories[code] for code in occurring(table.pool).tolist()}
    return "tasks" if by == "categories" and len(categories) == 1 else by


def _asked_in(extent: Extent) -> dict[str, tuple[int, int]]:
    """Of categories that were not asked in full, how many items were asked and how many there are."""
    parts = [name for name, whole in asked.whole(extent).items() if name and not whole]
    of = {name: [task for task in extent.values() if task.category == name] for name in parts}
    return {name: (sum(t.n_asked for t in tasks), sum(t.n_items for t in tasks)) for name, tasks in of.items()}


def tasks_of(table: Table, *, limits: bool = True) -> dict[str, Row]:
    """Rows by task, in the benchmark's order."""
    items = table.sheet.items
    return {items.tasks[code]: table.row(items.task == code, limits=limits) for code in occurring(items.task).tolist()}


def categories_of(table: Table, *, limits: bool = True) -> dict[str, Row]:
    """Rows by category, in the benchmark's order; where items count alike all of a category do."""
    category = np.array(table.categories)[table.pool]
    average = "items" if table.by_items else "tasks"
    present = set(category.tolist())
    return {
        name: table.row(category == name, average, limits=limits)
        for name in dict.fromkeys(table.categories)
        if name in present and name
    }


def _folders(table: Table, found: Mapping[str, Bools]) -> dict[str, Row]:
    """Rows by data folder, in the order of the tasks and then of the items."""
    items = table.sheet.items
    first = {name: int(items.task[rows][0]) for name, rows in found.items()}
    return {name: table.row(found[name]) for name in sorted(found, key=lambda name: first[name])}


def _pooled(table: Table) -> dict[str, tuple[str, ...]]:
    """Pools of several tasks, and which."""
    items, found = table.sheet.items, {}
    for code in occurring(table.pool).tolist() if not table.by_items else ():
        inside = occurring(items.task[table.pool == code]).tolist()
        if len(inside) > 1:
            found[table.pools[code]] = tuple(items.tasks[task] for task in inside)
    return found


def _merged(table: Table, found: Mapping[str, Bools]) -> dict[str, tuple[str, ...]]:
    """Tasks whose items come from several folders, and which."""
    items = table.sheet.items
    folders: dict[str, list[str]] = {}
    for folder, rows in found.items():
        for code in occurring(items.task[rows]).tolist():
            folders.setdefault(items.tasks[code], []).append(folder)
    return {task: tuple(folders[task]) for task in items.tasks if len(folders.get(task, ())) > 1}
