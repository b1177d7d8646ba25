"""Lines out of a stream of bytes, none of them kept beyond a limit."""

from __future__ import annotations

from typing import Final

import msgspec

LONGEST_LINE: Final = 4 * 1024 * 1024  # bytes; no honest answer to a listening test is longer


class Line(msgspec.Struct, frozen=True):
    """A line without its end.

    Attributes:
        data: its bytes, or its first ones if it is too long.
        size: how many bytes it had.
    """

    data: bytes
    size: int

    @property
    def whole(self) -> bool:
        """Whether all of it was kept."""
        return self.size == len(self.data)


class Splitter:
    """Cuts chunks into lines; of a line beyond ``longest`` bytes the rest is counted and thrown away.

    Args:
        longest: bytes of a line that are kept.
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._held = bytearray()
        self._size = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that this chunk completes; empty ones are left out."""
        *ended, rest = chunk.split(b"\n")
        lines = []
        for piece in ended:
            self._hold(piece)
            lines.append(self.rest())
        self._hold(rest)
        return [line for line in lines if line.data.strip()]

    def rest(self) -> Line:
        """What was held back for want of a line's end; nothing is held afterwards."""
        line = Line(bytes(self._held), self._size)
        self._held.clear()
        self._size = 0
        return line

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        self._held += piece[: self._longest - len(self._held)]
