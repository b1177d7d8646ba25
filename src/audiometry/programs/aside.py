"""What a program prints on its standard output that answers nothing: counted, and the first of it kept."""

from __future__ import annotations

from typing import Final

from audiometry.errors import shown
from audiometry.programs.lines import Line

MOST: Final = 1000  # lines between two replies; more is a program that does not know what the pipe is for


class Aside:
    """Stray lines since the last reply; ``count`` of them."""

    def __init__(self) -> None:
        self.count = 0
        self._first = ""

    @property
    def too_much(self) -> bool:
        """Whether to give up on the program."""
        return self.count >= MOST

    def add(self, line: Line, why: str = "") -> None:
        """One more."""
        self.count += 1
        if self.count == 1:
            size = "" if line.whole else f", of {line.size:,} bytes"
            self._first = f"'{shown(line.data[:400].decode(errors='replace'), 100)}'{size}{why}"

    def told(self) -> str:
        """In words, for people; empty if there were none."""
        if not self.count:
            return ""
        lines = "a line that answers nothing" if self.count == 1 else f"{self.count:,} lines that answer nothing"
        return f"standard output held {lines}, the first: {self._first}"

    def take(self) -> str:
        """What `told` says, and begin anew."""
        told = self.told()
        self.count, self._first = 0, ""
        return told
