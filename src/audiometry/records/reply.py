"""What came back from a model, and the line a run folder keeps of it."""

from __future__ import annotations

import time
from typing import Any

import msgspec


def now() -> str:
    """The time as records state it: UTC, ISO 8601, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that arrived.

    Attributes:
        text: exactly as received, reasoning included.
        finish_reason: why it stopped, in the words of the chat-completions format
            (``stop``, ``length``, ``content_filter``, ``refusal``); None if not said.
        tokens_in, tokens_out: as the other side counts them; None if not said.
        first_token_s: seconds from request to the first words, when streamed.
        latency_s: seconds from sending to the last byte, as whoever sent it measured them; None: by the dispatcher's
            clock, in which the waits of this process count as well.
        notes: what the model did on the way (a cascade's description of the clip), for people.
    """

    text: str
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    first_token_s: float | None = None
    latency_s: float | None = None
    notes: str = ""


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a streamed reply; the last one carries why it stopped and the token counts.

    Attributes:
        after_s: seconds from sending until it was there, as whoever sent it measured them; None: not measured.
        text, finish_reason, tokens_in, tokens_out, notes: see `Reply`.
    """

    text: str = ""
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    notes: str = ""
    after_s: float | None = None

    @classmethod
    def whole(cls, reply: Reply) -> Chunk:
        """A reply as the only piece of itself."""
        return cls(
            text=reply.text,
            finish_reason=reply.finish_reason,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            notes=reply.notes,
        )


def _always(value: Any) -> Any:
    """A default that is written out as well: columns that others rely on are never missing."""
    return msgspec.field(default_factory=lambda: value)


FILTERED = "content_filter"
"""Finish reason of a reply that a provider's filter stopped, in the words of the chat-completions format."""

CHANGED = "changed"
"""Kind of the failure that takes back every reply before it to the same item and variant: what was asked has changed
since, so that they answer another question."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """No reply came."""

    kind: str
    message: str


class ExampleClip(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A clip that was sent with a worked example before an item.

    Attributes:
        sha256: of the bytes sent; ``file_sha256``, ``file_stat``, ``changes``: as a record has them of its own clips.
    """

    sha256: str
    file_sha256: str = ""
    file_stat: str = ""
    changes: tuple[str, ...] = ()


class ReplyRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One line of ``replies.jsonl``: a reply, or a recorded failure, for one item in one variant.

    Attributes:
        item, variant: what was asked.
        prompt_sha256: of the words and their order, audio left out.
        audio_sha256: of the bytes of the item's clips as they were sent, or of what was sent in their place; several
            joined by ``+``; empty for none.
        text: the raw reply; None when it failed.
        error: what went wrong, when it failed.
        finish_reason, tokens_in, tokens_out, first_token_s, notes: see `Reply`.
        latency_s: seconds of the last attempt, sending to last byte.
        attempts: requests made, 1 or more; 0 when it failed before any was made or came from a cache.
        audio_changes: what was done to the clips before sending.
        cached: the text was taken from the reply cache, or from an earlier reply (``taken_from``).
        taken_from: the run folder whose reply this is, found again by what shaped it; then ``at`` is its own time.
        file_sha256: of the clip files as they were on disk, joined like ``audio_sha256``; left out where they were
            sent as they are.
        file_stat: what tells without reading that those files are unchanged; see `files.stamp`.
        examples: the clips of worked examples that went before, in the order sent.
        at: when it arrived, UTC, ISO 8601.
    """

    item: str
    variant: str = _always("plain")
    prompt_sha256: str = _always("")
    audio_sha256: str = _always("")
    text: str | None = None
    error: Failure | None = None
    finish_reason: str | None = _always(None)
    tokens_in: int | None = _always(None)
    tokens_out: int | None = _always(None)
    first_token_s: float | None = None
    notes: str = ""
    latency_s: float | None = _always(None)
    attempts: int = _always(0)
    audio_changes: tuple[str, ...] = _always(())
    cached: bool = False
    taken_from: str = ""
    file_sha256: str = ""
    file_stat: str = ""
    examples: tuple[ExampleClip, ...] = ()
    at: str = _always("")

    @property
    def blocked(self) -> bool:
        """Whether no word came since a provider's filter stopped the item: refused, but not by the model."""
        return self.error is None and self.finish_reason == FILTERED and not (self.text or "").strip()
