"""Text made comparable before words are counted: Whisper's normalisers, by language, held to linear time.

English: bracketed remarks and fillers out, contractions written out, numbers in digits, American spelling. Others:
lower case, NFKC, punctuation and symbols to spaces; in languages without spaces each character is a word. Vowel signs
and other combining marks stay, which OpenAI's own code turns into spaces (and so cuts words of Indic languages).

Source: Radford et al. 2022 (arXiv 2212.04356), appendix C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Final

from audiometry.score.measures.languages import ENGLISH, UNSPACED
from audiometry.score.measures.packages import loaded, stamp

PACKAGE: Final = "whisper-normalizer"
_MODULE: Final = "whisper_normalizer.english"  # which loads the other one too
_LONGEST_NUMBER: Final = 300  # digits; Python converts no more than 4,300 between text and number
_KEPT, _KEPT_LENGTH = 8_192, 1_000  # texts, characters: several measures ask for the words of the same answers
_DIGITS = re.compile(rf"\d{{{_LONGEST_NUMBER}}}(?=\d)")
_SPACES = re.compile(r"\s+")
_BRACKETED = re.compile(r"[<\[][^>\]]*[>\]]")
_IN_PARENTHESES = re.compile(r"\([^)]+\)")
_FILLERS = re.compile(r"\b(?:hmm|mm|mhm|mmm|uh|um)\b")


def words_of(measure: str, text: str, language: str) -> list[str]:
    """The words of a text in a language; an unknown language (empty) is read as English.

    Args:
        measure: who asks, for the message if the package is missing.
        text: any.
        language: its code.

    Raises:
        UsageError: the package is not installed.
    """
    loaded(measure, PACKAGE, _MODULE)
    language = language or ENGLISH
    return list(_kept(language, text) if len(text) <= _KEPT_LENGTH else normaliser(language)(text).split())


@lru_cache(_KEPT)
def _kept(language: str, text: str) -> tuple[str, ...]:
    return tuple(normaliser(language)(text).split())


@cache
def normaliser(language: str) -> Callable[[str], str]:
    """The normaliser of a language, fit for hostile text; the package is there."""
    if language == ENGLISH:
        from whisper_normalizer.english import EnglishTextNormalizer

        whisper = EnglishTextNormalizer()
    else:
        from whisper_normalizer.basic import BasicTextNormalizer

        whisper = BasicTextNormalizer(split_letters=language in UNSPACED, preserve_marks=True)

    def normal(text: str) -> str:
        return str(whisper(_tamed(text, english=language == ENGLISH)))

    return normal


def normaliser_stamps(languages: Sequence[str]) -> tuple[str, ...]:
    """What a signature says of the normalisers for these languages; the empty one stands for items that say none."""
    said = {language: language or f"{ENGLISH}-unless-tagged" for language in languages}
    english = sorted(said[language] for language in said if language in {"", ENGLISH})
    basic = sorted(language for language in said if language not in {"", ENGLISH})
    stamps = [stamp(PACKAGE, "english-" + "-".join(english))] if english else []
    return (*stamps, *([stamp(PACKAGE, "basic-marks-kept-" + "-".join(basic))] if basic else []))


def _tamed(text: str, *, english: bool) -> str:
    """A text with the same normal form, on which the normalisers' patterns take time in proportion to its length.

    Brackets that are never closed are blanked, since each makes the pattern for bracketed remarks look through all the
    rest; then remarks and fillers go as they would anyway, and runs of spaces with them. Numbers are cut where Python
    would refuse to convert them.
    """
    text = _DIGITS.sub(r"\g<0> ", text.lower())
    text = _BRACKETED.sub("", _unopened(text, "<[", ">]"))
    text = _IN_PARENTHESES.sub("", _unopened(text, "(", ")"))
    return _SPACES.sub(" ", _FILLERS.sub("", text) if english else text)


def _unopened(text: str, opening: str, closing: str) -> str:
    """The text with opening brackets blanked behind the last closing one."""
    end = max(text.rfind(mark) for mark in closing) + 1
    return text[:end] + text[end:].translate({ord(mark): " " for mark in opening})
