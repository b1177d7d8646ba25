"""The parser of UltraEval-Audio's port of AIR-Bench: a reply is right if it starts with the right letter."""

from __future__ import annotations

from collections.abc import Sequence

from audiometry.choices.letters import letters
from audiometry.records import Answer


def read(reply: str, options: Sequence[str]) -> Answer:
    """The letter a reply starts with, in either case.

    The port asks whether the reply starts with the right answer and reads nothing else. As answers are single
    letters, that is so exactly if the letter read here is the right one; "a piano" is right where A is.

    Open in the description, and chosen here: the right answer is the letter, not the option's text (the port's
    prompt asks for a letter); blanks before the reply are dropped.

    >>> [read(text, ("cat", "dog")).letter for text in ("b", "Bass", "(A)", "The answer is A.")]
    ['B', 'B', None, None]

    Args:
        reply: as it came.
        options: in the order they were shown; only their number counts.

    Source: the ``prefix-match`` evaluator of UltraEval-Audio.
    """
    text = reply.strip()
    if not text:
        return Answer(how="empty")
    first = text[0].upper()
    if first in letters(len(options)):
        return Answer(letter=first, how="prefix")
    return Answer(how="nothing-read")
