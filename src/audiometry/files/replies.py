"""Which line of ``replies.jsonl`` counts: the one place that says so.

Of each item and variant one line counts: the last reply, or, where none came, the last failure. A failure never takes
the place of a reply, since it is a later attempt that told nothing. The failure ``changed`` takes back every line
before it, since what was asked has changed: what follows counts anew, and if nothing does, the item is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from audiometry.files import jsonl
from audiometry.records import CHANGED

T = TypeVar("T")
NOTHING: Final = 0
FAILURE: Final = 1
REPLY: Final = 2


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


def counting(lines: Iterable[Line]) -> Counting:
    """Which of the lines count, as the head of this module says.

    Args:
        lines: all of them, in the order of arrival.
    """
    found = bytearray()
    taken_back = False
    last: dict[str, dict[str, int]] = {}  # by variant, then item: the line that counts
    for number, line in enumerate(lines):
        of_variant = last.get(line.variant)
        if of_variant is None:
            of_variant = last[line.variant] = {}
        before = of_variant.get(line.item)
        if line.came:
            said = REPLY
        elif line.error is not None and line.error.kind == CHANGED:
            said = NOTHING
            taken_back = True
            of_variant.pop(line.item, None)
        elif before is not None and found[before] == REPLY:
            found.append(NOTHING)
            continue
        else:
            said = FAILURE
        if before is not None:
            found[before] = NOTHING
        if said != NOTHING:
            of_variant[line.item] = number
        found.append(said)
    return Counting(found, taken_back)


def look(path: Path) -> Counting:
    """Which lines of a file count; a torn last line is not a line.

    Raises:
        RunFolderError: see `jsonl.read`.
    """
    return counting(jsonl.read(path, Line))


def that_count(path: Path, kind: type[T], found: Counting | None = None, *, failures: bool = True) -> Iterator[T]:
    """The lines of a file that count, in the order of arrival; of each item and variant at most one.

    The file is read twice, first for no more than what tells which lines count: about 150 bytes an item and variant are
    held meanwhile, and one byte a line from then on. Lines that are added meanwhile are passed over.

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
