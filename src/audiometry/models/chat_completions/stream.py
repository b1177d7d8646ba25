"""A streamed reply: events as they come, and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import NamedTuple

import msgspec

from audiometry.errors import ModelError
from audiometry.models.chat_completions import reply as chat_reply
from audiometry.records import Chunk
from audiometry.records.reply import FILTERED

END_WITHIN_S = 0.5  # of the event that names why the reply ended: counts may follow, and the end of the response
MOST_UNREAD = 10_000  # events of a reply that cannot be read


class Line(NamedTuple):
    """A line of a response.

    Attributes:
        status: of the response.
        data: the line; all of the body unless the status is 200.
        retry_after: of the response.
        framed: the response says where it ends, so that its end is no accident.
        after_s: seconds from the first byte of the request until it was there.
    """

    status: int
    data: bytes
    retry_after: str | None
    framed: bool
    after_s: float


async def chunks(lines: AsyncGenerator[Line], where: str, sent: Iterable[str] = ()) -> AsyncGenerator[Chunk]:
    """The pieces of a reply.

    It is over soon after the event that says why it ended, or ``[DONE]``, whatever the server does then. An event that
    cannot be read is passed over, up to `MOST_UNREAD` of them. A server that does not stream may give the reply whole.

    Args:
        lines: of the response.
        where: the server, for messages.
        sent: the fields of the request, one of which may be refused.

    Raises:
        ModelError: there is no reply, or it was broken off.
    """
    heard, after_s = _Heard(where, sent), None
    while (line := await heard.next(lines)) is not None:
        chunk, after_s = heard.take(line), line.after_s
        if chunk is not None:
            yield msgspec.structs.replace(chunk, after_s=after_s)
    chunk = heard.end()
    if chunk is not None:
        yield msgspec.structs.replace(chunk, after_s=after_s)


class _Heard:
    """What came so far."""

    def __init__(self, where: str, sent: Iterable[str]) -> None:
        self._where, self._sent = where, sent
        self._aside: list[bytes] = []  # lines that are no events
        self._events = self._said = self._text = False  # whether there were any, about a reply, with text
        self._spoken = self._silent = False  # that text is of the reply's speech; a prompt may have been blocked
        self._framed, self._unread = True, 0
        self._until: float | None = None  # when waiting ends, on the loop's clock; None: the reply is not over

    async def next(self, lines: AsyncGenerator[Line]) -> Line | None:
        """The next line; None if none is to be waited for any more."""
        if self._until is not None and asyncio.get_running_loop().time() >= self._until:
            return None
        try:
            async with asyncio.timeout_at(self._until):
                return await anext(lines, None)
        except (TimeoutError, ModelError):
            if self._until is None:
                raise
            return None

    def take(self, line: Line) -> Chunk | None:
        """The piece of the reply in a line, if there is one."""
        if line.status != 200:  # noqa: PLR2004  OK
            return self._refused(line)
        self._framed = line.framed
        field, colon, value = line.data.partition(b":")
        if not colon or field.strip() != b"data":  # a comment, the name of an event, or no stream at all
            if not self._events:
                self._aside.append(line.data)
            return None
        self._events = True
        if value.strip() == b"[DONE]":
            self._over()
            return None
        event = self._read(value)
        if event is None:
            self._unread += 1
            if self._unread > MOST_UNREAD:
                raise ModelError("not-json", f"{self._where} streamed more than {MOST_UNREAD:,} events without sense")
            return None
        self._said, self._silent = self._said or event.said, self._silent or event.silent
        if event.last:
            self._over()
        return self._once(event)

    def _refused(self, line: Line) -> Chunk:
        reply = chat_reply.refusal(line.status, line.data)
        if reply is None:
            raise chat_reply.failure(line.status, line.data, line.retry_after, self._where, self._sent)
        self._events = self._said = True
        self._over()
        return Chunk.whole(reply)

    def _once(self, event: chat_reply.Event) -> Chunk:
        """Its piece of the reply, without words that come both written and spoken: those that come first count."""
        if event.chunk.text and not self._text:
            self._spoken, self._text = event.spoken, True
        if event.spoken is not self._spoken:
            return msgspec.structs.replace(event.chunk, text="")
        return event.chunk

    def end(self) -> Chunk | None:
        """The reply of a server that does not stream, at the end of the response."""
        if not self._events:
            return Chunk.whole(chat_reply.read(b"\n".join(self._aside), self._where))
        if self._silent and not self._said:
            return Chunk(finish_reason=FILTERED, notes="blocked by the provider: no choices")
        if self._until is None and not (self._text and self._framed):
            raise ModelError("stream-broken", f"{self._where} ended its reply in the middle", retry=True)
        if not self._said:
            raise ModelError("no-choices", f"{self._where} streamed nothing that is a reply")
        return None

    def _over(self) -> None:
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + END_WITHIN_S

    def _read(self, value: bytes) -> chat_reply.Event | None:
        try:
            return chat_reply.read_event(value, self._where)
        except ModelError:
            if self._until is None:
                raise
            return None
