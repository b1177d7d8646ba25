"""Parquet files opened through pyarrow, with what goes wrong in our words (``pip install 'audiometry[hub]'``)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from audiometry.errors import AudiometryError, ShortageError, UsageError, short_of, shown
from audiometry.files import extras

_BUFFER: Final = 1 << 20  # bytes of a file that are read at once


def opened(file: Path) -> Any:
    """The file as pyarrow opens it; to be called, and read, within `reading`."""
    from pyarrow import parquet

    return parquet.ParquetFile(file, pre_buffer=False, buffer_size=_BUFFER)


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
