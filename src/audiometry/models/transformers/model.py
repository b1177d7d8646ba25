"""Local models, loaded and asked through transformers' generic classes (needs torch).

``hf/Qwen/Qwen2-Audio-7B-Instruct`` or ``hf/./folder``, with ``?dtype=bfloat16&device=cuda:0&batch=8``. Which class
loads a model, its transformers' own mappings say. One that takes words alone may read for a cascade, or judge.
docs/local-models.md tells the rest.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import weakref
from collections.abc import AsyncIterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from audiometry.errors import ModelError, UsageError
from audiometry.models import cards
from audiometry.models.protocol import Model
from audiometry.models.settings import ModelSettings, under
from audiometry.records import Chunk, Decoding, ModelCard, Prompt, Reply

if TYPE_CHECKING:
    from audiometry.models.transformers.batching import Collector
    from audiometry.models.transformers.opened import Opened
    from audiometry.models.transformers.wanted import Wanted
    from audiometry.programs.background import Background


def load(name: str, settings: ModelSettings) -> Model:
    """The local model of that name; nothing is read until its card is asked for, its weights with the first prompt.

    Raises:
        UsageError: torch or transformers is missing, there is no such folder, or an option or setting is wrong.
    """
    from audiometry.models.transformers import decoding, wanted

    found = wanted.read(name)
    decoding.further(settings.extra)
    return TransformersModel(found, settings)


_KNOWN: Final = ("part_order", "fixed_order", "system_role", "needs_audio", "note", "price_in", "price_out")
"""What a card knows of a model and its processor does not say. The rest is of requests to servers."""


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
        self._kinds: dict[Decoding | None, Opened] = {}

    @property
    def card(self) -> ModelCard:
        """What its processor takes, and what a card knows besides: order, system turn, a shorter clip, notes, prices.

        A card of the user's own goes before the built-in ones; neither can promise more than the processor takes.
        """
        return self._card

    @property
    def parameters(self) -> dict[str, Any]:
        """Class, weights, dtype, decoding settings and versions; the seed where replies are drawn at random.

        ``decoding.max_new_tokens`` is the longest reply: what was given, else the model's own limit, else
        `opened.NEW_TOKENS`; ``max_new_tokens_from`` says which.
        """
        return self._parameters(None)

    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:
        """See `Decodes.parameters_under`."""
        return self._parameters(decoding)

    def _parameters(self, decoding: Decoding | None) -> dict[str, Any]:
        return self._under(decoding).parameters(under(self._settings, decoding))

    def _under(self, decoding: Decoding | None) -> Opened:
        """The model as it decodes such requests."""
        if decoding not in self._kinds:
            self._kinds[decoding] = self._opened.under(under(self._settings, decoding)) if decoding else self._opened
        return self._kinds[decoding]

    @property
    def never_varies(self) -> bool:
        """Whether nothing is drawn; see `NeverVaries`."""
        return not self._opened.samples

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
        from audiometry.models.transformers import hearing
        from audiometry.models.transformers.batching import Asked

        rate, longest_s, system = self._opened.rate, self._longest_s, self._card.system_role
        messages = await asyncio.to_thread(hearing.messages, prompt, rate, longest_s, system_role=system)
        collector = await self._collector()
        future: concurrent.futures.Future[Reply] = concurrent.futures.Future()
        asked = Asked(messages, (prompt.item, prompt.variant), future, self._closing, prompt.decoding)
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
            from audiometry.models.transformers.engine import release

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
        from audiometry.models.transformers import engine, wanted
        from audiometry.models.transformers.batching import Collector

        loaded = engine.Engine(self._opened, wanted.device(self._wanted), self._settings.seed, self._under)
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
        from audiometry.models.transformers import opened, wanted

        wanted.device(self._wanted)  # before anything is downloaded
        return opened.open_model(self._wanted, self._settings)

    @cached_property
    def _longest_s(self) -> float | None:
        from audiometry.models.transformers import hearing

        return hearing.longest_s(self._opened)

    @cached_property
    def _card(self) -> ModelCard:
        opened, own = self._opened, self._settings.card
        known = cards.find(self.name, own)
        if own and opened.rate and known.rate != opened.rate:
            raise UsageError(f"{own}: {self.name} takes {opened.rate} Hz; set rate = {opened.rate}")
        if own and known.fields:
            raise UsageError(f"{own}: [card.fields] are sent with requests, and {self.name} gets none; use --extra")
        taken: dict[str, Any] = {key: getattr(known, key) for key in _KNOWN}
        if opened.rate:
            limits = [limit for limit in (known.longest_s, self._longest_s) if limit is not None]
            taken |= {"rate": opened.rate, "longest_s": min(limits, default=None)}
        else:  # what it cannot take need not be converted
            taken |= {"rate": None, "channels": None, "formats": ()}
        said = {key: where for key, where in known.sources.items() if getattr(known, key) == taken.get(key)}
        return msgspec.structs.replace(
            ModelCard(), name=self.name, concurrency=self._wanted.batch, sources=said, **taken
        )

    @cached_property
    def _background(self) -> Background:
        from audiometry.programs.background import Background

        background = Background()
        # also when nobody closes it; loops hold their tasks weakly, so what is served is held until then
        self._finalizer = weakref.finalize(self, _end, background, self._serving)
        return background


def _end(background: Background, serving: list[asyncio.Task[None]]) -> None:
    background.stop()
    serving.clear()
