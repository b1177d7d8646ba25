"""The scores that a run folder keeps: one way to write them, of whatever kind, and to read them again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from audiometry.errors import StorageError, UndecodableError, counted
from audiometry.files import atomic, foreign, presence
from audiometry.files.run_folder import RunFolder
from audiometry.files.stamp import sha256_of
from audiometry.records import RatingLine
from audiometry.score.measures.measure import PROGRAM
from audiometry.score.result import FORMAT, Scores, Stored

T = TypeVar("T")
_UNKEPT: Final = "ratings are not kept: "


class _Format(msgspec.Struct):
    format: int = 1  # of the files that do not say


def keep(folder: RunFolder, found: Scores) -> Scores:
    """Write each of a run's scores to a file of its own, under its name and signature.

    Returns:
        The scores, with the reason why a file could not be written, or one of ratings before: no number is lost for it.
    """
    for name, one in found.scores.items():
        document = msgspec.structs.asdict(msgspec.structs.replace(found, scores={name: one}))
        if name.startswith(PROGRAM) or one.extras.people is not None:
            document["replies"] = sha256_of(folder.replies_path)
        try:
            atomic.write_document(folder.score_path(name, one.signature), Stored(**document))
        except StorageError as problem:
            return msgspec.structs.replace(found, unkept=str(problem))
    lost = [note for one in found.scores.values() for note in one.notes if note.startswith(_UNKEPT)]
    return msgspec.structs.replace(found, unkept=lost[0].removeprefix(_UNKEPT)) if lost else found


def keep_ratings(path: Path, lines: Iterable[RatingLine]) -> tuple[str, ...]:
    """Write a rating file; a note why, if it cannot be written."""
    try:
        atomic.write_records(path, lines)
    except StorageError as problem:
        return (f"{_UNKEPT}{problem}",)
    return ()


def kept(folder: Path, kind: type[T]) -> Iterator[T]:
    """The scores of a run folder, in the order of their files; see `passed_over` for the others.

    Args:
        folder: the run folder.
        kind: what of them is wanted: a struct with some of the keys of `Stored`.
    """
    for path in _files(folder):
        with contextlib.suppress(UndecodableError):
            if foreign.read_json(path, _Format).format == FORMAT:
                yield foreign.read_json(path, kind)


def passed_over(folder: Path) -> str:
    """In a line, how many scores of a run folder are damaged or of another format; empty if none is."""
    damaged, other = [], 0
    for path in _files(folder):
        try:
            if foreign.read_json(path, _Format).format == FORMAT:
                foreign.read_json(path, Stored)
            else:
                other += 1
        except UndecodableError as problem:
            damaged.append(str(problem.at(path.relative_to(folder))))
    said = [f"{counted(len(damaged), 'stored score')} cannot be read (the first: {damaged[0]})"] if damaged else []
    said += [f"{counted(other, 'stored score')} {'is' if other == 1 else 'are'} of another format"] if other else []
    return (
        f"{folder}: {' and '.join(said)} and passed over; score the run with the options of then, or remove them"
        if said
        else ""
    )


def _files(folder: Path) -> list[Path]:
    scores = folder / "scores"
    return sorted(scores.glob("*.json")) if presence.is_folder(scores) else []
