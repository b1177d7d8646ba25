"""Foreign bytes decoded: JSON, JSON lines, TOML, text and CSV that anybody may have written, or broken.

The one place that knows all the ways in which decoding fails. Whatever is wrong becomes an
`UndecodableError` that says so in the words of whoever wrote the file; the caller adds where it stands and what to do.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json as stdlib_json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, Generic, TypeVar

import msgspec

from audiometry.errors import UndecodableError, short_of, shown
from audiometry.files import plain_words

T = TypeVar("T")
BLOCK: Final = 1 << 16  # bytes of lines decoded at once
LARGEST: Final = 1 << 26  # bytes of a file that is read whole, and of a line
LARGEST_TABLE: Final = 1 << 32  # bytes of a table that is read whole
MOST_PARTS: Final = 20  # of a dotted key of TOML: each is looked for in all that went before
LARGEST_TOML: Final = 1 << 20  # bytes
# What decoders raise over bytes: malformed, of the wrong types, not UTF-8, numbers without end, nested without end.
FAILURES: Final = (msgspec.DecodeError, ValueError, OverflowError, RecursionError, MemoryError)
_DOTTED: Final = re.compile(rb"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){%d}" % MOST_PARTS)
# Comments and texts of TOML, closed or not: each byte is looked at once.
_TEXTS: Final = re.compile(
    rb"#[^\n]*+"
    rb'|"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
    rb"|'''(?:[^']|'(?!''))*+(?:''')?"
    rb'|"(?:[^"\\\n]|\\[^\n])*+"?'
    rb"|'[^'\n]*+'?",
    re.DOTALL,
)


class Decoder(Generic[T]):
    """JSON documents of one kind, one after the other.

    Args:
        kind: type of each.
    """

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        decoder = msgspec.json.Decoder(kind)
        self._decode, self._decode_lines = decoder.decode, decoder.decode_lines

    def decode(self, raw: bytes | msgspec.Raw) -> T:
        """One document.

        Raises:
            UndecodableError: it is not what it should be.
        """
        try:
            return self._decode(raw)
        except FAILURES as problem:
            raw = bytes(raw)
            if raw.startswith(codecs.BOM_UTF8):
                return self.decode(raw.removeprefix(codecs.BOM_UTF8))
            raise plain_words.of_json(raw, self.kind, problem) from None

    def lines(self, file: IO[bytes]) -> Iterator[T]:
        """Each whole line, in order; a torn last one (no newline yet) is not a line.

        Raises:
            UndecodableError: a line is not what it should be; it knows which.
        """
        number = 0
        while raw := file.read(BLOCK):
            raw += b"" if raw.endswith(b"\n") else file.readline(LARGEST)
            block, newline, torn = raw.rpartition(b"\n")
            lines = block.split(b"\n") if newline else []
            if len(torn) >= LARGEST:
                raise UndecodableError(f"more than {LARGEST:,} bytes", number + len(lines) + 1)
            try:
                found = self._decode_lines(block)
            except FAILURES:
                found = []
            if len(found) == len(lines):
                yield from found
            else:  # a fault, or a document over two lines
                yield from (self._line(line, number + i) for i, line in enumerate(lines, 1))
            if torn:
                return
            number += len(lines)

    def _line(self, raw: bytes, number: int) -> T:
        try:
            return self.decode(raw)
        except UndecodableError as problem:
            raise UndecodableError(str(problem), number, problem.short) from None


def json(raw: bytes | msgspec.Raw, kind: type[T]) -> T:
    """One JSON document.

    Raises:
        UndecodableError: it is not what it should be.
    """
    return Decoder(kind).decode(raw)


def loose_json(raw: bytes) -> Any:
    """One JSON document of any kind, in which numbers may be ``NaN`` and ``Infinity``.

    Raises:
        UndecodableError: it is not what it should be.
    """
    try:
        return stdlib_json.loads(raw)
    except FAILURES as problem:
        raise plain_words.of_json(raw, Any, problem) from None


def read_json(path: Path, kind: type[T]) -> T:
    """The JSON document in a file of a folder.

    Raises:
        UndecodableError: there is none, it cannot be read, or it is not what it should be.
    """
    return json(read_file(path), kind)


def read_file(path: Path, largest: int = LARGEST) -> bytes:
    """The bytes of a file of a folder; a pipe or a device in its place is not waited for.

    Args:
        path: of the file.
        largest: bytes it may have.

    Raises:
        UndecodableError: it cannot be read, or is larger.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            there = os.fstat(file.fileno())
            if not stat.S_ISREG(there.st_mode):
                raise UndecodableError("it is not a file")
            size = there.st_size
            raw = file.read(size + 1) if size <= largest else b""  # not `largest`: that much memory is taken at once
            if len(raw) > size:  # grown since, or of a file system that states no sizes
                raw += file.read(largest)
            if max(size, len(raw)) > largest:
                raise UndecodableError(f"it is larger than {largest:,} bytes")
            return raw
    except IsADirectoryError:
        raise UndecodableError("it is not a file") from None
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "no file can have that name"
        raise UndecodableError(f"it cannot be read ({why})") from problem


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A file that is read piece by piece; a shortage of the machine is none of its faults and passes through.

    Raises:
        UndecodableError: it cannot be opened, or not be read to its end.
    """
    try:
        with path.open("rb") as file:
            yield file
    except OSError as problem:
        if short_of(problem):
            raise
        raise UndecodableError(f"it cannot be read ({problem.strerror})") from problem


def toml(raw: bytes, kind: type[T]) -> T:
    """One TOML document.

    Raises:
        UndecodableError: it is not what it should be.
    """
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if len(raw) > LARGEST_TOML:
        raise UndecodableError(f"more than {LARGEST_TOML:,} bytes; a few thousand are meant")
    bare = _TEXTS.sub(lambda text: b"q" + b"\n" * text[0].count(b"\n"), raw)
    if found := _DOTTED.search(bare):
        line = bare.count(b"\n", 0, found.start()) + 1
        raise UndecodableError(f"a key of more than {MOST_PARTS} parts; a few are meant", line)
    try:
        return msgspec.toml.decode(raw, type=kind)
    except FAILURES as problem:
        raise plain_words.of_toml(raw, kind, problem) from None


def json_or_toml(raw: bytes) -> dict[str, Any]:
    """A JSON object in which no key stands twice, or a TOML document; what JSON can read is JSON.

    Raises:
        UndecodableError: it is neither.
    """
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if not keys_once(raw) and not raw.lstrip().startswith(b"{"):
        return toml(raw, dict[str, Any])
    return json(raw, dict[str, Any])


def keys_once(raw: bytes) -> bool:
    """Whether this is JSON at all, in which no key of an object stands twice: of two, decoders take the last.

    Raises:
        UndecodableError: a key stands twice.
    """
    try:
        stdlib_json.loads(raw, object_pairs_hook=_once)
    except FAILURES:
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise UndecodableError(f"the key '{shown(name)}' stands twice")
        seen.add(name)


def written(value: Any) -> bytes:
    """A value that was decoded leniently, as JSON.

    Raises:
        UndecodableError: it holds what cannot be written, such as half a character.
    """
    try:
        return msgspec.json.encode(value)
    except FAILURES as problem:
        raise plain_words.of_values(value, Any, problem) from None


def text(raw: bytes) -> str:
    """UTF-8 text, without the byte-order mark that some programs put before it.

    Raises:
        UndecodableError: it is something else; names the line.
    """
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        raise plain_words.of_text(raw) from None


def convert(value: Any, kind: type[T], *, strict: bool = False) -> T:
    """Decoded values as a ``kind``.

    Args:
        value: decoded without types.
        kind: type that it should have.
        strict: whether texts that are numbers stay texts; else they become numbers, as in a cell of a table.

    Raises:
        UndecodableError: they are not what they should be.
    """
    try:
        return msgspec.convert(value, kind, strict=strict)
    except FAILURES as problem:
        raise plain_words.of_values(value, kind, problem) from None


def csv_rows(path: Path, delimiter: str, *, lenient: bool = False) -> Iterator[list[str]]:
    """The rows of a CSV file, the header among them; read leniently, `plain_words.of_cell` tells of other bytes.

    Raises:
        UndecodableError: it cannot be read, it is not UTF-8, or its quotes are not closed; names the line.
    """
    with opened(path) as raw:
        lenient = lenient and raw.read(2) not in plain_words.UTF_16
        raw.seek(0)
        file = io.TextIOWrapper(raw, "utf-8-sig", "surrogateescape" if lenient else "strict", newline="")
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            yield from rows
        except UnicodeDecodeError:
            raise plain_words.of_text(path.read_bytes()) from None
        except csv.Error as problem:
            raise UndecodableError(plain_words.of_csv(problem), rows.line_num) from None


def cells(raw: bytes, delimiter: str) -> list[str]:
    """The cells of one row of CSV.

    Raises:
        UndecodableError: it is not UTF-8 or not CSV; `plain_words.OPEN_QUOTE` if its last quote is not closed.
    """
    try:
        return next(csv.reader([text(raw)], delimiter=delimiter, strict=True), [])
    except csv.Error as problem:
        raise UndecodableError(plain_words.of_csv(problem)) from None
