"""The board, made in the background by a process of its own, so that nobody who asks for it or votes waits for it.

Run as a module it is that process: an address of the database on standard input, the board's document on standard
output. It holds closed votes alone: numbers that move between a question and its reveal would tell who answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry.errors import AudiometryError, UndecodableError, UsageError, short_of, shown
from audiometry.files import foreign, secrets
from audiometry.records.reply import now

LONGEST_S: Final = 600.0
NONE: Final = msgspec.json.encode({"models": [], "votes": 0, "at": "", "rates": []})
"""The document of an arena without a board."""


class _Asked(msgspec.Struct):
    url: str
    audio: str


class _Alarm(msgspec.Struct):
    recent: float
    before: float
    n: int


class _Apart(msgspec.Struct):
    alarm: _Alarm | None = None


class _Made(msgspec.Struct):
    set_apart: _Apart | None = None


class Board:
    """The newest board.

    Args:
        url: of the database.
        audio: its folder.
        title: of the arena.
        heed: told why there is no new one.

    Attributes:
        document: JSON; see `audiometry.arena.document`, with ``title``, ``votes``, ``at`` and ``rates``.
        alarm: whether the share of votes that are set apart has jumped.
    """

    def __init__(self, url: str, audio: Path, title: str = "", heed: Callable[[str], object] = lambda _: None) -> None:
        self._asked = msgspec.json.encode(_Asked(url, str(audio)))
        self._title = msgspec.json.encode({"title": title})
        self._heed, self._said, self.alarm = heed, "", False
        self.document = self._titled(NONE)

    def _titled(self, document: bytes) -> bytes:
        return self._title[:-1] + b"," + document[1:]

    async def made(self) -> None:
        """Make a new one; the one before stays if that fails, and why is told once."""
        try:
            why = await self._tried()
        except (OSError, UndecodableError) as problem:  # such as a machine without a handle left, now
            why = short_of(problem) or str(problem)
        if why and why != self._said:
            self._heed(f"no new board could be made: {why}")
        self._said = why

    async def _tried(self) -> str:
        """Make a new one, and say why there is none; empty: there is."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "audiometry.arena.server.board",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server
            env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
        )
        try:
            async with asyncio.timeout(LONGEST_S):
                out, errors = await process.communicate(self._asked)
            if process.returncode == 0:
                self.document = self._titled(secrets.known().document(out))
                self._alarmed(foreign.json(out, _Made).set_apart)
                return ""
            lines = errors.decode(errors="replace").strip().splitlines()
            return shown(lines[-1], 300) if lines else f"exit code {process.returncode}"
        except TimeoutError:
            return f"it takes longer than {LONGEST_S:g} s"
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    def _alarmed(self, apart: _Apart | None) -> None:
        """Tell once that many votes are set apart all of a sudden."""
        found = apart.alarm if apart is not None else None
        if found is not None and not self.alarm:
            self._heed(
                f"{found.recent:.0%} of the last {found.n} votes are set apart, {found.before:.0%} before: either "
                "somebody plays with the arena or a rule is wrong; see `audiometry arena rank --db`"
            )
        self.alarm = found is not None


def document(url: str, audio: Path) -> dict[str, Any]:
    """The board of the closed votes that may count, how many these are, and what became of asking each model.

    Raises:
        StorageError: the database does not answer.
    """
    from audiometry.arena import board
    from audiometry.arena.abuse.look import REASONS
    from audiometry.arena.document import document as ranked
    from audiometry.arena.store.store import Store

    with contextlib.closing(Store.open(url, audio, make=False)) as store:
        votes, rates = store.votes(closed=True, latencies=False), store.failures(closed=True)
    try:
        found = ranked(board.board(votes, board.Settings(), set_apart=True))
    except UsageError:  # too few votes for a board
        look = board.looked(votes)
        apart = None if look is None else {"left_out": True, "votes": {one: look.n(one) for one in REASONS}}
        found = {"models": [], "set_apart": apart}
    if found["set_apart"] is not None:
        found["set_apart"].pop("voters", None)  # whom one suspects is for whoever runs it: `audiometry arena rank`
    return {**found, "votes": votes.votes.n, "at": now(), "rates": [msgspec.structs.asdict(one) for one in rates]}


def main() -> None:
    """Answer once."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(10)  # votes come first
    try:
        asked = foreign.json(sys.stdin.buffer.read(), _Asked)
        made = msgspec.json.encode(document(asked.url, Path(asked.audio)))
    except (AudiometryError, UndecodableError) as problem:
        sys.exit(str(problem))
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        out.write(made)


if __name__ == "__main__":
    main()
