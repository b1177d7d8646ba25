"""Records of what came of an ask: a reply, or why there is none."""

from __future__ import annotations

import msgspec

from audiometry.dispatch.ask import Ask, audio_sha256, file_sha256, file_stat, prompt_sha256
from audiometry.errors import AudioError, ModelError, shown
from audiometry.files import secrets
from audiometry.records import Audio, Failure, Prompt, Reply, ReplyRecord, sensible
from audiometry.records.reply import FILTERED, ExampleClip, now

LONGEST_MESSAGE = 500  # characters of an error that are kept


def begun(ask: Ask, prompt: Prompt) -> ReplyRecord:
    """What is known before anybody is asked."""
    return ReplyRecord(
        item=ask.item,
        variant=ask.variant,
        prompt_sha256=prompt_sha256(prompt),
        audio_sha256=audio_sha256(prompt),
        audio_changes=tuple(change for clip in prompt.own_audio for change in clip.changes),
        file_sha256=file_sha256(prompt),
        file_stat=file_stat(prompt),
        examples=tuple(map(_example, prompt.audio[: prompt.example_clips])),
    )


def _example(clip: Audio) -> ExampleClip:
    file = "" if clip.file_sha256 == clip.sha256 else clip.file_sha256
    return ExampleClip(sha256=clip.sha256, file_sha256=file, file_stat=clip.file_stat, changes=clip.changes)


def checked(reply: object) -> Reply:
    """A reply that can be written and counted, whoever made it: its text as it is, the rest where it makes sense.

    What came before a filter stopped it is no answer: it stands in the notes.
    """
    given: object = reply.text if isinstance(reply, Reply) else reply
    if not isinstance(reply, Reply) or not isinstance(given, str):
        what = "text" if isinstance(reply, Reply) else "Reply"
        raise ModelError("no-text", f"the model gave {shown(type(given).__name__, 60)} in place of a {what}")
    text, finish = sensible.text(reply.text), sensible.word(reply.finish_reason)
    notes = sensible.text(reply.notes) if isinstance(reply.notes, str) else ""
    if finish == FILTERED and text.strip():
        text, notes = "", f"{notes or 'blocked by the provider'}; before that came: {text}"
    return Reply(
        text=text,
        finish_reason=finish,
        tokens_in=sensible.count(reply.tokens_in),
        tokens_out=sensible.count(reply.tokens_out),
        first_token_s=sensible.seconds(reply.first_token_s),
        latency_s=sensible.seconds(reply.latency_s),
        notes=notes,
    )


def with_reply(
    base: ReplyRecord,
    reply: Reply,
    *,
    latency_s: float | None,
    attempts: int,
    cached: bool,
) -> ReplyRecord:
    """The record of a reply."""
    return msgspec.structs.replace(
        base,
        text=reply.text,
        finish_reason=reply.finish_reason,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        first_token_s=reply.first_token_s,
        notes=reply.notes,
        latency_s=latency_s,
        attempts=attempts,
        cached=cached,
        at=now(),
    )


def reply_of(record: ReplyRecord) -> Reply:
    """The reply of a record, as the cache keeps it."""
    return Reply(
        text=record.text or "",
        finish_reason=record.finish_reason,
        tokens_in=record.tokens_in,
        tokens_out=record.tokens_out,
        first_token_s=record.first_token_s,
        notes=record.notes,
    )


def message(error: AudioError | ModelError) -> str:
    """What an error says, as it may be kept and shown."""
    return secrets.shown(str(error), LONGEST_MESSAGE)


def unreadable(ask: Ask, error: AudioError) -> ReplyRecord:
    """The record of an ask whose clips cannot be used."""
    failure = Failure(kind=_kind(error), message=message(error))
    return ReplyRecord(item=ask.item, variant=ask.variant, error=failure, at=now())


def failed(base: ReplyRecord, error: ModelError, attempts: int) -> ReplyRecord:
    """The record of a failure for good."""
    failure = Failure(kind=_kind(error), message=message(error))
    return msgspec.structs.replace(base, error=failure, attempts=attempts, at=now())


def _kind(error: AudioError | ModelError) -> str:
    return sensible.word(error.kind) or "other"
