"""The parser of lmms-eval's port of AIR-Bench: three ways to write a letter, and a guess where none is found."""

from __future__ import annotations

import re
from typing import Final

from audiometry import seeds
from audiometry.records import Answer

LETTERS: Final = "ABCD"
_END_MARKS = " \t\r\n,.!?;:'"
_BRACKETED = re.compile(r"\(([A-D])\)")
_BETWEEN_SPACES = re.compile(r"(?<= )([A-D])(?= )")
_BEFORE_A_DOT = re.compile(r"([A-D])\.")


def read(reply: str) -> Answer:
    """A letter in brackets; if there is none, one between spaces; if there is none, one before a dot.

    Of several letters between spaces the last counts, of several in brackets or before dots the first. Capitals
    A to D are letters whatever the item shows, since the port prints four lines for every item.

    Open in the description, and chosen here: blanks and the marks ``, . ! ? ; : '`` are taken off both ends first
    and a space put there (else "…, so C." would not read as C, as it is said to); "first" and "last" are places in
    the reply; a line break is no space; "A." is looked for anywhere, inside words too.

    >>> [read(text).letter for text in ("(B) piano", "A dog is barking, so C.", "Answer:B.", "Bass")]
    ['B', 'C', None, None]

    Source: the foundation tasks ``air_bench_foundation_*`` of lmms-eval.
    """
    text = f" {reply.strip(_END_MARKS)} "
    if found := _BRACKETED.search(text):
        return Answer(letter=found[1], how="bracketed")
    if between := _BETWEEN_SPACES.findall(text):
        return Answer(letter=between[-1], how="between-spaces")
    if found := _BEFORE_A_DOT.search(text):
        return Answer(letter=found[1], how="before-a-dot")
    return Answer(how="nothing-read" if text.strip() else "empty")


def guess(seed: int, item: str, variant: str) -> str:
    """The letter drawn for a reply that cannot be read, A to D, each equally likely.

    The port draws from a generator whose state depends on the order of the items; here the stream is named, so
    the guess for an item is the same in every order and on every machine.

    >>> guess(0, "clip-7", "plain") == guess(0, "clip-7", "plain")
    True

    Args:
        seed: of the run.
        item: id of the item.
        variant: name of the variant.
    """
    return seeds.stream(seed, "lmms-eval", item, variant).pick(LETTERS)
