"""The coder by rules: what a reply, the kind of its option and the replies without the clip tell of why it is wrong."""

from __future__ import annotations

import re
from math import comb
from typing import Final

from audiometry.analysis.modes import book
from audiometry.analysis.modes.wrong import Replied, Wrong, same_alone
from audiometry.records import State

NAME: Final = "rules"
VERSION: Final = 1
HALF: Final = 2
_TEXT = r"(?:caption|description|metadata|meta-data|annotation|transcript|transcription)"
_SPEAKS_OF_TEXT: Final = re.compile(
    rf"\b(?:in|from|by|to|on|of) (?:the|this|its|your|any) (?:\w+ )?{_TEXT}s?\b"
    rf"|\b(?:the|this|its|your|no) (?:\w+ )?{_TEXT}s? (?:\w+ )?"
    r"(?:do(?:es)?|did|says?|mentions?|states?|lists?|gives?|is|are)\b"
    r"|\bnot (?:explicitly |directly |clearly )?(?:mentioned|stated|specified|listed|described)\b",
    re.IGNORECASE,
)
_UNREAD: Final = frozenset({State.UNANSWERED, State.EMPTY})


def code(given: Replied, wrong: Wrong) -> tuple[str, str]:
    """The code of one reply, and the rule that says so.

    In this order: it declines; it speaks of a text it was given; nothing is read from it; more than half of the
    replies to the same item without its clip choose the same option; the kind of its option says that it is not true
    of the clip, or that it is and does not answer. What none of them knows is unexplained.

    Args:
        given: the run's replies.
        wrong: one of them.
    """
    if wrong.outcome.state == State.REFUSED:
        return book.DECLINED, wrong.outcome.how
    if (found := _SPEAKS_OF_TEXT.search(wrong.text)) is not None and not _is_asked(wrong, found[0]):
        return book.TEXT, "speaks of a text"
    if wrong.outcome.state in _UNREAD:
        return book.FORMAT, wrong.outcome.how
    return _of_choice(given, wrong)


def _of_choice(given: Replied, wrong: Wrong) -> tuple[str, str]:
    """The code of a reply that chooses a wrong option, and the rule that says so."""
    same, of = same_alone(given, wrong)
    if HALF * same > of:
        return book.WORDS, "the same without the clip"
    kind = kind_of(given, wrong).casefold()
    if kind.startswith("incorrect"):
        return book.SOUNDS, "not true of the clip"
    if kind.startswith("correct"):
        return book.BESIDE, "true of the clip, and no answer"
    return book.UNEXPLAINED, "nothing known"


def by_chance(given: Replied, wrong: Wrong) -> float:
    """How likely a model that guesses would choose the same without the clip, so that it seems to go by the words."""
    of, n = same_alone(given, wrong)[1], len(wrong.shown)
    if wrong.outcome.state != State.ANSWERED or not of or not n:
        return 0.0
    return sum(comb(of, k) * (1 / n) ** k * (1 - 1 / n) ** (of - k) for k in range(of // HALF + 1, of + 1))


def kind_of(given: Replied, wrong: Wrong) -> str:
    """What the card calls the kind of the chosen option ("incorrect but related"); empty where it is not known."""
    if wrong.outcome.read is None or not wrong.item.kinds:
        return ""
    kind = wrong.item.kinds[wrong.item.options.index(wrong.outcome.read)]
    return given.run.benchmark.card.distractors.get(kind, kind)


def _is_asked(wrong: Wrong, words: str) -> bool:
    """Whether the words are those of the question or of an option, which a reply may repeat."""
    return any(words.casefold() in text.casefold() for text in (wrong.item.question, *wrong.shown))
