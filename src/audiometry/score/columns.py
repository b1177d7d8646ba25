"""Columns of a sheet: the names of its parts, of which tasks with other classes have others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audiometry.records import Item, Task
from audiometry.score.classes import right_class
from audiometry.score.items import occurring
from audiometry.score.measures.measure import Measure, by_class
from audiometry.score.opened import OpenedRun
from audiometry.score.readers import Reader

FEW = 12  # columns: more, or other ones by task, are not kept for every place but once for all that have the same parts
Gold = Mapping[str, tuple[str, ...]]
"""By task, the right labels that occur, in the order of the card and then of the items."""


class Columns:
    """The columns of a sheet.

    Args:
        measure: whose.
        tasks: all of the benchmark, asked or not, so that two runs of it have the same columns.
        gold: right labels by task; those of a pool are taken together.

    Attributes:
        names: all columns, each once.
        blocks: the different sets of columns that tasks have.
    """

    def __init__(self, measure: Measure, tasks: Mapping[str, Task], gold: Gold) -> None:
        pools: dict[str, list[Task]] = {}
        for task in tasks.values():
            pools.setdefault(task.pool or task.name, []).append(task)
        self._block: dict[str, int] = {}
        found: dict[tuple[str, ...], int] = {}
        for inside in pools.values():
            labels = tuple(dict.fromkeys(label for task in inside for label in gold.get(task.name, ())))
            number = found.setdefault(tuple(measure.columns(inside[0], labels)), len(found))
            self._block |= {task.name: number for task in inside}
        self.blocks = tuple(found) or ((),)
        self.names = tuple(dict.fromkeys(name for block in self.blocks for name in block))

    @property
    def widest(self) -> int:
        """How many columns the largest block has."""
        return max(map(len, self.blocks))

    @property
    def shared(self) -> bool:
        """Whether parts are kept once for all places that have the same."""
        return len(self.blocks) > 1 or len(self.names) > FEW

    @cached_property
    def places(self) -> tuple[NDArray[np.int64], ...]:
        """Of each block, where its columns stand among the names."""
        at = {name: place for place, name in enumerate(self.names)}
        return tuple(np.array([at[name] for name in block], np.int64) for block in self.blocks)

    def together(self, tasks: Sequence[str]) -> NDArray[np.int64]:
        """Where the columns of several tasks stand among the names, in order."""
        blocks = {self._block[name] for name in tasks}
        return occurring(np.concatenate([np.zeros(0, np.int64), *(self.places[number] for number in blocks)]))

    def groups(self, items: Sequence[Item]) -> Iterator[tuple[int, list[int]]]:
        """Items by the number of their block, as places in the sequence."""
        if len(self.blocks) == 1:
            yield 0, list(range(len(items)))
            return
        found: dict[int, list[int]] = {}
        for place, item in enumerate(items):
            found.setdefault(self._block[item.task], []).append(place)
        yield from found.items()


def gold_of(run: OpenedRun, tasks: Mapping[str, Task], wanted: Sequence[tuple[Measure, Mapping[str, Reader]]]) -> Gold:
    """Right labels by task, of those tasks for which that matters: of labels, and of choices that go by classes.

    Args:
        run: the run; the whole benchmark is looked at.
        tasks: of the benchmark.
        wanted: measures, each with the readers of the kinds of task that it is to measure.
    """
    kinds = {"label"} if any("label" in readers for _, readers in wanted) else set[str]()
    kinds |= {"choice"} if any("choice" in readers and by_class(measure) for measure, readers in wanted) else set()
    found: dict[str, dict[str, None]] = {
        name: dict.fromkeys(task.labels) for name, task in tasks.items() if task.kind in kinds
    }
    seen: dict[str, set[str]] = {name: set() for name in found}
    items = run.benchmark.items
    for position in range(len(items)) if found else ():
        name = items.task_of(position)
        label = right_class(items.at(position)) if name in found else None
        if label is not None:
            found[name][label] = None
            seen[name].add(label)
    return {name: tuple(label for label in labels if label in seen[name]) for name, labels in found.items()}
