"""Lines of vote files, JSON, CSV or parquet, from hostile hands: columns of cells, some thousand lines at a time."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from audiometry.errors import UndecodableError, UsageError, shown, suggestion
from audiometry.files import foreign, foreign_lines, parquet
from audiometry.files.foreign_lines import LONGEST, Lines, too_long

BLOCK: Final = 1 << 18  # bytes of lines that are looked at together
ROWS: Final = 1 << 14  # rows of parquet, the same
NEEDED: Final = ("model_a", "model_b")
COUNTS: Final = ("a_wins", "b_wins", "ties", "both_bad", "n")
"""Columns of a table of pair counts, in which ``n`` may say the sum."""
FORM: Final = "JSON lines, CSV or parquet with model_a, model_b and winner, or with model_a, model_b, a_wins and b_wins"
_WORDS: Final = frozenset({*NEEDED, *COUNTS, "winner", "length_a", "length_b", "latency_a", "latency_b"})
_SHOWN: Final = 120  # characters of a first line that is none of ours
_PARQUET: Final = b"PAR1"
_BLANK: Final = re.compile(rb"(?<=[a-z])[ -](?=[a-z])")  # within a name of a header

Cells: TypeAlias = Sequence[Any]


class Batch(msgspec.Struct):
    """Some lines of a file, column by column.

    Attributes:
        lines: their numbers, from 1.
        cells: by column, one a line: a text, a number, a list of texts, or None.
        unread: numbers of lines that cannot be read, and why.
        reached: bytes of the file, or rows of parquet, that are read.
        names: of JSON lines, in the first batch: what the first line says, in small letters.
    """

    lines: Sequence[int]
    cells: dict[str, Cells]
    unread: list[tuple[int, str]] = msgspec.field(default_factory=list)
    reached: int = 0
    names: tuple[str, ...] = ()


def batches(path: Path, wanted: Sequence[str]) -> Iterator[Batch]:
    """All lines of a vote file.

    Args:
        path: of the file, which may be a pipe but for parquet.
        wanted: columns that are kept, in small letters; those that a file does not have are in no batch.

    Raises:
        UsageError: it cannot be read, or is no vote file.
    """
    with foreign_lines.opened(path, "a vote file", FORM) as file:
        lines = Lines(file)
        while (line := lines.next()) is not None:
            start = (line[1].removeprefix(b"\xef\xbb\xbf") if line[0] == 1 else line[1]).strip()
            if not start:
                continue
            if start.startswith(_PARQUET):
                yield from _of_parquet(path, wanted)
            elif start.startswith(b"{"):
                yield from _of_json(lines, line[0], start, wanted)
            else:
                yield from _of_csv(lines, *_header(path, start), wanted)
            return
    raise UsageError(f"{path} is empty: no votes; give {FORM}")


def needed(path: Path, names: Sequence[str]) -> None:
    """Refuse columns without those of votes or of pair counts.

    Raises:
        UsageError: one is missing, or stands twice.
    """
    if twice := next((name for name in names if name and names.count(name) > 1), ""):
        raise UsageError(
            f"{path} has more than one column {shown(twice, 40)}; leave one, so that it is known which counts"
        )
    lacks = [name for name in NEEDED if name not in names]
    if not lacks and "winner" not in names:
        lacks = [name for name in COUNTS[:2] if name not in names]
        lacks = ["winner"] if len(lacks) == len(COUNTS[:2]) else lacks
    if lacks:
        near = suggestion(lacks[0], [name for name in names if name not in _WORDS]).replace("known: ", "it has ", 1)
        raise UsageError(f"{path} has no column {lacks[0]}; {near or 'add it'}; a vote file is {FORM}")


def _header(path: Path, start: bytes) -> tuple[str, list[str]]:
    if start.startswith(b"["):
        raise UsageError(f"{path} is a JSON list; write one object a line, as `jq -c '.[]'` does")
    if what := foreign_lines.no_utf8(start):
        raise UsageError(f"{path} {what}")
    for column in (*NEEDED, "winner"):
        delimiter, names = foreign_lines.header(_BLANK.sub(b"_", start.lower()), (column,))
        if names:
            break
    else:
        first = shown(start.decode(errors="replace"), _SHOWN)
        raise UsageError(f"{path} is no vote file; give {FORM} (its first line: {first})")
    given = [name.strip().strip('"') for name in start.lower().decode(errors="replace").split(delimiter)]
    names = [one if one in _WORDS else other for one, other in zip(names, given, strict=True)]
    needed(path, names)
    return delimiter, names


def _of_csv(lines: Lines, delimiter: str, names: list[str], wanted: Sequence[str]) -> Iterator[Batch]:
    places = {name: names.index(name) for name in wanted if name in names}
    reached = 0
    while (block := lines.block(BLOCK))[1]:
        first, raw = block
        reached += len(raw)
        batch = _rows_at_once(first, raw, delimiter, len(names)) or _rows_one_by_one(
            lines, first, raw, delimiter, len(names)
        )
        numbers, rows, unread = batch
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        yield Batch(numbers, {name: columns[at] for name, at in places.items()}, unread, reached)


_Rows: TypeAlias = tuple[Sequence[int], list[list[str]], list[tuple[int, str]]]


def _rows_at_once(first: int, raw: bytes, delimiter: str, width: int) -> _Rows | None:
    """The rows of whole lines; None if any of them is not as it should be."""
    try:
        text = raw.decode()
        reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, strict=True)
        if '"' in text:
            rows, before = list[list[str]](), first
            numbers: Sequence[int] = (counted := list[int]())
            for row in reader:
                rows.append(row)
                counted.append(before)
                before = first + reader.line_num
        else:
            rows = list(reader)
            numbers = range(first, first + len(rows))
    except (UnicodeDecodeError, csv.Error):
        return None
    return (numbers, rows, []) if set(map(len, rows)) == {width} else None


def _rows_one_by_one(lines: Lines, first: int, raw: bytes, delimiter: str, width: int) -> _Rows:
    """The same where one may be broken, which is told and costs no other."""
    waiting = deque(enumerate(raw.splitlines(keepends=True) if b"\r" not in raw else _split(raw), first))
    numbers, rows, unread = list[int](), list[list[str]](), list[tuple[int, str]]()
    for number, found in foreign_lines.csv_rows(waiting, lines.next, delimiter):
        if isinstance(found, UndecodableError):
            unread.append((number, found.short))
        elif not any(cell.strip() for cell in found):
            continue
        elif len(found) != width:
            unread.append((number, f"{'more' if len(found) > width else 'fewer'} cells than the header has"))
        else:
            numbers.append(number)
            rows.append(found)
    return numbers, rows, unread


def _split(raw: bytes) -> list[bytes]:
    """Lines that end with a newline alone."""
    parts = raw.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + [part for part in parts[-1:] if part]


_Cell: TypeAlias = str | int | float | bool | list[str] | None


def _of_json(lines: Lines, number: int, start: bytes, wanted: Sequence[str]) -> Iterator[Batch]:
    fields = {name: f"_{at}" for at, name in enumerate(wanted)}  # a column may be called as no attribute can be
    typed, called = [(field, _Cell, None) for field in fields.values()], dict(zip(fields.values(), wanted, strict=True))
    kind = msgspec.defstruct("VoteLine", typed, gc=False, rename=called)
    decoder, loose = foreign.Decoder(kind), foreign.Decoder(dict[str, Any])
    several, columns = msgspec.json.Decoder(kind), {name: attrgetter(field) for name, field in fields.items()}
    reached, block, names = 0, (number, start + b"\n"), _names(start, loose)
    while block[1]:
        first, raw = block
        reached += len(raw)
        numbers: Sequence[int] = range(first, first + raw.count(b"\n") + (not raw.endswith(b"\n")))
        unread: list[tuple[int, str]] = []
        try:
            found = several.decode_lines(raw)
        except foreign.FAILURES:
            found = []
        if len(found) != len(numbers):
            numbers, found = [], []
            for at, line in enumerate(_split(raw), first):
                if line.strip():
                    one = _vote_line(line, decoder, loose, fields)
                    if isinstance(one, str):
                        unread.append((at, one))
                    else:
                        numbers.append(at)
                        found.append(one)
        cells = {name: list(map(column, found)) for name, column in columns.items()}
        said: dict[str, Cells] = {name: some for name, some in cells.items() if some.count(None) < len(some)}
        yield Batch(numbers, said, unread, reached, names)
        block, names = lines.block(BLOCK), ()


def _names(start: bytes, loose: foreign.Decoder[dict[str, Any]]) -> tuple[str, ...]:
    try:
        return tuple(map(str.lower, loose.decode(start)))
    except UndecodableError:
        return ()


def _vote_line(
    raw: bytes, decoder: foreign.Decoder[Any], loose: foreign.Decoder[dict[str, Any]], fields: Mapping[str, str]
) -> Any:
    """One line, without values that are no texts and numbers; or what is wrong with it."""
    if too_long(raw):
        return f"longer than {LONGEST:,} bytes"
    try:
        return decoder.decode(raw)
    except UndecodableError as problem:
        try:
            said = loose.decode(raw)
        except UndecodableError:
            torn = "" if raw.endswith(b"\n") else "torn (no newline at its end): "
            return f"{torn}{problem.short}"
    return decoder.kind(**{fields[name]: value for name, value in said.items() if name in fields and _is_cell(value)})


def _is_cell(value: Any) -> bool:
    return isinstance(value, str | int | float) or (isinstance(value, list) and all(isinstance(x, str) for x in value))


def _of_parquet(path: Path, wanted: Sequence[str]) -> Iterator[Batch]:
    with parquet.reading(path, UsageError, "it begins as parquet does; write it anew", "write dates as text"):
        table = parquet.opened(path)
        names = [str(name) for name in table.schema_arrow.names]
        needed(path, [name.casefold() for name in names])
        places = {name.casefold(): name for name in names}
        kept = {name: places[name] for name in wanted if name in places}
        row = 0
        for batch in table.iter_batches(batch_size=ROWS, columns=list(kept.values()), use_threads=False):
            cells = {name: batch.column(own).to_pylist() for name, own in kept.items()}
            yield Batch(range(row + 1, row + 1 + batch.num_rows), cells, [], row)
            row += batch.num_rows


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Every line of a vote file with all its columns as they stand, and its number; None for one that cannot be read.

    Args:
        path: of the file.

    Raises:
        UsageError: it cannot be read, or is no vote file.
    """
    with foreign_lines.opened(path, "a vote file", FORM) as file:
        lines = Lines(file)
        for number, raw in lines:
            start = (raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw).strip()
            if not start:
                continue
            if start.startswith(_PARQUET):
                yield from _parquet_rows(path)
            elif start.startswith(b"{"):
                yield from ((at, _object(one)) for at, one in chain([(number, start)], lines) if one.strip())
            else:
                yield from _csv_rows(lines, *_header(path, start))
            return


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found = None if too_long(raw) else foreign.loose_json(raw)
    except UndecodableError:
        return None
    return found if isinstance(found, dict) else None


def _csv_rows(lines: Lines, delimiter: str, names: list[str]) -> Iterator[tuple[int, dict[str, Any] | None]]:
    while (line := lines.next()) is not None:
        for number, found in foreign_lines.csv_rows(deque([line]), lines.next, delimiter):
            if isinstance(found, UndecodableError) or len(found) != len(names):
                yield number, None
            elif any(cell.strip() for cell in found):
                yield number, {name: cell for name, cell in zip(names, found, strict=True) if cell.strip()}


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    with parquet.reading(path, UsageError, "it begins as parquet does; write it anew", "write dates as text"):
        row = 0
        for batch in parquet.opened(path).iter_batches(batch_size=ROWS, use_threads=False):
            for row, cells in enumerate(batch.to_pylist(), row + 1):  # noqa: B020  goes on where it was
                yield row, {name: cell for name, cell in cells.items() if cell is not None}
