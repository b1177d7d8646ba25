"""A benchmark: items and a card."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from audiometry.bench.coverage import FolderCount
from audiometry.bench.left_out import AUDIO_ENDINGS, CLIP, FATAL, FIRST, Problem, first
from audiometry.bench.store import ItemStore
from audiometry.bench.wordings import worded
from audiometry.choices.fewer import fewer
from audiometry.choices.variant import has_own_clip
from audiometry.errors import BenchmarkError, UnknownNameError, UnreadableAudioError, UsageError, counted, shown
from audiometry.files import presence
from audiometry.outside import OURS, called
from audiometry.records import Card, Item


class Benchmark:
    """Items and their card; iterating gives items and reads no audio.

    Args:
        source: how the user named it.
        card: its card.
        root: the folder that clip paths are relative to.
        items: where its items are.
        sha256: of its card and metadata; another content is another benchmark.
        data: where published data were found, if they had to be given; empty otherwise.
        counts: what is there of published data, by folder; empty for others.
        clips: fetches a clip that is not a file under ``root`` yet; None where all are.
        problems: of the rows that are left out.
        notes: what was made of the data that a person should know, a line each.

    Attributes:
        revision: of data on the hub, ``owner/name@commit``, several apart by blanks; empty for others.
        found: how much of what its data name is there, in words; empty: that is not counted.
        fetch: as ``clips``.
        places: file and line of each row by its id, where rows have no ids of their own.
    """

    revision = ""
    found = ""

    def __init__(
        self,
        *,
        source: str,
        card: Card,
        root: Path,
        items: ItemStore,
        sha256: str,
        data: str = "",
        counts: tuple[FolderCount, ...] = (),
        clips: Callable[[str], None] | None = None,
        problems: Sequence[Problem] = (),
        notes: Sequence[str] = (),
    ) -> None:
        self.source, self.card, self.root, self.items, self.sha256 = source, card, root, items, sha256
        self.data, self.counts, self.fetch = data, counts, clips
        self.problems, self.notes = tuple(problems), tuple(notes)
        self.places: Mapping[str, str] = {}
        self._tasks: dict[str, int] | None = None
        self._offers: dict[str, dict[int, bool]] = {}
        self._wordings = {task.name: task.wordings for task in card.task}

    @property
    def name(self) -> str:
        """As its card says."""
        return self.card.benchmark.name

    @property
    def n_left_out(self) -> int:
        """How many rows of its data cannot be asked; those for which it is refused whole are none of them."""
        return len({problem.where for problem in self.problems if problem.code not in FATAL})

    @property
    def of_published(self) -> tuple[int, int]:
        """How many items are there of how many published ones, of the tasks whose card says how many; 0: none does.

        A suite whose sets are not all there has the others' items among those that were published.
        """
        sizes = {task.name: size for task in self.card.task if (size := self.card.size_of(task.name))}
        n = sum(self.tasks().get(name, 0) for name in sizes) if sizes else len(self)
        return n, sum(sizes.values()) or self.card.benchmark.size

    def said_of_published(self) -> str:
        """How much of what was published is there, in words: items, and what they name."""
        n, size = self.of_published
        there = f"{n:,} of {size:,} published items" if n <= size else f"{n:,} items, more than the {size:,} published"
        return "; ".join(filter(None, [there if size else "", self.found]))

    @property
    def absent(self) -> tuple[str, ...]:
        """Ids of the items that are left out because their clips are not there."""
        return tuple(dict.fromkeys(problem.item for problem in self.problems if problem.code in CLIP))

    def said_left_out(self) -> str:
        """One line on the rows that are left out: so many of so many, the first, and what lists all; empty for none."""
        n = self.n_left_out
        if not n:
            return ""
        return f"{n:,} of {len(self) + n:,} rows are left out: {self._first()} ({self._lists_all})"

    def lines_left_out(self) -> list[str]:
        """The same for people, a line a row: so many of so many, the first few, and what lists the others."""
        n = self.n_left_out
        if not n:
            return []
        named, more = first(self.problems, self.root), len(self.problems) - FIRST
        last = [f"and {more:,} more; {self._lists_all}"] if more > 0 else []
        return [f"{n:,} of {len(self) + n:,} rows are left out:", *(f"  {line}" for line in (*named, *last))]

    def _first(self) -> str:
        return "; ".join(first(self.problems, self.root)) + ("; …" if len(self.problems) > FIRST else "")

    def left_out(self, tasks: Sequence[str] = ()) -> dict[str, int]:
        """How many rows of each task are left out, of those that tell their task.

        Args:
            tasks: only these; empty for all.
        """
        wanted = set(tasks or (task.name for task in self.card.task))
        rows = {problem.where: problem.task for problem in self.problems if problem.task}
        return {name: n for name, n in Counter(rows.values()).items() if not wanted or name in wanted}

    def said_emptied(self, tasks: Sequence[str] = ()) -> list[str]:
        """A line for each task of which no item is left, so that none goes without a word; `tasks` as in `left_out`."""
        counts = self.left_out(tasks)
        there = self.tasks() if counts else {}
        return [
            f"task {shown(name)}: no item is left ({counted(n, 'row')} left out)"
            for name, n in counts.items()
            if name not in there
        ]

    def refuse(self, *, strict: bool = False) -> None:
        """Raise if it is not to be asked.

        Args:
            strict: not even if a single row is left out.

        Raises:
            BenchmarkError: a slip that is never passed over, or no item at all.
        """
        slips = [problem for problem in self.problems if problem.code in FATAL]
        if slips:
            more = f", and {len(slips) - 1:,} more of the kind" if len(slips) > 1 else ""
            raise BenchmarkError(f"{slips[0]}{more} ({self._lists_all})")
        if not len(self):
            why = self.said_left_out() or f"{self.source} holds no items; write a line for each"
            raise BenchmarkError(f"nothing can be asked: {why}")
        if strict and self.problems:
            raise BenchmarkError(f"refused, as --strict says: {self.said_left_out()}")

    @property
    def _lists_all(self) -> str:
        source = shlex.quote(self.source) + (f" --data {shlex.quote(self.data)}" if self.data else "")
        return f"`audiometry check {source} --json` lists all"

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return map(self.items.at, range(len(self.items)))

    def asked(self, item: Item, variant: str) -> Item:
        """An item of it with its question in the words in which a variant asks it.

        Raises:
            UsageError: its task has not so many wordings.
        """
        return worded(item, self._wordings.get(item.task, ()), variant)

    def asked_in(self, variant: str, positions: Iterable[int]) -> Iterable[int]:
        """Those of the items at some positions that are asked in a variant.

        One that names no clip is not asked in those without it, as the words would be the same, nor one in a variant
        with fewer options that it has not.
        """
        less = fewer(variant)
        if less is not None:
            known = self._offers.setdefault(variant, {})
            positions = list(positions)
            known |= {place: bool(less.of(self.items.at(place))) for place in positions if place not in known}
            return filter(known.__getitem__, positions)
        return positions if has_own_clip(variant) else filter(self.items.has_clip, positions)

    def item(self, name: str) -> Item | None:
        """The item with that id, or None."""
        position = self.items.position(name)
        return None if position is None else self.items.at(position)

    def tasks(self) -> dict[str, int]:
        """Number of items by task, in the order of the card and then of the items."""
        if self._tasks is None:
            counts = {t.name: 0 for t in self.card.task} | Counter(map(self.items.task_of, range(len(self.items))))
            self._tasks = {name: n for name, n in counts.items() if n}
        return dict(self._tasks)

    def select(
        self, tasks: Sequence[str] = (), limit: int | None = None, categories: Sequence[str] = ()
    ) -> Sequence[int]:
        """Positions of the items to ask, in their order; of all a range, which takes no memory.

        Args:
            tasks: only these; empty for all.
            limit: at most so many, taken from the tasks in turn in file order, so that a small
                number still sees every task.
            categories: only tasks of these; empty for all. Beside ``tasks`` only what both name.

        Raises:
            UnknownNameError: the benchmark has no such task or category.
            UsageError: a task is of none of the categories, or the limit is below 1.
        """
        if limit is not None and limit < 1:
            raise UsageError(f"a limit of {limit} items: at least 1 is needed")
        wanted = self._chosen(tasks, categories)
        if limit is None and not (tasks or categories):
            return range(len(self.items))
        by_task: dict[str, list[int]] = {}
        for position in range(len(self.items)):
            name = self.items.task_of(position)
            if name in wanted:
                by_task.setdefault(name, []).append(position)
        if limit is None:
            return sorted(p for chosen in by_task.values() for p in chosen)
        longest = max(map(len, by_task.values()), default=0)
        in_turn = [chosen[turn] for turn in range(longest) for chosen in by_task.values() if turn < len(chosen)]
        return sorted(in_turn[:limit])

    def _chosen(self, tasks: Sequence[str], categories: Sequence[str]) -> set[str]:
        known = {name: self.card.task_named(name).category for name in self.tasks()}
        for task in tasks:
            if task not in known and any(one.name == task for one in self.card.task):
                raise UsageError(f"task {shown(task)} of {self.name}: none of its items is there to be asked")
            if task not in known:
                raise UnknownNameError(f"task of {self.name}", task, known)
        there = {category for category in known.values() if category}
        for category in categories:
            if category in there:
                continue
            if category and any(task.category == category for task in self.card.task):
                raise UsageError(f"category {shown(category)} of {self.name}: none of its items is there to be asked")
            hint = "" if there else "none of its tasks has a category; choose with --task"
            raise UnknownNameError(f"category of {self.name}", category, there, hint)
        for task in tasks:
            if categories and known[task] not in categories:
                of = f"of category {shown(known[task])}" if known[task] else "of no category"
                named = ", ".join(map(shown, categories))
                raise UsageError(f"task {shown(task)} of {self.name} is {of}, not {named}; leave one of them out")
        return {name for name in tasks or known if not categories or known[name] in categories}

    def file_of(self, name: str) -> str:
        """Where a clip is if its name is spelt right and it was fetched; nobody looks."""
        return os.path.join(self.root, name)  # noqa: PTH118  a Path costs more than the look

    def clip_path(self, name: str, *, fetch: bool = True) -> Path:
        """Where a clip is, or would be; no name makes this fail.

        A file of the same stem stands in for a wrong ending (``.wav`` that is ``.flac``).

        Args:
            name: as its item says.
            fetch: a clip that is not here yet is fetched.

        Raises:
            AudioError: it cannot be.
        """
        path = self.root / name
        get = self.fetch
        if fetch and get is not None and not presence.exists(path):
            called(lambda: get(name), lambda said: UnreadableAudioError(f"{shown(name)} cannot be had: {said}"), OURS)
        if presence.exists(path):
            return path
        stem = os.path.splitext(path)[0]  # noqa: PTH122  Path.with_suffix raises for a name that is none
        return next((Path(p) for e in AUDIO_ENDINGS if presence.exists(p := f"{stem}{e}")), path)
