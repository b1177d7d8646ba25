"""The share of open answers that a judge finds equivalent to the reference."""

from __future__ import annotations

from audiometry.score.measures.accuracy import Accuracy

MEASURE = Accuracy(
    name="judge-equivalence",
    about="share of answers that say what the reference says, by a judge that is shown both",
    kinds=frozenset({"open"}),
    unit="share equivalent",
    has_chance=False,
    takes="scores",
)
