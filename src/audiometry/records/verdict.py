"""What was read out of a reply, what became of it, and what a scorer says of it."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer read out of a reply.

    Attributes:
        letter: ``A`` for the first option shown, and so on; None if no rule could decide.
        how: the rule that decided, or that found it undecidable (``letter``, ``option-text``, ``two-letters``).
        refused: the reply declines to answer; then ``letter`` is None.
    """

    letter: str | None = None
    how: str = ""
    refused: bool = False


class Verdict(StrEnum):
    """What a scorer says of one reply to a single-choice item; these are five things, never fewer."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNANSWERED = "unanswered"
    REFUSED = "refused"
    FAILED = "failed"


class State(StrEnum):
    """What became of one reply, whatever it is scored by; these are seven things, never fewer."""

    ANSWERED = "answered"
    UNANSWERED = "unanswered"
    REFUSED = "refused"
    EMPTY = "empty"
    FAILED = "failed"
    NOT_ASKED = "not-asked"
    UNJUDGED = "unjudged"
