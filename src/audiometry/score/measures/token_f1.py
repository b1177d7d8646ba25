"""Token F1 as in SQuAD: the words an answer and its reference share, in any order.

Source: Rajpurkar et al. 2016 (arXiv 1606.05250), section 6.1.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

from audiometry.score.measures.languages import ENGLISH, UNSPACED
from audiometry.score.measures.means import MeanOfPairs
from audiometry.score.measures.references import ByReference, Pair

NAME: Final = "token-f1"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ASCII_MARKS = str.maketrans("", "", string.punctuation)


def tokens(text: str, language: str) -> list[str]:
    """Words in lower case without punctuation, in English without articles; characters where words have no spaces.

    >>> tokens("The U.S. cat's hat", "en")
    ['us', 'cats', 'hat']

    Args:
        text: any.
        language: its code; an unknown one (empty) is read as English.
    """
    text = text.lower().translate(_ASCII_MARKS)
    if not text.isascii():
        text = "".join(c for c in text if not unicodedata.category(c).startswith("P"))
    if language in {"", ENGLISH}:
        text = _ARTICLES.sub(" ", text)
    return list("".join(text.split())) if language in UNSPACED else text.split()


def _score(pair: Pair) -> float:
    said = Counter(tokens(pair.prediction, pair.language))
    return max(_f1(said, Counter(tokens(reference, pair.language))) for reference in pair.references)


def _f1(said: Counter[str], due: Counter[str]) -> float:
    if not said or not due:  # SQuAD 2.0: nothing is right where nothing is due
        return float(said == due)
    return 2 * (said & due).total() / (said.total() + due.total())


def squad_stamps(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Whose rules, and the languages that they were used for; see `references.Counts`."""
    languages = sorted({pair.language or f"{ENGLISH}-unless-tagged" for pair in pairs})
    return ("-".join(["squad", *languages]),)


MEASURE = ByReference(
    MeanOfPairs(
        name=NAME,
        about="words shared with the reference, F1, as in SQuAD",
        unit="mean F1, 0 to 1",
        score=_score,
        stamps=squad_stamps,
    )
)
