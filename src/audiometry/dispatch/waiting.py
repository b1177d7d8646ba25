"""What a process waits for, for whoever tells people; a dispatcher keeps it up to date."""

from __future__ import annotations

import time
from collections.abc import Callable


class Waiting:
    """What is waited for, and since when.

    Args:
        clock: seconds, monotonic.

    Attributes:
        what: as people are told it, such as *waiting for replies*; empty for nothing.
        since: by the clock, when something came last.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.what = ""
        self.since = clock()

    def begin(self, what: str) -> None:
        """Something came, and this is what comes next; empty for nothing."""
        self.what, self.since = what, self._clock()

    def explain(self, what: str) -> None:
        """Why nothing comes; the time goes on."""
        self.what = what

    @property
    def seconds(self) -> float:
        """How long nothing has come."""
        return self._clock() - self.since


PROCESS = Waiting()
"""The one of this process: a command dispatches one thing at a time, and a person has one terminal."""
REPLIES = "waiting for replies"
