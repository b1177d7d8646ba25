"""A table as plain data: rows of raw values, and columns that say how these are printed."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, TypeAlias

import msgspec

from audiometry.errors import shown
from audiometry.render.numbers import half_up, p_value

Kind: TypeAlias = Literal["name", "number", "interval", "count", "p", "text"]
SHARES: Final = frozenset({"%", "points"})
"""Units of which the values are shares, 0 to 1, and are printed times 100."""


class Estimate(msgspec.Struct, frozen=True):
    """A number that stands in one cell with its 95 % interval, and what is to be said of it (``12 of 19 tasks``)."""

    value: float | None
    interval: tuple[float, float] | None = None
    note: str = ""


class OutOf(msgspec.Struct, frozen=True):
    """How many of how many: ``38/40``."""

    n: int
    of: int


class Link(msgspec.Struct, frozen=True):
    """A count with the items behind it; see `RowInfo.items`."""

    n: int
    items: str


class Order(msgspec.Struct, frozen=True):
    """An order in which rows can be read: by what, and their numbers in it."""

    by: str
    rows: tuple[int, ...]


Cell: TypeAlias = str | int | float | tuple[float | None, float | None] | Estimate | OutOf | Link | None
"""A raw value; a text in a column of numbers stands in place of one (``not asked``); None: there is nothing to say."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What a column holds and how its cells are printed.

    Attributes:
        id: stable, for files.
        title: its heading, without the unit; of a run's column the run's name.
        kind: of its cells: ``name`` of the row (the first of them heads it), ``number``, ``interval``, ``count``, ``p``
            or ``text``.
        unit: of its numbers; see `SHARES`.
        decimals: places of its numbers.
        drop: 0: never left out; else, where there is no room and nothing but noughts stands in it, the highest first.
        sign: whether its numbers are differences, printed with their sign.
        series: number of the run that it is of, which has a mark on a page; None: of none or all.
        strong: whether a page sets its numbers apart from those beside them.
    """

    id: str
    title: str
    kind: Kind
    unit: str = ""
    decimals: int = 1
    drop: int = 0
    sign: bool = False
    series: int | None = None
    strong: bool = False

    @property
    def heading(self) -> str:
        """The title with the unit, which an interval has from the number beside it."""
        return f"{self.title}, {self.unit}" if self.unit and self.kind in {"number", "count"} else self.title

    @property
    def typeset_heading(self) -> str:
        """The same with a true minus where it says what is taken from what."""
        return self.heading.replace(" - ", " \u2212 ") if self.sign else self.heading

    @property
    def under_mark(self) -> str:
        """What a page says of a run's column where the run's mark stands for its title: the unit, or that it counts."""
        return self.unit or "n" * (self.kind == "count")

    @property
    def left(self) -> bool:
        """Whether its cells begin at its left edge."""
        return self.kind in {"name", "text"}

    def number(self, value: float | None) -> str:
        """A number of it as it is printed; empty for none.

        >>> Column(id="c", title="correct", kind="number", unit="%").number(0.625)
        '62.5'
        >>> Column(id="d", title="difference", kind="number", unit="points", sign=True).number(0.004)
        '+0.4'
        """
        if value is None:
            return ""
        scaled = half_up(100 * value if self.unit in SHARES else value, self.decimals)
        return f"{scaled:{'+z' if self.sign else ''},}"

    def span(self, ends: tuple[float | None, float | None]) -> str:
        """An interval or bounds of it, of which one end may be open."""
        low, high = map(self.number, ends)
        return f"{low} to {high}" if low and high else f"{low} or more" if low else f"{high} or less"

    def printed(self, cell: Cell) -> str:
        """A cell as it is printed, on one line.

        >>> column = Column(id="wer", title="WER", kind="number", decimals=3)
        >>> estimate = Estimate(0.1, (0.05, 0.2), "of 3 tasks")
        >>> column.printed(0.1234), column.printed("not asked"), column.printed((0.1, None)), column.printed(estimate)
        ('0.123', 'not asked', '0.100 or more', '0.100 (0.050 to 0.200) of 3 tasks')
        """
        if cell is None or isinstance(cell, str):
            return cell or ""
        if isinstance(cell, OutOf | Link):
            return f"{cell.n:,}/{cell.of:,}" if isinstance(cell, OutOf) else f"{cell.n:,}"
        if isinstance(cell, tuple):
            return self.span(cell)
        if isinstance(cell, Estimate):
            interval = "" if cell.interval is None else f"({self.span(cell.interval)})"
            return " ".join(filter(None, (self.number(cell.value), interval, cell.note)))
        if self.kind == "p":
            return p_value(cell)
        return f"{cell:,}" if self.kind == "count" else self.number(cell)

    def typeset(self, cell: Cell) -> str:
        """The same with a true minus, as wide as a plus, where that is a number."""
        text = self.printed(cell)
        return text if self.left or isinstance(cell, str) else text.replace("-", "\u2212")


class RowInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a row is, beside its cells.

    Attributes:
        strong: whether it sums up others.
        last: whether what follows is set apart.
        series: number of the run that it is of, which has a mark on a page; None: of none or all.
        note: more about what its name means, on demand.
        items: the items behind it, as a page's list of items is asked for them (``task=melody&verdict=wrong``).
    """

    strong: bool = False
    last: bool = False
    series: int | None = None
    note: str = ""
    items: str = ""


