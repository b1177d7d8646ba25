"""How options are written into a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from audiometry.choices.letters import letters
from audiometry.errors import UnknownNameError

LETTERED = ("dotted", "bracketed", "one-line")
"""The styles that show letters; where none is shown, a letter in a reply names no option."""

#: style: (how one option is written, what stands between two)
STYLES = {
    "dotted": ("{letter}. {text}", "\n"),
    "bracketed": ("({letter}) {text}", "\n"),
    "one-line": ("({letter}) {text}", " "),
    "words": ("{text}", "\n"),
    "words-one-line": ("{text}", " "),
    "quoted": ("{text!r}", ", "),
}


def render(options: Sequence[str], style: str = "dotted") -> str:
    r"""The options as a prompt shows them; a line break inside an option becomes a blank.

    >>> render(("violin", "piano"))
    'A. violin\nB. piano'
    >>> render(("violin", "piano"), "one-line")
    '(A) violin (B) piano'
    >>> render(("violin", "bird's song"), "quoted")
    '\'violin\', "bird\'s song"'

    Args:
        options: in the order they are shown in.
        style: ``dotted`` (a line each, "A. text"), ``bracketed`` (a line each, "(A) text"), ``one-line``, or without
            letters ``words`` (a line each), ``words-one-line`` and ``quoted`` (as in a list of Python's).

    Raises:
        UnknownNameError: no such style.
        UsageError: more than 26 options.
    """
    if style not in STYLES:
        raise UnknownNameError("option style", style, STYLES)
    one, between = STYLES[style]
    shown_as = zip(letters(len(options)), options, strict=True)
    return between.join(one.format(letter=letter, text=" ".join(text.splitlines())) for letter, text in shown_as)
