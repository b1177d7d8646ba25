"""The coder by rules: what a reply, the kind of its option and the replies without the clip tell of why it is wrong."""

from __future__ import annotations

import re
from collections import Counter
from math import comb
from typing import Final

from audiometry.analysis.modes import book
from audiometry.analysis.modes.wrong import Replied, Wrong, same_alone
from audiometry.records import Item, State

NAME: Final = "rules"
VERSION: Final = 2
HALF: Final = 2
_TEXT = (
    r"(?:(?:caption|description|metadata|meta-data|annotation|transcript|transcription)s?"
    r"|(?:provided|given|input|accompanying) text)\b"
    r"(?! of (?!(?:the|this) (?:audio|recording|clip|music|song|track|piece)))"  # the description of a sound is its own
)
_SPEAKS_OF_TEXT: Final = re.compile(
    rf"\b(?:in|from|by|to|on|of) (?:the|this|its|your|any) (?:\w+ )?{_TEXT}"
    rf"|\b(?:the|this|its|your|no) (?:\w+ )?{_TEXT} (?:\w+ )?"
    r"(?:do(?:es)?|did|says?|mentions?|states?|lists?|gives?|is|are)\b"
    r"|\bno (?:explicit |direct )?mention of\b"
    r"|(?:(?:\bnot|n['\u2019]t) (?:(?:explicitly|directly|clearly|specifically) )?mentioned"
    r"|\bnot (?:explicitly|directly|clearly|specifically) (?:stated|specified|described))\b"
    r"(?! (?:in|among|by|as) (?:\w+ )?(?:options?|choices|answers?)\b)",
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
    return _of_form(wrong) or _of_choice(given, wrong)


def guessed(given: Replied, wrong: Wrong) -> dict[str, float]:
    """How likely the reply would get each code if a model took any of the wrong options blindly."""
    if (found := _of_form(wrong)) is not None:
        return {found[0]: 1.0}
    of, n = same_alone(given, wrong)[1], len(wrong.shown)
    words = (
        sum(comb(of, k) * (1 / n) ** k * (1 - 1 / n) ** (of - k) for k in range(of // HALF + 1, of + 1)) if of else 0
    )
    item = wrong.item
    others = [at for at, option in enumerate(item.options) if option != wrong.right]
    by_kind = Counter(_of_kind(_title(given, item, at))[0] for at in others)
    return {book.WORDS: words} | {one: (1 - words) * k / len(others) for one, k in by_kind.items()}


def _of_form(wrong: Wrong) -> tuple[str, str] | None:
    """The code of a reply by what it says, whatever it chooses, and the rule that says so; None for the choice's."""
    if wrong.outcome.state == State.REFUSED:
        return book.DECLINED, wrong.outcome.how
    if (found := _SPEAKS_OF_TEXT.search(wrong.text)) is not None and not _is_asked(wrong, found[0]):
        return book.TEXT, "speaks of a text"
    return (book.FORMAT, wrong.outcome.how) if wrong.outcome.state in _UNREAD else None


def _of_choice(given: Replied, wrong: Wrong) -> tuple[str, str]:
    """The code of a reply that chooses a wrong option, and the rule that says so."""
    same, of = same_alone(given, wrong)
    if HALF * same > of:
        return book.WORDS, "the same without the clip"
    chosen = -1 if wrong.outcome.read is None else wrong.item.options.index(wrong.outcome.read)
    return _of_kind(_title(given, wrong.item, chosen))


def _of_kind(title: str) -> tuple[str, str]:
    """The code of a wrong option of a kind, and the rule that says so."""
    if title.casefold().startswith("incorrect"):
        return book.SOUNDS, "not true of the clip"
    if title.casefold().startswith("correct"):
        return book.BESIDE, "true of the clip, and no answer"
    return book.UNEXPLAINED, "nothing known"


def _title(given: Replied, item: Item, option: int) -> str:
    """What the card calls the kind of an option ("incorrect but related"); empty where it is not known."""
    if option < 0 or not item.kinds:
        return ""
    return given.run.benchmark.card.distractors.get(item.kinds[option], item.kinds[option])


def _is_asked(wrong: Wrong, words: str) -> bool:
    """Whether the words are those of the question or of an option, which a reply may repeat."""
    return any(words.casefold() in text.casefold() for text in (wrong.item.question, *wrong.shown))
