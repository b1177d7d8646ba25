"""Parquet tables with clips inside, as the hub keeps them: of rows the columns that the card names, without the audio.

A clip becomes a file when it is first asked for, with all clips of its row group, in a cache folder named after the
data; one is in memory at a time, however large the group. Tables may also name clips that are files. pyarrow is
needed (``pip install 'audiometry[hub]'``); the hub's own library is not, since it decodes audio on the way and would
need torch for that.
"""

from __future__ import annotations

import os
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import Any

from audiometry.audio import clip_file
from audiometry.bench.benchmark import Benchmark
from audiometry.bench.left_out import AUDIO_ENDINGS
from audiometry.bench.store import digest
from audiometry.bench.table_reader import TableReader
from audiometry.errors import (
    BenchmarkError,
    UndecodableError,
    UnreadableAudioError,
    shown,
)
from audiometry.files import atomic, foreign, parquet, presence
from audiometry.files.stamp import stat_of
from audiometry.records import Card

LARGEST = 1 << 28
"""Bytes of a clip in a table: 256 MB, some 23 minutes of 48 kHz stereo in 16 bits; clips beyond are files."""

_ROWS = 256  # without their audio, in memory
_LISTED = 12  # columns in a message
_HINTS = 100  # columns that no field has, which may be meant all the same
_INSIDE = re.compile(r"[0-9]{3,}/[0-9]{5,}/[0-9]{6,}\.\w+")  # clips of row groups


def load(path: Path, card: Card, files: Sequence[Path], base: Path, data: Path | None, source: str) -> Benchmark:
    """A benchmark from parquet files.

    Args:
        path: of the card.
        card: its content.
        files: the tables.
        base: the folder that paths of clips are relative to, where the tables name files.
        data: the folder they are in, if it was given.
        source: how the user named the benchmark.

    Raises:
        UsageError: pyarrow is not installed.
        BenchmarkError: a file is not parquet, or has no audio in the column that the card names.
    """
    reader, column = TableReader(path, card, base), card.data.columns.audio
    stamps, inside = [foreign.read_file(path)], False
    for number, file in enumerate(files):
        with _reading(file):
            table = parquet.opened(file)
            schema, n_groups = table.schema_arrow, table.num_row_groups
        named = _once(schema, file, (*reader.wanted, column))
        classes = {name: names for name, names in _classes(schema).items() if name in {*named} - {*card.data.values}}
        beside = dict.fromkeys([name for name in schema.names if name not in named][:_HINTS])
        how, n_rows = _audio(schema, file, column), 0
        inside = inside or how != "names"
        for group in range(n_groups):
            for place, (cells, ending) in enumerate(_rows(table, file, group, named, column, how)):
                n_rows += 1
                row = beside | cells | {name: _class(cells.get(name), names) for name, names in classes.items()}
                clip = f"{number:03}/{group:05}/{place:06}{ending}" if ending else None if row.get(column) else ""
                reader.add(f"{file}, row {n_rows}", row, file.parent, clip)
        stamps.append(f"{file.name} {file.stat().st_size} {table.metadata.num_rows}".encode())
    texts = b"\n".join(repr(item).encode() for item in reader.items)
    stamp = digest(*stamps, texts, reader.stamp)
    if not inside:
        return reader.benchmark(base, stamp, data=data, source=source)
    left_alone = "\n".join(map(stat_of, files))  # the stamp tells nothing of the clips' bytes
    root = cache_folder() / "clips" / f"{stamp[:16]}-{digest(left_alone.encode())[:16]}"
    return reader.benchmark(root, stamp, data=data, source=source, clips=Clips(root, files, column, base).fetch)


