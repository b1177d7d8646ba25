"""The languages of references: their codes, and which are written without spaces between words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

ENGLISH: Final = "en"
UNSPACED: Final = frozenset({"zh", "yue", "ja", "th", "lo", "my"})
"""Where the Whisper paper (arXiv 2212.04356, appendix C) counts characters for words, and Cantonese."""

_CODES: Final = {
    **dict.fromkeys(("english", "eng"), ENGLISH),
    **dict.fromkeys(("chinese", "mandarin", "zho", "chi", "cmn"), "zh"),
    "cantonese": "yue",
    **dict.fromkeys(("japanese", "jpn"), "ja"),
    **dict.fromkeys(("korean", "kor"), "ko"),
    **dict.fromkeys(("thai", "tha"), "th"),
    **dict.fromkeys(("lao", "laotian"), "lo"),
    **dict.fromkeys(("burmese", "myanmar", "mya", "bur"), "my"),
    **dict.fromkeys(("german", "deu", "ger"), "de"),
    **dict.fromkeys(("french", "fra", "fre"), "fr"),
    **dict.fromkeys(("spanish", "spa"), "es"),
    **dict.fromkeys(("italian", "ita"), "it"),
    **dict.fromkeys(("portuguese", "por"), "pt"),
    **dict.fromkeys(("russian", "rus"), "ru"),
    **dict.fromkeys(("arabic", "ara"), "ar"),
    **dict.fromkeys(("hindi", "hin"), "hi"),
}
_LATIN_ENDS: Final = 0x24F  # the last letter of Unicode's Latin blocks that living languages with spaces use


def language_code(tag: str) -> str:
    """The code of a language as people write it; what is not known stays as it is, in lower case.

    >>> language_code("en-US"), language_code("Mandarin"), language_code("zh_CN"), language_code("cy")
    ('en', 'zh', 'zh', 'cy')
    """
    plain = tag.strip().lower().replace("_", "-").partition("-")[0]
    return _CODES.get(plain, plain)


def in_latin_letters(texts: Iterable[str]) -> bool:
    """Whether no letter of the texts belongs to another script.

    >>> in_latin_letters(["Grüße, 25 %"]), in_latin_letters(["你好"])
    (True, False)
    """
    return not any(c.isalpha() and ord(c) > _LATIN_ENDS for text in texts if not text.isascii() for c in text)
