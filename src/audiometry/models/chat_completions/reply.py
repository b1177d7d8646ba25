"""What a chat-completions server says, read for what it is: a reply, or which kind of failure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import msgspec

from audiometry.errors import ModelError
from audiometry.files import lenient, secrets
from audiometry.models.chat_completions import blocked
from audiometry.models.chat_completions.fields import LOOKED_AT, Refused, refused_field
from audiometry.models.protocol import FIELD_REFUSED
from audiometry.records import Chunk, Reply, sensible
from audiometry.records.reply import FILTERED

TRY_AGAIN = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
}
# No other item can succeed either: a rejected key, a model or address that is not there, no money left.
FATAL = {
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.PAYMENT_REQUIRED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED,
}
PROXY_ADVICE = "the proxy wants user and password: --proxy http://USER:PASSWORD@HOST:PORT"
LONGEST_RETRY_AFTER_S = 3600.0
EXCERPT = 160


REASONING = {"thinking", "reasoning"}  # types of parts that are not the reply


class Event(msgspec.Struct, frozen=True):
    """What an event of a stream says.

    Attributes:
        chunk: a piece of the reply, maybe without text.
        said: it is about the reply; else it holds no more than counts.
        last: it names why the reply ended; only counts may follow.
        spoken: the text is what the reply's speech says, which some servers send beside the text, or in its place.
        silent: it says, if nothing else does, that the prompt was blocked.
    """

    chunk: Chunk
    said: bool = True
    last: bool = False
    spoken: bool = False
    silent: bool = False


def read(raw: bytes, where: str) -> Reply:
    """A whole reply out of the body of a 200 response; only its text must be there, all else is used if it makes sense.

    Raises:
        ModelError: there is none in it; says what was there instead. What is not JSON may be tried again: it is no
            server of models that answered. A document without a reply is not: asking again would buy another.
    """
    try:
        document = lenient.read(raw)
    except ValueError as problem:
        what = "an empty body" if not raw.strip() else f"something that is not a chat completion: {_excerpt(raw)}"
        raise ModelError("not-json", f"{where} answered with {what}", retry=True) from problem
    document = _object(document[0] if isinstance(document, list) and document else document)
    choice = _choice(document)
    message = _object(choice.get("message"))
    text, finish = _text(message.get("content")) or _spoken(message), _finish(choice)
    wrong = document.get("error") or choice.get("error")
    if blocked.inside(wrong):
        return _blocked(raw)
    if not text and wrong:
        raise ModelError("server-error", f"{where} reported an error: {_said(raw) or _excerpt(raw)}", retry=True)
    if not choice and blocked.by_silence(document):
        return _blocked(raw, document)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        text, finish = text or refusal, "refusal"
    if text is None or not (message or finish):
        what = "a choice with text" if choice else "choices"
        raise ModelError("no-choices", f"{where} answered without {what}: {_excerpt(raw)}")
    counts = _object(document.get("usage"))
    return Reply(
        text=sensible.text(text),
        finish_reason=finish,
        tokens_in=sensible.count(counts.get("prompt_tokens")),
        tokens_out=sensible.count(counts.get("completion_tokens")),
        notes=_filter(choice),
    )


def read_event(raw: bytes, where: str) -> Event | None:
    """One event of a streamed reply; None if it says nothing that can be used, which is no reason to lose the rest.

    Raises:
        ModelError: the event reports an error.
    """
    try:
        document = _object(lenient.read(raw))
    except ValueError:
        return None
    choice = _choice(document)
    delta = _object(choice.get("delta")) or _object(choice.get("message"))
    written, refusal = _text(delta.get("content")) or "", delta.get("refusal")
    text = written or _spoken(delta) or ""
    problem = document.get("error") or choice.get("error")
    if blocked.inside(problem):
        return Event(Chunk.whole(_blocked(raw)), last=True)
    if not text and problem:
        raise ModelError("server-error", f"{where} reported an error: {_said(raw) or _excerpt(raw)}", retry=True)
    finish = _finish(choice)
    silent = not choice and blocked.by_silence(document)
    counts = _object(document.get("usage"))
    refused = isinstance(refusal, str) and bool(refusal)
    chunk = Chunk(
        text=text or (str(refusal) if refused else ""),
        finish_reason="refusal" if refused else finish,
        tokens_in=sensible.count(counts.get("prompt_tokens")),
        tokens_out=sensible.count(counts.get("completion_tokens")),
        notes=_filter(choice),
    )
    said = bool(choice)
    if not (said or counts or silent):
        return None
    return Event(chunk, said, last=finish is not None, spoken=bool(text) and not written, silent=silent)


def refusal(status: int, raw: bytes) -> Reply | None:
    """The reply that a response other than 200 stands for where a filter blocked the item; None where it is a failure.

    A key or an account that may not ask, and a field of every request, are no fault of an item's: these end the run.

    Args:
        status: of the response.
        raw: its body.
    """
    if status not in blocked.STATUSES and status < HTTPStatus.INTERNAL_SERVER_ERROR:
        return None
    try:
        document = lenient.read(raw)
    except ValueError:
        return None
    document = _object(document[0] if isinstance(document, list) and document else document)
    return _blocked(raw) if blocked.by_error(document.get("error", document), status) else None


def _blocked(raw: bytes, document: dict[str, Any] | None = None) -> Reply:
    counts = _object(_object(document).get("usage"))
    why = blocked.said(document or {})
    return Reply(
        text="",
        finish_reason=FILTERED,
        tokens_in=sensible.count(counts.get("prompt_tokens")),
        notes=f"blocked by the provider: {_said(raw) if document is None else secrets.shown(why, EXCERPT)}",
    )


def _finish(choice: dict[str, Any]) -> str | None:
    """Why a reply ended, in the words of the format."""
    reason = choice.get("finish_reason")
    return FILTERED if blocked.by_reason(reason) else sensible.word(reason)


def _filter(choice: dict[str, Any]) -> str:
    """What a filter says of why it ended a reply, where that is more than the format's word."""
    reason = choice.get("finish_reason")
    more = reason != FILTERED and blocked.by_reason(reason)
    return f"blocked by the provider: {secrets.shown(str(reason), EXCERPT)}" if more else ""


