"""A benchmark: items and a card."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from audiometry.bench.coverage import FolderCount
from audiometry.bench.store import ItemStore
from audiometry.errors import UnknownNameError
from audiometry.files import presence
from audiometry.records import Card, Item

AUDIO_ENDINGS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aiff")


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

    Attributes:
        revision: of data on the hub, ``owner/name@commit``; empty for others.
    """

    revision = ""

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
    ) -> None:
        self.source, self.card, self.root, self.items, self.sha256 = source, card, root, items, sha256
        self.data, self.counts, self._fetch = data, counts, clips

    @property
    def name(self) -> str:
        """As its card says."""
        return self.card.benchmark.name

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return map(self.items.at, range(len(self.items)))

    def item(self, name: str) -> Item | None:
        """The item with that id, or None."""
        position = self.items.position(name)
        return None if position is None else self.items.at(position)

    def tasks(self) -> dict[str, int]:
        """Number of items by task, in the order of the card and then of the items."""
        counts = {t.name: 0 for t in self.card.task}
        for position in range(len(self.items)):
            name = self.items.task_of(position)
            counts[name] = counts.get(name, 0) + 1
        return {name: n for name, n in counts.items() if n}

    def select(self, tasks: Sequence[str] = (), limit: int | None = None) -> list[int]:
        """Positions of the items to ask, in their order.

        Args:
            tasks: only these; empty for all.
            limit: at most so many, taken from the tasks in turn in file order, so that a small
                number still sees every task.

        Raises:
            UnknownNameError: the benchmark has no such task.
        """
        known = self.tasks()
        for task in tasks:
            if task not in known:
                raise UnknownNameError(f"task of {self.name}", task, known)
        wanted = set(tasks or known)
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

    def clip_path(self, name: str, *, fetch: bool = True) -> Path:
        """Where a clip is, or would be; no name makes this fail.

        A file of the same stem stands in for a wrong ending (``.wav`` that is ``.flac``).

        Args:
            name: as its item says.
            fetch: a clip that is not here yet is fetched.
        """
        path = self.root / name
        if fetch and self._fetch is not None and not presence.exists(path):
            self._fetch(name)
        if presence.exists(path):
            return path
        stem = os.path.splitext(path)[0]  # noqa: PTH122  Path.with_suffix raises for a name that is none
        return next((Path(p) for e in AUDIO_ENDINGS if presence.exists(p := f"{stem}{e}")), path)
