"""The parser of MuChoMusic: the one capital A to D that a reply holds anywhere, else the first option it contains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.choices.letters import letters
from audiometry.records import Answer

LETTERS: Final = "ABCD"
LAST_WORDS: Final = "The correct answer is:"
"""How the paper's prompt ends; of a reply that repeats it only what follows its last occurrence is read."""
BY_PLACE: Final = "first-option-named"
"""Read where several options are named, as the first of them that was shown: a choice of the rules."""


def read(reply: str, options: Sequence[str]) -> Answer:
    """The only letter among the capitals A to D that occur in a reply, else the first option whose text it contains.

    Letters are characters, not words: "Acoustic guitar" reads as A and "Drums" as D, whatever stands under them, and
    as A to D whatever the item shows. Where none of them occurs, or more than one, options are looked for in the order
    they were shown, blanks around them and the case of both aside; the first that is contained counts, even if others
    are as well, or if it is part of a longer word.

    The paper says that one option alone has to be named, and a comment in its script that the option has to contain
    the reply: neither is what the script does, which is followed here.

    >>> shown = ("a dog", "a cat", "a cow")
    >>> [read(text, shown).letter for text in ("Don't know", "(B) piano", "a cow, or a cat", "A or C", "b")]
    ['D', 'B', 'B', None, None]

    Args:
        reply: as it came.
        options: in the order they were shown.

    Source: MuChoMusic (arXiv 2408.01337) §4.2, and the scoring script published with it.
    """
    text = reply.rpartition(LAST_WORDS)[2].strip()
    if len(found := set(LETTERS).intersection(text)) == 1:
        return Answer(letter=found.pop(), how="only-capital")
    lower = text.lower()
    if named := [place for place, option in enumerate(options) if option.lower().strip() in lower]:
        return Answer(letter=letters(len(options))[named[0]], how=BY_PLACE if len(named) > 1 else "option-named")
    return Answer(how="nothing-read" if reply.strip() else "empty")
