"""Replies that were made with clips whose files hold something else by now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from audiometry.choices.variant import OTHER_CLIP, REPLACED
from audiometry.files.stamp import left_alone, sha256_of, stat_of
from audiometry.records import Item, ReplyRecord
from audiometry.score.opened import OpenedRun
from audiometry.score.replies import Replies

_KEPT = 1 << 12  # clips whose state is kept, as items near each other may share them


class Changed:
    """Counts the replies that were made with clips whose files hold something else now (see `filling.Count`).

    What neither reply nor disk tells is no change.

    Args:
        run: whose.
    """

    def __init__(self, run: OpenedRun) -> None:
        self.n = 0
        self._run, self._files = run, _Files(run.benchmark.file_of)
        self._other = [name == OTHER_CLIP for name in run.info.variants]

    def among(self, replies: Iterable[tuple[int, ReplyRecord, Item]]) -> int:
        """How many they are."""
        as_it_was, other = self._files.as_it_was, self._other
        return sum(
            any(self.of_clips(column, reply, item)[1])
            for column, reply, item in replies
            if other[column] or not as_it_was(item.file_name, reply.file_stat)
        )

    def of_clips(self, column: int, reply: ReplyRecord, item: Item) -> tuple[tuple[str, ...], list[bool]]:
        """The clips that were sent, or made into what was sent, and of each whether it has changed; none if unknown."""
        if not reply.audio_sha256 or reply.error is not None:
            return (), []
        names = _stand_ins(self._run, item, reply) if self._other[column] else item.clips
        return names, self._files.changed(names, reply)

    def of_own(self, column: int, reply: ReplyRecord, item: Item) -> dict[str, bool]:
        """The item's own clips that were sent, or made into what was sent, and of each whether it has changed."""
        return {} if self._other[column] else dict(zip(*self.of_clips(column, reply, item), strict=False))

    @property
    def said(self) -> str:
        """One line; empty if none has changed."""
        if not self.n:
            return ""
        replies = "1 reply was" if self.n == 1 else f"{self.n:,} replies were"
        return f"{replies} made with clips that have changed since; the same run again asks only those"


def changed(run: OpenedRun) -> Changed:
    """Look at the clips behind the replies of a run that count, where nothing else is read of these.

    Raises:
        RunFolderError: the run folder is damaged.
    """
    found, at = Changed(run), run.benchmark.items.at
    found.n = found.among((column, reply, at(run.positions[row])) for row, column, reply in Replies(run))
    return found


def _stand_ins(run: OpenedRun, item: Item, record: ReplyRecord) -> tuple[str, ...]:
    """The clips that stood in for those of an item; none if that is not known."""
    name = next((c.removeprefix(REPLACED).strip() for c in record.audio_changes if c.startswith(REPLACED)), "")
    other = run.benchmark.item(name)
    clips = () if other is None else other.clips
    return tuple(clips[k % len(clips)] for k in range(len(item.clips))) if clips else ()


class _Files:
    """The files of clips as they are now, each looked at once.

    Args:
        path: where a clip of that name is.
    """

    def __init__(self, path: Callable[[str], str]) -> None:
        self._path = path
        self._stat = lru_cache(_KEPT)(lambda name: stat_of(self._path(name)))
        self._sha256 = lru_cache(None)(lambda name: sha256_of(Path(self._path(name))))

    def as_it_was(self, name: str, stat: str) -> bool:
        """Whether the one clip of an item still has the stat that is on record, which tells at once of most."""
        return bool(name) and self._stat(name) == stat

    def changed(self, names: tuple[str, ...], record: ReplyRecord) -> list[bool]:
        """Of each, whether it is another than the reply was made with."""
        if "+".join(map(self._stat, names)) == record.file_stat:
            return [False] * len(names)
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
