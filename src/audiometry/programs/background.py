"""An event loop in a thread of its own.

A program's pipes belong to the loop that opened them, but a model's card is needed before any loop
runs, and a model may be used in one loop after another.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import selectors
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")
END_WITHIN_S: Final = 10.0


class Background:
    """A loop that runs until `stop`; ended with the interpreter at the latest."""

    def __init__(self) -> None:
        with selectors.DefaultSelector():  # all that a loop opens: Python trips over one that is half made when it goes
            for end in socket.socketpair():
                end.close()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="audiometry-exec", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Start work there; its result can be waited for here, in this or in any other loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    @property
    def alive(self) -> bool:
        """Whether it was not stopped."""
        return not self._loop.is_closed()

    @property
    def within(self) -> bool:
        """Whether the caller is in that thread, where waiting would wait for itself."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        """End the loop; what it still has to do is dropped. Again does nothing."""
        if self.alive:
            self._loop.call_soon_threadsafe(self._loop.stop)
        if not self.within:
            self._thread.join(timeout=5)

    def stop_after(self, last: Callable[[], Coroutine[Any, Any, None]], within_s: float = END_WITHIN_S) -> None:
        """Do something last, such as ending programs, and end the loop; of one that was ended nothing is asked."""
        if not self.alive:
            return
        done = self.submit(last())
        if not self.within:
            with contextlib.suppress(concurrent.futures.TimeoutError):
                done.result(within_s)
        self.stop()

    def _run(self) -> None:
        self._loop.run_forever()
        waiting = asyncio.all_tasks(self._loop)
        for task in waiting:
            task.cancel()
        if waiting:
            self._loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        self._loop.close()
