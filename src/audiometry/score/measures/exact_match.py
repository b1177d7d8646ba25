"""Exact match as in SQuAD: whether an answer is its reference but for case, punctuation and articles.

Source: Rajpurkar et al. 2016 (arXiv 1606.05250), section 6.1.
"""

from __future__ import annotations

from typing import Final

from audiometry.score.measures.means import MeanOfPairs
from audiometry.score.measures.references import ByReference, Pair
from audiometry.score.measures.token_f1 import squad_stamps, tokens

NAME: Final = "exact-match"


def _score(pair: Pair) -> float:
    said = tokens(pair.prediction, pair.language)
    return float(any(said == tokens(reference, pair.language) for reference in pair.references))


MEASURE = ByReference(
    MeanOfPairs(
        name=NAME,
        about="answers that are the reference but for case, punctuation and articles, as in SQuAD",
        unit="share of answers",
        score=_score,
        stamps=squad_stamps,
    )
)
