"""The parser of lmms-eval's port of AIR-Bench: three ways to write a letter, and a guess where none is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry import seeds
from audiometry.choices.letters import letters
from audiometry.records import Answer

_END_MARKS: Final = ",.!?;:'"
_FORMS: Final = {"bracketed": "({})", "between-spaces": " {} ", "before-a-dot": "{}."}


def read(reply: str, options: Sequence[str]) -> Answer:
    """A letter in brackets; if there is none, one between spaces; if there is none, one before a dot.

    Capitals are letters as far as the item has options. Blanks are taken off both ends, then each of the marks
    ``, . ! ? ; : '``, in this order and once: "B.!" keeps its dot, since "!" goes after it. A space is put on both
    sides after that. Of several letters in the first form that is found, the one that stands last *between spaces*
    counts, and where none stands so, the first of the alphabet, not of the reply: "(C) or rather (A)" reads as A.

    >>> [read(text, ("dog", "cat", "cow")).letter for text in ("(B) piano", "A dog, so C.", "Answer:B.", "D", "Bass")]
    ['B', 'C', None, None, None]

    Args:
        reply: as it came.
        options: in the order they were shown; only their number counts.

    Source: ``air_bench/utils.py`` of lmms-eval; held to version 0.7.3 by ``make test-ports``.
    """
    text = reply.strip()
    for mark in _END_MARKS:
        text = text.strip(mark)
    text = f" {text} "
    for how, form in _FORMS.items():
        if written := [letter for letter in letters(len(options)) if form.format(letter) in text]:
            last = max(written, key=lambda letter: text.rfind(f" {letter} "))  # of equals `max` gives the first
            return Answer(letter=last, how=how)
    return Answer(how="nothing-read" if reply.strip() else "empty")


def guess(seed: int, item_id: str, variant: str, n_options: int) -> str:
    """The letter drawn for a reply that cannot be read: one of the item's own, each equally likely.

    The port draws from a generator whose state depends on the order of the items; here the stream is named, so
    the guess for an item is the same in every order and on every machine.

    >>> {guess(0, f"clip-{n}", "plain", 2) for n in range(20)} == {"A", "B"}
    True

    Args:
        seed: of the run.
        item_id: of the item.
        variant: name of the variant.
        n_options: how many options the item shows, at least 1.
    """
    return seeds.stream(seed, "lmms-eval", item_id, variant).pick(letters(n_options))
