"""As many places as prompts may be under way; how many that is may change meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable


class Places:
    """Places that are taken and given back.

    Args:
        most: how many there are at the moment; asked anew whenever somebody waits and `look` is called.
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._taken = 0
        self._waiting: list[asyncio.Future[None]] = []

    async def take(self) -> None:
        """Wait for a place; who came first gets it first."""
        if self._waiting or self._taken >= self._most():
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.give_back()  # it was given just as the asker gave up
                with contextlib.suppress(ValueError):  # `look` may have dropped it by now
                    self._waiting.remove(turn)
                raise
        else:
            self._taken += 1

    def give_back(self) -> None:
        """Free a place."""
        self._taken -= 1
        self.look()

    def look(self) -> None:
        """Hand out what is free."""
        while self._waiting and self._taken < self._most():
            turn = self._waiting.pop(0)
            if not turn.cancelled():
                self._taken += 1
                turn.set_result(None)
