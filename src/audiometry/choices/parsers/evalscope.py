"""The parser of EvalScope's port of AIR-Bench: "answer: X", else a letter on its own, else the first character."""

from __future__ import annotations

import re
from typing import Final

from audiometry.records import Answer

LETTERS: Final = "ABCD"
# nothing is taken back (`*+`, `?+`), so that a reply of a million blanks after "answer" is read in one go
_AFTER_ANSWER = re.compile(r"answer\s*+[:-]?+\s*+([A-D])", re.IGNORECASE)
_ALONE = re.compile(r"\b([A-D])\b")


def read(reply: str) -> Answer:
    """The letter behind the first "answer", else the first capital that stands alone, else the first character.

    "answer" in any case, wherever it stands, with nothing but blanks and one colon or hyphen before the letter. That
    letter has any case and need not end there: "answer cat" reads as C and "the answer b" as B. A letter stands alone
    if neither side of it is a letter, a digit or an underscore ("A's" reads as A); the first character counts in upper
    case ("drums" reads as D). The letters are A to D, whatever the item shows.

    >>> [read(text).letter for text in ("Answer - bass", "Dogs, so (C).", "drums", "the answer is", "Eagle")]
    ['B', 'C', 'D', None, None]

    Source: ``air_bench_foundation_adapter.py`` of EvalScope; held to version 1.14.1 by ``make test-ports``.
    """
    text = reply.strip()
    if not text:
        return Answer(how="empty")
    if found := _AFTER_ANSWER.search(text):
        return Answer(letter=found[1].upper(), how="after-answer")
    if found := _ALONE.search(text):
        return Answer(letter=found[1], how="alone")
    first = text[0].upper()
    if first in LETTERS:
        return Answer(letter=first, how="first-character")
    return Answer(how="nothing-read")
