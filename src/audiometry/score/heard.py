"""Replies that were made with clips whose files hold something else by now."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import msgspec

from audiometry.choices.variant import OTHER_CLIP, REPLACED
from audiometry.files.stamp import left_alone, sha256_of, stat_of
from audiometry.records import Item, ReplyRecord
from audiometry.score.opened import OpenedRun


class Heard(msgspec.Struct, frozen=True):
    """What became of the clips of a run since its replies were made.

    Attributes:
        n_changed: replies that were made with a clip whose file holds something else now.
        clips: by name, to how many replies to items of its own it was something else, and how many there are.
    """

    n_changed: int
    clips: dict[str, tuple[int, int]]

    @property
    def said(self) -> str:
        """One line; empty if none has changed."""
        if not self.n_changed:
            return ""
        replies = "1 reply was" if self.n_changed == 1 else f"{self.n_changed:,} replies were"
        return f"{replies} made with clips that have changed since; the same run again asks only those"


def heard(run: OpenedRun) -> Heard:
    """Look at the clips behind the replies that count, each once; what neither reply nor disk tells is no change.

    Args:
        run: the run; its other items and variants are passed over.
    """
    wanted, variants = set(run.positions), set(run.info.variants)
    files = _Files(str(run.benchmark.root))
    last: dict[tuple[int, str], tuple[tuple[str, ...], list[bool]]] = {}
    for record in run.folder.replies():
        position = run.benchmark.items.position(record.item)
        if position is None or position not in wanted or record.variant not in variants:
            continue
        if not record.audio_sha256 or record.error is not None:
            continue
        item = run.benchmark.items.at(position)
        names = _names(run, item, record)
        own = () if record.variant == OTHER_CLIP else names
        last[position, record.variant] = own, files.changed(names, record)
    clips: dict[str, tuple[int, int]] = {}
    for own, flags in last.values():
        for name, is_changed in dict(zip(own, flags, strict=False)).items():
            n, of = clips.get(name, (0, 0))
            clips[name] = n + is_changed, of + 1
    return Heard(sum(any(flags) for _, flags in last.values()), clips)


def _names(run: OpenedRun, item: Item, record: ReplyRecord) -> tuple[str, ...]:
    """The clips that were sent, or made into what was sent; none if that is not known."""
    if record.variant != OTHER_CLIP:
        return item.clips
    name = next((c.removeprefix(REPLACED).strip() for c in record.audio_changes if c.startswith(REPLACED)), "")
    other = run.benchmark.item(name)
    clips = () if other is None else other.clips
    return tuple(clips[k % len(clips)] for k in range(len(item.clips))) if clips else ()


class _Files:
    """The files of clips as they are now, each looked at once.

    Args:
        root: the folder that names are relative to.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._stat = lru_cache(None)(lambda name: stat_of(self._path(name)))
        self._sha256 = lru_cache(None)(lambda name: sha256_of(Path(self._path(name))))

    def changed(self, names: tuple[str, ...], record: ReplyRecord) -> list[bool]:
        """Of each, whether it is another than the reply was made with."""
        as_they_are = all(change.startswith(REPLACED) for change in record.audio_changes)
        hashes = (record.file_sha256 or (record.audio_sha256 if as_they_are else "")).split("+")
        stats = record.file_stat.split("+")
        if not len(names) == len(hashes) == len(stats):
            return [False] * len(names)
        return list(map(self._differs, names, hashes, stats))

    def _differs(self, name: str, sha256: str, stat: str) -> bool:
        now = self._stat(name)
        if not (now and stat and sha256) or left_alone(stat, now):
            return False
        if stat.partition("-")[0] != now.partition("-")[0]:  # other bytes for certain, however many there are
            return Path(self._path(name)).is_file()
        return self._sha256(name) not in {sha256, ""}

    def _path(self, name: str) -> str:
        return os.path.join(self._root, name)  # noqa: PTH118  a Path costs more than the look
