"""Rating files as a format: JSON lines or CSV of what people, judges and metrics say of replies.

Read line by line into columns, so that a file larger than the memory its text would need is no trouble. A line that
cannot be used is counted with its number and the reason, and the others count.
"""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import RunFolderError, UsageError, shown
from audiometry.files.run_folder import RunFolder
from audiometry.records import RatingLine

Codes = NDArray[np.int64]

WHATS: Final = ("score", "choice", "preferred")
ORDERS: Final = ("", "reference-first", "reference-second")
LONGEST: Final = 1_000_000  # bytes of a line
LARGEST: Final = 1e9  # a score beyond it is on no scale, and its square leaves no digits to compare
EXAMPLES: Final = 3  # unread lines that are kept, of each file
_DELIMITERS = ",;\t"
_NAMES = ("item", "rater", "model", "model_a", "model_b")
_SIDES = {"a": 1.0, "b": -1.0, "equal": 0.0}


class Unread(msgspec.Struct, frozen=True):
    """A line that cannot be used: its number, from 1, and why."""

    line: int
    why: str


class Source(msgspec.Struct, kw_only=True):
    """A file that was read.

    Attributes:
        path: of the file.
        n_ratings: ratings in it.
        n_unread: lines that cannot be used.
        unread: the first few of them.
    """

    path: str
    n_ratings: int = 0
    n_unread: int = 0
    unread: list[Unread] = msgspec.field(default_factory=list)


class Ratings(msgspec.Struct, frozen=True, kw_only=True):
    """All ratings in columns; codes are places in the lists of names.

    Attributes:
        sources: the files.
        items, raters, models, orders: the names; ``models[0]`` is empty, and ``orders`` begins with `ORDERS`.
        kinds: of each rater, ``person``, ``judge`` or ``metric``.
        item, rater, order: ``int64[n]``.
        model: ``int64[n]``, whose reply; for a preference ``model_a``.
        other: ``int64[n]``, ``model_b`` of a preference, else 0.
        what: ``int64[n]``, the place in `WHATS`.
        value: ``float64[n]``: the score, the letter from 0 for A, or 1 for a, 0 for equal, -1 for b.
        known_items, known_models: of the run folders among the files; None if there is none.
        two_kinds: raters who were said to be of more than one kind.
    """

    sources: list[Source]
    items: list[str]
    raters: list[str]
    models: list[str]
    orders: list[str]
    kinds: list[str]
    item: Codes
    rater: Codes
    model: Codes
    other: Codes
    order: Codes
    what: Codes
    value: NDArray[np.float64]
    known_items: frozenset[str] | None = None
    known_models: frozenset[str] | None = None
    two_kinds: list[str] = []


def read(paths: Iterable[Path]) -> Ratings:
    """Read rating files, and the ratings of run folders.

    Args:
        paths: JSON lines, CSV (comma, semicolon or tab), or run folders, whose ``ratings/*.jsonl`` are read.

    Raises:
        UsageError: a file is missing, empty, or holds no rating at all; a folder is no run or has no ratings.
        RunFolderError: a run folder is damaged.
    """
    reader = _Reader()
    seen: set[Path] = set()
    known_items: set[str] = set()
    known_models: set[str] = set()
    folders = 0
    for path in paths:
        if path.resolve() in seen:
            raise UsageError(f"{path} is given twice; give each file once")
        seen.add(path.resolve())
        if not path.is_dir():
            reader.read(path)
            continue
        folders += 1
        for found in _of_run(path, known_items, known_models):
            reader.read(found)
    return reader.ratings(frozenset(known_items) if folders else None, frozenset(known_models) if folders else None)


def _of_run(path: Path, items: set[str], models: set[str]) -> list[Path]:
    """The rating files of a run folder; its items and its model are added to the sets."""
    folder = RunFolder(path)
    try:
        models.add(folder.info().model)
    except RunFolderError as problem:
        raise UsageError(f"{path} is neither a rating file nor a run folder: {problem}") from problem
    items.update(reply.item for reply in folder.replies())
    found = sorted((path / "ratings").glob("*.jsonl"))
    if not found:
        raise UsageError(f"{path} holds no ratings yet; `audiometry score {path}` with --judge or --metric writes them")
    return found


