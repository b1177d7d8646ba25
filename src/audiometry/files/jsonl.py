"""JSON lines: one document a line, UTF-8, ended by a newline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from audiometry.errors import RunFolderError, UndecodableError
from audiometry.files import foreign, presence

T = TypeVar("T")


def read(path: Path, kind: type[T]) -> Iterator[T]:
    """Each line as a ``kind``, in order; a torn last line (no newline yet) is not a line, no file holds no lines.

    Raises:
        RunFolderError: it cannot be read, or a whole line is not what it should be; names file and line.
    """
    if not presence.is_file(path):  # a device in its place has no end
        return
    try:
        with foreign.opened(path) as file:
            yield from foreign.Decoder(kind).lines(file)
    except UndecodableError as problem:
        do = "remove that line, or restore the file" if problem.line else "see who may read it"
        raise RunFolderError(f"{problem.at(path)}; {do}") from None
