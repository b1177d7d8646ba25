"""Where a benchmark's card and metadata are: in a folder of its own, or beside others that share its clips.

A card whose ``[data] path`` names a file of JSON lines (``chat.jsonl``) describes the items in that file; so one folder
of clips can serve several benchmarks, each with a card and a metadata file.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from audiometry.bench import rules
from audiometry.errors import BenchmarkError, shown
from audiometry.files import benchmark_folder, presence
from audiometry.records import Card, Item

LINES = ".jsonl"
OF_JSON = "metadata.json"  # what some have in place of JSON lines
TABLES = {"metadata.csv": "csv", "metadata.tsv": "tsv"}
"""Metadata of a folder in the forms of the hub's AudioFolder, by their kind; parquet is not read in a folder."""


class Place(msgspec.Struct, frozen=True):
    """The files of a benchmark.

    Attributes:
        card_path: of its card, which need not be there if it is a folder's ``benchmark.toml``.
        card: what the card says.
        metadata: one JSON object a line; clips are relative to its folder.
    """

    card_path: Path
    card: Card
    metadata: Path


def cards(folder: Path) -> dict[str, Path]:
    """The benchmarks that share a folder, by id: its own under the folder's name, others under ``folder/card``.

    Args:
        folder: of clips; one without a card of its own holds no benchmark.

    Returns:
        A folder, or a card.
    """
    own = folder / benchmark_folder.CARD
    if not presence.is_file(own):
        return {}
    beside = sorted(path for path in folder.glob("*.toml") if path != own)
    return {folder.name: folder} | {f"{folder.name}/{path.stem}": path for path in beside}


def metadata_table(card_path: Path, card: Card) -> Path | None:
    """The table that stands in for a ``metadata.jsonl`` beside a card; None if there is none."""
    if card.data.source != "folder" or card.data.path.endswith(LINES):
        return None
    folder = card_path.parent
    if presence.is_file(folder / benchmark_folder.METADATA):
        return None
    return next((folder / name for name in TABLES if presence.is_file(folder / name)), None)


def metadata_beside(metadata: Path) -> list[str]:
    """Names of tables beside a ``metadata.jsonl`` that are passed over for it."""
    if metadata.name != benchmark_folder.METADATA:
        return []
    return [name for name in TABLES if presence.is_file(metadata.parent / name)]


def at(card_path: Path, card: Card) -> Place:
    """The files of the benchmark that a card describes.

    Args:
        card_path: of the card, which need not be there if it is a folder's ``benchmark.toml``.
        card: its content.

    Raises:
        BenchmarkError: its data are not there.
    """
    folder, name = card_path.parent, card.data.path
    if name.endswith(LINES):
        if rules.problems(Item(id="x", task="x", question="x", file_name=name), rules.ANY):
            raise BenchmarkError(f"{card_path}: [data] path '{shown(name)}' is not a path below the card; correct it")
    else:
        name = benchmark_folder.METADATA
    if not presence.is_file(folder / name):
        if presence.is_file(folder / "run.json"):
            do = f"`audiometry check --run {shlex.quote(str(folder))}` looks into it, score and report read it"
            raise BenchmarkError(f"{folder} is a run, not a benchmark; {do}")
        if presence.is_file(folder / OF_JSON):
            raise BenchmarkError(f"{folder} has {OF_JSON}, which is not read; write its objects one a line into {name}")
        raise BenchmarkError(
            f"{folder} has no {name}; write one JSON object a line with id, task, file_name, "
            "question, options and answer (or a metadata.csv with these columns)"
        )
    return Place(card_path, card, folder / name)