def _spoken(message: dict[str, Any]) -> str | None:
    """The words of a message that was spoken: they stand in its audio, and its content is empty."""
    words = _object(message.get("audio")).get("transcript")
    return words if isinstance(words, str) else _text(message.get("content"))


class FieldRefusedError(ModelError):
    """The server does not take a field that every request states."""

    def __init__(self, field: Refused, message: str) -> None:
        super().__init__(FIELD_REFUSED, message, fatal=True)
        self.field, self.placed = field


def failure(status: int, raw: bytes, retry_after: str | None, where: str, sent: Iterable[str] = ()) -> ModelError:
    """The error that a response other than 200 stands for.

    Args:
        status: of the response.
        raw: its body.
        retry_after: its header of that name.
        where: the server, for messages.
        sent: the fields of the request, one of which may be refused.
    """
    said = _said(raw)
    if (field := refused_field(status, raw, sent)).name:
        return FieldRefusedError(field, f"{where} does not take '{field.name}' in a request ({said})")
    quota = status == HTTPStatus.TOO_MANY_REQUESTS and b"insufficient_quota" in raw
    return ModelError(
        f"http-{status}",
        f"{where} answered {status}{f' ({said})' if said else ''}{_advice(status, quota=quota)}",
        retry=(status in TRY_AGAIN or status >= HTTPStatus.INTERNAL_SERVER_ERROR) and not quota,
        retry_after_s=retry_after_s(retry_after),
        fatal=status in FATAL or quota or HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST,
    )


def retry_after_s(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, in seconds or until a date (RFC 9110 §10.2.3); at most an hour.

    >>> retry_after_s("2"), retry_after_s("soon"), retry_after_s(None)
    (2.0, None, None)
    """
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            at = parsedate_to_datetime(header)
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            seconds = (at - (now or datetime.now(UTC))).total_seconds()
        except (ValueError, OverflowError, TypeError):  # a year, an hour or a zone that cannot be
            return None
    if seconds != seconds:  # noqa: PLR0124  "nan" is a float too
        return None
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER_S)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _choice(document: dict[str, Any]) -> dict[str, Any]:
    choices = document.get("choices")
    return _object(choices[0]) if isinstance(choices, list) and choices else {}


def _text(content: Any) -> str | None:
    """The words of a message in any of the usual forms; None if there is something that holds no words."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, int | float) and not isinstance(content, bool):
        return str(content)
    if isinstance(content, dict):
        content = [content]
    if isinstance(content, list):
        return "".join(_words(part) for part in content)
    return None


def _words(part: Any) -> str:
    if isinstance(part, dict):
        part = "" if part.get("type") in REASONING else part.get("text")
        part = part.get("value") if isinstance(part, dict) else part
    return part if isinstance(part, str) else ""


def _said(raw: bytes) -> str:
    """The message of an error body in any of the usual forms, or its beginning."""
    try:
        body = lenient.read(raw)
    except ValueError:
        return _excerpt(raw)
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, dict):
        inner = body.get("error", body)
        inner = inner.get("message") or inner.get("detail") if isinstance(inner, dict) else inner
        if inner:
            return secrets.shown(str(inner), EXCERPT)
    return _excerpt(raw)


def _excerpt(raw: bytes) -> str:
    return secrets.shown(raw[:LOOKED_AT].decode(errors="replace"), EXCERPT)


def _advice(status: int, *, quota: bool) -> str:
    if quota:
        return "; the account has no credit left"
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return "; it redirects elsewhere, give the final address with --base-url"
    return {
        401: "; check the key in the environment",
        403: "; the key may not use this model",
        407: f"; {PROXY_ADVICE}",
        413: "; the clip is too large for this server",
    }.get(status, "")
