"""The parser of AIR-Bench's foundation part: a letter in one of two places."""

from __future__ import annotations

from typing import Final

from audiometry.records import Answer

LETTERS: Final = "ABCD"
_SHORTEST = 2  # a text with a second-to-last character


def read(reply: str) -> Answer:
    r"""The first character if it is a capital A to D, else the second to last, else nothing.

    The blanks around the reply are dropped, then every line feed. The letter counts whether or not an option
    stands under it: the paper's prompt shows four letters for items with two options as well. The second-to-last
    character is meant for "The answer is A."; "Don't know" reads as D and "A dog, so C." as A.

    Open in the description: what becomes of a carriage return inside a reply (kept here), and of a reply of one
    character that is no letter, which has no second-to-last one (not readable here).

    >>> read("B) piano").letter, read("The answer\nis C.").letter, read("(B) piano").letter
    ('B', 'C', None)

    Source: AIR-Bench (arXiv 2402.07729) §4.2 and table 4, and the scoring script published with it.
    """
    text = reply.strip().replace("\n", "")
    if not text:
        return Answer(how="empty")
    if text[0] in LETTERS:
        return Answer(letter=text[0], how="first-character")
    if len(text) >= _SHORTEST and text[-2] in LETTERS:
        return Answer(letter=text[-2], how="second-to-last-character")
    return Answer(how="nothing-read")
