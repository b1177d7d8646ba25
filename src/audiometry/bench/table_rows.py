"""The rows of tables in CSV, TSV and JSON, each with its place in its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, TypeAlias

from audiometry.errors import BenchmarkError, UndecodableError, shown
from audiometry.files import foreign, plain_words

Row: TypeAlias = dict[str, Any]
DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
TOO_MANY: Final = ""
"""Key of the cells of a row that has more of them than the header."""
UNREAD: Final = "\0"
"""Key of what is wrong with a row that cannot be read, where the others are."""
_CALLED: Final = {",": "commas", ";": "semicolons", "\t": "tabs"}
_HEADER: Final = 1 << 16  # bytes of a header that are looked at


def read(
    path: Path, kind: str, wanted: Sequence[str], notes: list[str], keyed: str = "", *, lenient: bool = False
) -> Iterator[tuple[str, Row]]:
    """The rows of a table, each with its place: ``rows.csv, line 3``.

    Args:
        path: of the table.
        kind: ``csv``, ``tsv`` or ``json`` (an array, or lines).
        wanted: columns that are looked for; a header in another case or with blanks around it is taken for them.
        notes: gets a line on each thing that was not as it was said to be.
        keyed: of JSON that is one object of rows, the column that their keys are; empty: it is an array, or lines.
        lenient: a row of CSV or of JSON lines that cannot be decoded is given as what is wrong with it (`UNREAD`).

    Raises:
        BenchmarkError: it cannot be read; says where and what to do.
    """
    try:
        if kind == "json":
            yield from _keyed_rows(path, keyed) if keyed else _json_rows(path, lenient=lenient)
        else:
            yield from _csv_rows(path, _delimiter(path, kind, notes), wanted, notes, lenient=lenient)
    except UndecodableError as problem:
        lines = "one JSON object of objects" if keyed else "a JSON array or JSON lines of objects"
        form = lines if kind == "json" else "CSV with a header, in UTF-8,"
        raise BenchmarkError(f"{problem.at(path)}; {form} is needed") from None


def _json_rows(path: Path, *, lenient: bool) -> Iterator[tuple[str, Row]]:
    raw = foreign.read_file(path, foreign.LARGEST_TABLE)
    if raw.lstrip()[:1] == b"[":
        foreign.keys_once(raw)
        for number, row in enumerate(foreign.json(raw, list[Row]), 1):
            yield f"{path}, row {number}", row
        return
    decode = foreign.Decoder(Row).decode
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            try:
                foreign.keys_once(line)
                yield f"{path}, line {number}", decode(line)
            except UndecodableError as problem:
                if not lenient:
                    raise UndecodableError(str(problem), number, problem.short) from None
                yield f"{path}, line {number}", {UNREAD: f"cannot be read ({problem.short}); correct the line"}


def _keyed_rows(path: Path, column: str) -> Iterator[tuple[str, Row]]:
    raw = foreign.read_file(path, foreign.LARGEST_TABLE)
    foreign.keys_once(raw)
    for key, row in foreign.json(raw, dict[str, Row]).items():
        yield f"{path}, key '{shown(key, 40)}'", row | {column: key}


def _delimiter(path: Path, kind: str, notes: list[str]) -> str:
    """What separates the cells: what the card says, unless the header has another separator and not that one."""
    said = DELIMITERS[kind]
    with foreign.opened(path) as file:
        header = file.readline(_HEADER)
    counts = {mark: header.count(mark.encode()) for mark in _CALLED}
    found = max(counts, key=lambda mark: counts[mark])
    if counts[said] or not counts[found]:
        return said
    notes.append(f"{path.name}: cells are separated by {_CALLED[found]}; they are read so")
    return found


def _csv_rows(
    path: Path, delimiter: str, wanted: Sequence[str], notes: list[str], *, lenient: bool
) -> Iterator[tuple[str, Row]]:
    rows = foreign.csv_rows(path, delimiter, lenient=lenient)
    line = 1
    for header in rows:
        line += 1 + _newlines(header)
        if any(cell.strip() for cell in header):
            break
    else:
        return
    names = _names(path, header, wanted, notes)
    for cells in rows:
        if any(cell.strip() for cell in cells):
            row = dict(zip_longest(names, cells[: len(names)]))
            row.pop("", None)
            if any(cell.strip() for cell in cells[len(names) :]):
                row[TOO_MANY] = f"has {len(cells)} cells where the header has {len(names)}"
            if lenient and (bad := next(filter(None, map(plain_words.of_cell, cells)), "")):
                row = {UNREAD: f"is {bad}"}
            yield f"{path}, line {line}", row
        line += 1 + _newlines(cells)


def _newlines(cells: Sequence[str]) -> int:
    return sum(cell.count("\n") for cell in cells)


def _names(path: Path, header: Sequence[str], wanted: Sequence[str], notes: list[str]) -> list[str]:
    """The names of the columns; one that differs from a wanted one only in case or blanks is taken for it."""
    folded = {name.strip().casefold(): name for name in wanted if name not in header}
    names = [folded.get(name.strip().casefold(), name) if name not in wanted else name for name in header]
    twice = [name for name, n in Counter(names).items() if n > 1 and name.strip()]
    if twice:
        raise BenchmarkError(f"{path}: has the column '{shown(twice[0])}' twice; rename one")
    other = [(was.strip(), name) for was, name in zip(header, names, strict=True) if was != name]
    read_as = [f"'{shown(was)}' as '{shown(name)}'" for was, name in other if was != name] or ["without their blanks"]
    if other:
        notes.append(f"{path.name}: names of columns are read in another form, {', '.join(read_as)}; rename them")
    return [name if name.strip() else "" for name in names]