class _Reader:
    """Takes ratings in and gives every name a number."""

    def __init__(self) -> None:
        self._sources: list[Source] = []
        self._items: dict[str, int] = {}
        self._raters: dict[str, int] = {}
        self._models: dict[str, int] = {"": 0}
        self._orders: dict[str, int] = {name: code for code, name in enumerate(ORDERS)}
        self._kinds: list[str] = []
        self._two_kinds: dict[str, None] = {}
        self._columns = {name: array("q") for name in ("item", "rater", "model", "other", "order", "what")}
        self._value = array("d")

    def ratings(self, known_items: frozenset[str] | None, known_models: frozenset[str] | None) -> Ratings:
        """All that was read."""
        columns = {name: np.array(column, np.int64) for name, column in self._columns.items()}
        return Ratings(
            sources=self._sources,
            items=list(self._items),
            raters=list(self._raters),
            models=list(self._models),
            orders=list(self._orders),
            kinds=self._kinds,
            value=np.array(self._value, np.float64),
            known_items=known_items,
            known_models=known_models,
            two_kinds=list(self._two_kinds),
            **columns,
        )

    def read(self, path: Path) -> None:
        """Read one file."""
        source = Source(path=str(path))
        try:
            if path.is_char_device() or path.is_block_device():
                raise UsageError(f"{path} is a device, not a rating file; give JSON lines, CSV or a run folder")
            with path.open("rb") as file:
                for number, line in _parsed(_lines(file), path):
                    why = line if isinstance(line, str) else self._take(line)
                    if why:
                        source.n_unread += 1
                        if len(source.unread) < EXAMPLES:
                            source.unread.append(Unread(number, shown(why, 160)))
                    else:
                        source.n_ratings += 1
        except OSError as problem:
            raise UsageError(f"cannot read {path}: {problem.strerror}; check the name") from problem
        if not source.n_ratings:
            if not source.unread:
                raise UsageError(f"{path} is empty: no ratings; give JSON lines, CSV or a run folder")
            first = source.unread[0]
            raise UsageError(
                f"{path} holds no ratings: none of its {source.n_unread:,} lines can be used "
                f"(line {first.line}: {first.why}); see `audiometry agree --help` for the keys"
            )
        self._sources.append(source)

    def _take(self, line: RatingLine) -> str:
        """Add a line's ratings to the columns; why not, if it cannot be used."""
        if why := _unusable(line):
            return why
        item = self._items.setdefault(line.item, len(self._items))
        rater = self._rater(line.rater, line.kind)
        order = self._orders.setdefault(line.order, len(self._orders))
        model = self._models.setdefault(line.model, len(self._models))
        if line.score is not None:
            self._add(item, rater, model, 0, order, 0, line.score)
        if line.choice is not None:
            self._add(item, rater, model, 0, order, 1, float(ord(line.choice.strip().upper()) - ord("A")))
        if line.preferred is not None:
            first, second = (self._models.setdefault(name, len(self._models)) for name in (line.model_a, line.model_b))
            self._add(item, rater, first, second, order, 2, _SIDES[line.preferred])
        return ""

    def _rater(self, name: str, kind: str) -> int:
        """The rater's number; a kind other than the default one, said in any file, holds for all."""
        if name.startswith("metric:"):
            kind = "metric"
        code = self._raters.setdefault(name, len(self._raters))
        if code == len(self._kinds):
            self._kinds.append(kind)
        elif self._kinds[code] != kind:
            self._two_kinds[name] = None
            if self._kinds[code] == "person":
                self._kinds[code] = kind
        return code

    def _add(self, item: int, rater: int, model: int, other: int, order: int, what: int, value: float) -> None:
        for column, code in zip(self._columns.values(), (item, rater, model, other, order, what), strict=True):
            column.append(code)
        self._value.append(value)


def _unusable(line: RatingLine) -> str:
    """Why a line says nothing that counts; empty if it does."""
    if not line.item.strip() or not line.rater.strip():
        return f"no {'rater' if line.item.strip() else 'item'}"
    if line.score is None and line.choice is None and line.preferred is None:
        return "none of score, choice, preferred"
    return _no_score(line.score) or _no_choice(line.choice) or _no_preference(line)


