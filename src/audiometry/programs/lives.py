"""The lives of one program: started, heard, and started again where it ended early, for as long as that is of use."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

from audiometry.programs.aside import Aside
from audiometry.programs.endurance import Endurance
from audiometry.programs.lines import Line
from audiometry.programs.program import Program
from audiometry.programs.terms import Terms


class Lives:
    """One program, started as often as needed. All its methods belong to one event loop.

    Args:
        terms: what to start.
        folder: removed with the program if this process is killed; None: there is none.
        hear: is given each line of its standard output, and says whether that meant something; what did not is counted.

    Attributes:
        program: of the present life, or of the last one; None before the first.
        aside: what it printed that means nothing, since its last answer.
        endurance: of which question is to blame for an early end, and whether to start it again.
        heard: when a line last meant something, by the monotonic clock, seconds; the start of the life before.
        replies: how many it gave in this life.
    """

    def __init__(self, terms: Terms, folder: Path | None, hear: Callable[[Line], bool]) -> None:
        self._terms, self._folder, self._means = terms, folder, hear
        self.program: Program | None = None
        self.aside, self.endurance = Aside(), Endurance()
        self.heard, self.replies = 0.0, 0

    async def begin(self) -> Program:
        """Start it, after the wait that its last lives call for.

        Raises:
            OSError: it cannot be started.
        """
        await asyncio.sleep(self.endurance.wait_s)
        self.heard, self.replies = time.monotonic(), 0
        self.aside.take()
        self.program = Program(self._terms.command, self._folder, self._hear, self._terms.environment)
        return self.program

    def answered(self) -> str:
        """It answered, be it with an error; gives what it had printed on the side before that."""
        self.replies += 1
        self.endurance.answered()
        return self.aside.take()

    def ended(self, under_way: Sequence[Hashable]) -> None:
        """A life ended too early, while it was asked these questions."""
        self.endurance.ended(under_way, self.replies)

    def _hear(self, line: Line) -> None:
        if self._means(line):
            self.heard = time.monotonic()
            return
        self.aside.add(line)
        if self.aside.too_much and self.program is not None:
            self.program.kill(f"was ended: {self.aside.told()}", "not-json")
