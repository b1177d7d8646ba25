"""Votes gathered from batches of lines into columns; what cannot count is set apart with its reason and its lines."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError, counted
from audiometry.files.vote_lines import COUNTS, Batch, Cells
from audiometry.files.vote_words import OURS, first_of, outcome_of
from audiometry.records.votes import Outcome

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_MODELS: Final = 1_000  # as many as can be ranked
MOST_VALUES: Final = 100_000  # of a column that votes are grouped by
MOST_LABELS: Final = 1_000  # different labels that are no outcome, of which each is remembered
MOST_REASONS: Final = 30  # different reasons that are told one by one
MOST_VOTES: Final = 10_000_000  # that pair counts may stand for
LONGEST_NAME: Final = 200  # characters of a name that heads rows and columns
RAREST: Final = 1e-6  # a propensity below it would let one vote outweigh all others
LATEST: Final = 1e11  # seconds since 1970 that a vote may be of; milliseconds lie beyond
DAY: Final = 8  # digits of a day, 20261128
EXAMPLES: Final = 3  # lines that are named of a reason
_EMPTY, _NOT_UTF8, _TOO_LONG = -1, -2, -3
_UNFIT: Final = {
    _EMPTY: "is empty",
    _NOT_UTF8: "holds bytes that are no UTF-8",
    _TOO_LONG: f"is longer than {LONGEST_NAME} characters",
}


class Apart(msgspec.Struct, frozen=True):
    """Lines that do not count, for one reason.

    Attributes:
        why: in a few words.
        n: how many.
        lines: numbers of the first few, from 1.
    """

    why: str
    n: int
    lines: tuple[int, ...]


class Told:
    """Reasons with how often, and the first lines, they were met."""

    def __init__(self) -> None:
        self._n: dict[str, int] = {}
        self._lines: dict[str, list[int]] = {}

    def add(self, why: str, lines: Sequence[int] | NDArray[Any], other: str = "another reason") -> None:
        """Some more lines of a reason; too many different ones are told together."""
        why = why if why in self._n or len(self._n) < MOST_REASONS else other
        self._n[why] = self._n.get(why, 0) + len(lines)
        known = self._lines.setdefault(why, [])
        known += map(int, lines[: EXAMPLES - len(known)])

    def apart(self) -> tuple[Apart, ...]:
        """All of them, the most frequent first."""
        order = sorted(self._n, key=lambda why: -self._n[why])
        return tuple(Apart(why, self._n[why], tuple(self._lines[why])) for why in order)


class Names(dict[Any, int]):
    """Numbers of names by first appearance, found as fast as a dictionary; below 0 for what can be none.

    Args:
        most: different names there may be.
        what: they are, for the message of the error.
    """

    def __init__(self, most: int, what: str) -> None:
        self._most, self._what = most, what
        self._place: dict[str, int] = {}

    def __missing__(self, raw: Any) -> int:
        name = "" if raw is None else str(raw).strip()
        code = _unfit(name)
        if code == 0:
            code = self._place.setdefault(name, len(self._place))
            if code >= self._most:
                raise UsageError(f"more than {self._most:,} {self._what}: is that the column that is meant?")
        if len(self) < 4 * self._most:  # spellings that differ in blanks only may have no end
            self[raw] = code
        return code

    @property
    def names(self) -> tuple[str, ...]:
        """By number."""
        return tuple(self._place)

    def known(self, names: Sequence[str]) -> Codes:
        """The numbers of names that were met, -1 for others."""
        return np.array([self._place.get(name, -1) for name in names], np.int32)

    def plain(self, names: Sequence[str]) -> Codes:
        """Numbers that are the same for names that are alike but for capitals; -1 for names that were not met."""
        place: dict[str, int] = {}
        for name in self._place:
            place.setdefault(name.casefold(), len(place))
        return np.array([place.get(name.casefold(), -1) for name in names], np.int32)

    def of(self, cells: Cells) -> Codes:
        """The numbers of some cells; what is no text is empty."""
        try:
            return np.fromiter(map(self.__getitem__, cells), np.int32, len(cells))
        except TypeError:  # a list
            return self.of([cell if isinstance(cell, str | int | float) else None for cell in cells])


def _unfit(name: str) -> int:
    if not name:
        return _EMPTY
    if len(name) > LONGEST_NAME:
        return _TOO_LONG
    return 0 if name.isascii() or not any("\ud800" <= c <= "\udfff" for c in name) else _NOT_UTF8


class Labels(dict[Any, int]):
    """Labels of winners as numbers of `seen`, and what each of these says."""

    def __init__(self) -> None:
        self.seen: list[str] = [""]
        self.says: list[int] = [-1]
        self.n = np.zeros(1, np.int64)

    def __missing__(self, raw: Any) -> int:
        label = "" if raw is None else str(raw).strip()
        said = outcome_of(label)
        code = 0
        if label and (said is not None or len(self.seen) < MOST_LABELS):
            code = len(self.seen)
            self.seen.append(label)
            self.says.append(-1 if said is None else int(said))
            self[raw] = code
        return code

    def of(self, cells: Cells) -> tuple[Codes, NDArray[np.int8]]:
        """The numbers of some cells, and their outcomes, -1 for what is none."""
        try:
            found = np.fromiter(map(self.__getitem__, cells), np.int32, len(cells))
        except TypeError:  # a list
            return self.of([cell if isinstance(cell, str | int | float) else None for cell in cells])
        n = np.bincount(found, minlength=len(self.seen))
        n[: len(self.n)] += self.n
        self.n = n
        return found, np.array(self.says, np.int8)[found]

    def read_as(self) -> dict[str, tuple[str, int]]:
        """Labels of other tools that were met: which of ours they are taken for, and how often."""
        met = zip(self.seen, self.says, self.n.tolist(), strict=True)
        return {label: (OURS[said], n) for label, said, n in met if said >= 0 and label not in OURS}


class Column:
    """A column that grows; it takes memory from its first value that says something.

    Args:
        kind: code of its type, as `array` has it.
        none: what stands where nothing is said.
    """

    def __init__(self, kind: str, none: float) -> None:
        self._values, self._none = array(kind), none
        self._n_before = 0  # rows without a value, before the first that has one

    def add(self, values: NDArray[Any] | None, n: int) -> None:
        """The values of ``n`` rows; None: they say nothing."""
        if not len(self._values):
            if values is None or not _says(values, self._none):
                self._n_before += n
                return
            self._fill(self._n_before)
        if values is None:
            self._fill(n)
        else:
            self._values.frombytes(np.ascontiguousarray(values, self._values.typecode).tobytes())

    def _fill(self, n: int) -> None:
        if n:
            self._values.frombytes(np.full(n, self._none, self._values.typecode).tobytes())

    def array(self) -> NDArray[Any] | None:
        """All of it; None if no row says anything."""
        return np.frombuffer(self._values, self._values.typecode) if len(self._values) else None


def _says(values: NDArray[Any], none: float) -> bool:
    return bool((~np.isnan(values)).any() if np.isnan(none) else (values != none).any())


def hashes(cells: Cells) -> NDArray[np.int64]:
    """Names as numbers of 64 bits, 0 for none: equal names are equal, in this process.

    Two of ten million different names share one once in 400,000 files.
    """
    texts = [cell.strip() if isinstance(cell, str) else "" if cell is None else str(cell) for cell in cells]
    return np.fromiter(map(hash, texts), np.int64, len(texts))


def numbers(cells: Cells, is_right: Callable[[Floats], NDArray[np.bool_]]) -> tuple[Floats, NDArray[np.int64]]:
    """Cells as numbers, NaN for none, and the places of those that hold something else, or what is not right."""
    try:
        found = np.fromiter(map(float, cells), np.float64, len(cells))
        empty = np.zeros(len(cells), np.bool_)
    except (ValueError, TypeError, OverflowError):
        empty = np.array([cell is None or (isinstance(cell, str) and not cell.strip()) for cell in cells], np.bool_)
        found = np.fromiter(map(_number, cells), np.float64, len(cells))
    with np.errstate(invalid="ignore"):
        wrong = ~(np.isfinite(found) & is_right(found))
    found[wrong] = np.nan
    return found, np.flatnonzero(wrong & ~empty)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (ValueError, TypeError, OverflowError):
        return float("nan")


def firsts(cells: Cells) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Which side was shown first, and the places of cells that say something else."""
    said = {cell: first_of(str(cell)) for cell in {one for one in cells if isinstance(one, str | int | float)}}
    found = np.fromiter((said.get(one, -1) if isinstance(one, str | int | float) else -1 for one in cells), np.int8)
    odd = [at for at, one in enumerate(cells) if found[at] < 0 and one is not None and str(one).strip()]
    return found, np.array(odd, np.int64)


