"""The item table of a run: what rows, slices and averages need to know of its items, a column each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import BenchmarkError
from audiometry.records import Item, Task
from audiometry.score.opened import OpenedRun
from audiometry.score.readers.choice import place_of_answer

FOLDER = "folder"  # the tag that names an item's data folder
KINDS = ("choice", "label", "transcript", "open")
NONE: Mapping[str, Sequence[str]] = {}
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]


class Shape(NamedTuple):
    """What is known of an item's options besides their words, in the benchmark's own order of them.

    Attributes:
        right: place of the right one, from 0; -1 where it is not known.
        longest: of each, whether it is the longest of the wrong ones, or as long as that.
        kinds: of each, as `Item.kinds` has them; none: they are not known.
    """

    right: int = -1
    longest: tuple[bool, ...] = ()
    kinds: tuple[str, ...] = ()


Fact: TypeAlias = tuple[int, str, str, float, bool, Shape, tuple[tuple[str, ...], ...]]
"""Of an item: its kind's place in `KINDS`, task, cluster, chance, whether it has a reference, options, tags' values."""


class Tag(msgspec.Struct, frozen=True):
    """What items say under a tag.

    Attributes:
        code: ``int32[n]``, of ``values``.
        values: what there is, as text: none, one or several each.
    """

    code: NDArray[np.int32]
    values: Sequence[tuple[str, ...]]


class ItemTable(msgspec.Struct, frozen=True, kw_only=True):
    """Items, a row each.

    Attributes:
        position: ``int64[n]``, place in the benchmark.
        task: ``int64[n]``, codes of ``tasks``.
        kind: ``int64[n]``, codes of `KINDS`.
        cluster: ``int64[n]``, codes; equal where items are not independent.
        chance: ``float64[n]``, what guessing gives.
        reference: ``bool[n]``, whether it has an answer to be held to.
        clip: ``bool[n]``, whether it names a clip.
        tasks: names, in the benchmark's order.
        categories, pools: of each task; a category empty for none, a pool the task itself where it stands alone.
        shape: ``int32[n]``, of its options, codes of ``shapes``.
        tags: by name, the values of each item.
    """

    position: Codes
    task: Codes
    kind: Codes
    cluster: Codes
    chance: Floats
    reference: Bools
    clip: Bools
    tasks: tuple[str, ...]
    categories: tuple[str, ...]
    pools: tuple[str, ...]
    shape: NDArray[np.int32]
    shapes: tuple[Shape, ...] = (Shape(),)
    tags: Mapping[str, Tag] = {}

    def __len__(self) -> int:
        return len(self.position)

    def of(self, rows: Bools) -> ItemTable:
        """Some of the items; itself if all."""
        if rows.all():
            return self
        return msgspec.structs.replace(
            self,
            **{name: getattr(self, name)[rows] for name in _COLUMNS},
            tags={name: Tag(tag.code[rows], tag.values) for name, tag in self.tags.items()},
        )

    def beside(self, other: ItemTable) -> ItemTable:
        """The same, with the columns of another table where these are equal, so that memory holds them once."""
        equal = {name: of for name in _COLUMNS if np.array_equal(getattr(self, name), of := getattr(other, name))}
        return msgspec.structs.replace(self, **equal)

    @property
    def n_options(self) -> Codes:
        """Of each item, how many options it has."""
        return np.array([len(one.longest) for one in self.shapes], np.int64)[self.shape]

    @property
    def right(self) -> Codes:
        """Of each item, the place of the right option in the benchmark's own order; -1 for none."""
        return np.array([one.right for one in self.shapes], np.int64)[self.shape]

    def tagged(self, tag: str) -> dict[str, Bools]:
        """The items with each value of a tag, as text, in order; an item with several values stands under each."""
        found: dict[str, Bools] = {}
        if (these := self.tags.get(tag)) is None:
            return found
        order = np.argsort(these.code, kind="stable")
        ends = np.searchsorted(these.code[order], np.arange(len(these.values) + 1))
        for at in dict.fromkeys(these.code.tolist()):
            for value in these.values[at]:
                found.setdefault(value, np.zeros(len(self), np.bool_))[order[ends[at] : ends[at + 1]]] = True
        return found


_COLUMNS = ("position", "task", "kind", "cluster", "chance", "reference", "clip", "shape")
_NO_OPTIONS = Shape()


