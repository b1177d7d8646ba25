"""Queries as points: how often words and letters occur (TF-IDF), brought to a hundred numbers (truncated SVD)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.topics.words import grams, normal, words

Points = NDArray[np.float64]

WIDTH: Final = 100
"""Numbers of a point, after Deerwester et al. 1990 (J. Am. Soc. Inf. Sci. 41, 391-407)."""
LETTERS: Final = 0.5  # what runs of letters weigh beside words: forms of a word, and languages without blanks
COMMON: Final = 0.1  # share of the queries of a language from which a word says nothing of what they are about
FEW: Final = 50  # queries of a language below which that is not asked
MOST_FEATURES: Final = 50_000
SPOKEN: Final = frozenset(
    {"um", "umm", "uh", "uhm", "er", "erm", "eh", "hmm", "okay", "ok", "yeah", "like", "just", "hey", "don"}
)


def telling(texts: Sequence[str], languages: Sequence[str]) -> list[list[str]]:
    """The words of each query that tell what it is about: no English stop words, none that are common in its language.

    Args:
        texts: queries.
        languages: of each.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    said = [words(normal(text)) for text in texts]
    n = Counter(languages)
    met = Counter((language, word) for language, some in zip(languages, said, strict=True) for word in set(some))
    common = {pair for pair, times in met.items() if n[pair[0]] >= FEW and times > COMMON * n[pair[0]]}
    empty = ENGLISH_STOP_WORDS | SPOKEN
    return [
        [word for word in some if (language, word) not in common and word.partition("'")[0] not in empty]
        for language, some in zip(languages, said, strict=True)
    ]


def points(told: Sequence[Sequence[str]], seed: int) -> Points:
    """Each query as a point of length 1; of length 0 where nothing is left of it that others say too.

    Args:
        told: words of each query, see `telling`.
        seed: of the decomposition, 32 bits.

    Returns:
        ``float64[n, d]``, d at most `WIDTH`.
    """
    from scipy import sparse
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    frequencies: Any = TfidfVectorizer  # which may be given a function to take texts apart
    settings: dict[str, Any] = {"sublinear_tf": True, "min_df": 2, "max_features": MOST_FEATURES}
    parts: list[Any] = []
    for analyzer, weight in ((lambda some: grams(list(some)), 1.0), (_letters, LETTERS)):
        try:
            parts.append(weight * frequencies(analyzer=analyzer, **settings).fit_transform(told))
        except ValueError:  # no word, or none that two queries have
            continue
    if not parts:
        return np.zeros((len(told), 1))
    whole: Any = normalize(sparse.hstack(parts).tocsr())
    width = min(WIDTH, min(whole.shape) - 1)
    if width < 1:
        return np.asarray(whole.toarray(), np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # the share explained is 0/0 where all are alike; unused
        found = TruncatedSVD(n_components=width, random_state=seed).fit_transform(whole)
    return normalized(found)


def normalized(found: Points) -> Points:
    """Points moved to length 1; those within rounding of nothing to 0."""
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(np.where(length > 1e-6, found / np.maximum(length, 1e-6), 0.0), np.float64)  # noqa: PLR2004  rounding


def _letters(some: Sequence[str]) -> list[str]:
    """Runs of two to four letters of each word with its ends marked; of what is two letters long, itself."""
    found = []
    for word in some:
        marked = f" {word} "
        found += [marked[at : at + n] for n in (3, 4) for at in range(len(marked) - n + 1)] or [marked]
    return found
