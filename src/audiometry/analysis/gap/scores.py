"""Static scores of systems as a table: from a file, or (see `runs`) from run folders."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.bench import table_rows
from audiometry.bench.cells import text_of
from audiometry.errors import UndecodableError, UsageError, counted, shown, suggestion
from audiometry.files import foreign, presence

Floats = NDArray[np.float64]

COLUMNS: Final = ("system", "benchmark", "score")
MORE: Final = ("n_items", "category", "direction", "error")
RATING: Final = ("system", "rating")
_NONE: Final = frozenset({"", "-", "–", "—", "na", "n/a", "nan", "none", "null"})
_COMMA: Final = re.compile(r"([+-]?\d{0,9}),(\d{1,9})")
_LARGEST: Final = 1e100
_SAID: Final = 5  # lines that are quoted
MOST: Final = 1_000  # systems, as many as votes can rank, and benchmarks


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """The score of one system on one benchmark.

    Attributes:
        system, benchmark: names.
        score: None where it is missing.
        error: its standard error; None where it is not known.
        n_items: items that it is of; None where that is not known.
        category: of the benchmark; empty: not known.
        lower: whether less is better.
    """

    system: str
    benchmark: str
    score: float | None
    error: float | None = None
    n_items: int | None = None
    category: str = ""
    lower: bool = False


class ScoreTable(msgspec.Struct, frozen=True, kw_only=True):
    """Scores of systems on benchmarks.

    Attributes:
        systems, benchmarks: names, in order of first appearance.
        values: ``float64[systems, benchmarks]``, NaN where missing.
        errors: standard errors, NaN where not known.
        n_items: by benchmark, of its scores at most; None where not known.
        category: by benchmark; empty: not known.
        lower: ``bool[benchmarks]``, whether less is better.
        n_unread: rows that could not be used.
        notes: what was passed over or read in another form, a line each.
        source: what it was made of.
    """

    systems: tuple[str, ...]
    benchmarks: tuple[str, ...]
    values: Floats
    errors: Floats
    n_items: tuple[int | None, ...]
    category: tuple[str, ...]
    lower: tuple[bool, ...]
    n_unread: int = 0
    notes: tuple[str, ...] = ()
    source: str = ""


def from_file(path: Path, *, rating: bool = False) -> ScoreTable:
    """Scores of a CSV or JSON lines file with ``system``, ``benchmark`` and ``score``.

    It may also say ``n_items``, ``category``, ``direction`` (``up`` or ``down``: less is better) and ``error``, the
    score's standard error. A row that cannot be used is counted and told; an empty score is a missing cell.

    Args:
        path: of the file.
        rating: it holds ratings instead, ``system`` and ``rating``: a table of one column.

    Raises:
        UsageError: a column is missing, or no row can be used.
        BenchmarkError: it is no such file.
    """
    notes: list[str] = []
    cells: list[Cell] = []
    bad: dict[str, list[tuple[str, str]]] = {}  # by reason, where and what in full
    columns = RATING if rating else COLUMNS
    for where, row in table_rows.read(path, _kind(path, columns), (*columns, *MORE), notes, lenient=True):
        if table_rows.UNREAD not in row and (missing := [name for name in columns if name not in row]):
            if cells or bad:
                bad.setdefault(why := f"has no {missing[0]}", []).append((where, why))
                continue
            near = suggestion(missing[0], [str(name) for name in row if name])
            raise UsageError(
                f"{path}: there is no column '{missing[0]}'; {near.replace('known: ', 'it has ', 1)}; a row is one "
                + ("system's rating" if rating else "system's score on one benchmark")
            )
        try:
            cells.append(_cell({**row, "benchmark": "rating", "score": row.get("rating")} if rating else row))
        except ValueError as problem:
            why = str(problem.args[-1])
            why = why.replace("its score", "its rating", 1) if rating else why
            bad.setdefault(problem.args[0], []).append((where, why))
    n_bad = sum(map(len, bad.values()))
    for places in bad.values():
        first, why = places[0][0].removeprefix(f"{path}, "), places[0][1]
        notes.append(f"{path.name}: {counted(len(places), 'row')} not used, {first} first: {why}")
    if not cells:
        raise UsageError(f"{path}: no row can be used" + (f"; {notes[-1]}" if n_bad else "; it has none"))
    return table(cells, notes=notes, n_unread=n_bad, source=str(path))


def has_column(path: Path, name: str) -> bool:
    """Whether a CSV or JSON lines file has this column, as its first row says.

    Raises:
        UsageError: it cannot be read.
        BenchmarkError: it is no such file.
    """
    rows = table_rows.read(path, _kind(path, (name,)), (name,), [], lenient=True)
    return name in next(rows, ("", {}))[1]


def _kind(path: Path, columns: Sequence[str]) -> str:
    if presence.exists(path) and not (presence.is_file(path) or presence.is_folder(path)):  # a pipe is read but once
        raise UsageError(f"{path} is a device or a pipe; give a file, CSV or JSON lines with {', '.join(columns)}")
    try:
        with foreign.opened(path) as file:
            start = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    except UndecodableError as problem:
        raise UsageError(f"{problem.at(path)}; give CSV or JSON lines with {', '.join(columns)}") from None
    return "json" if start in {b"{", b"["} else "tsv" if path.suffix == ".tsv" else "csv"


def _cell(row: Mapping[str, Any]) -> Cell:
    """A row.

    Raises:
        ValueError: why it cannot be used; last among its arguments with what stands there.
    """
    if table_rows.UNREAD in row:
        raise ValueError(row[table_rows.UNREAD])
    if table_rows.TOO_MANY in row:
        raise ValueError(f"it {row[table_rows.TOO_MANY]}")
    system, benchmark = (text_of(row.get(name)).strip() for name in ("system", "benchmark"))
    for name, value in (("system", system), ("benchmark", benchmark)):
        if not value:
            raise ValueError(f"its {name} is empty")
    direction = text_of(row.get("direction")).strip().casefold()
    if direction not in {"", "up", "down"}:
        raise ValueError("its direction is none", f"its direction '{shown(direction, 40)}' is neither up nor down")
    n_items = _number(row.get("n_items"), "n_items", least=0.0)
    return Cell(
        system=system,
        benchmark=benchmark,
        score=_number(row.get("score"), "score"),
        error=_number(row.get("error"), "error", least=0.0),
        n_items=None if n_items is None else round(n_items),
        category=text_of(row.get("category")).strip(),
        lower=direction == "down",
    )


def _number(value: Any, name: str, least: float = -_LARGEST) -> float | None:
    """A finite number; None for an empty cell."""
    text = str(value).lower() if isinstance(value, bool) else text_of(value).strip()
    if text.casefold() in _NONE:
        return None
    try:
        found = float(text.removesuffix("%"))
    except ValueError:
        comma = _COMMA.fullmatch(text)
        told = f"has a decimal comma: write {comma[1]}.{comma[2]}" if comma else "is not a number"
        raise ValueError(f"its {name} {bool(comma)}", f"its {name} '{shown(text, 40)}' {told}") from None
    if not math.isfinite(found) or not least <= found <= _LARGEST:
        raise ValueError(f"its {name} lies", f"its {name} {shown(text, 40)} is out of range")
    return found


def table(cells: Iterable[Cell], *, notes: Sequence[str] = (), n_unread: int = 0, source: str = "") -> ScoreTable:
    """Cells put in rows and columns; of two that contradict each other neither counts, and that is told.

    Args:
        cells: in any order.
        notes: what was found before.
        n_unread: rows that could not be used.
        source: what they were made of.
    """
    told, by_place = list(notes), dict[tuple[str, str], list[Cell]]()
    for cell in cells:
        by_place.setdefault((cell.benchmark, cell.system), []).append(cell)
    systems, benchmarks = (_numbered(place[at] for place in by_place) for at in (1, 0))
    for names, what in ((systems, "systems"), (benchmarks, "benchmarks")):
        if len(names) > MOST:
            where = source or "the table"
            raise UsageError(f"{where} names more than {MOST:,} {what}: is that the column that is meant?")
    values, errors = (np.full((len(systems), len(benchmarks)), np.nan) for _ in range(2))
    twice: list[str] = []
    for (benchmark, system), each in by_place.items():
        place = systems[system], benchmarks[benchmark]
        given = {cell.score for cell in each if cell.score is not None}
        if len(given) > 1:
            twice.append(f"{shown(system, 40)} on {shown(benchmark, 40)}")
        elif given:
            values[place] = given.pop()
            errors[place] = next((cell.error for cell in each if cell.error is not None), np.nan)
    if twice:
        more = f" and {len(twice) - _SAID} more" if len(twice) > _SAID else ""
        told.append(
            f"{counted(len(twice), 'score')} given twice with other numbers, so neither counts: "
            f"{', '.join(twice[:_SAID])}{more}"
        )
    of: dict[str, list[Cell]] = {name: [] for name in benchmarks}
    for (benchmark, _), each in by_place.items():
        of[benchmark] += each
    return ScoreTable(
        systems=tuple(systems),
        benchmarks=tuple(benchmarks),
        values=values,
        errors=errors,
        n_items=tuple(
            max((cell.n_items for cell in of[name] if cell.n_items is not None), default=None) for name in benchmarks
        ),
        category=tuple(next((cell.category for cell in of[name] if cell.category), "") for name in benchmarks),
        lower=tuple(any(cell.lower for cell in of[name]) for name in benchmarks),
        n_unread=n_unread,
        notes=tuple(told),
        source=source,
    )


def _numbered(names: Iterable[str]) -> dict[str, int]:
    """Numbers by first appearance."""
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


def renamed(scores: ScoreTable, names: Mapping[str, str]) -> ScoreTable:
    """The table with some systems under other names.

    Args:
        scores: the table.
        names: of systems, by how they are called in the table.

    Raises:
        UsageError: a name is not there, or two systems would have one.
    """
    for name in names:
        if name not in scores.systems:
            raise UsageError(
                f"no scores of '{shown(name)}'; {suggestion(name, scores.systems) or 'the table has no system'}"
            )
    systems = tuple(names.get(name, name) for name in scores.systems)
    if len(set(systems)) < len(systems):
        raise UsageError("two systems of the scores would have one name; give each its own")
    return msgspec.structs.replace(scores, systems=systems)


def lower_is_better(scores: ScoreTable, names: Sequence[str]) -> ScoreTable:
    """The table with these benchmarks marked as those of which less is better.

    Raises:
        UsageError: there is no benchmark of that name.
    """
    for name in names:
        if name not in scores.benchmarks:
            raise UsageError(f"no scores on '{shown(name)}'; {suggestion(name, scores.benchmarks)}")
    both = zip(scores.benchmarks, scores.lower, strict=True)
    return msgspec.structs.replace(scores, lower=tuple(lower or name in names for name, lower in both))
