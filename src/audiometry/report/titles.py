"""What a score is called by its readers: the kind of its tasks and its measure in the field's words."""

from __future__ import annotations

from typing import Final, Protocol

from audiometry.errors import counted, shown
from audiometry.records import State
from audiometry.score.profiles import DEFAULT
from audiometry.score.result import Scored

STATES: Final = tuple(state.value.replace("-", " ") for state in State if state is not State.ANSWERED)
"""What becomes of replies that are no answers."""

SIGNS: Final = {
    "correct": "✓", "wrong": "✗", "unanswered": "?", "refused": "⊘", "failed": "!", "answered": "●", "empty": "∅",
    "not asked": "…", "unjudged": "!",
}  # fmt: skip
"""What became of a reply as a sign."""
FEWER: Final = "replies that are empty or failed count too and have none beside them"
"""Why a judged number is not held to the score of the reference answers."""
KINDS: Final = {
    "choice": "questions with options",
    "label": "labels",
    "transcript": "transcripts",
    "open": "open questions",
}
MEASURES: Final = {
    "accuracy": "share correct",
    "judge-score": "judge's score",
    "macro-f1": "macro F1",
    "balanced-accuracy": "balanced accuracy",
    "wer": "word error rate",
    "cer": "character error rate",
    "bleu": "BLEU",
    "chrf": "chrF",
    "rouge-l": "ROUGE-L",
    "token-f1": "token F1",
    "exact-match": "exact match",
    "judge-equivalence": "answer equivalence",
}
LONGEST: Final = 48  # characters of a measure's name, which may be a program's command


class Named(Protocol):
    """A score with the names of its measure and of its rules."""

    @property
    def measure(self) -> str:
        """Of the measure."""
        ...

    @property
    def profile(self) -> str:
        """Of the rules."""
        ...


def measure_title(scored: Named) -> str:
    """The measure in words, as far as it is one that everybody knows.

    Of several profiles the rules are named too, but for the house's own.
    """
    rules = f" by the rules of {shown(scored.profile, LONGEST)}" if scored.profile != DEFAULT else ""
    return f"{MEASURES.get(scored.measure) or shown(scored.measure, LONGEST)}{rules}"


def value_title(scored: Scored) -> str:
    """The heading of a score's numbers."""
    if scored.unit == "share correct":
        return "correct"
    return "score" if scored.extras.beside else MEASURES.get(scored.measure) or shown(scored.measure, LONGEST)


def field(state: str) -> str:
    """The count of a row that says how many replies are in a state.

    >>> field("not asked")
    'n_not_asked'
    """
    return f"n_{state.replace(' ', '_')}"


def titled(scored: Scored) -> str:
    """A score's heading: ``Labels: macro F1``."""
    kinds = " and ".join(KINDS.get(kind, kind) for kind in scored.kinds)
    return f"{kinds[:1].upper()}{kinds[1:]}: {measure_title(scored)}" if kinds else measure_title(scored)


def extent(n: int, of: int) -> str:
    """How many items of the run a score is of.

    >>> extent(40, 160), extent(1, 1)
    ('40 of 160 items', '1 item')
    """
    return f"{n:,} of {counted(of, 'item')}" if of > n else counted(n, "item")
