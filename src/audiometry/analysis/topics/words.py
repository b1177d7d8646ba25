"""Queries as texts that can be compared, and as words: of languages without blanks, two letters at a time."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

LONGEST: Final = 2_000  # characters of a query that are looked at
_BLANK: Final = re.compile(r"\s+")
_UNSPACED: Final = (  # scripts that put no blanks between words: Thai, Lao, Myanmar, Khmer, kana, Han
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
)
_WORD: Final = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}](?:[\w\u0900-\u0dff'’\u0300-\u036f](?<![{_UNSPACED}_]))*")
_RUN: Final = re.compile(rf"[{_UNSPACED}]")
LONGEST_WORD: Final = 30


def normal(text: str) -> str:
    """A text in small letters, compatible forms as one, blanks as one, straight apostrophes.

    >>> normal("  What’s  THE Ｔime? ")
    "what's the time?"
    """
    folded = unicodedata.normalize("NFKC", text[:LONGEST]).casefold().replace("\u2019", "'").replace("\u2018", "'")
    return _BLANK.sub(" ", folded).strip()


def key(text: str) -> str:
    """What equal queries have in common: the words alone, without marks between them.

    >>> key("What's the time?") == key("what's the  time")
    True
    """
    return " ".join(_WORD.findall(normal(text))) or normal(text)


def words(text: str) -> list[str]:
    """Words of a normal text, without marks; of scripts without blanks every two letters that follow each other.

    >>> words("what's the time, 東京は?")
    ["what's", 'the', 'time', '東京', '京は']
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if not _RUN.match(word):
            found.append(word[:LONGEST_WORD].removesuffix("'s") if not word.startswith("what") else word[:LONGEST_WORD])
        elif len(word) == 1:
            found.append(word)
        else:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
    return found


def grams(said: list[str]) -> list[str]:
    """Words, and every two that follow each other in a script with blanks.

    >>> grams(["italian", "food"])
    ['italian', 'food', 'italian food']
    """
    pairs = pairwise(said)
    return [*said, *(f"{one} {other}" for one, other in pairs if not (_RUN.match(one) or _RUN.match(other)))]