def _classes(schema: Any) -> dict[str, list[str]]:
    """What the numbers in columns of classes stand for, as the hub's library writes it into its tables."""
    try:
        features = foreign.loose_json((schema.metadata or {})[b"huggingface"])["info"]["features"]
        found = {name: one["names"] for name, one in features.items() if one.get("_type") == "ClassLabel"}
    except (KeyError, TypeError, AttributeError, UndecodableError):
        return {}
    return {name: names for name, names in found.items() if isinstance(names, list) and name in schema.names}


def _class(number: Any, names: Sequence[Any]) -> Any:
    """The name of a class; of one that has none what stands there."""
    known = isinstance(number, int) and 0 <= number < len(names) and isinstance(names[number], str)
    return names[number] if known else number


def columns_of(file: Path) -> list[str]:
    """The names of a table's columns.

    Raises:
        UsageError: pyarrow is not installed.
        BenchmarkError: it is not parquet.
    """
    with _reading(file):
        return list(map(str, parquet.opened(file).schema_arrow.names))


def _once(schema: Any, file: Path, names: Sequence[str]) -> list[str]:
    """Those of the names that a table's columns have.

    Raises:
        BenchmarkError: two columns have one.
    """
    n_of = Counter(schema.names)
    if twice := next((name for name in names if n_of[name] > 1), ""):
        raise BenchmarkError(f"{file}: has the column '{shown(twice)}' twice; rename one")
    return [name for name in dict.fromkeys(names) if n_of[name]]


def _rows(
    table: Any, file: Path, group: int, named: Sequence[str], column: str, how: str
) -> Iterator[tuple[dict[str, Any], str]]:
    """The rows of a group without their bytes, each with the ending of its clip; empty: it names a file, or none."""
    names = [name for name in named if name != column]
    with _reading(file):
        if how == "names":
            yield from ((row, "") for row in _cells(table, group, [*names, column]))
            return
        paths = [f"{column}.path"] if how == "struct" and _leaf(table, group, f"{column}.path") is not None else []
        there = _there(table, group, column, how)
        rows = _cells(table, group, [*names, *paths]) if names or paths else ({} for _ in there)
        for row, has in zip(rows, there, strict=True):
            path = (row.pop(column, None) or {}).get("path")
            yield (row, _ending(path)) if has else (row | {column: path}, "")