def _no_score(score: float | None) -> str:
    if score is None:
        return ""
    if not math.isfinite(score):
        return f"score {score} is not finite"
    return f"score {score:g} is beyond any scale" if abs(score) > LARGEST else ""


def _no_choice(choice: str | None) -> str:
    letter = "A" if choice is None else choice.strip().upper()
    return "" if len(letter) == 1 and "A" <= letter <= "Z" else f"choice '{shown(letter, 40)}' is no letter"


def _no_preference(line: RatingLine) -> str:
    if line.preferred is None:
        return ""
    if not line.model_a or not line.model_b:
        return "preferred without model_a and model_b"
    return "preferred between a model and itself" if line.model_a == line.model_b else ""


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each line with its number; of one that is too long only the beginning."""
    number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            while line and not line.endswith(b"\n"):
                rest = file.readline(LONGEST)
                if not rest:
                    break
                line = line[:LONGEST] + rest[-1:]
            yield number, line[:LONGEST] + b"\x00\n"  # a NUL, so that it is not taken for a whole one
        else:
            yield number, line


def _parsed(lines: Iterator[tuple[int, bytes]], path: Path) -> Iterator[tuple[int, RatingLine | str]]:
    """Each line as a rating, or why it is none."""
    for number, raw in lines:
        head = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        start = head.strip()
        if not start:
            continue
        if start.startswith(b"{"):
            yield number, _from_json(head)
            yield from ((n, _from_json(line)) for n, line in lines if line.strip())
            return
        if start.startswith(b"["):
            raise UsageError(f"{path} is a JSON list; write one object a line, as `jq -c '.[]'` does")
        delimiter, header = _header(start)
        if not header:
            raise UsageError(
                f"{path} is neither a rating file nor a run folder; give JSON lines or CSV with item and rater"
            )
        yield from _from_csv(lines, header, delimiter)
        return


def _from_json(raw: bytes) -> RatingLine | str:
    try:
        return _DECODER.decode(raw)
    except msgspec.ValidationError:
        try:
            return _lenient(msgspec.json.decode(raw, type=dict[str, Any]))
        except msgspec.DecodeError as problem:
            return str(problem)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        if b"\x00" in raw:
            return f"longer than {LONGEST:,} bytes, or not text"
        torn = "" if raw.endswith(b"\n") else "torn (no newline at its end): "
        return f"{torn}{problem}"


_DECODER = msgspec.json.Decoder(RatingLine)


def _lenient(said: dict[str, Any]) -> RatingLine | str:
    """A line whose empty values and whole-number names are taken as meant."""
    kept = {name: value for name, value in said.items() if value is not None and value != ""}
    for name in _NAMES:
        if isinstance(kept.get(name), int) and not isinstance(kept[name], bool):
            kept[name] = str(kept[name])
    try:
        return msgspec.convert(kept, RatingLine, strict=False)
    except (msgspec.ValidationError, OverflowError) as problem:
        return str(problem)


def _header(raw: bytes) -> tuple[str, list[str]]:
    """The delimiter and the names of the columns; none if this is no header of ratings."""
    text = raw.decode("utf-8", errors="replace")
    for delimiter in _DELIMITERS:
        names = [name.strip().strip('"') for name in text.split(delimiter)]
        if "item" in names and "rater" in names:
            return delimiter, names
    return "", []


def _from_csv(
    lines: Iterator[tuple[int, bytes]], header: list[str], delimiter: str
) -> Iterator[tuple[int, RatingLine | str]]:
    """Rows by the header. Every line is a row of its own: a quote left open must not swallow those after it."""
    for number, raw in lines:
        try:
            text = raw.decode("utf-8")
            cells = next(csv.reader([text], delimiter=delimiter, strict=True), [])
        except (UnicodeDecodeError, csv.Error) as problem:
            yield number, str(problem)
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            yield number, f"{len(cells)} cells where the header has {len(header)}"
            continue
        yield number, _lenient({name: cell.strip() for name, cell in zip(header, cells, strict=True)})
