"""The matching that AIR-Bench's text describes: a reply that is a letter and no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.choices.letters import letters
from audiometry.records import Answer

PROMPTED: Final = 4  # the paper's prompt names A, B, C and D, however many options an item has
_ENDS: Final = ("", ".", ")")


def read(reply: str, options: Sequence[object]) -> Answer:
    r"""The letter of a reply that is ``B``, ``B.`` or ``B)``, blanks around it aside.

    The script published with the paper looks at two places in a reply of any length instead (`airbench.read`): it takes
    "Dogs bark." for D, where the paper's table prints shares down to 0.0.

    Open in the text, and chosen here: its "etc." behind the three forms adds none, so this is the least that it can
    mean; capitals only; letters up to D whatever the item shows, and beyond where it shows more.

    >>> [read(text, ("dog", "cat")).letter for text in (" B\n", "B.", "B)", "(B)", "B. cat", "Dogs bark.", "b")]
    ['B', 'B', 'B', None, None, None, None]

    Args:
        reply: as it came.
        options: in the order they were shown; only their number counts.

    Source: AIR-Bench (arXiv 2402.07729) §4.2, beside table 4.
    """
    text = reply.strip()
    if not text:
        return Answer(how="empty")
    if text[0] in letters(max(PROMPTED, len(options))) and text[1:] in _ENDS:
        return Answer(letter=text[0], how="letter-alone")
    return Answer(how="nothing-read")
