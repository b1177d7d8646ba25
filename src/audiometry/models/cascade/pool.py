"""Processes that listen, so that measuring and decoding speech use all CPUs beside the event loop.

pocketsphinx holds Python's global lock while it decodes, so threads would wait for one another.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator

import msgspec

from audiometry.errors import ModelError
from audiometry.models.cascade.worker import HEAD, UNAVAILABLE, Answer, Request


class Workers:
    """At most ``size`` listening processes, started as they are needed and used again.

    Args:
        recogniser: what each of them loads (``pocketsphinx``, or ``whisper:NAME``).
        size: how many at most.
        threads: how many threads each may use.
    """

    def __init__(self, recogniser: str, size: int, threads: int) -> None:
        self._recogniser, self._size, self._threads = recogniser, size, threads
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free: asyncio.Semaphore = asyncio.Semaphore(size)
        self._idle: list[asyncio.subprocess.Process] = []
        self._all: set[asyncio.subprocess.Process] = set()

    async def ask(self, request: Request) -> str:
        """The description.

        Raises:
            ModelError: the clip cannot be heard (``audio-unreadable`` and the like), the recogniser cannot be
                loaded (``model-unavailable``, fatal), or the process died (``crash``, worth another try).
        """
        async with self._worker() as worker:
            try:
                answer = await _exchange(worker, request)
            except (asyncio.IncompleteReadError, ConnectionError) as error:
                code = await worker.wait()
                raise ModelError(
                    "crash",
                    f"the process that listens to clips ended (exit code {code}); see its message above",
                    retry=True,
                ) from error
        if answer.kind:
            raise ModelError(answer.kind, answer.message, fatal=answer.kind == UNAVAILABLE)
        return answer.description

    async def start(self) -> None:
        """Load the recogniser in one of the processes, however long that takes (its weights may have to be fetched).

        Raises:
            ModelError: it cannot be loaded; see `ask`.
        """
        await self.ask(Request(b"", wanted="nothing"))

    @contextlib.asynccontextmanager
    async def _worker(self) -> AsyncIterator[asyncio.subprocess.Process]:
        self._follow_loop()
        async with self._free:
            worker = self._idle.pop() if self._idle else await self._start()
            clean = False
            try:
                yield worker
                clean = True
            finally:
                # one that was left in mid-answer would give it to the next asker
                if clean:
                    self._idle.append(worker)
                else:
                    self._drop(worker)

    def _follow_loop(self) -> None:
        """Pipes belong to the event loop that opened them: in another one, start afresh."""
        loop = asyncio.get_running_loop()
        if loop is self._loop:
            return
        for worker in list(self._all):
            self._drop(worker)
        self._idle.clear()
        self._loop, self._free = loop, asyncio.Semaphore(self._size)

    async def _start(self) -> asyncio.subprocess.Process:
        # one process a CPU: more threads inside each would only get in each other's way
        threads = {k: str(self._threads) for k in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        worker = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "audiometry.models.cascade.worker",
            self._recogniser,
            str(self._threads),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **threads},
            start_new_session=True,
        )
        self._all.add(worker)
        return worker

    def _drop(self, worker: asyncio.subprocess.Process) -> None:
        self._all.discard(worker)
        with contextlib.suppress(ProcessLookupError):
            worker.kill()

    async def close(self) -> None:
        """End all processes."""
        workers, self._idle = list(self._all), []
        for worker in workers:
            self._drop(worker)
        if asyncio.get_running_loop() is self._loop:
            for worker in workers:
                await worker.wait()


async def _exchange(worker: asyncio.subprocess.Process, request: Request) -> Answer:
    if worker.stdin is None or worker.stdout is None:
        raise ConnectionError("no pipes")
    body = msgspec.msgpack.encode(request)
    worker.stdin.write(HEAD.pack(len(body)))
    worker.stdin.write(body)
    await worker.stdin.drain()
    (length,) = HEAD.unpack(await worker.stdout.readexactly(HEAD.size))
    return msgspec.msgpack.decode(await worker.stdout.readexactly(length), type=Answer)
