"""Tags with several values: read out of cells of tables, and held against the values that a card's dimensions list.

A value that is none of its dimension's is not used; nor is a cell that should hold a list and holds none. Both are
counted, and named in one line each.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from audiometry.errors import UndecodableError, counted, shown
from audiometry.files import foreign
from audiometry.records import Card, Dimension

Tags: TypeAlias = dict[str, str | int | float | bool | list[str]]
LONGEST: Final = 10_000  # characters of a cell that holds a list
FIRST: Final = 3  # values that a line names
NOTHING: Final = frozenset({"", "nan", "none", "null"})
"""What a cell without values holds, in any case."""
_ENTRY: Final = re.compile(r"""\s*(?:'((?:[^'\\\n]|\\['"\\])*+)'|"((?:[^"\\\n]|\\['"\\])*+)")\s*""")
_ESCAPED: Final = re.compile(r"""\\(['"\\])""")


def listed(cell: Any) -> list[str] | None:
    r"""The values in a cell: a list, or a text that is a list of texts in JSON or in Python; None if it is neither.

    >>> listed("['melody', \"singer's\"]"), listed('["melody"]'), listed(""), listed("melody")
    (['melody', "singer's"], ['melody'], [], None)
    """
    if _is_nothing(cell):
        return []
    if isinstance(cell, list | tuple):
        return list(cell) if all(isinstance(one, str) for one in cell) else None
    if not isinstance(cell, str) or len(cell) > LONGEST:
        return None
    found = _of_python(cell.strip())
    return _of_json(cell) if found is None else found


def _is_nothing(cell: Any) -> bool:
    if isinstance(cell, str):
        return cell.strip().lower() in NOTHING
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _of_json(text: str) -> list[str] | None:
    try:
        return foreign.json(text.encode(errors="replace"), list[str])
    except UndecodableError:
        return None


def _of_python(text: str) -> list[str] | None:
    """The texts of a list as Python writes it; None if it is none."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    inside, found, at = text[1:-1].strip(), list[str](), 0
    while at < len(inside):
        entry = _ENTRY.match(inside, at)
        if entry is None or inside[entry.end() : entry.end() + 1] not in {"", ","}:
            return None
        found.append(_ESCAPED.sub(r"\1", entry[1] if entry[1] is not None else entry[2]))
        at = entry.end() + 1
    return found


class Dimensions:
    """Reads tags with several values, and keeps account of what they should not hold.

    Args:
        card: names the columns that hold lists, and the dimensions.
    """

    def __init__(self, card: Card) -> None:
        self._all = card.dimension
        self._lists = frozenset(card.data.columns.lists)
        self._values = [{_folded(value): value for value in one.values} for one in self._all]
        self._unknown: list[Counter[str]] = [Counter() for _ in self._all]
        self._there: list[Counter[str]] = [Counter() for _ in self._all]
        self._unread: dict[str, tuple[int, str, str]] = {}
        of_dimensions = {one.column or one.tag for one in self._all}
        self._others = tuple(name for name in card.data.columns.lists if name not in of_dimensions)

    @property
    def columns(self) -> tuple[str, ...]:
        """Of a table, those that it reads."""
        return (*self._others, *(one.column or one.tag for one in self._all))

    def of_row(self, row: Mapping[str, Any], where: str) -> Tags:
        """The tags of a row of a table.

        Args:
            row: its cells by column.
            where: file and line, for messages.
        """
        raw: Tags = {}
        for column, tag in ((name, name) for name in self._others):
            self._put(raw, tag, column, row.get(column), where)
        for one in self._all:
            self._put(raw, one.tag, one.column or one.tag, row.get(one.column or one.tag), where)
        return self.known(raw)

    def _put(self, into: Tags, tag: str, column: str, cell: Any, where: str) -> None:
        values = listed(cell) if column in self._lists else _single(cell)
        if values is None:
            n, first, what = self._unread.get(column, (0, where, shown(str(cell), 40)))
            self._unread[column] = n + 1, first, what
        elif values:
            into[tag] = values

    def known(self, tags: Tags) -> Tags:
        """Tags with only those values of its dimensions that the card lists, written as there."""
        found = dict(tags)
        for place, one in enumerate(self._all):
            if one.tag not in found:
                continue
            given, known = found.pop(one.tag), self._values[place]
            values = given if isinstance(given, list) else [str(given)]
            kept = list(dict.fromkeys(known[_folded(value)] for value in values if _folded(value) in known))
            self._there[place].update(set(map(_folded, values)))
            self._unknown[place].update({value for value in values if _folded(value) not in known})
            if kept:
                found[one.tag] = kept
        return found

    def notes(self, file: str, wheres: str = "row") -> list[str]:
        """A line on each column whose cells are not what they should be.

        Args:
            file: that holds them.
            wheres: what one of its entries is called.
        """
        found = [
            f"{file}: {shown(column, 40)} holds no list in {counted(n, wheres)} (first: "
            f'{first.rpartition("/")[2]}, \'{what}\'); write ["a", "b"]; what stands there is not used'
            for column, (n, first, what) in self._unread.items()
        ]
        return [
            *found,
            *(self._said(file, one, self._unknown[k]) for k, one in enumerate(self._all) if self._unknown[k]),
        ]

    @staticmethod
    def _said(file: str, one: Dimension, unknown: Counter[str]) -> str:
        named = ", ".join(f"'{shown(name, 40)}' of {counted(n, 'item')}" for name, n in unknown.most_common(FIRST))
        more = f" and {len(unknown) - FIRST:,} more" if len(unknown) > FIRST else ""
        return (
            f"{file}: {counted(len(unknown), 'unknown dimension')} in {shown(one.column or one.tag, 40)} "
            f"({named}{more}); not used"
        )

    def swapped(self) -> str:
        """Why the columns of two dimensions stand in each other's place; empty if they do not."""
        for place, one in enumerate(self._all):
            there = self._there[place]
            for other, its in zip(self._all, self._values, strict=True):
                if other is one or not there or not _only(there, its, but_of=self._values[place]):
                    continue
                here, there_too = shown(one.column or one.tag, 40), shown(other.column or other.tag, 40)
                return (
                    f"the columns {here} and {there_too} are swapped: {here} holds values of {shown(other.tag, 40)} "
                    f"alone ('{shown(its[next(iter(there))], 40)}', …); name the columns after what they hold"
                )
        return ""


def _only(there: Iterable[str], of: Mapping[str, str], *, but_of: Mapping[str, str]) -> bool:
    return all(value in of and value not in but_of for value in there)


def _single(cell: Any) -> list[str] | None:
    if isinstance(cell, list | tuple):
        return listed(cell)
    return [] if _is_nothing(cell) else [str(cell).strip()]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
