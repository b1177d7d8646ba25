"""Word error rate, as speech recognition reports it."""

from __future__ import annotations

from audiometry.score.measures.edits import ErrorRate
from audiometry.score.measures.languages import UNSPACED
from audiometry.score.measures.normal import words_of
from audiometry.score.measures.references import ByReference, Pair

NAME = "wer"


def _words(text: str, language: str) -> list[str]:
    return words_of(NAME, text, language)


def _beyond(pair: Pair) -> int:
    return pair.cut_characters if pair.language in UNSPACED else pair.cut_words


MEASURE = ByReference(
    ErrorRate(
        name=NAME,
        about="word error rate after Whisper's normalisation; characters for words in languages without spaces",
        unit="errors per reference word",
        units=_words,
        beyond=_beyond,
    )
)
