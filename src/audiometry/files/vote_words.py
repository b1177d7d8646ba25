"""The words of vote files: which label says what, ours and those of other tools; nothing is guessed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from audiometry.errors import shown
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
_NAMED: Final = 3  # names in a sentence
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


def label_reason(label: str) -> str:
    """Why a line with this label does not count."""
    if not label:
        return "winner is empty"
    if label.isdecimal():
        return f"winner '{shown(label, 40)}' is a number, which says no side: write {', '.join(OURS)}"
    return f"winner '{shown(label, 40)}' is none of {', '.join(OURS)}, nor the name of one of the two models"


def alike(models: Sequence[str]) -> Iterator[str]:
    """That names differ in capitals, blanks or marks between words alone, a sentence for each such group."""
    groups: dict[str, list[str]] = {}
    for name in models:
        groups.setdefault(plain(unicodedata.normalize("NFKC", name)), []).append(name)
    for group in groups.values():
        if len(group) > 1:
            names = ", ".join(f"'{shown(one, 60)}'" for one in group[:_NAMED])
            yield f"{names} are counted as {len(group):,} models; if they are one, write one name"


def side_of(named: NDArray[np.int32], a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int8]:
    """Which of a line's two models is named, 0 or 1; -1: neither, or both alike."""
    found: NDArray[np.int8] = np.where((named < 0) | (a == b), -1, np.where(named == a, 0, np.where(named == b, 1, -1)))
    return found.astype(np.int8)
