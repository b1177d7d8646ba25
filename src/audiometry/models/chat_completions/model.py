"""Models behind a chat-completions server, the provider's own or the one at ``--base-url``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncGenerator, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec

from audiometry.errors import ModelError, UsageError
from audiometry.files import secrets
from audiometry.models import cards
from audiometry.models.chat_completions import address
from audiometry.models.chat_completions import body as chat_body
from audiometry.models.chat_completions import reply as chat_reply
from audiometry.models.chat_completions import stream as chat_stream
from audiometry.models.chat_completions.address import Address
from audiometry.models.chat_completions.endpoints import Endpoint, Endpoints
from audiometry.models.chat_completions.fields import remedy, request_fields
from audiometry.models.chat_completions.providers import KNOWN, Provider
from audiometry.models.protocol import Model
from audiometry.models.settings import ModelSettings, under
from audiometry.records import Chunk, Decoding, ModelCard, Prompt, Reply, sensible

if TYPE_CHECKING:
    from audiometry.models.chat_completions.session import HttpSession

LARGEST_REPLY = 4 * 1024 * 1024  # bytes; no honest answer to a listening test is longer
STREAMED = {"stream": True, "stream_options": {"include_usage": True}}
DOUBTS = 3  # items in a row refused for a field that others were asked with, after which none will be taken
NOT_ASKED = "no-connection"  # the kind of failure of which the server cannot know: another address may be asked


def load(name: str, settings: ModelSettings) -> Model:
    """The model of that name behind its provider's server, or behind ``settings.base_urls``.

    Raises:
        UsageError: no key where one is needed, or an address that is not one.
    """
    provider_name, _, model = name.partition("/")
    provider = KNOWN[provider_name]
    addresses, key, lacks_key = way_to(provider, settings)
    loaded = ChatModel(name, model, addresses, key, cards.find(name, settings.card), settings)
    loaded.key_names, loaded.without_key = provider.key_names, lacks_key
    if not settings.key_later:
        loaded.need_key()
    return loaded


def way_to(provider: Provider, settings: ModelSettings) -> tuple[tuple[Address, ...], str, bool]:
    """The addresses of a provider's server, the key for it, and whether one is needed that is not there.

    Raises:
        UsageError: an address that is not one, or a key that is none.
    """
    stated = settings.base_urls or tuple(filter(None, [os.environ.get(provider.url_name, "")]))
    addresses = tuple(address.read(url, settings.proxy) for url in stated or (provider.base_url,))
    key = _key(provider)
    return addresses, key, provider.key_needed and not key and not stated


def needs_key(name: str, key_names: Sequence[str]) -> UsageError:
    """The error of a model whose key is not there."""
    return UsageError(f"{name} needs a key: set {' or '.join(key_names)} in the environment, or give --base-url")


class ChatModel:
    """A model that is asked over HTTP; several addresses of it share the work (see `Endpoints`)."""

    def __init__(
        self, name: str, model: str, addresses: tuple[Address, ...], key: str, card: ModelCard, settings: ModelSettings
    ) -> None:
        self._endpoints = Endpoints(addresses)
        self.served_at = tuple(sorted({one.place for one in addresses}))  # see `Served`
        # The card speaks of one server.
        self._scrubber = secrets.Scrubber()
        self.name = self._scrubber.text(name)
        self.card = msgspec.structs.replace(card, concurrency=card.concurrency * len(self._endpoints))
        self._model, self._settings, self._key = card.served_as or model, settings, key
        self._kinds: dict[Decoding | None, dict[str, Any]] = {None: request_fields(card, settings)}
        self._taken, self._doubts = False, 0  # whether its fields were taken before; how often in a row not, in words
        self._session: HttpSession | None = None
        self.key_names: tuple[str, ...] = ()
        self.without_key = False

    def need_key(self) -> None:
        """See `NeedsKey.need_key`."""
        if self.without_key:
            raise needs_key(self.name, self.key_names)

    @property
    def parameters(self) -> dict[str, Any]:
        """What is asked of the server besides the prompt; a key that is not there was left to the server."""
        return dict(self._fields(None))

    def parameters_under(self, decoding: Decoding) -> dict[str, Any]:
        """See `Decodes.parameters_under`."""
        return dict(self._fields(decoding))

    def _fields(self, decoding: Decoding | None) -> dict[str, Any]:
        """What is sent beside the words of a request, by its decoding."""
        if decoding not in self._kinds:
            self._kinds[decoding] = request_fields(self.card, under(self._settings, decoding))
        return self._kinds[decoding]

    @property
    def answered_by(self) -> dict[str, int]:
        """See `SharedWork.answered_by`."""
        return self._endpoints.answered if len(self._endpoints) > 1 else {}

    async def answer(self, prompt: Prompt) -> Reply:
        """One request; see `Model.answer`."""
        if self._settings.stream or self.card.stream:
            return await self._collected(prompt)
        pieces = self._pieces(prompt)
        failed: ModelError | None = None
        for endpoint in self._endpoints.in_turn():
            try:
                with endpoint:
                    return await self._asked(endpoint, pieces, self._fields(prompt.decoding))
            except ModelError as problem:
                failed = self._or_next(endpoint, problem)
        raise self._nobody(failed)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Chunk]:
        """One request, each piece as it comes; see `Model.stream`."""
        pieces = self._pieces(prompt, stream=True)
        sent = (*self._fields(prompt.decoding), *STREAMED)
        failed: ModelError | None = None
        for endpoint in self._endpoints.in_turn():
            try:
                with endpoint:
                    async with contextlib.aclosing(self._events(endpoint, pieces, sent)) as chunks:
                        async for chunk in chunks:
                            yield chunk
            except ModelError as problem:
                failed = self._or_next(endpoint, problem)
            else:
                return
        raise self._nobody(failed)

    async def _asked(self, endpoint: Endpoint, pieces: list[chat_body.Piece], fields: dict[str, Any]) -> Reply:
        status, raw, retry_after, took_s = await self._http().post(endpoint.address, pieces, LARGEST_REPLY)
        if status == HTTPStatus.OK:
            self._taken, self._doubts = True, 0
            reply = chat_reply.read(raw, endpoint.where)
        elif (refused := chat_reply.refusal(status, raw)) is not None:
            reply = refused
        else:
            raise chat_reply.failure(status, raw, retry_after, endpoint.where, fields)
        return msgspec.structs.replace(reply, latency_s=took_s)

    async def _events(
        self, endpoint: Endpoint, pieces: list[chat_body.Piece], sent: Sequence[str]
    ) -> AsyncGenerator[Chunk]:
        lines = self._http().post_stream(endpoint.address, pieces, LARGEST_REPLY)
        events = chat_stream.chunks(lines, endpoint.where, sent)
        async with contextlib.aclosing(lines), contextlib.aclosing(events) as chunks:
            async for chunk in chunks:
                self._taken, self._doubts = True, 0
                yield chunk

    def _or_next(self, endpoint: Endpoint, problem: ModelError) -> ModelError:
        """The problem, if the next address may be asked in its stead; raised otherwise."""
        if problem.kind == NOT_ASKED:
            return problem
        problem.args = (f"{problem}{self._hint(problem, endpoint.address)}",)
        if isinstance(problem, chat_reply.FieldRefusedError) and self._taken and not problem.placed:
            self._doubts += 1  # words may be about one item, as long as others are taken with the same fields
            problem.fatal = self._doubts >= DOUBTS
        if problem.retry_after_s is not None and self._endpoints.others_than(endpoint):
            problem.retry_after_s = None  # that address has noted the wish; the others need not wait
        raise problem

    def _hint(self, problem: ModelError, address: Address) -> str:
        """What may be wrong on this side where a field, a key, a model or an address was refused."""
        if isinstance(problem, chat_reply.FieldRefusedError):
            return f"; {remedy(problem.field, self.card, self._settings)}"
        if problem.kind == "http-401" and self.key_names and not address.authorization:
            return f" ({' or '.join(self.key_names)})"
        if problem.kind == "http-400" and "stream mode" in str(problem):
            return "; give --stream, or say stream = true in a card (--card)"
        if problem.kind == "http-404":
            check = "check the model's name and --base-url"
            if cards.is_over(self.card):
                return f"; {cards.ending(self.name, self.card)}"
            if self.card.successor:  # a server may end a model sooner than its card says
                check = f"if it ended already, ask {self.card.successor} instead; else {check}"
            return f"; {check}{'' if '/v1' in address.url else ', which usually ends in /v1'}"
        return ""

    def _nobody(self, last: ModelError | None) -> ModelError:
        if last is None or len(self._endpoints) == 1:
            return last or ModelError(NOT_ASKED, "no address to ask")
        return ModelError(
            NOT_ASKED, f"none of {len(self._endpoints)} addresses can be reached; the last: {last}", retry=True
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _collected(self, prompt: Prompt) -> Reply:
        words: list[str] = []
        first, last, finish, tokens_in, tokens_out, notes = None, None, None, None, None, ""
        async with contextlib.aclosing(self.stream(prompt)) as chunks:
            async for chunk in chunks:
                last = chunk.after_s
                first = last if chunk.text and first is None else first
                words.append(chunk.text)
                notes = notes or chunk.notes
                finish = chunk.finish_reason if finish in {None, "stop"} and chunk.finish_reason else finish
                tokens_in = chunk.tokens_in if chunk.tokens_in is not None else tokens_in
                tokens_out = chunk.tokens_out if chunk.tokens_out is not None else tokens_out
        # Only now: a key may come in several pieces, and so may a pair of surrogates.
        text = self._scrubber.text(sensible.text("".join(words)))
        return Reply(
            text=text,
            finish_reason=finish,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            first_token_s=None if first is None else round(first, 4),
            latency_s=last,
            notes=notes,
        )

    def _pieces(self, prompt: Prompt, *, stream: bool = False) -> list[chat_body.Piece]:
        fields = self._fields(prompt.decoding)
        if stream:
            fields = {**fields, **STREAMED}
        pieces = chat_body.body(prompt, self._model, self.card, fields)
        most = self.card.largest_mb
        if most is not None and (size := chat_body.size(pieces) / 1e6) > most:
            raise ModelError(
                "request-too-large",
                f"the request has {size:.1f} MB, {self.name} takes {most:g} MB; nothing is cut silently: shorten the "
                "clips or choose another model",
            )
        return pieces

    def _http(self) -> HttpSession:
        # Made at the first request: it belongs to the running event loop, and it costs an import.
        if self._session is None:
            from audiometry.models.chat_completions.session import HttpSession

            self._session = HttpSession(self._key, self._settings.connections or self.card.concurrency)
        return self._session


def _key(provider: Provider) -> str:
    name, key = next(((n, k) for n in provider.key_names if (k := os.environ.get(n, "").strip())), ("", ""))
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"{name} in the environment is not a key: it has blanks or signs inside; set it again")
    return key
