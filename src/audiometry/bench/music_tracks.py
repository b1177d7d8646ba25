"""Tracks that MuChoMusic asks about, and their clips, found by the names that people save them under.

Source: the released data and code of MuChoMusic (arXiv 2408.01337).
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from audiometry.bench import table_rows
from audiometry.bench.left_out import AUDIO_ENDINGS
from audiometry.bench.table_rows import Row
from audiometry.errors import BenchmarkError, counted
from audiometry.files import presence

PATHS: Final = "song_describer.csv"
"""Of the Song Describer Dataset: where the clip of each track is."""
LONG: Final = ".2min"  # how names of its clips of two minutes end
SECONDS: Final = 10  # of a clip of MusicCaps
LONGEST_START: Final = 9  # digits of the second at which a clip starts
_CUT: Final = re.compile(r"\[(.+)\]-\[([0-9]+)(?:-[0-9]+)?\]")


class Track(NamedTuple):
    """A track: its data set, its name there, and for MusicCaps the second at which its clip starts."""

    dataset: str
    name: str
    start: str = ""

    def __str__(self) -> str:
        return "/".join(self[:2]) + (f"_{self.start}" if self.start else "")

    @property
    def expected(self) -> str:
        """Where the released code looks for its clip; empty for a track that nothing tells."""
        if self.dataset == "sdd" and self.name.isdecimal():
            return f"sdd/audio/{self.name[-2:]:>02}/{self.name}{LONG}.mp3"
        if self.start:
            return f"{self.dataset}/audio/[{self.name}]-[{self.start}-{int(self.start) + SECONDS}].wav"
        return f"{self.dataset or 'audio'}/{self.name}" if self.name else ""


def track_of(row: Row) -> Track:
    """The track that a row of the questions names; its identifier may end in ``.json``.

    >>> str(track_of({"dataset": "musiccaps", "dataset_identifier": "a_b-c_30.json"}))
    'musiccaps/a_b-c_30'
    """
    dataset = str(row.get("dataset") or "").strip().lower()
    name = str(row.get("dataset_identifier") or "").strip().removesuffix(".json")
    if dataset == "musiccaps":
        video, _, start = name.rpartition("_")
        at_a_second = video and start.isdecimal() and len(start) <= LONGEST_START
        return Track(dataset, video, start) if at_a_second else Track(dataset, name)
    return Track(dataset, name.removesuffix(".0"))


class Clips:
    """The audio files below a folder, by the names that they are saved under.

    Args:
        root: the folder; names are given relative to it.
        notes: receives what has to be said of the files.
    """

    def __init__(self, root: Path, notes: list[str]) -> None:
        self._root = root
        self._notes = notes
        self._stems: dict[str, str] = {}
        self._cuts: dict[tuple[str, str], str] = {}
        self._tables: list[str] = []
        self._n = unnamed = 0
        self._used: set[str] = set()
        for name in sorted(_files(root), key=_preferred):
            stem, ending = os.path.splitext(name.rpartition("/")[2])  # noqa: PTH122  a string is enough
            is_table = name.rpartition("/")[2] == PATHS
            if not (is_table or ending.lower() in AUDIO_ENDINGS) or not _holds_something(root / name):
                continue
            if is_table:
                self._tables.append(name)
                continue
            if not _is_text(name):
                unnamed += 1
                continue
            self._stems.setdefault(stem, name)
            self._n += 1
            if cut := _CUT.fullmatch(stem):
                self._cuts.setdefault((cut[1], cut[2]), name)
                self._cuts.setdefault((cut[1], ""), name)
        if unnamed:
            notes.append(f"{counted(unnamed, 'clip')} passed over, whose names are not UTF-8 text; rename them")

    @cached_property
    def _paths(self) -> dict[str, str]:
        """The stem of the clip of each track, by the data set's own tables; such a file need not be one."""
        found: dict[str, str] = {}
        for name in self._tables:
            try:
                found |= dict(_paths(self._root / name))
            except BenchmarkError as error:
                self._notes.append(f"{error}; no clip is looked for by it")
        return found

    def of(self, track: Track, question: str) -> str:
        """The clip of a track; the name that the released code looks for where there is none.

        Args:
            track: which.
            question: id of a question about it, by which clips may be named too.
        """
        if track.dataset == "sdd":
            plain = self._stems.get(f"{track.name}{LONG}", "")
            found = plain or self._stems.get(self._paths.get(track.name, ""), "")
        else:
            name = f"{track.name}_{track.start}" if track.start else track.name
            found = self._cuts.get((track.name, track.start), "") or self._stems.get(name, "")
        found = found or self._stems.get(question, "")
        self._used.add(found)
        return found or track.expected or f"{question}.wav"

    def unused(self, tracks: Mapping[Track, bool]) -> list[str]:
        """A line on clips that no track's name finds, if there are tracks without one.

        Args:
            tracks: whether each was found.
        """
        n = self._n - len(self._used - {""})
        if not n or all(tracks.values()):
            return []
        names = (
            f"<track>{LONG}, [<video>]-[<start>-<end>], <video>_<start> or the question's id, with an ending of audio"
        )
        return [f"{counted(n, 'clip')} there that no question names; they are looked for as {names}: rename them"]


def _files(root: Path) -> Iterator[str]:
    """The names of all files below a folder, through links too, each folder once; higher ones come first."""
    seen = set[tuple[int, int]]()
    folders = deque([""])
    while folders:
        inside = folders.popleft()
        try:
            own = (root / inside).stat()
            if (own.st_dev, own.st_ino) in seen:
                continue
            seen.add((own.st_dev, own.st_ino))
            with os.scandir(root / inside) as entries:
                there = sorted(entries, key=lambda entry: entry.name)
        except OSError:  # not ours to read, or deeper than a path can be
            continue
        for entry in there:
            name = f"{inside}/{entry.name}" if inside else entry.name
            if presence.is_folder(entry.path):
                folders.append(name)
            else:
                yield name


def _preferred(name: str) -> tuple[int, str]:
    ending = os.path.splitext(name)[1].lower()  # noqa: PTH122  a string is enough
    return AUDIO_ENDINGS.index(ending) if ending in AUDIO_ENDINGS else len(AUDIO_ENDINGS), name


def _holds_something(file: Path) -> bool:
    return presence.is_file(file) and file.stat().st_size > 0


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _paths(file: Path) -> Iterator[tuple[str, str]]:
    """The stem of the clip of each track, by the data set's own table; it need not have the columns."""
    for _, row in table_rows.read(file, "csv", ("track_id", "path"), []):
        name = str(row.get("path") or "").rpartition("/")[2].removesuffix(".mp3").removesuffix(LONG)
        yield number(row.get("track_id")), f"{name}{LONG}"


def number(value: object) -> str:
    """A number as one table writes it and another, which has it as a fraction."""
    return str(value).strip().removesuffix(".0")
