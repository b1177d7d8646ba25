"""The clips of a report: inside the file while they are few, linked beside it when they are many."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Self

import msgspec

from audiometry.audio.clip_file import called, file_size, read_file, read_head
from audiometry.audio.played import HEAD, sniff
from audiometry.bench import Benchmark
from audiometry.errors import StorageError, UnreadableAudioError, counted

MOST_EMBEDDED: Final = 25_000_000
"""Bytes of clips that are put into the file; beyond that all of them are linked."""

_LONGEST_ENDING: Final = 8
_CHANGED: Final = "the clip that was heard is gone, its file has changed since"
_FULL: Final = "what was sent is not in the page, which is full"


class ClipEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One clip as the page's script finds it.

    Attributes:
        name: its path in the benchmark.
        type: media type; empty if not known.
        embedded: number of the element that holds its bytes; None if it is not in the file.
        href: address relative to the report; empty if it is not linked.
        problem: why there is nothing to play; empty if there is.
        note: what a listener has to know.
    """

    name: str
    type: str = ""
    embedded: int | None = None
    href: str = ""
    problem: str = ""
    note: str = ""


class ClipShelf:
    """The clips of the items of a report, each path once.

    Args:
        benchmark: where they are.
        output: the report's file.

    Attributes:
        folder: beside the report, of links to them.
        total: bytes of the clips so far that can be read.
    """

    def __init__(self, benchmark: Benchmark, output: Path) -> None:
        self._benchmark = benchmark
        self._number: dict[str, int] = {}
        self._made: dict[str, tuple[str, bytes]] = {}
        self._left: set[int] = set()
        self._problems: dict[int, str] = {}
        self._missing: set[int] = set()
        self._n_changed, self._n_heard = array("L"), array("L")
        self.folder = output.parent / f"{output.name}-audio"
        self.total = 0
        self._new: list[Path] = []

    def __enter__(self) -> Self:
        """Nothing is to be done."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove the links that were not there before, where the page does not come to stand."""
        with contextlib.suppress(OSError):  # what cannot be removed does no harm
            for link in self._new if kind is not None else ():
                link.unlink(missing_ok=True)
            if kind is not None:
                self.folder.rmdir()  # only an empty one goes

    @property
    def embedded(self) -> bool:
        """Whether they go into the file."""
        return self.total <= MOST_EMBEDDED

    def number(self, name: str) -> int:
        """The number of a clip by its path as an item gives it, any number of times."""
        found = self._number.get(name)
        if found is None:
            found = self._number[name] = len(self._number)
            path = self._benchmark.clip_path(name)
            try:
                problem = sniff(read_head(path, HEAD, where=name))[2]
            except UnreadableAudioError as refused:
                problem = _refused(name, refused)
                self._missing.update([found] if refused.flaw == "missing" else ())
            if problem:
                self._problems[found] = problem
            else:
                self.total += file_size(path)
            self._n_changed.append(0)
            self._n_heard.append(0)
        return found

    def heard(self, clips: Mapping[str, bool]) -> None:
        """Count a reply to these clips, of each with whether it was something else than it is now."""
        for name, changed in clips.items():
            number = self.number(name)
            self._n_changed[number] += changed
            self._n_heard[number] += 1

    def __len__(self) -> int:
        return len(self._number) + len(self._left)

    @property
    def n_there(self) -> int:
        """How many can be played: those that `payloads` places, once all replies were counted."""
        return sum(1 for problem in self._lacking() if not problem)

    @property
    def lacking(self) -> str:
        """How many have nothing to play, and why; empty where all have."""
        full = "made anew, for which the page has no room"
        kinds, found = {_CHANGED: "changed since they were heard", _FULL: full}, Counter({full: len(self._left)})
        found.update(
            kinds.get(problem) or ("missing" if number in self._missing else "no audio that can be read")
            for number, problem in enumerate(self._lacking())
            if problem
        )
        whys = ", ".join(f"{n:,} {kind}" for kind, n in sorted(found.items()) if n)
        where = "; if they are elsewhere, --bench says where" if found["missing"] else ""
        return f"{found.total():,} of {counted(len(self), 'clip')} cannot be played: {whys}{where}" if whys else ""

    def _lacking(self) -> Iterator[str]:
        """Of each clip why there is nothing to play; empty where there is something."""
        room = MOST_EMBEDDED - self.total
        for name, number in self._number.items():
            if name in self._made:
                room -= len(self._made[name][1])
                yield _FULL if room < 0 else ""
            else:
                n, of = self._n_changed[number], self._n_heard[number]
                yield _CHANGED if n and n == of else self._problems.get(number, "")

    def made(self, key: str) -> int | None:
        """The number of a clip that is no file of the benchmark; None if it has none yet."""
        return self._number.get(key) if key in self._made else None

    def add(self, key: str, data: bytes, name: str) -> int:
        """Put a clip that is no file of the benchmark into the report's file, if that has room for it in the end.

        Args:
            key: what it is found again by; no path.
            data: its bytes.
            name: what people read that it is.

        Returns:
            Its number.
        """
        self._made[key] = name, data
        self._n_changed.append(0)
        self._n_heard.append(0)
        return self._number.setdefault(key, len(self._number))

    def leave_out(self, keys: Iterable[str]) -> None:
        """Count clips that are no files of the benchmark and have no room, by what they would be found again by."""
        self._left.update(map(hash, keys))

    def payloads(self, entries: list[ClipEntry]) -> Iterator[tuple[int, bytes]]:
        """Place every clip: give the base64 of each different one that goes into the file, link the others.

        One clip is in memory at a time.

        Args:
            entries: gets an entry a clip, in the order of their numbers.

        Raises:
            StorageError: a clip cannot be linked beside the report.
        """
        seen: dict[bytes, int] = {}
        for (name, number), problem in zip(self._number.items(), self._lacking(), strict=True):
            called_so, data = self._made.get(name, (name, b""))
            if problem:
                entries.append(ClipEntry(called_so, problem=problem))
                continue
            if data:
                entries.append(ClipEntry(called_so, type=sniff(data[:HEAD])[0], embedded=len(seen)))
                yield len(seen), base64.b64encode(data)
                seen[hashlib.sha256(data).digest()] = len(seen)
                continue
            path, n, of = self._benchmark.clip_path(name), self._n_changed[number], self._n_heard[number]
            other = f"{n:,} of {of:,} replies were to another clip, of which this file has taken the place" if n else ""
            if not self.embedded:
                entries.append(_noted(self._linked(name, path), other))
                continue
            try:
                data = read_file(path, where=name, largest=MOST_EMBEDDED)
            except UnreadableAudioError as refused:
                entries.append(_absent(name, refused))
                continue
            kind, note, problem_found = sniff(data[:HEAD])
            if problem_found:
                entries.append(ClipEntry(name, problem=problem_found))
                continue
            digest = hashlib.sha256(data).digest()
            if digest not in seen:
                seen[digest] = len(seen)
                yield seen[digest], base64.b64encode(data)
            entries.append(_noted(ClipEntry(name, type=kind, embedded=seen[digest], note=note), other))

    def _linked(self, name: str, path: Path) -> ClipEntry:
        try:
            kind, note, problem_found = sniff(read_head(path, HEAD, where=name))
        except UnreadableAudioError as problem:
            return _absent(name, problem)
        if problem_found:
            return ClipEntry(name, problem=problem_found)
        # The name of the link is made of the path's hash: it stays the same when the report is written again,
        # and nothing that a benchmark calls its files can do harm in an address.
        ending = path.suffix if path.suffix[1:].isalnum() and path.suffix.isascii() else ""
        ending = ending if len(ending) <= _LONGEST_ENDING else ""
        link = self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:20]}{ending}"
        if not os.path.lexists(link):
            self._new.append(link)
        _link(path.resolve(), link)
        return ClipEntry(name, type=kind, href=f"{_quoted(self.folder.name)}/{link.name}", note=note)


def _noted(entry: ClipEntry, note: str) -> ClipEntry:
    return msgspec.structs.replace(entry, note="; ".join(filter(None, (note, entry.note))))


def _link(path: Path, link: Path) -> None:
    """A hard link, or a symbolic one where the disk or its owner does not allow it: no clip is ever copied."""
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            if link.samefile(path):
                return
        link.unlink(missing_ok=True)
        try:
            os.link(path, link)
        except FileExistsError:  # of another report to the same file, which is being written too
            return
        except OSError:
            link.symlink_to(path)
    except OSError as problem:
        raise StorageError(
            f"cannot link a clip at {link}: {problem.strerror}; free some space or choose another folder with -o"
        ) from problem


def _absent(name: str, problem: UnreadableAudioError) -> ClipEntry:
    return ClipEntry(name, problem=_refused(name, problem))


def _refused(name: str, problem: UnreadableAudioError) -> str:
    """What `read_file` says of a clip, without its name and without what to do about it."""
    what = str(problem).removeprefix(f"{called(name)}: ")
    return f"the file cannot be read: {what.partition('; ')[0]}"


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name)
