"""What a report's page shows of a reply as it arrived, whatever it is scored by."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from audiometry.records import ReplyRecord

LONGEST: Final = 50_000
"""Characters of a reply that a report shows; the rest stays in the run folder, and the report says so."""


class RecordRow(msgspec.Struct, omit_defaults=True):
    """One reply as the page's script finds it.

    Attributes:
        run, variant: numbers in the page's lists.
        verdict: what became of it, a number in the page's list.
        text: the raw reply, at most `LONGEST` characters.
        left_out: how many more there are.
        error, notes, changes, finish, latency, tokens, attempts, cached, taken_from, blocked: see `ReplyRecord`.
    """

    run: int = 0
    variant: int = 0
    verdict: int = 0
    text: str | None = None
    left_out: int = 0
    error: str = ""
    notes: str = ""
    changes: tuple[str, ...] = ()
    finish: str = ""
    latency: float | None = None
    tokens: tuple[int | None, int | None] = (None, None)
    attempts: int = 0
    cached: bool = False
    taken_from: str = ""
    blocked: bool = False


def fields(record: ReplyRecord) -> dict[str, Any]:
    """The fields of a `RecordRow` that a record has."""
    text = record.text
    error = f"{record.error.kind}: {record.error.message}" if record.error is not None else ""
    return {
        "text": None if text is None else text[:LONGEST],
        "left_out": 0 if text is None else max(0, len(text) - LONGEST),
        "error": error[:LONGEST],
        "notes": record.notes[:LONGEST],
        "changes": record.audio_changes,
        "finish": record.finish_reason or "",
        "latency": record.latency_s,
        "tokens": (record.tokens_in, record.tokens_out),
        "attempts": record.attempts,
        "cached": record.cached,
        "taken_from": record.taken_from,
        "blocked": record.blocked,
    }
