"""What the server does besides answering: models made ready, boards, what time asks for, health, and a good end."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from audiometry.arena.asking.asked import Query
from audiometry.arena.server import wire
from audiometry.arena.server.arena import Arena
from audiometry.arena.server.battles import language_of
from audiometry.arena.server.board import Board
from audiometry.errors import StorageError, counted, shown
from audiometry.models.protocol import SlowStart

LOOK_S: Final = 5.0
"""Seconds between looks at the database."""
EXPIRE_S: Final = 120.0
THREADS: Final = 32
"""That wait for the database, which has more connections than that: writers in line are not to keep readers waiting."""
_DAY_S: Final = 86_400.0
_TRIED: Final = 1 << 16  # bytes, more than what a disk that is full may have left over


class Life:
    """See `web.serve.Life`.

    Args:
        arena: what is served.
        board: of it; None: none is made.
        heed: told in a line what goes wrong, and what is waited for.
    """

    def __init__(self, arena: Arena, board: Board | None, heed: Callable[[str], object]) -> None:
        self._arena, self._board, self._heed = arena, board, heed
        writes = arena.battles.transcriber
        self._models = [*(one.model for one in arena.entrants), *([] if writes is None else [writes.model])]
        self._database = self._disk = True
        self._rounds: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Make the models ready, ask again for battles that were under way, begin the rounds."""
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        for model in self._models:
            if isinstance(model, SlowStart):
                self._heed(f"waiting for {shown(model.name)} to start")
                await model.start()
        await self._resume()
        every = [(LOOK_S, self._look), (EXPIRE_S, self._expire)]
        if self._board is not None:
            every.append((self._arena.settings.board_s, self._board.made))
        self._rounds = [asyncio.create_task(_every(seconds, work)) for seconds, work in every]
        self._loading = asyncio.create_task(asyncio.to_thread(language_of, "is it so?"))  # before the first voter waits

    def stop(self) -> None:
        """Begin nothing new, and have nobody wait."""
        self._arena.stopping = True
        self._arena.battles.stop()
        if n := self._arena.battles.n_asking:
            self._heed(f"waiting for {counted(n, 'battle')} under way; Ctrl-C again leaves them for the next start")

    async def close(self) -> None:
        """Finish the battles under way and let go of everything."""
        try:
            await self._arena.battles.finish()
        finally:
            for task in self._rounds:
                task.cancel()
            await asyncio.gather(*self._rounds, return_exceptions=True)
            await self._arena.decoding.close()
            for model in self._models:
                await model.close()
            await asyncio.to_thread(self._arena.store.close)

    def now(self) -> wire.Health:
        """How it is."""
        awake, all_of_them = len(self._arena.awake), len(self._arena.entrants)
        status = "ok" if self._database and self._disk and awake > 1 else "degraded"
        return wire.Health(
            status="stopping" if self._arena.stopping else status,
            database=self._database,
            disk=self._disk,
            models_awake=awake,
            models=all_of_them,
            asking=self._arena.battles.n_asking,
        )

    def metrics(self) -> str:
        """All counts."""
        return self._arena.metrics.text(
            {
                "battles_asking": lambda: self._arena.battles.n_asking,
                "models_awake": lambda: len(self._arena.awake),
                "database_up": lambda: self._database,
                "disk_up": lambda: self._disk,
                "votes_alarm": lambda: self._board is not None and self._board.alarm,
            }
        )

    async def _resume(self) -> None:
        """Ask again for battles that a server before this one had begun."""
        for one in await asyncio.to_thread(self._arena.store.asking):
            self._arena.battles.ask(one.a, one.b, Query.of(one.battle, one.query))
        if self._arena.battles.transcriber is not None:
            for battle, recording in await asyncio.to_thread(self._arena.store.audio.untold):
                self._arena.battles.write(Query.of(battle, recording))

    async def _look(self) -> None:
        """See whether the database is there, and whether recordings and its own file can be kept."""
        why = await asyncio.to_thread(self._closed)
        if why and self._disk:
            self._heed(f"{why}; people are asked to try again")
        if not why and not self._disk:
            self._heed("recordings and votes can be kept again")
        self._disk = not why
        try:
            await asyncio.to_thread(self._ping)
        except StorageError as problem:
            if self._database:
                self._heed(f"{problem}; whoever votes is asked to try again")
            self._database = False
        else:
            if not self._database:
                self._heed("the database is there again")
            self._database = True

    def _closed(self) -> str:
        """Why something cannot be kept; empty: all can."""
        settings = self._arena.settings
        its_own = settings.database_folder
        why = closed(settings.audio_folder)
        return why or ("" if its_own is None else closed(its_own, "votes", make=False))

    def _ping(self) -> None:
        with self._arena.store.database.reading() as connection:
            connection.exec_driver_sql("SELECT 1")

    async def _expire(self) -> None:
        """What time asks for; whatever is still under way here is not given up."""
        days = self._arena.settings.keep_days
        keep_s = days * _DAY_S if days else None
        asking_s = self._arena.settings.asking.whole_s + 3600
        with contextlib.suppress(StorageError):
            await asyncio.to_thread(lambda: self._arena.store.expire(asking_s=asking_s, keep_s=keep_s))


def closed(folder: Path, what: str = "recordings", *, make: bool = True) -> str:
    """Why something cannot be kept in a folder, which may be made where it is missing; empty: it can."""
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIED))
    except OSError as problem:
        return f"{what} cannot be kept in {shown(str(folder), 200)}: {problem.strerror}"
    return ""


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        await work()
        await asyncio.sleep(seconds)