def _cells(table: Any, group: int, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    for batch in table.iter_batches(batch_size=_ROWS, row_groups=[group], columns=names, use_threads=False):
        yield from batch.to_pylist()


def _leaf(table: Any, group: int, path: str) -> Any:
    """What a file says of a column of a group, which may lie in a struct; None: there is none."""
    about = table.metadata.row_group(group)
    columns = (about.column(place) for place in range(about.num_columns))
    return next((one for one in columns if one.path_in_schema == path), None)


def _there(table: Any, group: int, column: str, how: str) -> list[bool]:
    """Which rows of a group have bytes; they are read only where the file does not say that all have."""
    leaf = _leaf(table, group, f"{column}.bytes" if how == "struct" else column)
    counts = None if leaf is None else leaf.statistics
    if counts is not None and counts.has_null_count and counts.null_count == 0:
        return [True] * int(table.metadata.row_group(group).num_rows)
    found: list[bool] = []
    for batch in _batches(table, group, column):
        bytes_of = batch.column(0).field("bytes") if how == "struct" else batch.column(0)
        valid = batch.column(0).is_valid().to_pylist()
        found += [both and own for both, own in zip(valid, bytes_of.is_valid().to_pylist(), strict=True)]
    return found


def _ending(path: object) -> str:
    ending = PurePosixPath(str(path or "")).suffix.lower()
    return ending if ending in AUDIO_ENDINGS else ".audio"


class Clips:
    """Takes clips out of parquet files, a row group at a time.

    Args:
        root: where they become files.
        files: the tables, in the order of their numbers.
        column: that holds the audio.
        base: the folder of clips that rows name in place of holding them.
    """

    def __init__(self, root: Path, files: Sequence[Path], column: str, base: Path) -> None:
        self._root, self._files, self._column, self._base = root, files, column, base
        self._lock = threading.Lock()
        self._lost: dict[Path, str] = {}  # why of groups of which a clip cannot be had

    def fetch(self, name: str) -> None:
        """Make the clip of that name a file, and those of its row group with it.

        Raises:
            UnreadableAudioError: the table cannot be read any more, or holds more bytes than a clip has.
        """
        with self._lock:
            target = self._root / name
            if presence.exists(target):
                return
            if not _INSIDE.fullmatch(name):
                atomic.write(target, clip_file.read_file(self._base / name))
                return
            number, group = (int(part) for part in PurePosixPath(name).parts[:2])
            file, why = self._files[number], self._lost.get(target.parent, "")
            try:
                with _reading(file):
                    if not why:
                        self._keep(target.parent, parquet.opened(file), group)
            except BenchmarkError as problem:
                why = str(problem)
            if not presence.exists(target):
                why = why or f"{file}: no clip of 1 to {LARGEST:,} bytes is there; give it as a file"
                self._lost[target.parent] = why
                raise UnreadableAudioError(why)

    def _keep(self, folder: Path, table: Any, group: int) -> None:
        leaf = _leaf(table, group, self._column) or _leaf(table, group, f"{self._column}.bytes")
        if leaf is None or leaf.total_uncompressed_size > LARGEST * leaf.num_values:
            return  # it may be one page, which is read whole
        for place, batch in enumerate(_batches(table, group, self._column)):
            column = batch.column(0)
            inside: Any = column[0].as_py() if column.nbytes <= LARGEST else None
            given = inside if isinstance(inside, dict) else {"bytes": inside}
            if given.get("bytes"):
                atomic.write(folder / f"{place:06}{_ending(given.get('path'))}", given["bytes"])


def _batches(table: Any, group: int, column: str) -> Iterator[Any]:
    """The audio of a row group, a clip at a time."""
    yield from table.iter_batches(batch_size=1, row_groups=[group], columns=[column], use_threads=False)


def _reading(file: Path) -> AbstractContextManager[None]:
    """What goes wrong in a table of whatever bytes, in our words."""
    do = "delete it and download it again"
    if file.suffix != ".parquet":
        do = "correct [data] source of the card, which says parquet"
    dates = "write the dates and times of columns that the card names as text"
    return parquet.reading(file, BenchmarkError, do, dates)


def _audio(schema: Any, file: Path, column: str) -> str:
    """How a table holds its clips: ``struct`` of bytes and path, ``bytes``, or ``names`` of files.

    Raises:
        BenchmarkError: it holds none.
    """
    import pyarrow as pa

    kind = schema.field(column).type if column in schema.names else pa.null()
    if _holds_bytes(kind):
        return "struct" if pa.types.is_struct(kind) else "bytes"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "names"
    others = [field.name for field in schema if _holds_bytes(field.type)]
    if len(others) == 1:
        do = f'write audio = "{shown(others[0], 40)}" under [data.columns] of the card, as that column holds bytes'
        raise BenchmarkError(f"{file} holds no audio in a column '{shown(column)}'; {do}")
    there = ", ".join(shown(name, 40) for name in schema.names[:_LISTED])
    raise BenchmarkError(
        f"{file} holds no audio: no column '{column}' of bytes and path, of bytes, or of paths (columns: "
        f"{there}); give the files that hold the clips, or name their column in the card "
        "([data.columns] audio)"
    )


def _holds_bytes(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        inside = [field.type for field in kind if field.name == "bytes"]
        return len(inside) == 1 and not pa.types.is_struct(inside[0]) and _holds_bytes(inside[0])
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def cache_folder() -> Path:
    """Where what can be made or fetched again is kept: ``AUDIOMETRY_CACHE``, or a folder in the home."""
    own = os.environ.get("AUDIOMETRY_CACHE")
    return Path(own) if own else Path.home() / ".cache" / "audiometry"
