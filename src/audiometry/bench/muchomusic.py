"""MuChoMusic and what was made of it: one file of questions, and clips of two data sets that a person fetches.

``muchomusic.csv`` names tracks of the Song Describer Dataset (``sdd``, clips ``<track>.2min.mp3``) and of MusicCaps
(``musiccaps``, clips ``[<video>]-[<start>-<end>].wav`` or ``<video>_<start>.wav``). Clips are found by these names, in
whatever folders and with whatever ending of audio they were saved; how many tracks are there is counted.
A file of questions in JSON, keyed by the ids of that table (RUL-MuChoMusic), takes its tracks from it.

Source: the released data and code of MuChoMusic (arXiv 2408.01337) and of RUListening (arXiv 2504.00369).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from audiometry.bench import table, table_rows
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import AUDIO_ENDINGS, ClipFiles
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.bench.table_rows import Row
from audiometry.errors import BenchmarkError, counted
from audiometry.files import presence
from audiometry.files.benchmark_folder import read_card_file
from audiometry.records import Card

QUESTIONS: Final = "muchomusic.csv"
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


def load(path: Path, card: Card, data: Path | None, source: str) -> Benchmark:
    """MuChoMusic, or questions about its tracks, from a folder that holds the questions and the clips.

    Args:
        path: of the card.
        card: its content; ``[data] path`` is the file of questions, which may be keyed JSON.
        data: the folder; parquet copies in it are read by the card of that name beside this one. None: the card's own.
        source: how the user named the benchmark.

    Raises:
        BenchmarkError: there are no questions, or they cannot be read.
    """
    base = data or path.parent
    parquet = path.with_stem(f"{path.stem}-parquet")
    file = _beside(base, table.below(path, card))
    if file is None and presence.is_file(parquet) and any(base.rglob("*.parquet")):
        asked_alike = replace(read_card_file(parquet), asked=card.asked, example=card.example)
        return table.load(parquet, asked_alike, base, source)
    if file is None:
        raise BenchmarkError(f"{base} has no {card.data.path}; put it there, it is at {card.benchmark.homepage}")
    notes = list[str]()
    clips, flaws = Clips(base, notes), ClipFiles(base)
    rows = list(_rows(file, card, base, notes))
    card = _with_ids(card, rows)
    reader = TableReader(file, card, base, released=card.benchmark.homepage)
    tracks: dict[Track, bool] = {}
    unnamed = 0
    for where, row in rows:
        question = str(row.get("question_id", ""))
        track = track_of(row)
        clip = clips.of(track, question)
        group = str(track) if track.name else ""  # of a track that nothing names its clip is all that is known
        unnamed += not group
        tracks.setdefault(track if group else Track(track.dataset, clip), not flaws.flaw(clip)[0])
        reader.add(where, row | {"track": group, "audio": clip}, file.parent)
    if unnamed:
        what = f"{counted(unnamed, 'question')} without a track in {QUESTIONS}"
        notes.append(f"{file.name}: {what}; clips are looked for by their ids, each taken for a track of its own")
    reader.notes += notes + clips.unused(tracks)
    found = reader.benchmark(base, digest(path, file, reader.stamp), data=data, source=source)
    found.found = _said(tracks)
    return found


def _said(tracks: dict[Track, bool]) -> str:
    """How many tracks were found, in all and of each data set."""
    each = []
    for name in sorted({track.dataset for track in tracks}):
        there = [is_there for track, is_there in tracks.items() if track.dataset == name]
        each.append(f"{name or 'unnamed'} {sum(there):,} of {len(there):,}")
    return f"{sum(tracks.values()):,} of {counted(len(tracks), 'track')} were found ({', '.join(each)})"


def _beside(base: Path, name: str) -> Path | None:
    """A file in a folder or in its ``data``, where the released code has it."""
    return next((file for file in (base / name, base / "data" / name) if presence.is_file(file)), None)


def _rows(file: Path, card: Card, base: Path, notes: list[str]) -> Iterator[tuple[str, Row]]:
    """The questions with what the table says of their tracks, each with its place."""
    if not card.data.keyed:
        yield from table_rows.read(file, "csv", _COLUMNS, notes)
        return
    questions = _beside(base, QUESTIONS)
    if questions is None:
        raise BenchmarkError(f"{file} does not say which clips it asks about; put {QUESTIONS} beside it, which does")
    by_id: dict[str, Row] = {}
    by_words: dict[tuple[str, str], Row] = {}
    for _, row in table_rows.read(questions, "csv", _COLUMNS, notes):
        by_id[_number(row.get("question_id"))] = row
        first = by_words.setdefault(_words(row), row)
        if track_of(first) != track_of(row):  # one question is asked of several tracks: its words tell none
            by_words[_words(row)] = {}
    for where, row in table_rows.read(file, "json", (), notes, card.data.keyed):
        about = by_id.get(_number(row.get(card.data.keyed)), {})
        if _words(about) != _words(row):
            about = by_words.get(_words(row)) or about
        kept = {name: cell for name, cell in about.items() if name not in row}
        yield where, {"perceptual-index": row.get("PI"), "dataset": "", "dataset_identifier": ""} | kept | row


_COLUMNS: Final = (
    *("question_id", "question", "correct_answer", "distractor_1_answer", "distractor_2_answer", "distractor_3_answer"),
    *("dataset", "dataset_identifier", "genre", "music_knowledge", "music_reasoning"),
)


def _words(row: Row) -> tuple[str, str]:
    return str(row.get("question", "")).strip(), str(row.get("correct_answer", "")).strip()


def _number(value: object) -> str:
    return str(value).strip().removesuffix(".0")


def _with_ids(card: Card, rows: list[tuple[str, Row]]) -> Card:
    """A card by which rows are called by their number, where the table has no ids."""
    if not rows or all(name in rows[0][1] for name in card.data.columns.id):
        return card
    return replace(card, data=replace(card.data, columns=replace(card.data.columns, id=())))


def _files(root: Path) -> Iterator[str]:
    """The names of all files below a folder, through links too, each folder once."""
    seen: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        inside = os.path.relpath(folder, root)
        yield from (name if inside == "." else f"{inside}/{name}" for name in names)


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
        yield _number(row.get("track_id")), f"{name}{LONG}"
