"""Local models, loaded and asked through transformers' generic audio-text-to-text classes (needs torch).

``hf/Qwen/Qwen2-Audio-7B-Instruct`` or ``hf/./folder``, with ``?dtype=bfloat16&device=cuda:0&batch=8``. Which class
loads a model, its transformers' own mappings say; docs/local-models.md tells the rest.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import weakref
from collections.abc import AsyncIterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from audiometry.errors import ModelError, UsageError
from audiometry.models import cards
from audiometry.models.protocol import Model
from audiometry.models.route import Route
from audiometry.models.settings import ModelSettings
from audiometry.records import Chunk, ModelCard, Prompt, Reply

if TYPE_CHECKING:
    from audiometry.models.local.batching import Collector
    from audiometry.models.local.opened import Opened
    from audiometry.models.local.wanted import Wanted
    from audiometry.models.piping.background import Background


def load(name: str, settings: ModelSettings) -> Model:
    """The local model of that name; nothing is read until its card is asked for, its weights with the first prompt.

    Raises:
        UsageError: torch or transformers is missing, there is no such folder, or an option is wrong.
    """
    from audiometry.models.local import wanted

    return TransformersModel(wanted.read(name), settings)


PROVIDERS = {"hf": load}
ROUTES = {
    "hf": Route(
        example="hf/Qwen/Qwen2-Audio-7B-Instruct",
        takes=frozenset({"temperature", "max_tokens", "card", "price"}),
        extra="hf",
    )
}


class TransformersModel:
    """A model in this process, asked in batches.

    Args:
        wanted: which, and how it computes.
        settings: how to use it.
    """

    def __init__(self, wanted: Wanted, settings: ModelSettings) -> None:
        self.name = wanted.name
        self._wanted, self._settings = wanted, settings
        self._closing = threading.Event()
        self._ready: concurrent.futures.Future[Collector] | None = None
        self._serving: list[asyncio.Task[None]] = []

    @property
    def card(self) -> ModelCard:
        """What its processor takes; a card of the user's own goes before that, but cannot promise more."""
        return self._card

    @property
    def parameters(self) -> dict[str, Any]:
        """Class, weights, dtype, decoding settings and versions; the seed where replies are drawn at random.

        ``decoding.max_new_tokens`` is the longest reply: what was given, else the model's own limit, else
        `local.opened.NEW_TOKENS`; ``max_new_tokens_from`` says which.
        """
        return self._opened.parameters(self._settings)

    @property
    def batch(self) -> int:
        """How many prompts are answered together."""
        return min(self._wanted.batch, self._settings.connections or self._wanted.batch)

    async def start(self) -> None:
        """Load the weights, as long as it takes; again does nothing.

        Raises:
            UsageError: they are missing or incomplete, or do not fit into memory.
        """
        await self._collector()

    async def answer(self, prompt: Prompt) -> Reply:
        """A reply, made together with those to other prompts that wait at the same time."""
        from audiometry.models.local import hearing
        from audiometry.models.local.batching import Asked

        messages = await asyncio.to_thread(hearing.messages, prompt, self._opened.rate, self._longest_s)
        collector = await self._collector()
        future: concurrent.futures.Future[Reply] = concurrent.futures.Future()
        asked = Asked(messages, (prompt.item, prompt.variant), future, self._closing)
        self._background.submit(collector.put(asked))
        return await asyncio.wrap_future(future)

    async def stream(self, prompt: Prompt) -> AsyncIterator[Chunk]:
        """The whole reply as one piece: replies of a batch are finished together."""
        reply = await self.answer(prompt)
        yield Chunk.whole(reply)

    async def close(self) -> None:
        """Stop after the token that is being made, and let go of the weights."""
        self._closing.set()
        if "_background" in self.__dict__:
            from audiometry.models.local.engine import release

            await asyncio.to_thread(self._finalizer)
            self._ready = None
            release()

    async def _collector(self) -> Collector:
        if self._closing.is_set():
            raise ModelError("closed", f"{self.name} was closed; load it again")
        if self._ready is None:
            self._ready = self._background.submit(self._begin())
        # one asker that gives up must not take the model from the others
        return await asyncio.shield(asyncio.wrap_future(self._ready))

    async def _begin(self) -> Collector:
        """Load the weights and begin to serve; in the thread where all torch work is done."""
        from audiometry.models.local import engine, wanted
        from audiometry.models.local.batching import Collector

        loaded = engine.Engine(self._opened, wanted.device(self._wanted), self._settings.seed)
        collector = Collector(
            loaded.answer,
            full=engine.out_of_memory,
            release=engine.release,
            size=self._wanted.batch,
            askers=self._settings.connections,
        )
        self._serving.append(asyncio.create_task(collector.serve()))
        return collector

    @cached_property
    def _opened(self) -> Opened:
        from audiometry.models.local import opened, wanted

        wanted.device(self._wanted)  # before anything is downloaded
        return opened.open_model(self._wanted, self._settings)

    @cached_property
    def _longest_s(self) -> float | None:
        from audiometry.models.local import hearing

        return hearing.longest_s(self._opened)

    @cached_property
    def _card(self) -> ModelCard:
        opened, batch = self._opened, self._wanted.batch
        if self._settings.card:
            own = cards.find(self.name, self._settings.card)
            if own.rate != opened.rate:
                raise UsageError(f"{self._settings.card}: {self.name} takes {opened.rate} Hz; set rate = {opened.rate}")
            limits = [limit for limit in (own.longest_s, self._longest_s) if limit is not None]
            return msgspec.structs.replace(own, longest_s=min(limits, default=None), concurrency=batch)
        return ModelCard(name=self.name, rate=opened.rate, longest_s=self._longest_s, concurrency=batch)

    @cached_property
    def _background(self) -> Background:
        from audiometry.models.piping.background import Background

        background = Background()
        # also when nobody closes it; loops hold their tasks weakly, so what is served is held until then
        self._finalizer = weakref.finalize(self, _end, background, self._serving)
        return background


def _end(background: Background, serving: list[asyncio.Task[None]]) -> None:
    background.stop()
    serving.clear()
