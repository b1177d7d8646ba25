"""Where items are kept: read one by one from a metadata file, so memory does not grow with their text."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from audiometry.bench import rules
from audiometry.errors import BenchmarkError, shown
from audiometry.files import benchmark_folder
from audiometry.records import Card, Item


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


class Problem(msgspec.Struct, frozen=True):
    """Something wrong in a metadata file.

    Attributes:
        where: file and line.
        item: id of the item, if it has one.
        what: what is wrong and what to do.
    """

    where: str
    item: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {f'item {shown(self.item)} ' if self.item else ''}{self.what}"


class MetadataFile:
    """The items of a ``metadata.jsonl``.

    About 120 bytes of memory an item: its place in the file, its task, its id.

    Args:
        path: of the file.
        card: names the kinds of the tasks.
        named: what a person gives to name the benchmark; None: the file's folder.

    Raises:
        BenchmarkError: the file is missing, empty, or a line cannot be used.
    """

    def __init__(self, path: Path, card: Card, named: Path | None = None) -> None:
        self.path = path
        self._offsets, self._lengths, self._tasks = array("Q"), array("L"), array("H")
        self._task_codes: dict[str, int] = {}
        self._positions: dict[str, int] = {}
        self._decoder = msgspec.json.Decoder(Item)
        for line, item, problem in _scan(path, card):
            if problem is not None:
                raise BenchmarkError(f"{problem} (`audiometry check {named or path.parent}` lists everything)")
            if item is not None:
                self._positions[item.id] = len(self._offsets)
                self._offsets.append(line.offset)
                self._lengths.append(line.length)
                self._tasks.append(self._task_codes.setdefault(item.task, len(self._task_codes)))
        if not self._offsets:
            raise BenchmarkError(f"{path} holds no items; write one JSON object a line")
        self._names = tuple(self._task_codes)
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

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
        raw = os.pread(self._fd, self._lengths[position], self._offsets[position])
        try:
            return self._decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise BenchmarkError(f"{self.path} was changed while in use; run the same command again") from problem

    def position(self, item: str) -> int | None:
        """The place of the item with that id; None if there is none."""
        return self._positions.get(item)

    def task_of(self, position: int) -> str:
        """The task of the item at that place."""
        return self._names[self._tasks[position]]


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


def scan(path: Path, card: Card) -> Iterator[Item | Problem]:
    """Every usable item of a metadata file and every problem in it, in the order of its lines."""
    for _, item, problem in _scan(path, card):
        if problem is not None:
            yield problem
        elif item is not None:
            yield item


def digest(*parts: bytes | Path) -> str:
    """One sha256 over bytes and files, hexadecimal; tells versions of a benchmark apart."""
    whole = hashlib.sha256()
    for part in parts:
        one = hashlib.sha256(part).digest() if isinstance(part, bytes) else _file_sha256(part)
        whole.update(one)
    return whole.hexdigest()


def _file_sha256(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _scan(path: Path, card: Card) -> Iterator[tuple[benchmark_folder.Line, Item | None, Problem | None]]:
    kinds = {t.name: t for t in card.task}
    seen: dict[str, int] = {}
    for line in benchmark_folder.read_lines(path):
        where = f"{path}, line {line.number}"
        item = line.item
        if item is None:
            yield line, None, Problem(where, "", f"{line.problem}; correct or remove the line")
            continue
        found = rules.problems(item, kinds.get(item.task) or card.task_named(item.task))
        if item.id in seen:
            found.append(f"has an id that line {seen[item.id]} has already; make it unique")
        seen.setdefault(item.id, line.number)
        if not found:
            yield line, item, None
        for what in found:
            yield line, None, Problem(where, item.id, what)
