"""Runs whose replies are decoded once and stay at hand on the disk, whatever a page makes of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from audiometry.bench.store import ItemStore
from audiometry.files import foreign
from audiometry.files.replies import Place
from audiometry.files.run_folder import RunFolder
from audiometry.records import Item, ReplyRecord
from audiometry.report.spool import Spool
from audiometry.score.opened import OpenedRun, open_runs

MOST_KEPT: Final = 4096
"""Items of a benchmark that all stay in memory, 1 kB or so each; of a larger one none does."""


class KeptFolder(RunFolder):
    """A run folder whose replies are read when they are first asked for, and kept.

    Attributes:
        spool: the replies that count, in the order of arrival, as far as they were gone through.
        number: of the one that was given last.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.spool = _spool()
        self.number = -1
        self._whole = False

    def replies(self, place: Place | None = None) -> Iterator[ReplyRecord]:
        """The replies and failures that count, in the order of arrival."""
        if self._whole:
            for number, record in enumerate(self.spool):
                self.number = number
                yield record
            return
        self.spool = _spool()
        for record in super().replies(place):
            self.number = self.spool.put(record)
            yield record
        self._whole = True


def _spool() -> Spool[ReplyRecord]:
    return Spool(msgspec.json.Encoder().encode, foreign.Decoder(ReplyRecord).decode)


class _Items:
    """Items that are decoded when they are first asked for, and kept if they are not too many."""

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
            found = self._items.at(position)
            if len(self._items) <= MOST_KEPT:
                self._kept[position] = found
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
        folder = KeptFolder(run.folder.path)
        found.append(msgspec.structs.replace(run, folder=folder, benchmark=kept[id(run.benchmark)]))
    return found