class Facts:
    """Gathers the item table of a run while its items are read for another reason.

    Args:
        run: whose items.
        tasks: of the benchmark.
        gold: right labels by task, of tasks that have labels.
        tags: to keep, besides ``folder``.
    """

    def __init__(
        self,
        run: OpenedRun,
        tasks: Mapping[str, Task],
        gold: Mapping[str, Sequence[str]],
        tags: Iterable[str] = (),
    ) -> None:
        self._run = run
        self._tags = tuple(dict.fromkeys((FOLDER, *tags)))
        self._read = fact_reader(run, self._tags, gold)
        n = len(run.positions)
        self._entries = list(tasks.values())
        self._codes = {name: code for code, name in enumerate(tasks)}
        self._clusters: dict[str, int] = {}
        self._known = bytearray(n)
        self._task, self._kind, self._cluster = (np.zeros(n, np.int64) for _ in range(3))
        self._chance, self._reference = np.zeros(n), np.zeros(n, np.bool_)
        self._shape, self._shapes = np.zeros(n, np.int32), {Shape(): 0}
        self._codes_of_tags = [np.zeros(n, np.int32) for _ in self._tags]
        self._values: list[dict[tuple[str, ...], int]] = [{(): 0} for _ in self._tags]

    def read(self, item: Item) -> Fact:
        """What is to be kept of an item; pure, so that another process may do it."""
        return self._read(item)

    def put(self, rows: Sequence[int], facts: Sequence[Fact]) -> None:
        """Keep the facts of some rows; those that are known are passed over."""
        new = [(row, fact) for row, fact in zip(rows, facts, strict=True) if not self._known[row]]
        if not new:
            return
        places = [row for row, _ in new]
        for row in places:
            self._known[row] = 1
        kinds, tasks, clusters, chances, references, shapes, values = zip(*(fact for _, fact in new), strict=True)
        self._kind[places], self._task[places] = kinds, [self._codes[task] for task in tasks]
        self._cluster[places] = [self._clusters.setdefault(cluster, len(self._clusters)) for cluster in clusters]
        self._chance[places], self._reference[places] = chances, references
        self._shape[places] = [self._shapes.setdefault(shape, len(self._shapes)) for shape in shapes]
        for codes, known, these in zip(self._codes_of_tags, self._values, zip(*values, strict=True), strict=True):
            codes[places] = [known.setdefault(one, len(known)) for one in these]

    def table(self) -> ItemTable:
        """The table of all items; those that nobody has read are read now."""
        row = self._known.find(0)
        while row >= 0:
            self.put([row], [self.read(self._run.benchmark.items.at(self._run.positions[row]))])
            row = self._known.find(0, row + 1)
        has_clip = self._run.benchmark.items.has_clip
        return ItemTable(
            position=np.fromiter(self._run.positions, np.int64, len(self._run.positions)),
            task=self._task,
            kind=self._kind,
            cluster=self._cluster,
            chance=self._chance,
            reference=self._reference,
            clip=np.fromiter(map(has_clip, self._run.positions), np.bool_, len(self._run.positions)),
            tasks=tuple(self._codes),
            categories=tuple(entry.category for entry in self._entries),
            pools=tuple(entry.pool or entry.name for entry in self._entries),
            shape=self._shape,
            shapes=tuple(self._shapes),
            tags={
                name: Tag(codes, tuple(known))
                for name, codes, known in zip(self._tags, self._codes_of_tags, self._values, strict=True)
            },
        )


def occurring(codes: NDArray[np.integer[Any]]) -> Codes:
    """The codes that occur, each once, in order; `np.unique` would load masked arrays, half as much as numpy itself."""
    found = np.sort(codes)
    return found[np.flatnonzero(np.diff(found, prepend=found[:1] - 1))].astype(np.int64, copy=False)


def fact_reader(
    run: OpenedRun, tags: Sequence[str], gold: Mapping[str, Sequence[str]] = NONE
) -> Callable[[Item], Fact]:
    """What says of an item all that the table keeps."""
    entries = {task.name: task for task in run.benchmark.card.task}
    kinds = {name: KINDS.index("open" if task.kind == "choice" else task.kind) for name, task in entries.items()}
    opened, choice = KINDS.index("open"), KINDS.index("choice")
    labels = {name: len(task.labels or gold.get(name, ())) for name, task in entries.items() if task.kind == "label"}

    def read(item: Item) -> Fact:
        entry, options = entries.get(item.task), len(item.options)
        stated = None if entry is None else entry.chance
        n = options or labels.get(item.task, 0)
        chance = stated if stated is not None else (1 / n if n else 0.0)
        kind = choice if options else kinds.get(item.task, opened)
        values = tuple([_values(item.tags.get(tag)) for tag in tags])
        return kind, item.task, item.cluster, chance, bool((item.answer or "").strip()), _shape(item), values

    return read


def _shape(item: Item) -> Shape:
    if not item.options:
        return _NO_OPTIONS
    try:
        right = place_of_answer(item, item.options)
    except BenchmarkError:
        right = -1
    return _shape_of(tuple(map(len, item.options)), right, item.kinds)


@lru_cache(maxsize=4096)
def _shape_of(lengths: tuple[int, ...], right: int, kinds: tuple[str, ...]) -> Shape:
    """Made once of options of these lengths, as a benchmark has few."""
    wrong = [length for place, length in enumerate(lengths) if place != right]
    longest = max(wrong, default=0)
    return Shape(right, tuple(place != right and n == longest for place, n in enumerate(lengths)), kinds)


def _values(value: object) -> tuple[str, ...]:
    """The values of a tag that has one, several, or none, as text: 1 is not "True"."""
    if isinstance(value, list):
        return tuple(map(str, value))
    return () if value is None else (str(value),)
