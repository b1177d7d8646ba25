"""Whether a text is in the language that was asked for, as far as letters and small words tell.

No detector of languages: it calls a text foreign only where its letters are of another script, or where small words of
another language are there, and more of them than of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

MOST_LETTERS: Final = 400  # of a text that are looked at
_LATIN: Final = frozenset(["LATIN"])
_SCRIPTS: Final = {
    "zh": frozenset(["CJK"]),
    "ja": frozenset(["CJK", "HIRAGANA", "KATAKANA"]),
    "ko": frozenset(["HANGUL", "CJK"]),
    "ru": frozenset(["CYRILLIC"]),
    "uk": frozenset(["CYRILLIC"]),
    "ar": frozenset(["ARABIC"]),
    "fa": frozenset(["ARABIC"]),
    "el": frozenset(["GREEK"]),
    "he": frozenset(["HEBREW"]),
    "hi": frozenset(["DEVANAGARI"]),
    "th": frozenset(["THAI"]),
    **dict.fromkeys(["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "hu", "tr"], _LATIN),
}
_SMALL: Final = {
    "en": "the of and is are was what which who how does in to this that with you it do at by from",
    "de": "der die das und ist sind war was welche welcher wer wie im zu dieser dieses mit du ein eine nicht von auf",
    "fr": "le la les et est sont quel quelle qui comment dans ce cette avec vous un une des du que pas pour",
    "es": "el la los las y es son qué cuál quién cómo en este esta con un una del que no para se",
    "it": "il lo la gli e è sono che quale chi come nel questo questa con un una del non per si",
    "pt": "o a os as e é são que qual quem como no na este esta com um uma do da não para se",
    "nl": "de het en is zijn was wat welke wie hoe in dit dat met je een niet van op te",
}
_WORDS: Final = {name: frozenset(words.split()) for name, words in _SMALL.items()}
_FEWEST: Final = 2  # different small words of another language that tell it
_WORD: Final = re.compile(r"\b[^\W\d_]{2,}\b")


def is_foreign(text: str, language: str) -> bool:
    """Whether a text is clearly in another language.

    Args:
        text: any.
        language: BCP 47; of one that is not known here, nothing is foreign.

    >>> is_foreign("What is the dog doing?", "en"), is_foreign("Was macht der Hund?", "en-GB")
    (False, True)
    >>> is_foreign("这段录音里是什么声音？", "en"), is_foreign("Bach", "en"), is_foreign("Qui chante?", "xx")
    (True, False, False)
    """
    own = language.partition("-")[0].casefold()
    if own not in _SCRIPTS:
        return False
    letters = [c for c in text if c.isalpha()][:MOST_LETTERS]
    scripts = Counter(unicodedata.name(c, "").partition(" ")[0] for c in letters)
    if letters and 2 * sum(scripts[name] for name in _SCRIPTS[own]) < len(letters):
        return True
    if own not in _WORDS:
        return False
    there = set(_WORD.findall(text.casefold()))
    counts = {name: len(words & there) for name, words in _WORDS.items()}
    return max(counts.values()) >= max(_FEWEST, counts[own] + 1)
