"""ROUGE-L: the longest common subsequence of words, as an F1.

Source: Lin 2004, "ROUGE: A package for automatic evaluation of summaries"; tokens of the package rouge-score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from audiometry.score.measures.languages import ENGLISH
from audiometry.score.measures.means import MeanOfPairs
from audiometry.score.measures.normal import normaliser_stamps, words_of
from audiometry.score.measures.packages import loaded, stamp
from audiometry.score.measures.references import ByReference, Pair

NAME: Final = "rouge-l"
_PACKAGE, _LCS = "rouge-score", "rapidfuzz"


def _tokens(text: str, language: str) -> list[str]:
    """For English those of rouge-score, which knows no letters but a to z; for others normalised words."""
    if language in {"", ENGLISH}:
        return list(loaded(NAME, _PACKAGE, "rouge_score.tokenize").tokenize(text, None))
    return words_of(NAME, text, language)


def _score(pair: Pair) -> float:
    common = loaded(NAME, _LCS, "rapidfuzz.distance.LCSseq").similarity
    said = _tokens(pair.prediction, pair.language)
    best = 0.0
    for reference in pair.references:
        due = _tokens(reference, pair.language)
        if said or due:
            best = max(best, 2 * common(due, said) / (len(due) + len(said)))
    return best


def _stamps(pairs: Sequence[Pair]) -> tuple[str, ...]:
    others = sorted({pair.language for pair in pairs} - {"", ENGLISH})
    english = any(pair.language in {"", ENGLISH} for pair in pairs)
    own = (stamp(_PACKAGE, "no-stemming"),) if english else ()
    return (*own, *normaliser_stamps(others), stamp(_LCS))


MEASURE = ByReference(
    MeanOfPairs(
        name=NAME,
        about="longest common subsequence of words, F1, without stemming",
        unit="mean F1, 0 to 1",
        score=_score,
        stamps=_stamps,
    )
)
