"""Benchmarks whose items are rows of a table, described by a card alone.

The card's ``[data.columns]`` says which column is which field. Rows that cannot be asked are left out and
counted by folder and reason, as for all published data.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from audiometry.bench import table_rows
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.errors import BenchmarkError, shown
from audiometry.records import Card


def load(path: Path, card: Card, data: Path | None, source: str = "") -> Benchmark:
    """A benchmark from a card that points at tables.

    Args:
        path: of the card.
        card: its content.
        data: the folder that ``[data] path`` is relative to; None: the card's own.
        source: how the user named the benchmark; empty: the card's path.

    Raises:
        BenchmarkError: no table is there, it cannot be read, or a column is missing.
    """
    base = data or path.parent
    files = find_files(path, card, base)
    return read(path, card, card.data.source, files, base, data=data, source=source or str(path))


def read(
    path: Path,
    card: Card,
    kind: str,
    files: Sequence[Path],
    base: Path,
    *,
    data: Path | None,
    source: str,
    lenient: bool = False,
) -> Benchmark:
    """A benchmark from these tables.

    Args:
        path: of the card.
        card: its content.
        kind: of the tables: ``parquet``, ``csv``, ``tsv`` or ``json`` (an array, or lines).
        files: the tables.
        base: the folder that paths of clips are relative to; the folder of their table is looked into next.
        data: the folder that was given with ``--data``.
        source: how the user named the benchmark.
        lenient: a row that cannot be decoded is left out too; if not, its table is refused.

    Raises:
        BenchmarkError: a table cannot be read, or a column is missing.
    """
    if kind == "parquet":
        from audiometry.bench import parquet

        return parquet.load(path, card, files, base, data, source)
    if other := next((file for file in files if file.suffix == ".parquet"), None):
        raise BenchmarkError(f"{other} is parquet, and [data] source of the card says {kind}; correct one of them")
    reader = TableReader(path, card, base)
    for file in files:
        keyed = card.data.keyed
        for where, row in table_rows.read(file, kind, reader.wanted, reader.notes, keyed, lenient=lenient):
            reader.add(where, row, file.parent)
    return reader.benchmark(base, digest(path, *files, reader.stamp), data=data, source=source)


def find_files(path: Path, card: Card, base: Path) -> list[Path]:
    """The tables that a card names, in the order of their names.

    Raises:
        BenchmarkError: there are none.
    """
    files = found(path, card, base)
    if not files:
        raise BenchmarkError(
            f"{path}: no file matches {card.data.path} in {base}; give the folder that holds them with --data"
        )
    return files


def found(path: Path, card: Card, base: Path) -> list[Path]:
    """As `find_files`, but none is no error.

    Raises:
        BenchmarkError: the card's path leads elsewhere.
    """
    return sorted(file for file in base.glob(below(path, card)) if file.is_file())


def below(path: Path, card: Card) -> str:
    """Where a card says that its data are, below itself or a folder that is given.

    Raises:
        BenchmarkError: the card's path leads elsewhere.
    """
    pattern = card.data.path
    if not pattern or PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
        raise BenchmarkError(f"{path}: [data] path '{shown(pattern)}' is not a path below the card; correct it")
    return pattern
