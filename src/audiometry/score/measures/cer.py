"""Character error rate, for languages without spaces between words and for spelling."""

from __future__ import annotations

from audiometry.score.measures.edits import ErrorRate
from audiometry.score.measures.languages import UNSPACED
from audiometry.score.measures.normal import words_of
from audiometry.score.measures.references import ByReference, Pair

NAME = "cer"


def _characters(text: str, language: str) -> str:
    """Code points after normalisation; a space counts where words are written apart."""
    return ("" if language in UNSPACED else " ").join(words_of(NAME, text, language))


def _beyond(pair: Pair) -> int:
    return pair.cut_characters


MEASURE = ByReference(
    ErrorRate(
        name=NAME,
        about="character error rate after Whisper's normalisation; spaces count where words are written apart",
        unit="errors per reference character",
        units=_characters,
        beyond=_beyond,
    )
)
