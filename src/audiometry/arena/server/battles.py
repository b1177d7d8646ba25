"""Battles under way: their models are asked in the background, and what they say is kept whatever the database does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from audiometry.arena.asking.asked import Entrant, Query, both
from audiometry.arena.asking.identity import ASKED, CLAIMED, Identity
from audiometry.arena.asking.rest import FAILURES
from audiometry.arena.asking.transcript import Transcriber
from audiometry.arena.server.metrics import Metrics
from audiometry.arena.store.nouns import Replied
from audiometry.arena.store.store import Store
from audiometry.errors import StorageError, UsageError, shown
from audiometry.languages import detector

T = TypeVar("T")
_LONGEST_PAUSE_S: Final = 5.0


class Battles:
    """Asks for battles.

    Args:
        store: that keeps them.
        entrants: the models, by the ids of their contestants.
        metrics: told what became of them.
        heed: told in a line what goes wrong on this side.
        transcriber: writes down what is said on recordings; None: nobody does.
    """

    def __init__(
        self,
        store: Store,
        entrants: Mapping[int, Entrant],
        metrics: Metrics,
        heed: Callable[[str], object],
        transcriber: Transcriber | None = None,
    ) -> None:
        self.transcriber = transcriber
        self._writing: set[asyncio.Task[None]] = set()
        self._store, self._entrants, self._metrics, self._heed = store, entrants, metrics, heed
        self._identity = Identity(one.model.name for one in entrants.values())
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._failed: set[int] = set()  # contestants of whom it was told
        self._stopping = asyncio.Event()

    @property
    def n_asking(self) -> int:
        """How many are under way."""
        return len(self._asking)

    def ask(self, a: int, b: int, query: Query) -> None:
        """Begin to ask two contestants, the battle's own; one that is not served any more fails."""
        task = asyncio.create_task(self._asked(a, b, query))
        self._asking[query.id] = task
        task.add_done_callback(lambda _: self._asking.pop(query.id, None))
        self.write(query)

    def write(self, query: Query) -> None:
        """Begin to write down what is said on a recording, where there is somebody to do it."""
        if self.transcriber is not None and query.untold and query.clip is not None:
            writing = asyncio.create_task(self._written(self.transcriber, query, query.clip))
            self._writing.add(writing)
            writing.add_done_callback(self._writing.discard)

    async def complete(self, battle: str, within_s: float) -> bool:
        """Wait for a battle that this process asks; False if it does not, or is about to stop."""
        task = self._asking.get(battle)
        if task is None or self._stopping.is_set():
            return False
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({task, stopping}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
        return True

    def stop(self) -> None:
        """Have nobody wait any longer."""
        self._stopping.set()

    async def finish(self) -> None:
        """Wait until all that is under way is answered and kept."""
        while under_way := {*self._asking.values(), *self._writing}:
            await asyncio.wait(under_way)

    async def _asked(self, a: int, b: int, query: Query) -> None:
        one, other = self._entrants.get(a), self._entrants.get(b)
        telling = asyncio.create_task(asyncio.to_thread(language_of, query.text))  # while the models answer
        if one is None or other is None:
            gone = Replied(state="failed", error="not-served: the server was started again without this model")
            said = (gone, gone)
        else:
            said = await both(one, other, query)
            for entrant, reply in ((one, said[0]), (other, said[1])):
                self._tell(entrant, reply)
        why, where = self._not_blind(query, said)
        language = await telling
        try:
            if why:
                await self._kept(lambda: self._store.set_apart(query.id, why, where))
            battle = await self._kept(lambda: self._store.replied(query.id, *said, language))
        except UsageError:
            return  # deleted by its voter meanwhile
        self._metrics.count("battles", state=battle.state)
        for reply in said:
            self._metrics.count("replies", state=reply.state)

    def _tell(self, entrant: Entrant, reply: Replied) -> None:
        """Say that a model failed, the first time and whenever it rests; not what it said, which may quote a voter."""
        if not reply.kind:
            return
        said = f"{shown(entrant.model.name)} does not answer ({shown(reply.kind, 60)})"
        if rests_s := entrant.rest.left_s:
            self._heed(f"{said}; it rests for {rests_s:.0f} s")
        elif entrant.contestant.id not in self._failed:
            self._heed(f"{said}; this is told once, and when it rests after {FAILURES} in a row")
        self._failed.add(entrant.contestant.id)

    async def _written(self, transcriber: Transcriber, query: Query, clip: Path) -> None:
        """Keep what is said on a recording; if it asks who answers, the battle is set apart after all."""
        words = await transcriber.words(clip)
        if words is None:
            return
        language = await asyncio.to_thread(language_of, words)
        try:
            if self._identity.asks(words):  # first, since what is written down is not looked at again
                await self._kept(lambda: self._store.set_apart(query.id, ASKED, words[:200]))
            await self._kept(lambda: self._store.transcribed(query.untold, words, language))
        except UsageError:
            return  # deleted by its voter meanwhile

    def _not_blind(self, query: Query, said: tuple[Replied, Replied]) -> tuple[str, str]:
        """Why a battle is set apart, and the words that show it."""
        if self._identity.asks(words := query.text or query.said):
            return ASKED, words[:200]
        claim = next(filter(None, (self._identity.claim(reply.text) for reply in said)), "")
        return (CLAIMED, claim[:200]) if claim else ("", "")

    async def _kept(self, work: Callable[[], T]) -> T:
        """Do it however long the database is gone."""
        pause = 0.2
        while True:
            try:
                return await asyncio.to_thread(work)
            except StorageError as problem:
                self._heed(f"{problem}; replies are held until it is there again")
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)


def language_of(words: str) -> str:
    """In which language something is said; empty where that is not sure, or nothing here can tell."""
    try:
        return detector()(words) if words else ""
    except (UsageError, OSError):
        return ""
