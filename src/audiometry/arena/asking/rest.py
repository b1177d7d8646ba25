"""A model that fails is left alone for a while, so that people do not wait for it in vain."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

FAILURES: Final = 3
"""In a row, after which a model rests."""
FIRST_S: Final = 30.0
LONGEST_S: Final = 1800.0


class Rest:
    """Counts a model's failures in a row.

    The rest doubles each time the model fails again right after one, up to `LONGEST_S`; a reply ends that.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures, self._rests, self._until = 0, 0, float("-inf")

    @property
    def left_s(self) -> float:
        """Seconds for which it still rests; 0: it can be asked."""
        return max(0.0, self._until - self._clock())

    def replied(self) -> None:
        """Words came."""
        self._failures = self._rests = 0

    def failed(self, *, fatal: bool = False) -> None:
        """None came; ``fatal``: none will before somebody mends it."""
        self._failures += 1
        if self._failures >= FAILURES or self._rests or fatal:
            self._until = self._clock() + min(LONGEST_S, FIRST_S * 2.0**self._rests)
            self._rests, self._failures = min(self._rests + 1, 20), 0
