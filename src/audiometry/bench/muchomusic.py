"""MuChoMusic and what was made of it: one file of questions, and clips of two data sets that a person fetches.

``muchomusic.csv`` names tracks of the Song Describer Dataset (``sdd``, clips ``<track>.2min.mp3``) and of MusicCaps
(``musiccaps``, clips ``[<video>]-[<start>-<end>].wav`` or ``<video>_<start>.wav``). Clips are found by these names, in
whatever folders and with whatever ending of audio they were saved; how many tracks are there is counted.
A file of questions in JSON, keyed by the ids of that table (RUL-MuChoMusic), takes its tracks from it.

Source: the released data and code of MuChoMusic (arXiv 2408.01337) and of RUListening (arXiv 2504.00369).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from audiometry.bench import table, table_rows
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import ClipFiles
from audiometry.bench.music_tracks import Clips, Track, number, track_of
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.bench.table_rows import Row
from audiometry.errors import BenchmarkError, counted
from audiometry.files import presence
from audiometry.files.benchmark_folder import read_card_file
from audiometry.records import Card

QUESTIONS: Final = "muchomusic.csv"


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
        by_id[number(row.get("question_id"))] = row
        first = by_words.setdefault(_words(row), row)
        if track_of(first) != track_of(row):  # one question is asked of several tracks: its words tell none
            by_words[_words(row)] = {}
    for where, row in table_rows.read(file, "json", (), notes, card.data.keyed):
        about = by_id.get(number(row.get(card.data.keyed)), {})
        if _words(about) != _words(row):
            about = by_words.get(_words(row)) or about
        kept = {name: cell for name, cell in about.items() if name not in row}
        yield where, dict.fromkeys(_COLUMNS[6:], "") | {"perceptual-index": row.get("PI")} | kept | row


_COLUMNS: Final = (
    *("question_id", "question", "correct_answer", "distractor_1_answer", "distractor_2_answer", "distractor_3_answer"),
    *("dataset", "dataset_identifier", "genre", "music_knowledge", "music_reasoning"),
)


def _words(row: Row) -> tuple[str, str]:
    return str(row.get("question", "")).strip(), str(row.get("correct_answer", "")).strip()


def _with_ids(card: Card, rows: list[tuple[str, Row]]) -> Card:
    """A card by which rows are called by their number, where the table has no ids."""
    if not rows or all(name in rows[0][1] for name in card.data.columns.id):
        return card
    return replace(card, data=replace(card.data, columns=replace(card.data.columns, id=())))
