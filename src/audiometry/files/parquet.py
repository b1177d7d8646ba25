"""Parquet files through pyarrow, with what goes wrong in our words (``pip install 'audiometry[hub]'``)."""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from audiometry.errors import AudiometryError, ShortageError, UsageError, short_of, shown
from audiometry.files import atomic, extras

_BUFFER: Final = 1 << 20  # bytes of a file that are read at once
_ROWS: Final = 1 << 16  # that are written at once


def opened(file: Path) -> Any:
    """The file as pyarrow opens it; to be called, and read, within `reading`."""
    from pyarrow import parquet

    return parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER)


def write(path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file; it is there whole or not at all.

    Args:
        path: of it.
        columns: their types, as pyarrow names them; a list of texts is ``strings``.
        rows: cells by column, taken some thousand at a time.

    Raises:
        UsageError: pyarrow is not installed.
        StorageError: the disk refused.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError as problem:
        raise UsageError(f"parquet data need pyarrow: {extras.install('hub')}") from problem
    listed = pa.list_(pa.string())
    schema = pa.schema([(name, listed if of == "strings" else pa.type_for_alias(of)) for name, of in columns.items()])
    made, waiting = io.BytesIO(), iter(rows)
    with parquet.ParquetWriter(made, schema) as file:
        while some := list(itertools.islice(waiting, _ROWS)):
            file.write_table(pa.Table.from_pylist(some, schema))
    atomic.write(path, made.getvalue())


@contextlib.contextmanager
def reading(file: Path, wrong: type[AudiometryError], do: str, dates: str) -> Iterator[None]:
    """What goes wrong in a file of whatever bytes, in our words.

    Args:
        file: for messages.
        wrong: the error of a file that cannot be read.
        do: what to do about it.
        dates: what to do about dates and times beyond what Python knows.

    Raises:
        UsageError: pyarrow is not installed.
        AudiometryError: of the kind ``wrong``: it is not parquet.
        ShortageError: the machine is short of something for now.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError as problem:
        raise UsageError(f"parquet data need pyarrow: {extras.install('hub')}") from problem
    try:
        yield
    except OverflowError as problem:
        raise wrong(f"{file} cannot be read ({shown(str(problem), 120)}); {dates}") from problem
    except (pa.ArrowException, OSError, MemoryError, LookupError, ValueError) as problem:
        if short := short_of(problem):
            raise ShortageError(f"{file} cannot be read now: {short}") from problem
        raise wrong(f"{file} cannot be read ({shown(str(problem), 120)}); {do}") from problem
