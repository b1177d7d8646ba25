"""A pool of programs of one kind, each asked one thing at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audiometry.programs.lines import Line
from audiometry.programs.program import End, Program


class EndedError(Exception):
    """A program of the pool ended instead of answering.

    Args:
        end: how.
    """

    def __init__(self, end: End) -> None:
        super().__init__(str(end))
        self.end = end


class Pool:
    """At most so many programs, started as they are needed and used again. Belongs to one event loop.

    Args:
        command: that starts one; it answers every line with a line, in order, and ends with its input.
        size: how many at most.
        environment: of each.
        folder: that they share, removed if this process is killed; None: there is none.
    """

    def __init__(
        self, command: Sequence[str], size: int, environment: Mapping[str, str], folder: Path | None = None
    ) -> None:
        self._command, self._environment, self._folder = command, environment, folder
        self._free = asyncio.Semaphore(size)
        self._idle: list[_Member] = []
        self.members: set[_Member] = set()

    async def ask(self, line: bytes) -> Line:
        """What a program answers.

        Raises:
            EndedError: it ended.
            OSError: it cannot be started.
        """
        async with self._free:
            member = self._idle.pop() if self._idle else self._made()
            self.members.add(member)
            clean = False
            try:
                answer = await member.ask(line)
                clean = True
                return answer
            finally:
                # one that was left in mid-answer would give it to the next asker
                if clean:
                    self._idle.append(member)
                else:
                    self.members.discard(member)
                    member.program.kill("was ended")

    def _made(self) -> _Member:
        return _Member(self._command, self._environment, self._folder)

    async def close(self) -> None:
        """End all programs."""
        members, self._idle = list(self.members), []
        self.members.clear()
        for member in members:
            member.program.kill("was ended")
        for member in members:
            await member.program.ended


class _Member:
    """A program that is asked one thing at a time."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path | None) -> None:
        self._answer: asyncio.Future[Line] | None = None
        self.program = Program(command, folder, self._hear, environment)

    async def ask(self, line: bytes) -> Line:
        answer: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        self._answer = answer
        if not self.program.ended.done():
            self.program.send(line)
            either: set[asyncio.Future[Any]] = {answer, self.program.ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        raise EndedError(await self.program.ended)

    def _hear(self, line: Line) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(line)
