"""Rating files as a format: JSON lines or CSV of what people, judges and metrics say of replies.

Read line by line into columns, so that a file may be larger than memory. A line that cannot be used is counted with
its number and the reason, and the others count.
"""

from __future__ import annotations

import math
import os
import shlex
from array import array
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import RunFolderError, UsageError, shown
from audiometry.files import presence
from audiometry.files.rating_lines import chosen, code_of, each, stamp, unusable
from audiometry.files.run_folder import RunFolder
from audiometry.records import RatingLine

Codes = NDArray[np.int64]

WHATS: Final = ("score", "choice", "preferred", "code")
ORDERS: Final = ("", "reference-first", "reference-second")
MB: Final = 1_000_000
CODES: Final = "codes-"  # begins the names of a run folder's files of what went wrong in its replies
EXAMPLES: Final = 3  # unread lines that are kept, of each file
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
        items, raters, models, orders: the names; items and models in alphabetical order, ``models[0]`` is empty,
            and ``orders`` begins with `ORDERS`.
        kinds: of each rater, ``person``, ``judge`` or ``metric``.
        item, rater, order: ``int64[n]``.
        cluster: ``int64[items]``, equal for items that are not independent, as their lines say.
        model: ``int64[n]``, whose reply; for a preference ``model_a``.
        other: ``int64[n]``, ``model_b`` of a preference, else 0.
        what: ``int64[n]``, the place in `WHATS`.
        codes: what raters say went wrong, in alphabetical order.
        value: ``float64[n]``: the score, the choice (`rating_lines.chosen`), 1 for a, 0 for equal, -1 for b, or the
            place in ``codes``.
        propensity: ``float64[n]``, above 0 to 1, how likely the reply was to be rated; NaN where a line does not say.
        known_items, known_models: of the run folders among the files; None if there is none.
        two_kinds: raters who were said to be of more than one kind.
        lower_is_better: raters of whom a line says that lower scores are the better ones.
    """

    sources: list[Source]
    items: list[str]
    raters: list[str]
    models: list[str]
    orders: list[str]
    kinds: list[str]
    item: Codes
    cluster: Codes
    rater: Codes
    model: Codes
    other: Codes
    order: Codes
    what: Codes
    value: NDArray[np.float64]
    propensity: NDArray[np.float64]
    known_items: frozenset[str] | None = None
    known_models: frozenset[str] | None = None
    two_kinds: list[str] = []
    lower_is_better: list[str] = []
    codes: list[str] = []


def read(paths: Iterable[Path], progress: Callable[[int, int], None] | None = None) -> Ratings:
    """Read rating files, and the ratings of run folders.

    Args:
        paths: JSON lines, CSV (comma, semicolon or tab), or run folders, whose ``ratings/*.jsonl`` are read.
        progress: told now and then how many MB of how many are read.

    Raises:
        UsageError: a file is missing, empty, or holds no rating at all; a folder is no run or has no ratings.
        RunFolderError: a run folder is damaged.
    """
    paths = list(paths)
    reader = _Reader(progress, sum(map(_size, paths)))
    seen: set[Path] = set()
    known_items: set[str] = set()
    known_models: set[str] = set()
    folders = 0
    for path in paths:
        if path.absolute() in seen:
            raise UsageError(f"{path} is given twice; give each file once")
        seen.add(path.absolute())
        if not os.path.isdir(path):  # noqa: PTH112  Path.is_dir raises for a name that is too long
            reader.read(path)
            continue
        folders += 1
        files, stamps = _of_run(path, known_items, known_models)
        if not sum(reader.read(found, stamps) for found in files):
            raise UsageError(f"{path} holds no ratings: none of its replies was scored; look at its replies.jsonl")
    return reader.ratings(frozenset(known_items) if folders else None, frozenset(known_models) if folders else None)


def of_lines(lines: Iterable[RatingLine]) -> Ratings:
    """Ratings that are in no file; lines that cannot be used are left out."""
    reader = _Reader(None, 0)
    for line in lines:
        if not unusable(line):
            reader.take(line)
    return reader.ratings(None, None)


def _of_run(path: Path, items: set[str], models: set[str]) -> tuple[list[Path], set[str]]:
    """The rating files of a run folder, and the stamps of its replies; its items and model are added to the sets."""
    folder = RunFolder(path)
    try:
        models.add(folder.info().called)
    except RunFolderError as problem:
        raise UsageError(f"{path} is neither a rating file nor a run folder: {problem}") from problem
    found = sorted(filter(presence.is_file, (path / "ratings").glob("*.jsonl")))
    if not found:
        said = f"`audiometry score {shlex.quote(str(path))}` with --judge or --measure writes them"
        raise UsageError(f"{path} holds no ratings yet; {said}")
    codes, stamps = any(one.name.startswith(CODES) for one in found), set[str]()
    for reply in folder.replies():
        items.add(reply.item)
        if codes:
            stamps.add(stamp(reply))
    return found, stamps


class _Reader:
    """Takes ratings in and gives every name a number."""

    def __init__(self, progress: Callable[[int, int], None] | None, size: int) -> None:
        self._progress, self._read, self._size = progress, 0, size
        self._sources: list[Source] = []
        self._items: dict[str, int] = {}
        self._clusters: dict[str, str] = {}
        self._raters: dict[str, int] = {}
        self._models: dict[str, int] = {"": 0}
        self._codes: dict[str, int] = {}
        self._orders: dict[str, int] = {name: code for code, name in enumerate(ORDERS)}
        self._kinds: list[str] = []
        self._two_kinds: dict[str, None] = {}
        self._lower_is_better: dict[str, None] = {}
        self._columns = {name: array("q") for name in ("item", "rater", "model", "other", "order", "what")}
        self._value, self._propensity = array("d"), array("d")

    def ratings(self, known_items: frozenset[str] | None, known_models: frozenset[str] | None) -> Ratings:
        """All that was read."""
        columns = {name: np.array(column, np.int64) for name, column in self._columns.items()}
        # by name and not by first appearance: what is drawn must not hang on the order of lines
        items, place = _sorted(self._items)
        columns["item"] = place[columns["item"]]
        models, place = _sorted(self._models)
        columns["model"], columns["other"] = place[columns["model"]], place[columns["other"]]
        value, of_code = np.array(self._value, np.float64), columns["what"] == WHATS.index("code")
        codes, place = _sorted(self._codes)
        value[of_code] = place[value[of_code].astype(np.int64)]
        return Ratings(
            sources=self._sources,
            items=items,
            raters=list(self._raters),
            models=models,
            orders=list(self._orders),
            kinds=self._kinds,
            cluster=np.unique([self._clusters.get(item, item) for item in items], return_inverse=True)[1],
            codes=codes,
            value=value,
            propensity=np.array(self._propensity, np.float64),
            known_items=known_items,
            known_models=known_models,
            two_kinds=list(self._two_kinds),
            lower_is_better=list(self._lower_is_better),
            **columns,
        )

    def read(self, path: Path, stamps: Container[str] | None = None) -> int:
        """Read one file; how many ratings it holds.

        Args:
            path: of the file.
            stamps: of a run folder's file, those of its replies (see `stamp`); such a file may hold no rating.
        """
        source = Source(path=str(path))

        def reached(place: int) -> None:
            if self._progress is not None:
                self._progress((self._read + place) // MB, self._size // MB)

        for number, line in each(path, reached):
            if isinstance(line, str) or (stamps is not None and line.reply and line.reply not in stamps):
                source.n_unread += 1
                if len(source.unread) < EXAMPLES:
                    why = line if isinstance(line, str) else "of a reply that has changed since"
                    source.unread.append(Unread(number, shown(why, 160)))
            else:
                self.take(line)
                source.n_ratings += 1
        if not source.n_ratings and stamps is None:
            if not source.unread:
                raise UsageError(f"{path} is empty: no ratings; give JSON lines, CSV or a run folder")
            first = source.unread[0]
            raise UsageError(
                f"{path} holds no ratings: none of its {source.n_unread:,} lines can be used "
                f"(line {first.line}: {first.why}); see `audiometry agree --help` for the keys"
            )
        self._read += _size(path)
        self._sources.append(source)
        return source.n_ratings

    def take(self, line: RatingLine) -> None:
        """Add a line's ratings to the columns."""
        item = self._items.setdefault(line.item, len(self._items))
        if line.cluster:
            self._clusters[line.item] = line.cluster
        rater = self._rater(line.rater, line.kind)
        if line.lower_is_better:
            self._lower_is_better[line.rater] = None
        order = self._orders.setdefault(line.order, len(self._orders))
        model = self._models.setdefault(line.model, len(self._models))
        before = len(self._value)
        if line.score is not None:
            self._add(item, rater, model, 0, order, 0, line.score)
        if line.choice:
            self._add(item, rater, model, 0, order, 1, chosen(line))
        if line.preferred is not None:
            first, second = (self._models.setdefault(name, len(self._models)) for name in (line.model_a, line.model_b))
            self._add(item, rater, first, second, order, 2, _SIDES[line.preferred])
        if code := code_of(line):
            self._add(item, rater, model, 0, order, WHATS.index("code"), self._codes.setdefault(code, len(self._codes)))
        odds = math.nan if line.propensity is None else line.propensity
        self._propensity.extend([odds] * (len(self._value) - before))

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


def _size(path: Path) -> int:
    """Bytes of a file; 0 for a folder, a pipe, or nothing."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:  # no possible name: opening it says so
        return 0


def _sorted(names: dict[str, int]) -> tuple[list[str], Codes]:
    """The names in order, and for each old code the new one."""
    order = sorted(names)
    place = np.empty(len(order), np.int64)
    for code, name in enumerate(order):
        place[names[name]] = code
    return order, place
