"""Processes that listen, so that measuring and decoding speech use all CPUs beside the event loop.

pocketsphinx holds Python's global lock while it decodes, so threads would wait for one another.
"""

from __future__ import annotations

import asyncio
import os
import sys
import weakref

import msgspec

from audiometry.errors import ModelError
from audiometry.files import foreign
from audiometry.models.cascade.messages import UNAVAILABLE, Answer, Request
from audiometry.programs.background import Background
from audiometry.programs.pool import EndedError, Pool


class Workers:
    """At most ``size`` listening processes, started as they are needed and used again, from whichever event loop.

    Args:
        recogniser: what each of them loads (``pocketsphinx``, or ``whisper:NAME``).
        size: how many at most.
        threads: how many threads each may use.
    """

    def __init__(self, recogniser: str, size: int, threads: int) -> None:
        # one process a CPU: more threads inside each would only get in each other's way
        limits = {k: str(threads) for k in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        command = [sys.executable, "-m", "audiometry.models.cascade.worker", recogniser, str(threads)]
        self.pool = Pool(command, size, {**os.environ, **limits})
        self._background = Background()
        # also when nobody closes it
        weakref.finalize(self, self._background.stop_after, self.pool.close)

    async def ask(self, request: Request) -> str:
        """The description.

        Raises:
            ModelError: the clip cannot be heard (``audio-unreadable`` and the like), the recogniser cannot be
                loaded (``model-unavailable``, fatal), or the process died (``crash``, worth another try).
        """
        line = msgspec.json.encode(request) + b"\n"
        try:
            said = await asyncio.wrap_future(self._background.submit(self.pool.ask(line)))
        except EndedError as problem:
            raise ModelError("crash", f"the process that listens to clips {problem}", retry=True) from problem
        answer = foreign.json(said.data, Answer)
        if answer.kind:
            raise ModelError(answer.kind, answer.message, fatal=answer.kind == UNAVAILABLE)
        return answer.description

    async def start(self) -> None:
        """Load the recogniser in one of the processes, however long that takes (its weights may have to be fetched).

        Raises:
            ModelError: it cannot be loaded; see `ask`.
        """
        await self.ask(Request(b"", wanted="nothing"))

    async def close(self) -> None:
        """End all processes."""
        await asyncio.wrap_future(self._background.submit(self.pool.close()))
        self._background.stop()
