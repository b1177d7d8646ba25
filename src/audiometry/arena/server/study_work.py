"""What a study has to know of the arena that it is around."""

from __future__ import annotations

import asyncio

from audiometry.arena.server.arena import Arena
from audiometry.arena.store.nouns import Voter
from audiometry.web.study.flow import Done


class StudyWork:
    """See `web.study.flow.Work`.

    Args:
        arena: inside the study.
    """

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    async def done(self, participant: str) -> Done:
        """How many votes of a participant are kept, and whether any battle is left."""
        n = await asyncio.to_thread(lambda: self._arena.store.count(self._voter(participant)))
        return Done(n, more=not self._arena.full)

    async def withdraw(self, participant: str) -> None:
        """Remove what a participant gave."""
        await asyncio.to_thread(lambda: self._arena.store.withdraw(self._voter(participant)))
        self._arena.forget()
        self._arena.full = False  # their places are free, which the next draw finds out

    def _voter(self, participant: str) -> Voter:
        return self._arena.store.voter(self._arena.key_of(participant), participant=participant)
