"""In which language or letters comments are that no rule reads, so that silence is not taken for having no reason."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from audiometry.errors import UsageError
from audiometry.files.code_book import Book

MOST_LETTERS: Final = 400  # of a text that are looked at
_SCRIPTS: Final = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
}
_LETTERS: Final = {
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Hangul",
    "hi": "Devanagari",
    "ar": "Arabic",
    "ru": "Cyrillic",
}


def tongue(comment: str, language: str, book: Book) -> tuple[str, bool]:
    """The language of a comment, else the letters that most of it is in; and whether rules read such.

    Args:
        comment: the words.
        language: as the vote states it or as it was told; empty: not known.
        book: whose rules.

    >>> book = Book(code=(), languages=("en", "ru"))
    >>> tongue("Cevap", "tr-TR", book), tongue("better", "", book), tongue("ดีกว่า", "", book), tongue("!", "", book)
    (('tr-TR', False), ('Latin letters', True), ('Thai letters', False), ('no letters', True))
    """
    if language:
        known = language.replace("_", "-").partition("-")[0].casefold() in book.languages
        return language, known or not book.languages
    letters = letters_of(comment)
    read = {_LETTERS.get(one, "Latin") for one in book.languages}
    return (f"{letters} letters", letters in read or not read) if letters else ("no letters", True)


@cache
def teller() -> Callable[[str], str]:
    """Gives the language of a comment, empty where it is not sure, or the extra ``topics`` is not installed."""
    from audiometry.languages import detector

    try:
        return lru_cache(maxsize=1 << 16)(detector())
    except UsageError:
        return lambda _: ""


def letters_of(text: str) -> str:
    """The script of most letters of a text, as people call it; empty: it has none."""
    found = Counter(
        _SCRIPTS.get(script, script.capitalize())
        for c in text[: 4 * MOST_LETTERS]
        if c.isalpha() and (script := unicodedata.name(c, "").partition(" ")[0])
    )
    if found.get("Japanese"):
        found["Japanese"] += found.pop("Chinese", 0)
    return max(sorted(found), key=found.__getitem__) if found else ""
