"""Lines of tables from hostile hands: numbered, of a bounded length; rows of CSV, of which one may be broken."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Final, TypeAlias

from audiometry.errors import UndecodableError, UsageError
from audiometry.files import foreign
from audiometry.files.plain_words import OPEN_QUOTE

Line: TypeAlias = tuple[int, bytes]
"""A line with its number in the file, from 1."""

LONGEST: Final = 1_000_000  # bytes of a line
MOST_BREAKS: Final = 20  # line breaks in a cell of CSV
DELIMITERS: Final = ",;\t"
_NO_UTF8: Final = {
    b"\xff\xfe": "is text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "is text in UTF-16; save it as UTF-8",
    b"PK\x03\x04": "is a zip archive, as workbooks of Excel are; save the sheet as CSV in UTF-8",
}
_CUT: Final = b"\x00\n"  # ends what there is of a line that is too long, so that it is not taken for a whole one


@contextlib.contextmanager
def opened(path: Path, what: str, instead: str) -> Iterator[IO[bytes]]:
    """A file of lines, or a pipe.

    Args:
        path: of it.
        what: it should be (``a rating file``).
        instead: what to give in place of a device (``JSON lines or CSV``).

    Raises:
        UsageError: it is a device, or cannot be opened or read.
    """
    try:
        if path.is_char_device() or path.is_block_device():
            raise UsageError(f"{path} is a device, not {what}; give {instead}")
        with path.open("rb") as file:
            yield file
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror}; check the name") from problem


class Lines:
    """The lines of a file, one at a time or many.

    Args:
        file: open for reading; it may be a pipe.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.number = 0  # of the last line that was given

    def __iter__(self) -> Iterator[Line]:
        """Each line that is left."""
        while (line := self.next()) is not None:
            yield line

    def next(self) -> Line | None:
        """The next line, of one that is too long only the beginning; None at the end."""
        line = self._whole(self._file.readline(LONGEST + 1))
        if not line:
            return None
        self.number += 1
        return self.number, line

    def block(self, size: int) -> tuple[int, bytes]:
        """The number of the next line, and about ``size`` bytes of whole lines; none at the end."""
        first, raw = self.number + 1, self._file.read(size)
        if raw and not raw.endswith(b"\n"):
            raw += self._whole(self._file.readline(LONGEST + 1))
        self.number += raw.count(b"\n") + (raw[-1:] not in {b"\n", b""})
        return first, raw

    def _whole(self, line: bytes) -> bytes:
        """A line, or what there is of one that is too long, after the rest of it was read over."""
        if len(line) <= LONGEST:
            return line
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = self._file.readline(LONGEST)
        return line[:LONGEST] + _CUT


def too_long(line: bytes) -> bool:
    """Whether this is only the beginning of a line."""
    return len(line) > LONGEST and line.endswith(_CUT)


def no_utf8(start: bytes) -> str:
    """What a file is whose first bytes are these, and what to do; empty where they may be text in UTF-8."""
    return next((what for mark, what in _NO_UTF8.items() if start.startswith(mark)), "")


def header(raw: bytes, needed: Collection[str]) -> tuple[str, list[str]]:
    """The delimiter and the names of the columns; none if this is no header with all of the needed ones."""
    text = raw.decode("utf-8", errors="replace")
    for delimiter in DELIMITERS:
        names = [name.strip().strip('"') for name in text.split(delimiter)]
        if all(name in names for name in needed):
            return delimiter, names
    return "", []


def csv_rows(
    waiting: deque[Line], more: Callable[[], Line | None], delimiter: str
) -> Iterator[tuple[int, list[str] | UndecodableError]]:
    """The rows of lines of CSV with their numbers: their cells, or what is wrong; until no line is waiting.

    A cell in quotes may hold a few line breaks; a quote left open costs only its own line.

    Args:
        waiting: the lines.
        more: the next line of the file, where a cell goes on beyond them.
        delimiter: of the cells.
    """
    while waiting:
        number, raw = waiting.popleft()
        found = _cells(raw, delimiter)
        further: list[Line] = []
        while _is_open(found) and len(further) < MOST_BREAKS:
            following = waiting.popleft() if waiting else more()
            if following is None:
                break
            further.append(following)
            raw += following[1]
            found = _cells(raw, delimiter)
        if _is_open(found):
            waiting.extendleft(reversed(further))
        yield number, found


def _is_open(found: list[str] | UndecodableError) -> bool:
    return isinstance(found, UndecodableError) and str(found) == OPEN_QUOTE


def _cells(raw: bytes, delimiter: str) -> list[str] | UndecodableError:
    """The cells of a row, or what is wrong with it."""
    try:
        return foreign.cells(raw, delimiter)
    except UndecodableError as problem:
        return problem
