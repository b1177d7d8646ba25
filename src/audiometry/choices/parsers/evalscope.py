"""The parser of EvalScope's port of AIR-Bench: "answer: X", else a letter on its own, else the first character."""

from __future__ import annotations

import re
from typing import Final

from audiometry.records import Answer

LETTERS: Final = "ABCD"
_SAID = re.compile(r"\banswer\s*:\s*\(?([A-D])\b", re.IGNORECASE)
_ALONE = re.compile(r"\b([A-D])\b")


def read(reply: str) -> Answer:
    """The letter after "answer:", else the first letter that stands alone, else the first character.

    Open in the description, and chosen here: "answer" in any case and the letter after it too, with blanks or an
    opening bracket between; of several such places the first; elsewhere capitals only, for "a" is an article; a
    letter stands alone if neither side of it is a letter, a digit or an underscore ("A's" reads as A); the first
    character is the first that is no blank.

    >>> [read(text).letter for text in ("Answer: b", "A dog, so C.", "Don't know", "drums")]
    ['B', 'A', 'D', None]

    Source: ``air_bench_foundation`` of EvalScope.
    """
    text = reply.strip()
    if not text:
        return Answer(how="empty")
    if found := _SAID.search(text):
        return Answer(letter=found[1].upper(), how="answer-colon")
    if found := _ALONE.search(text):
        return Answer(letter=found[1], how="alone")
    if text[0] in LETTERS:
        return Answer(letter=text[0], how="first-character")
    return Answer(how="nothing-read")
