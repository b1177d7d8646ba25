"""Runs whose replies and items are decoded once and stay in memory, whatever a page makes of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from audiometry.bench.store import ItemStore
from audiometry.files.replies import Place
from audiometry.files.run_folder import RunFolder
from audiometry.records import Item, ReplyRecord
from audiometry.score.opened import OpenedRun, open_runs


class _Folder(RunFolder):
    """A run folder whose replies are read when they are first asked for, and kept."""

    @cached_property
    def _kept(self) -> list[ReplyRecord]:
        return list(super().replies())

    def replies(self, place: Place | None = None) -> Iterator[ReplyRecord]:  # noqa: ARG002  once is enough
        """The replies and failures that count, in the order of arrival."""
        return iter(self._kept)


class _Items:
    """Items that are decoded when they are first asked for, and kept."""

    def __init__(self, items: ItemStore) -> None:
        self._items = items
        self._kept: dict[int, Item] = {}
        self.position, self.task_of, self.has_clip = items.position, items.task_of, items.has_clip

    def __len__(self) -> int:
        return len(self._items)

    def at(self, position: int) -> Item:
        """The item at that place, from 0."""
        found = self._kept.get(position)
        if found is None:
            found = self._kept[position] = self._items.at(position)
        return found


def opened(paths: Sequence[Path], source: str = "") -> list[OpenedRun]:
    """Runs as `open_runs` gives them, each file of theirs read once; one benchmark for all that have it in common.

    Args:
        paths: of the folders.
        source: where the benchmark is now, if it moved.

    Raises:
        RunFolderError: not a run folder, or its benchmark has changed.
    """
    kept = {}
    found = []
    for run in open_runs(paths, source):
        if id(run.benchmark) not in kept:
            benchmark = copy.copy(run.benchmark)
            benchmark.items = _Items(run.benchmark.items)
            kept[id(run.benchmark)] = benchmark
        found.append(msgspec.structs.replace(run, folder=_Folder(run.folder.path), benchmark=kept[id(run.benchmark)]))
    return found
