"""Models that make points of texts, behind a server's ``/embeddings``, asked as other models are.

A prompt holds texts as parts of one turn; the reply's text is a JSON list with a list of numbers for each.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec

from audiometry.errors import ModelError, UndecodableError, UnknownNameError
from audiometry.files import foreign
from audiometry.models import cards
from audiometry.models.chat_completions import address
from audiometry.models.chat_completions import reply as chat_reply
from audiometry.models.chat_completions.endpoints import Endpoint, Endpoints
from audiometry.models.chat_completions.model import needs_key, way_to
from audiometry.models.chat_completions.providers import KNOWN
from audiometry.models.settings import ModelSettings
from audiometry.records import Chunk, Prompt, Reply, Text

if TYPE_CHECKING:
    from audiometry.models.chat_completions.session import HttpSession

LARGEST: Final = 64 * 1024 * 1024  # bytes of a response: 64 texts of 16,384 numbers
WIDEST: Final = 16_384  # numbers of a point
FURTHEST: Final = 1e38  # from 0 that a number may lie: points are kept in 32 bits


class _Point(msgspec.Struct):
    embedding: list[float]
    index: int


class _Answer(msgspec.Struct):
    data: list[_Point]


class EmbeddingModel:
    """See `audiometry.models.protocol.Model`.

    Args:
        name: as ``provider/name``.
        settings: where it is served, and how many requests will be under way.

    Raises:
        UnknownNameError: there is no such provider.
        UsageError: no key where one is needed, or an address that is not one.
    """

    def __init__(self, name: str, settings: ModelSettings) -> None:
        provider_name, _, self._model = name.partition("/")
        if provider_name not in KNOWN or not self._model:
            raise UnknownNameError("provider of embeddings", provider_name, [f"{one}/MODEL" for one in KNOWN])
        provider = KNOWN[provider_name]
        self.name, self.card = name, cards.find(name, settings.card)
        self.parameters: dict[str, Any] = dict(settings.extra)
        every, self._key, lacks_key = way_to(provider, settings)
        if lacks_key:
            raise needs_key(name, provider.key_names)
        self._endpoints = Endpoints([address.elsewhere(one, address.EMBEDDINGS) for one in every])
        self._connections = settings.connections or self.card.concurrency
        self._session: HttpSession | None = None

    async def answer(self, prompt: Prompt) -> Reply:
        """The points of the texts of a prompt, in their order."""
        texts = [part.text for turn in prompt.turns for part in turn.parts if isinstance(part, Text)]
        body = msgspec.json.encode({"model": self._model, "input": texts, **self.parameters})
        failed = ModelError("no-connection", "no address to ask")
        for endpoint in self._endpoints.in_turn():
            try:
                with endpoint:
                    return await self._asked(endpoint, body, len(texts))
            except ModelError as problem:
                if problem.kind != "no-connection":
                    raise
                failed = problem
        raise failed

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Chunk]:
        """All of it at once."""
        reply = await self.answer(prompt)
        yield Chunk(text=reply.text, after_s=reply.latency_s or 0.0, finish_reason="stop")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _asked(self, endpoint: Endpoint, body: bytes, n: int) -> Reply:
        if self._session is None:  # it belongs to the running event loop
            from audiometry.models.chat_completions.session import HttpSession

            self._session = HttpSession(self._key, self._connections)
        status, raw, retry_after, took_s = await self._session.post(endpoint.address, [body], LARGEST)
        if status != HTTPStatus.OK:
            raise chat_reply.failure(status, raw, retry_after, endpoint.where, self.parameters)
        try:
            found = foreign.json(raw, _Answer).data
        except UndecodableError as problem:
            raise ModelError("not-a-reply", f"{endpoint.where} sent no embeddings ({problem})", retry=True) from None
        points = {one.index: one.embedding for one in found}
        widths = {len(one) for one in points.values()}
        if sorted(points) != list(range(n)) or len(found) != n or len(widths) != 1 or not 0 < max(widths) <= WIDEST:
            raise ModelError("not-a-reply", f"{endpoint.where} sent no point of equal length for each of {n} texts")
        if not all(abs(x) <= FURTHEST for one in points.values() for x in one):
            raise ModelError("not-a-reply", f"{endpoint.where} sent points with numbers beyond {FURTHEST:g}")
        text = msgspec.json.encode([points[at] for at in range(n)]).decode()
        return Reply(text=text, finish_reason="stop", latency_s=took_s)