PLAIN: Final = RowInfo()


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows under columns, with what they are of and how they were made.

    Attributes:
        id: stable: the name of its files.
        caption: what it shows, in a sentence.
        signature: how its numbers were made; empty for what is counted only.
        columns: of which the first names the rows.
        rows: a cell a column.
        info: of each row; none: all of them are plain.
        series: names of the runs that numbers of columns and rows stand for.
        orders: in which its rows can be read, the first as they are; none: in that alone.
        of: the run and the benchmark, which its files name; on a page they stand above.
    """

    id: str
    caption: str
    signature: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    info: tuple[RowInfo, ...] = ()
    series: tuple[str, ...] = ()
    orders: tuple[Order, ...] = ()
    of: str = ""

    @property
    def full_caption(self) -> str:
        """The caption with what it is of, for where it stands alone."""
        return "; ".join(filter(None, (self.caption, self.of)))

    def about(self, row: int) -> RowInfo:
        """What a row is."""
        return self.info[row] if self.info else PLAIN

    def idle(self) -> tuple[int, ...]:
        """Columns that may be left out and hold nothing but noughts, the first to go first."""
        none = [at for at, one in enumerate(self.columns) if one.drop and not any(map(_tells, self._cells(at)))]
        return tuple(sorted(none, key=lambda at: -self.columns[at].drop))

    def without(self, columns: tuple[int, ...]) -> Table:
        """The same without some of its columns."""
        kept = [at for at in range(len(self.columns)) if at not in columns]
        rows = tuple(tuple(row[at] for at in kept) for row in self.rows)
        return msgspec.structs.replace(self, columns=tuple(self.columns[at] for at in kept), rows=rows)

    def _cells(self, column: int) -> list[Cell]:
        return [row[column] for row in self.rows]


def whole(text: str) -> str:
    r"""A foreign text as it stands in a file: on one line, all of it, with what acts on a terminal made visible.

    >>> whole("a\nb\x1b[2J")
    'a b\\x1b[2J'
    """
    return shown(text, 10 * len(text) + 1)  # nothing is written in more than 10 characters


def filed(name: str, longest: int) -> str:
    r"""A name as it stands in ids and in names of files: small letters and digits of any alphabet, hyphens between.

    >>> filed("exec/My program", 40), filed("ça & là_1 100%", 40), filed("\u202e../..", 40)
    ('exec-my-program', 'ça-là-1-100', '')

    Args:
        name: as it is known to others.
        longest: characters of it at most.
    """
    normal = unicodedata.normalize("NFKC", name[: 4 * longest]).lower()
    kept = "".join(one if unicodedata.category(one)[0] in "LMN" else "-" for one in normal)
    return re.sub("-+", "-", kept).strip("-")[:longest]


def _tells(cell: Cell) -> bool:
    return (cell.n if isinstance(cell, Link) else cell) not in {None, "", 0}
