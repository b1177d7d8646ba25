"""Which line of ``replies.jsonl`` counts: the one place that says so.

Of each item and variant one line counts: the last reply, or, where none came, the last failure. A failure never takes
the place of a reply, since it is a later attempt that told nothing. The failure ``changed`` takes back every line
before it, since what was asked has changed: what follows counts anew, and if nothing does, the item is not asked.
"""

from __future__ import annotations

import itertools
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import msgspec

from audiometry.files import jsonl
from audiometry.records import CHANGED

T = TypeVar("T")
NOTHING: Final = 0
FAILURE: Final = 1
REPLY: Final = 2
Place: TypeAlias = Callable[[str, str], int]
"""The number of an item, by its id, in a variant."""


class _Kind(msgspec.Struct, gc=False):
    kind: str


class Line(msgspec.Struct, gc=False):
    """What of a line tells whether it counts."""

    item: str
    variant: str = "plain"
    text: str | None = None
    error: _Kind | None = None

    @property
    def came(self) -> bool:
        """Whether it is a reply, be it empty; else it is a failure."""
        return self.error is None and self.text is not None


class Counting(msgspec.Struct, frozen=True):
    """What became of each line.

    Attributes:
        lines: by line, `REPLY` or `FAILURE` where it counts as that, `NOTHING` where another one does or none.
        taken_back: whether any line takes back those before it.
    """

    lines: bytearray
    taken_back: bool


def counting(lines: Iterable[Line], place: Place | None = None) -> Counting:
    """Which of the lines count, as the head of this module says.

    Args:
        lines: all of them, in the order of arrival.
        place: a number of its own for each item and variant, from 0, without large gaps; None: by `numbered`.
    """
    found, taken_back = bytearray(), False
    place = place or numbered()
    last = array("q")  # by place: the line that counts and 1 more; 0 for none
    for number, line in enumerate(lines, 1):
        at = place(line.item, line.variant)
        if at >= len(last):
            last.extend([0] * (at + 1 - len(last)))
        before, said = last[at], REPLY
        if line.error is not None or line.text is None:
            said = FAILURE
            if line.error is not None and line.error.kind == CHANGED:
                said, taken_back = NOTHING, True
            elif before and found[before - 1] == REPLY:
                found.append(NOTHING)
                continue
        if before:
            found[before - 1] = NOTHING
        last[at] = number if said else 0
        found.append(said)
    return Counting(found, taken_back)


def numbered() -> Place:
    """Numbers items and variants as they come; holds about 150 bytes for each."""
    known: defaultdict[str, dict[str, int]] = defaultdict(dict)
    numbers = itertools.count()

    def place(item: str, variant: str) -> int:
        of_variant = known[variant]
        at = of_variant.get(item)
        if at is None:
            at = of_variant[item] = next(numbers)
        return at

    return place


def look(path: Path, place: Place | None = None) -> Counting:
    """Which lines of a file count; a torn last line is not a line. ``place`` as in `counting`.

    Raises:
        RunFolderError: see `jsonl.read`.
    """
    return counting(jsonl.read(path, Line), place)


def that_count(path: Path, kind: type[T], found: Counting | None = None, *, failures: bool = True) -> Iterator[T]:
    """The lines of a file that count, in the order of arrival; of each item and variant at most one.

    The file is read twice, first for no more than what tells which lines count: see `numbered` for what is held
    meanwhile, and one byte a line from then on. Lines that are added meanwhile are passed over.

    Args:
        path: of the file; no file holds no lines.
        kind: what to decode them as, each once.
        found: which lines count, if that was looked up before.
        failures: give the failures that count too.

    Raises:
        RunFolderError: it cannot be read, or a whole line is not what it should be; names file and line.
    """
    found = look(path) if found is None else found
    counts = found.lines if failures else found.lines.translate(bytes([NOTHING, NOTHING, REPLY]).ljust(256, b"\0"))
    yield from compress(jsonl.read(path, kind), counts)
