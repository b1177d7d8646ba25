"""Released layouts of other packages: what they do wrong ends in one line that names them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from audiometry.bench.benchmark import Benchmark
from audiometry.bench.coverage import FolderCount
from audiometry.bench.left_out import Problem
from audiometry.bench.rules import Rules
from audiometry.bench.store import ItemList, ItemStore, MetadataFile
from audiometry.errors import shown
from audiometry.outside import OURS, Outside, exactly, line, looked_at, well_formed
from audiometry.records import Card, Item

LONGEST_NOTE: Final = 1000  # characters
Opener: TypeAlias = Callable[[Path | None], Benchmark]
_SAYS = {
    "source": line(),
    "sha256": ("64 hexadecimal digits", lambda text: re.fullmatch("[0-9a-f]{64}", text) is not None),
    "root": ("a Path", lambda root: isinstance(root, Path)),
    "card": ("a Card", lambda card: isinstance(card, Card)),
    "data": ("a text", lambda data: isinstance(data, str)),
    "counts": ("FolderCounts", lambda counts: all(isinstance(one, FolderCount) for one in counts)),
    "problems": ("Problems", lambda problems: all(isinstance(one, Problem) for one in problems)),
    "notes": ("lines", lambda notes: all(map(line(LONGEST_NOTE)[1], notes))),
}


def opener(given: Any, name: str, origin: Callable[[], str]) -> Opener:
    """What opens released data, guarded.

    Raises:
        TypeError: it is no function, or its ``card`` is no path.
    """
    if not callable(given):
        raise TypeError("it is no function that opens data")
    outside = Outside("benchmark", name, origin, "leave it out")

    def opened(data: Path | None) -> Benchmark:
        found = outside.called(Benchmark, lambda: given(data), passing=OURS)
        outside.called(object, lambda: _look(found, outside))
        return found

    if hasattr(given, "card"):
        opened.card = Path(given.card)  # type: ignore[attr-defined]  # as `registry.published_cards` reads it
    return opened


def _look(found: Benchmark, outside: Outside) -> None:
    """Raise TypeError if something of a benchmark is not what it has to be."""
    looked_at(exactly(found, Benchmark), _SAYS)
    well_formed(found.card)
    seen, asked = set[str](), Rules(found.card)
    for position in range(len(found.items)):
        item = found.items.at(position)
        where = f"item {position + 1} of {len(found.items)}"
        if not isinstance(item, Item):
            raise TypeError(f"{where} is {shown(type(item).__name__, 40)}, no Item")
        well_formed(item)
        if not item.id or item.id in seen:
            raise TypeError(f"{where} has {'an id that another has' if item.id else 'no id'}: '{shown(item.id, 60)}'")
        if flaws := asked.flaws(item):
            raise TypeError(f"{where}, '{shown(item.id, 60)}', {flaws[0][1]}")
        seen.add(item.id)
    if not isinstance(found.items, ItemList | MetadataFile):
        found.items = _Guarded(found.items, outside)


class _Guarded:
    """Where a package keeps its items."""

    def __init__(self, items: ItemStore, outside: Outside) -> None:
        self._items, self._outside = items, outside

    def __len__(self) -> int:
        return self._outside.called(int, lambda: len(self._items))

    def at(self, position: int) -> Item:
        """See `store.ItemStore`."""
        return self._outside.called(Item, lambda: self._items.at(position))

    def position(self, item: str) -> int | None:
        """See `store.ItemStore`."""
        found = self._outside.called(object, lambda: self._items.position(item))
        return found if type(found) is int else None

    def task_of(self, position: int) -> str:
        """See `store.ItemStore`."""
        return self._outside.called(str, lambda: self._items.task_of(position))

    def has_clip(self, position: int) -> bool:
        """See `store.ItemStore`."""
        return self._outside.called(bool, lambda: bool(self._items.has_clip(position)))