def moments(cells: Cells) -> tuple[Floats, NDArray[np.int64]]:
    """Times as seconds since 1970, NaN for none, and the places of cells that say something else.

    A time of day without a zone is UTC. A number is seconds, unless it has the eight digits of a day: ISO 8601 without
    hyphens would read milliseconds since 1970 as a day of the year 1764.
    """
    found = np.full(len(cells), np.nan)
    odd = []
    for place, cell in enumerate(cells):
        text = "" if cell is None else str(cell).strip()
        seconds = _number(text)
        try:
            if np.isnan(seconds) or (text.isdecimal() and len(text) == DAY):
                when = datetime.fromisoformat(text)
                seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            seconds = np.nan
        if 0 <= seconds <= LATEST:
            found[place] = seconds
        elif text:
            odd.append(place)
    return found, np.array(odd, np.int64)


def pair_counts(batch: Batch, told: Told) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The counts of a table of pairs, ``int64[n, 4]`` by `Outcome`, and which rows have none that can be used."""
    n = len(batch.lines)
    columns = {name: numbers(batch.cells.get(name) or [None] * n, _is_count) for name in COUNTS}
    bad = np.zeros(n, np.bool_)
    for name, (_, wrong) in columns.items():
        fresh = wrong[~bad[wrong]]
        if len(fresh):
            told.add(f"{name} is no count", [batch.lines[at] for at in fresh.tolist()])
        bad[wrong] = True
    values = np.stack([np.nan_to_num(columns[name][0]) for name in COUNTS[: len(Outcome)]], axis=1)
    stated = columns["n"][0]
    with np.errstate(invalid="ignore"):
        differs = ~bad & ~np.isnan(stated) & (stated != values.sum(axis=1))
    if differs.any():
        told.add("n is not the sum of its counts", [batch.lines[at] for at in np.flatnonzero(differs).tolist()])
    bad |= differs
    values[bad] = 0
    if values.sum() > MOST_VOTES:
        raise UsageError(f"pair counts of more than {counted(MOST_VOTES, 'vote')}; are they counts?")
    return values.astype(np.int64), bad


def _is_count(values: Floats) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (values >= 0) & (values <= MOST_VOTES) & (values == np.floor(values))
    return found


def name_reason(column: str, code: int) -> str:
    """Why a line with this in a column of names does not count."""
    return f"{column} {_UNFIT[code]}"
