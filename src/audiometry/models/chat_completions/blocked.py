"""Whether a provider's filter blocked an item: a refusal, which the same request would only meet again.

What filters say, as it is found in public reports: OpenRouter's 403 with ``metadata.flagged_input``;
OpenAI's 400 ``invalid_prompt`` ("your prompt was flagged …"); Azure's 400 ``content_filter``, also inside a stream;
DashScope's 400 ``data_inspection_failed``; Gemini's ``choices: null``, ``promptFeedback.blockReason``, and finish
reasons such as ``content_filter: PROHIBITED_CONTENT`` or ``SAFETY``, mostly without a message.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any, Final

from audiometry.records.reply import FILTERED

STATUSES: Final = frozenset({400, 403, 422, 429, 451})  # with which a blocked item may come, beside 5xx

_DEEPEST: Final = 5  # objects inside objects that are looked into
_CODES: Final = frozenset(
    {
        "contentfilter",
        "contentpolicyviolation",
        "responsibleaipolicyviolation",
        "datainspectionfailed",
        "moderationblocked",
    }
)
_FILTER: Final = r"safety (?:system|filter)|content[ _-](?:filter|(?:management )?polic)|usage polic|moderation"
_STOPS: Final = r"\b(?:flagged|filtered|blocked|rejected|refused)\b"
_WORDS: Final = re.compile(
    rf"\b(?:input|prompt|content|request|response|output)\b[^.:;]{{0,40}}\b(?:flagged|filtered)\b"
    rf"|{_STOPS}[^.:;]{{0,60}}\b(?:{_FILTER})|\b(?:{_FILTER})[^.:;]{{0,60}}{_STOPS}|\binappropriate content\b",
    re.IGNORECASE,
)
_FLAGGED: Final = re.compile(r"\b(?:input|prompt) was flagged\b", re.IGNORECASE)  # all that is believed of a 403
# Of these a message speaks that is about who asks, and not about what.
_WHO: Final = re.compile(
    r"\b(?:accounts?|organi[sz]ations?|project|(?:api[ -]?)?keys?|token|credentials?|billing|access|subscriptions?"
    r"|tenant|consumer|suspended|banned|permissions?|region|country|territory|network)\b",
    re.IGNORECASE,
)
_OUT_OF_ORDER: Final = re.compile(r"time(?:d )?[ -]?out|unavailable|overload|rate limit|try again|retry", re.IGNORECASE)
_REASONS: Final = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "sensitive"}
)


def by_reason(reason: Any) -> bool:
    """Whether that is the finish reason of a reply that a filter stopped, in any provider's words.

    >>> [by_reason(one) for one in ("content_filter: PROHIBITED_CONTENT", "SAFETY", "stop", None)]
    [True, True, False, False]
    """
    if not isinstance(reason, str):
        return False
    plain = reason.lower().removeprefix("finishreason.").removeprefix("image_")
    return reason.startswith(FILTERED) or plain in _REASONS


def by_error(error: Any, status: int = 400) -> bool:
    """Whether that is the ``error`` of a document, or all of its body, with which a filter refuses an item.

    In doubt it is not: of a 403 only what says that an input was flagged is believed, of a 429 and 5xx only a filter's
    own code, and nothing that speaks of a key, an account or a region.

    >>> by_error({"code": "content_filter", "param": "prompt"}), by_error("Input was flagged"), by_error({"code": 403})
    (True, True, False)

    Args:
        error: any value out of JSON.
        status: with which it came; an error inside a reply states its own.
    """
    if not isinstance(error, dict):
        error = {"message": error}
    said, metadata = error.get("message"), error.get("metadata")
    said, metadata = said if isinstance(said, str) else "", metadata if isinstance(metadata, dict) else {}
    if status == HTTPStatus.FORBIDDEN and metadata.get("flagged_input"):
        return True
    if _WHO.search(said):
        return False
    if status == HTTPStatus.FORBIDDEN:
        return _coded(metadata, 0) or bool(_FLAGGED.search(said))
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _coded(error, 0) and not _OUT_OF_ORDER.search(said)
    return bool(metadata.get("flagged_input")) or _coded(error, _DEEPEST) or bool(_WORDS.search(said))


def inside(error: Any) -> bool:
    """The same of an error inside a document of status 200, which may say in ``code`` what its status would be."""
    code = error.get("code") if isinstance(error, dict) else None
    return by_error(error, HTTPStatus.FORBIDDEN if str(code) == "403" else HTTPStatus.BAD_REQUEST)


def by_silence(document: dict[str, Any]) -> bool:
    """Whether a document of status 200 has no reply because the prompt was blocked."""
    feedback = document.get("promptFeedback") or document.get("prompt_feedback")
    if isinstance(feedback, dict) and (feedback.get("blockReason") or feedback.get("block_reason")):
        return True
    return "choices" in document and document["choices"] is None and not document.get("error")


def said(document: dict[str, Any]) -> str:
    """What a document of status 200 says of why its prompt was blocked.

    >>> said({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), said({"choices": None})
    ('PROHIBITED_CONTENT', 'no choices')
    """
    feedback = document.get("promptFeedback") or document.get("prompt_feedback")
    feedback = feedback if isinstance(feedback, dict) else {}
    names = ("blockReason", "block_reason", "blockReasonMessage", "block_reason_message")
    return ": ".join(str(feedback[name]) for name in names if feedback.get(name)) or "no choices"


def _coded(error: dict[str, Any], deeper: int) -> bool:
    """Whether a code in an error, or in one inside it, is that of a filter."""
    for key, value in error.items():
        if isinstance(value, dict) and deeper and _coded(value, deeper - 1):
            return True
        if isinstance(value, str) and key in {"code", "type", "error_type"}:
            last = value[:200].lower().rpartition(".")[2]  # of InternalError.Algo.DataInspectionFailed
            if re.sub(r"[^a-z]", "", last) in _CODES:
                return True
    return False
