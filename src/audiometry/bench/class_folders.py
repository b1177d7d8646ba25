"""Clips in folders that are called after their labels, as the hub's AudioFolder reads them where no table is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import AUDIO_ENDINGS
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.errors import BenchmarkError, shown
from audiometry.records import Card, Columns

AUDIO, ANSWER = "audio", "answer"
LISTED = 6  # folders that a message names


def clips_below(folder: Path, split: str = "") -> list[str]:
    """The names of the audio files that lie in the folders of labels; empty if the folder holds no such.

    Args:
        folder: with a folder for each label in it, or with one of the split's name that has.
        split: its folder is taken alone where it is there.
    """
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.suffix.lower() in AUDIO_ENDINGS)
    names = sorted(file.as_posix() for file in files)
    return [name for name in names if split in PurePosixPath(name).parts[:-2]] or names


def labels_of(names: Sequence[str]) -> list[str]:
    """The labels that clips lie under: two at least, all as deep; none otherwise.

    Source: the hub's documentation of AudioFolder.

    >>> labels_of(["dog/1.wav", "cat/1.wav"]), labels_of(["clips/1.wav"]), labels_of(["a/1.wav", "2.wav"])
    (['cat', 'dog'], [], [])
    """
    parents = [PurePosixPath(name).parent for name in names]
    found = sorted({parent.name for parent in parents})
    alike = len({len(parent.parts) for parent in parents}) == 1
    return found if alike and len(found) > 1 else []


def load(
    path: Path, card: Card, folder: Path, names: Sequence[str], *, data: Path | None, source: str
) -> Benchmark | None:
    """A benchmark whose answers are the names of the folders that its clips lie in; None: these are no labels.

    Args:
        path: of the card.
        card: its content.
        folder: that names are relative to.
        names: of the clips.
        data: the folder, if it was given with ``--data``.
        source: how the user named the benchmark.

    Raises:
        BenchmarkError: not one folder is called after a label of the card.
    """
    under = labels_of(names)
    if not under or not card.only_task or card.task[0].kind != "label":
        return None
    meant = {_folded(name): label for name, label in _values(card).items()}
    if card.task[0].labels and not any(_folded(name) in meant for name in under):
        found = ", ".join(map(shown, under[:LISTED])) + (", …" if len(under) > LISTED else "")
        wanted = ", ".join(map(shown, card.task[0].labels))
        raise BenchmarkError(
            f"{folder}: clips lie in the folders {found}, and none is called after a label; rename them ({wanted}), or "
            "write metadata.csv with the columns audio and answer"
        )
    columns = Columns(id=(), task="", question="", options=(), audio=AUDIO, answer=ANSWER)
    where = card.data.where.get(card.data.columns.answer)
    kept = replace(card.data, columns=columns, values={}, where={ANSWER: where} if where else {}, clips_in="")
    reader = TableReader(path, replace(card, data=kept), folder)
    for name in names:
        label = PurePosixPath(name).parent.name
        reader.add(str(folder / name), {AUDIO: name, ANSWER: meant.get(_folded(label), label)}, folder)
    stamp = digest(path, "\n".join(names).encode(errors="surrogateescape"), reader.stamp)
    return reader.benchmark(folder, stamp, data=data, source=source)


def _values(card: Card) -> dict[str, str]:
    """What a label may be called, with the label."""
    labels = card.task[0].labels or card.task[0].synonyms
    return card.data.values.get(card.data.columns.answer, {}) | {label: label for label in labels}


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()
