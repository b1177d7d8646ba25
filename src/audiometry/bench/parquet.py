"""Parquet tables with clips inside, as the hub keeps them: rows are read without their audio.

A clip becomes a file when it is first asked for, with all clips of its row group, in a cache folder named
after the data. pyarrow is needed (``pip install 'audiometry[hub]'``); the hub's own library is not, since it
decodes audio on the way and would need torch for that.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import AUDIO_ENDINGS
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.errors import BenchmarkError, ShortageError, UnreadableAudioError, UsageError, short_of, shown
from audiometry.files import atomic, extras, foreign, presence
from audiometry.records import Card


def load(path: Path, card: Card, files: Sequence[Path], data: Path | None, source: str) -> Benchmark:
    """A benchmark from parquet files.

    Args:
        path: of the card.
        card: its content.
        files: the tables.
        data: the folder they are in, if it was given.
        source: how the user named the benchmark.

    Raises:
        UsageError: pyarrow is not installed.
        BenchmarkError: a file is not parquet, or has no audio in the column that the card names.
    """
    reader = TableReader(path, card, path.parent)
    column = card.data.columns.audio
    stamps = [foreign.read_file(path)]
    for number, file in enumerate(files):
        with _reading(file):
            table = _open(file)
            schema, n_groups = table.schema_arrow, table.num_row_groups
        _check_audio(schema, file, column)
        names, n_rows = [name for name in schema.names if name != column], 0
        for group in range(n_groups):
            with _reading(file):
                rows = table.read_row_group(group, columns=[*names, f"{column}.path"]).to_pylist()
            for place, row in enumerate(rows):
                inside, n_rows = row.pop(column), n_rows + 1
                ending = PurePosixPath(str((inside or {}).get("path") or "")).suffix.lower()
                ending = ending if ending in AUDIO_ENDINGS else ".audio"
                clip = f"{number:03}/{group:05}/{place:06}{ending}" if inside is not None else ""
                reader.add(f"{file}, row {n_rows}", row, file.parent, clip)
        stamps.append(f"{file.name} {file.stat().st_size} {table.metadata.num_rows}".encode())
    texts = b"\n".join(repr(item).encode() for item in reader.items)
    stamp = digest(*stamps, texts, reader.stamp)
    root = cache_folder() / "clips" / stamp[:16]
    return reader.benchmark(root, stamp, data=data, source=source, clips=Clips(root, files, column).fetch)


class Clips:
    """Takes clips out of parquet files, a row group at a time.

    Args:
        root: where they become files.
        files: the tables, in the order of their numbers.
        column: that holds the audio.
    """

    def __init__(self, root: Path, files: Sequence[Path], column: str) -> None:
        self._root, self._files, self._column = root, files, column
        self._lock = threading.Lock()

    def fetch(self, name: str) -> None:
        """Make the clip of that name a file, and those of its row group with it; nothing if it has no bytes.

        Raises:
            UnreadableAudioError: the table cannot be read any more.
        """
        with self._lock:
            target = self._root / name
            if presence.exists(target):
                return
            number, group = (int(part) for part in PurePosixPath(name).parts[:2])
            try:
                with _reading(self._files[number]):
                    rows = _open(self._files[number]).read_row_group(group, columns=[self._column]).to_pylist()
            except BenchmarkError as problem:
                raise UnreadableAudioError(str(problem)) from problem
            for place, row in enumerate(rows):
                inside = row[self._column] or {}
                if inside.get("bytes"):
                    ending = PurePosixPath(str(inside.get("path") or "")).suffix.lower()
                    ending = ending if ending in AUDIO_ENDINGS else ".audio"
                    atomic.write(target.parent / f"{place:06}{ending}", inside["bytes"])


def _open(file: Path) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(file)


@contextlib.contextmanager
def _reading(file: Path) -> Iterator[None]:
    """What goes wrong in a table of whatever bytes, in our words."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError as problem:
        raise UsageError(f"parquet data need pyarrow: {extras.install('hub')}") from problem
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as problem:
        if short := short_of(problem):
            raise ShortageError(f"{file} cannot be read now: {short}") from problem
        raise BenchmarkError(f"{file} cannot be read ({shown(str(problem), 120)}); download it again") from problem


def _check_audio(schema: Any, file: Path, column: str) -> None:
    fields = (
        {f.name for f in schema.field(column).type} if column in schema.names and _is_struct(schema, column) else set()
    )
    if "bytes" not in fields:
        raise BenchmarkError(
            f"{file} holds no audio: no column '{column}' of bytes and path (columns: {', '.join(schema.names)}); "
            "give the files that hold the clips, or name their column in the card ([data.columns] audio)"
        )


def _is_struct(schema: Any, column: str) -> bool:
    return hasattr(schema.field(column).type, "num_fields") and schema.field(column).type.num_fields > 0


def cache_folder() -> Path:
    """Where what can be made or fetched again is kept: ``AUDIOMETRY_CACHE``, or a folder in the home."""
    own = os.environ.get("AUDIOMETRY_CACHE")
    return Path(own) if own else Path.home() / ".cache" / "audiometry"
