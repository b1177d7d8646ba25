"""How often somebody may do something: so many times in a while, and then as the while goes by."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Final

from audiometry.arena.server.refused import TooOftenError

MOST: Final = 100_000
"""Whom it remembers at one time; who is forgotten had done nothing for the longest time."""


class Frequency:
    """A token bucket for each of many.

    Args:
        many: that one may do at once, and in ``seconds``; 0: no limit.
        seconds: that while.
        what: is done, for people.
        clock: seconds, monotonic.
    """

    def __init__(self, many: int, seconds: float, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._many, self._rate, self._what, self._clock = many, many / seconds, what, clock
        self._left: dict[Hashable, tuple[float, float]] = {}

    def done(self, by: Hashable) -> None:
        """Somebody does it.

        Raises:
            TooOftenError: too often.
        """
        if not self._many:
            return
        now = self._clock()
        left, at = self._left.pop(by, (float(self._many), now))
        left = min(self._many, left + (now - at) * self._rate)
        self._left[by] = (left - 1 if left >= 1 else left, now)  # now the last one that would be forgotten
        if len(self._left) > MOST:
            del self._left[next(iter(self._left))]
        if left < 1:
            raise TooOftenError(f"{self._what}; wait a little", (1 - left) / self._rate)
