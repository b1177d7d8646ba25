"""Where items are kept: read one by one from a metadata file, so memory does not grow with their text."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections import defaultdict
from collections.abc import Collection
from itertools import accumulate
from pathlib import Path
from typing import Protocol

import msgspec

from audiometry.bench import rules
from audiometry.bench.dimensions import Dimensions
from audiometry.bench.id_table import IdTable
from audiometry.bench.keys import answers_among, nearest
from audiometry.bench.left_out import NOT_THERE, ClipFiles, Problem
from audiometry.bench.wordings import stands_alone
from audiometry.errors import BenchmarkError, UndecodableError, shown
from audiometry.files import benchmark_folder
from audiometry.files.benchmark_folder import Line, LineReader
from audiometry.files.stamp import digest_of
from audiometry.records import Card, Item

AHEAD = 1 << 16  # bytes of a metadata file read at once where its items are asked for in their order


class ItemStore(Protocol):
    """Items in a fixed order, by position or by id."""

    def __len__(self) -> int:
        """How many."""
        ...

    def at(self, position: int) -> Item:
        """The item at that place, from 0."""
        ...

    def position(self, item: str) -> int | None:
        """The place of the item with that id; None if there is none."""
        ...

    def task_of(self, position: int) -> str:
        """The task of the item at that place, without reading the item."""
        ...

    def has_clip(self, position: int) -> bool:
        """Whether the item at that place names a clip, without reading the item."""
        ...


class MetadataFile:
    """The items of a ``metadata.jsonl`` that can be asked.

    About 40 bytes of memory an item: its place in the file, its task, and the hash of its id.

    Args:
        path: of the file.
        card: names the tasks and says how answers are given.
        absent: ids of items to leave out since their clips are not there; None: the disk is asked.
        checked: the same content was checked before, and nothing but ``absent`` was left out; lines are not checked
            again, and no word is said of their keys.

    Attributes:
        problems: of the lines that are left out, or that are to be refused.
        unused: keys that no item has, with the number of lines that have them.
        like_answers: those of them that look like the answer, where no line has one.
        notes: what was made of the clips' names, a line each.
        checked: whether lines were taken over as they are.

    Raises:
        BenchmarkError: the file cannot be read as text, or its answers are not counted as the card says.
    """

    def __init__(self, path: Path, card: Card, absent: Collection[str] | None = None, *, checked: bool = False) -> None:
        self.path = path
        self._read, self._columns = LineReader().item, card.data.columns
        self._as_is = self._columns.answer_is == "text" and not self._columns.drawn
        self._dimensions = Dimensions(card) if card.dimension else None
        self._only = card.only_task
        self._asking = {task.name: words for task in card.task if (words := stands_alone(task))}
        self.checked = checked and self._take(frozenset(absent or ()))
        if not self.checked:
            self._look(card, absent)
        self._names = tuple(self._task_codes)
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._ahead = -1, 0, b""  # the position that was read last, and the bytes that were read, from an offset

    def _start(self) -> None:
        self._offsets, self._lengths, self._tasks = array("Q"), array("I"), array("H")
        self._task_codes: defaultdict[str, int] = defaultdict()
        self._task_codes.default_factory = self._task_codes.__len__
        self._ids = IdTable()
        self._silent: set[int] = set()
        self.problems: list[Problem] = []
        self.unused: dict[str, int] = {}
        self.like_answers: list[str] = []
        self.notes: list[str] = []

    def _take(self, absent: frozenset[str]) -> bool:
        """Take over the lines as they are; whether they could be."""
        self._start()
        number = start = 0
        try:
            for lengths, named in benchmark_folder.read_named(self.path):
                starts = list(accumulate(lengths, lambda at, length: at + length + 1, initial=start))
                start, lines = starts.pop(), list(zip(starts, lengths, named, strict=True))
                if absent and not absent.isdisjoint(one.id for one in named):
                    self.problems += [
                        Problem(f"{self.path}, line {n}", one.id, NOT_THERE, "missing", one.task)
                        for n, one in enumerate(named, number + 1)
                        if one.id in absent
                    ]
                    lines = [line for line in lines if line[2].id not in absent]
                number += len(named)
                first = len(self._offsets)
                self._ids.add(one.id for _, _, one in lines)
                self._silent.update(at for at, (_, _, one) in enumerate(lines, first) if not one.has_clip)
                self._offsets.extend([at for at, _, _ in lines])
                self._lengths.extend([length for _, length, _ in lines])
                self._tasks.extend([self._task_codes[one.task or self._only] for _, _, one in lines])
        except UndecodableError:
            return False
        return self._ids.settle()

    def _look(self, card: Card, absent: Collection[str] | None) -> None:
        """Check every line."""
        self._start()
        scan, answered = _Scan(self.path, card, absent), False
        for line in benchmark_folder.read_lines(self.path):
            item, problems = scan.look(line)
            task = "" if item is None else item.task
            self.problems += [msgspec.structs.replace(problem, task=task) for problem in problems]
            answered = answered or "answer" in line.keys
            for key in line.unknown:
                self.unused[key] = self.unused.get(key, 0) + 1
            if item is not None and not problems:
                if not item.clips:
                    self._silent.add(len(self._offsets))
                self._ids.add((item.id,))
                self._offsets.append(line.offset)
                self._lengths.append(line.length)
                self._tasks.append(self._task_codes[item.task])
        self._ids.settle()
        if why := scan.rules.miscounted() or scan.dimensions.swapped():
            raise BenchmarkError(f"{self.path}: {why}")
        self.problems = scan.rules.settled(self.problems)
        self.notes = [*scan.dimensions.notes(self.path.name), *scan.clips.notes(self.path.name)]
        self.like_answers = [] if answered else answers_among(self.unused)

    def __len__(self) -> int:
        return len(self._offsets)

    def __del__(self) -> None:
        if hasattr(self, "_fd"):
            os.close(self._fd)

    def at(self, position: int) -> Item:
        """The item at that place, from 0.

        Raises:
            BenchmarkError: the file was changed under the hands of this process.
        """
        try:
            item = self._read(self._raw(position))
            if self._only and not item.task:
                item = msgspec.structs.replace(item, task=self._only)
            if self._asking and not item.question.strip():
                item = msgspec.structs.replace(item, question=self._asking.get(item.task, ""))
            if self._dimensions is not None:
                item = msgspec.structs.replace(item, tags=self._dimensions.known(item.tags))
            return item if self._as_is else rules.meant(item, self._columns)
        except UndecodableError as problem:
            raise BenchmarkError(f"{self.path} was changed while in use; run the same command again") from problem

    def _raw(self, position: int) -> bytes:
        """The line of an item; lines that are asked for one after the other are read many at a time."""
        start, length, (last, first, block) = self._offsets[position], self._lengths[position], self._ahead
        if not first <= start <= first + len(block) - length:
            first, block = start, os.pread(self._fd, max(length, AHEAD) if position == last + 1 else length, start)
        self._ahead = position, first, block
        return block[start - first : start - first + length]

    def position(self, item: str) -> int | None:
        """The place of the item with that id; None if there is none."""
        places = self._ids.places(item)
        if len(places) > 1:
            places = [place for place in places if self.at(place).id == item]
        return places[0] if places else None

    def task_of(self, position: int) -> str:
        """The task of the item at that place."""
        return self._names[self._tasks[position]]

    def has_clip(self, position: int) -> bool:
        """Whether the item at that place names a clip."""
        return position not in self._silent


class ItemList:
    """Items held in memory, for data that come in other layouts.

    Args:
        items: in order, ids unique.
    """

    def __init__(self, items: list[Item]) -> None:
        self._items = items
        self._positions = {item.id: i for i, item in enumerate(items)}

    def __len__(self) -> int:
        return len(self._items)

    def at(self, position: int) -> Item:
        """The item at that place, from 0."""
        return self._items[position]

    def position(self, item: str) -> int | None:
        """The place of the item with that id; None if there is none."""
        return self._positions.get(item)

    def task_of(self, position: int) -> str:
        """The task of the item at that place."""
        return self._items[position].task

    def has_clip(self, position: int) -> bool:
        """Whether the item at that place names a clip."""
        return bool(self._items[position].clips)


def digest(*parts: bytes | Path) -> str:
    """One sha256 over bytes and files, hexadecimal; tells versions of a benchmark apart."""
    whole = hashlib.sha256()
    for part in parts:
        one = hashlib.sha256(part).digest() if isinstance(part, bytes) else digest_of(part)
        whole.update(one)
    return whole.hexdigest()


class _Scan:
    """Looks at the lines of a metadata file, one after the other."""

    def __init__(self, path: Path, card: Card, absent: Collection[str] | None) -> None:
        self._path, self.rules, self._absent = path, rules.Rules(card), absent
        self.clips, self.dimensions = ClipFiles(path.parent), Dimensions(card)
        self._seen: dict[str, int] = {}
        self._only = card.only_task

    def look(self, line: Line) -> tuple[Item | None, list[Problem]]:
        """The item of a line, if it can be read, and what keeps it from being asked."""
        where = f"{self._path}, line {line.number}"
        name = line.item.id if line.item is not None else ""
        slips = [(key, near) for key in line.unknown if (near := nearest(key, line.keys))]
        if slips:
            return None, [
                Problem(where, name, f"has the key '{shown(key)}'; did you mean '{near}'?", "key")
                for key, near in slips
            ]
        if line.item is None:
            return None, [Problem(where, "", f"{line.problem}; correct or remove the line")]
        item = self.rules.read(line.item)
        self.dimensions.known(item.tags)
        if self._only and not item.task:
            item = msgspec.structs.replace(item, task=self._only)
        found = [Problem(where, name, what, code) for code, what in self.rules.flaws(item, line.unknown)]
        if name in self._seen:
            what = f"has an id that line {self._seen[name]} has already; make it unique"
            found.append(Problem(where, name, what))
        self._seen.setdefault(name, line.number)
        return item, found or self._clip_problems(where, item)

    def _clip_problems(self, where: str, item: Item) -> list[Problem]:
        if self._absent is not None:
            return [Problem(where, item.id, NOT_THERE, "missing")] if item.id in self._absent else []
        flaws = (self.clips.flaw(name) for name in item.clips)
        return [Problem(where, item.id, what, code) for code, what in flaws if code][:1]
