"""The words of vote files: which label says what, ours and those of other tools; nothing is guessed."""

from __future__ import annotations

import re
from typing import Final

from audiometry.records.votes import Outcome

SAID: Final = {
    "model_a": Outcome.A,
    "a": Outcome.A,
    "left": Outcome.A,
    "model_b": Outcome.B,
    "b": Outcome.B,
    "right": Outcome.B,
    "tie": Outcome.TIE,
    "draw": Outcome.TIE,
    "equal": Outcome.TIE,
    "both_bad": Outcome.BOTH_BAD,
    "bothbad": Outcome.BOTH_BAD,
    "tie_bothbad": Outcome.BOTH_BAD,
    "tie_both_bad": Outcome.BOTH_BAD,
}
"""What a winner may be called, in small letters with ``_`` for blanks, hyphens and brackets.

``tie (bothbad)`` is what FastChat and the data of Chatbot Arena say where both replies were bad: not a tie. ``left``,
``right`` and ``tie`` are evalica's, ``a``, ``b`` and ``equal`` those of rating files.
"""
OURS: Final = ("model_a", "model_b", "tie", "both_bad")
"""The names that outcomes have here, by `Outcome`."""
FIRST: Final = {"model_a": 0, "a": 0, "left": 0, "model_b": 1, "b": 1, "right": 1}
"""What the side may be called that was shown first."""
COLUMNS: Final = {"judge": "voter", "tstamp": "at"}
"""What columns of ours are called in the votes of Chatbot Arena; read so where there is none under our name."""
_BETWEEN: Final = re.compile(r"[\s_()\[\]-]+")


def plain(label: str) -> str:
    """A label in small letters, with one underscore for all that stands between its words.

    >>> plain(" Tie (bothbad)"), plain("Model-A")
    ('tie_bothbad', 'model_a')
    """
    return _BETWEEN.sub("_", label.casefold()).strip("_")


def outcome_of(label: str) -> Outcome | None:
    """What a winner's label says; None for one that is not known.

    >>> outcome_of("tie (bothbad)").name, outcome_of("Left").name, outcome_of("0.5"), outcome_of("maybe")
    ('BOTH_BAD', 'A', None, None)
    """
    return SAID.get(plain(label))


def first_of(label: str) -> int:
    """Which side was shown first, 0 for a and 1 for b; -1: it is not said.

    >>> first_of("model_b"), first_of("")
    (1, -1)
    """
    return FIRST.get(plain(label), -1)
