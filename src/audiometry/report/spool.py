"""Values kept on the disk while a report is written: in memory each takes no more than its place."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from audiometry.errors import StorageError
from audiometry.files import atomic

T = TypeVar("T")
_BLOCK: Final = 1 << 14  # bytes read at once: values are mostly asked for in the order in which they came
_WRITTEN: Final = 1 << 18  # bytes written at once


class Spool(Generic[T]):
    """Values by number, from 0 in the order in which they were put.

    Args:
        encode, decode: of a value.
    """

    def __init__(self, encode: Callable[[T], bytes], decode: Callable[[bytes], T]) -> None:
        self._encode, self._decode = encode, decode
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  for as long as this
        self._starts, self._end = array("Q"), 0
        self._late = bytearray()  # what is not written yet
        self._first, self._block = 0, b""

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[T]:
        """All values, in order."""
        return map(self.__getitem__, range(len(self)))

    def put(self, value: T) -> int:
        """Keep a value; its number.

        Raises:
            StorageError: the disk refused.
        """
        self._starts.append(self._end)
        encoded = self._encode(value)
        self._late += encoded
        self._end += len(encoded)
        if len(self._late) >= _WRITTEN:
            self._flush()
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> T:
        """The value of a number.

        Raises:
            IndexError: there is none.
            StorageError: the disk refused.
        """
        if self._late:
            self._flush()
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else self._end
        if not (self._first <= start and end <= self._first + len(self._block)):
            self._first, self._block = start, os.pread(self._file.fileno(), max(end - start, _BLOCK), start)
        return self._decode(self._block[start - self._first : end - self._first])

    def _flush(self) -> None:
        try:
            while self._late:
                del self._late[: self._file.write(self._late)]
        except OSError as problem:
            raise refused(problem) from problem


def refused(problem: OSError) -> StorageError:
    """What to say where the folder of temporary files takes no more."""
    do = atomic.remedy(problem, "set TMPDIR to another folder")
    return StorageError(f"cannot write to {tempfile.gettempdir()}: {problem.strerror}; {do}")
