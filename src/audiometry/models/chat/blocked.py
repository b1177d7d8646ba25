"""Whether a provider's filter blocked an item: a refusal, which the same request would only meet again.

What filters say, as it is found in public reports: OpenRouter's 403 with ``metadata.reasons`` and ``flagged_input``;
OpenAI's 400 ``invalid_prompt`` ("your prompt was flagged …"); Azure's 400 ``content_filter``, also inside a stream;
DashScope's 400 ``data_inspection_failed``; Gemini's ``choices: null``, ``promptFeedback.blockReason``, and finish
reasons such as ``content_filter: PROHIBITED_CONTENT`` or ``SAFETY``, mostly without a message.
"""

from __future__ import annotations

import re
from typing import Any, Final

from audiometry.records.reply import FILTERED

STATUSES: Final = frozenset({400, 403, 422, 451})  # with which a blocked item may come

_DEEPEST: Final = 5  # objects inside objects that are looked into
_CODES: Final = ("contentfilter", "contentpolicy", "responsibleaipolicyviolation", "datainspectionfailed", "moderation")
_WORDS: Final = re.compile(
    r"\bflagged\b|content management polic|usage polic|safety (?:system|filter)|inappropriate content"
    r"|content[ _-](?:filter|policy)|\bmoderation\b",
    re.IGNORECASE,
)
# Of these a message speaks that is about who asks, and not about what.
_WHO: Final = re.compile(r"\b(?:account|organi[sz]ation|project|api[ -]key|billing|your access)\b", re.IGNORECASE)
_REASONS: Final = frozenset(
    {"safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety", "sensitive"}
)


def by_reason(reason: Any) -> bool:
    """Whether that is the finish reason of a reply that a filter stopped, in any provider's words.

    >>> [by_reason(one) for one in ("content_filter: PROHIBITED_CONTENT", "SAFETY", "stop", None)]
    [True, True, False, False]
    """
    return isinstance(reason, str) and (reason.startswith(FILTERED) or reason.lower() in _REASONS)


def by_error(error: Any) -> bool:
    """Whether that is the ``error`` of a document, or all of its body, with which a filter refuses an item.

    >>> by_error({"code": "content_filter", "param": "prompt"}), by_error("Input was flagged"), by_error({"code": 403})
    (True, True, False)
    """
    if isinstance(error, str):
        return bool(_WORDS.search(error)) and not _WHO.search(error)
    if not isinstance(error, dict):
        return False
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and (metadata.get("flagged_input") or metadata.get("reasons")):
        return True
    return _coded(error, _DEEPEST) or by_error(error.get("message"))


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
            plain = re.sub(r"[^a-z]", "", value[:200].lower())
            if any(code in plain for code in _CODES):
                return True
    return False
