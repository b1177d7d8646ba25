"""Prompts that come at the same time, answered together; each asker gets its own reply or its own failure."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
import time
import traceback
from collections.abc import Callable
from typing import Final

import msgspec

from audiometry.errors import ModelError
from audiometry.models.transformers.hearing import Message
from audiometry.records import Decoding, Reply

SHORTEST_GAP_S: Final = 0.005
LONGEST_GAP_S: Final = 0.25
GAP_SHARE: Final = 0.1
"""The next prompt of a batch is waited for, while its clip is read, a tenth of the time that the last batch took."""


class Asked(msgspec.Struct, frozen=True, eq=False):
    """A prompt, and where its reply goes.

    Attributes:
        messages: as the processor takes them.
        names: item and variant.
        future: of the reply; cancelled when nobody waits for it any more.
        closing: set when the whole model is put away.
        decoding: of the reply; None: as the model was told when it was loaded.
    """

    messages: list[Message]
    names: tuple[str, str]
    future: concurrent.futures.Future[Reply]
    closing: threading.Event
    decoding: Decoding | None = None

    def gone(self) -> bool:
        """Whether nobody waits for the reply any more."""
        return self.future.cancelled() or self.closing.is_set()


class Collector:
    """Gathers prompts into batches and has them answered, one batch after the other, in the loop where it runs.

    Answering blocks that loop; what is asked in the meantime is gathered next. A batch that does not fit into
    memory is halved, and so are all later ones. A batch that fails otherwise is asked again one by one, so that
    only the prompt that is to blame fails.

    Args:
        answering: gives a reply to each of a batch, in order; raises anything.
        full: whether an error says that memory ran out.
        release: gives memory back after that.
        size: the most prompts in a batch.
        askers: the most prompts that can be under way: when they are together nobody else is waited for; None: unknown.
    """

    def __init__(
        self,
        answering: Callable[[list[Asked]], list[Reply]],
        *,
        full: Callable[[BaseException], bool],
        release: Callable[[], None],
        size: int,
        askers: int | None = None,
    ) -> None:
        self._answering, self._full, self._release, self.size = answering, full, release, size
        self._askers, self._gap_s = askers, SHORTEST_GAP_S
        self._queue: asyncio.Queue[Asked] = asyncio.Queue()

    async def put(self, asked: Asked) -> None:
        """Take a prompt in."""
        self._queue.put_nowait(asked)

    async def serve(self) -> None:
        """Answer until cancelled; what is left then is cancelled as well."""
        batch: list[Asked] = []
        try:
            while True:
                batch = await self._gathered()
                began = time.perf_counter()
                await self._answer(batch)
                self._gap_s = min(max(GAP_SHARE * (time.perf_counter() - began), SHORTEST_GAP_S), LONGEST_GAP_S)
        finally:
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            for asked in batch:
                asked.future.cancel()

    async def _gathered(self) -> list[Asked]:
        batch = [await self._queue.get()]
        most = min(self.size, self._askers or self.size)
        with contextlib.suppress(TimeoutError):
            while len(batch) < most:
                async with asyncio.timeout(self._gap_s):
                    batch.append(await self._queue.get())
        return batch

    async def _answer(self, batch: list[Asked]) -> None:
        groups = [batch]
        while groups:
            group = [asked for asked in groups.pop(0) if not asked.gone()]
            if len(group) > self.size:
                groups[:0] = [group[: self.size], group[self.size :]]
            elif group:
                groups[:0] = await self._once(group)

    async def _once(self, group: list[Asked]) -> list[list[Asked]]:
        """Answer a group; the smaller groups to try if it failed as a whole."""
        # a task keeps whatever foreign code raises; nothing here has to catch what it cannot name
        began = time.perf_counter()
        task = asyncio.ensure_future(self._run(group))
        await asyncio.wait({task})
        problem = task.exception()
        if problem is None:
            took_s = time.perf_counter() - began  # what came before it was the batch ahead
            for asked, reply in zip(group, task.result(), strict=True):
                _settle(asked, msgspec.structs.replace(reply, latency_s=took_s))
            return []
        full = self._full(problem)
        if full:
            # the frames of the failed attempt hold the tensors that are in the way
            traceback.clear_frames(problem.__traceback__)
            problem.__traceback__ = None
            del task
            self._release()
        if len(group) == 1:
            _settle(group[0], _does_not_fit(problem) if full else problem)
            return []
        if not full:
            return [[asked] for asked in group]
        self.size = len(group) // 2
        return [group[: self.size], group[self.size :]]

    async def _run(self, group: list[Asked]) -> list[Reply]:
        return self._answering(group)


def _does_not_fit(problem: BaseException) -> ModelError:
    return ModelError("out-of-memory", f"this prompt alone does not fit into memory: {problem}")


def _settle(asked: Asked, outcome: Reply | BaseException) -> None:
    with contextlib.suppress(concurrent.futures.InvalidStateError):  # the asker left in this moment
        if isinstance(outcome, Reply):
            asked.future.set_result(outcome)
        else:
            asked.future.set_exception(outcome)
