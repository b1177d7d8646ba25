"""The benchmark folder as a format: ``benchmark.toml``, ``metadata.jsonl`` and clips (the hub's AudioFolder layout)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from audiometry.errors import BenchmarkError, UndecodableError
from audiometry.files import foreign, presence
from audiometry.records import BenchmarkInfo, Card, Item

CARD = "benchmark.toml"
METADATA = "metadata.jsonl"


class Line(msgspec.Struct, frozen=True):
    """One line of the metadata: where it stands, and its item or what is wrong with it."""

    number: int
    offset: int
    length: int
    item: Item | None
    problem: str


def read_card(folder: Path) -> Card:
    """The folder's card; a folder without one gets a card with its own name and nothing else.

    Raises:
        BenchmarkError: the card is not valid TOML or a key is wrong.
    """
    path = folder / CARD
    if not presence.exists(path):
        return Card(benchmark=BenchmarkInfo(name=folder.resolve().name))
    return read_card_file(path)


def read_card_file(path: Path) -> Card:
    """The card in a file.

    Raises:
        BenchmarkError: it is not valid TOML or a key is wrong.
    """
    try:
        return foreign.toml(foreign.read_file(path), Card)
    except UndecodableError as problem:
        raise BenchmarkError(f"{problem.at(path)}; compare it with the card format") from None


def read_lines(path: Path) -> Iterator[Line]:
    """Every line of a metadata file that is not blank, whether or not it can be used."""
    decoder = foreign.Decoder(Item)
    offset = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            item, problem = None, ""
            if raw.strip():
                try:
                    item = decoder.decode(raw)
                except UndecodableError as error:
                    problem = str(error)
                yield Line(number, offset, len(raw), item, problem)
            offset += len(raw)
