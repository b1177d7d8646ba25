"""Words that the tasks' questions and options use: numbers, letters, languages, instruments."""

from __future__ import annotations

import re

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def number_words(n: int) -> str:
    """A whole number in English words; digit by digit from a thousand on.

    >>> number_words(17), number_words(42), number_words(305), number_words(2024)
    ('seventeen', 'forty two', 'three hundred five', 'two zero two four')
    """
    if n < len(_SMALL):
        return _SMALL[n]
    if n < 100:  # noqa: PLR2004
        return _TENS[n // 10] + (f" {_SMALL[n % 10]}" if n % 10 else "")
    if n < 1000:  # noqa: PLR2004
        return f"{_SMALL[n // 100]} hundred" + (f" {number_words(n % 100)}" if n % 100 else "")
    return " ".join(_SMALL[int(d)] for d in str(n))


_NUMBER_WORDS = {number_words(n): n for n in range(1000)}


def whole_number(option: str) -> int | None:
    """The number an option is, in digits or words, with at most one noun behind it.

    >>> whole_number("3"), whole_number("Two speakers"), whole_number("no idea"), whole_number("forty-two")
    (3, 2, None, 42)
    """
    text = option.lower().replace("-", " ").strip(" .")
    text = re.sub(r"^(?:the )?(?:digit|number|exactly) ", "", text)
    found = re.fullmatch(r"(\d+)(?: [a-z]+)?", text)
    if found:
        return int(found[1])
    words = text.split()
    for size in (len(words), len(words) - 1):
        if size > 0 and " ".join(words[:size]) in _NUMBER_WORDS:
            return _NUMBER_WORDS[" ".join(words[:size])]
    return None


NUMBERS = (*(number_words(n) for n in range(20)), *_TENS[2:], "hundred", "thousand")
"""Single number words."""

SPELLING = {
    "a": "alpha", "b": "bravo", "c": "charlie", "d": "delta", "e": "echo", "f": "foxtrot", "g": "golf",
    "h": "hotel", "i": "india", "j": "juliet", "k": "kilo", "l": "lima", "m": "mike", "n": "november",
    "o": "oscar", "p": "papa", "q": "quebec", "r": "romeo", "s": "sierra", "t": "tango", "u": "uniform",
    "v": "victor", "w": "whiskey", "x": "x-ray", "y": "yankee", "z": "zulu",
}  # fmt: skip
"""Letters, and the words of the radio spelling alphabet."""

LANGUAGES = {
    "english": "en", "spanish": "es", "french": "fr", "italian": "it", "russian": "ru", "german": "de",
    "portuguese": "pt", "dutch": "nl", "chinese": "zh", "mandarin": "zh", "japanese": "ja", "korean": "ko",
    "arabic": "ar", "turkish": "tr", "polish": "pl", "swedish": "sv", "hindi": "hi", "catalan": "ca",
    "persian": "fa", "estonian": "et", "mongolian": "mn", "tamil": "ta", "slovenian": "sl", "indonesian": "id",
    "latvian": "lv", "welsh": "cy", "greek": "el", "ukrainian": "uk", "czech": "cs",
}  # fmt: skip
"""Language names to ISO 639-1 codes."""

_STRINGS = ("violin", "viola", "cello", "string ensemble")
_BRASS = ("trumpet", "trombone", "tuba", "french horn", "brass section")
_REEDS = ("saxophone", "oboe", "english horn", "bassoon", "clarinet")
_FLUTES = ("flute", "piccolo", "recorder", "pan flute")
_GUITARS = ("acoustic guitar", "electric guitar", "distorted guitar")
_BASSES = ("double bass", "electric bass", "synth bass")
_MALLETS = ("glockenspiel", "vibraphone", "marimba", "xylophone", "tubular bells", "music box")

FAMILIES: dict[str, tuple[str, ...]] = {
    "keyboard": ("piano", "electric piano", "harpsichord"), "piano": ("piano", "electric piano"),
    "organ": ("organ", "church organ"), "guitar": _GUITARS, "ukulele": ("acoustic guitar", "banjo"), "lute": _GUITARS,
    "bass": _BASSES, "string": _STRINGS, "fiddle": ("violin",), "brass": _BRASS,
    "horn": ("french horn", "brass section"),
    "reed": _REEDS, "woodwind": (*_REEDS, *_FLUTES), "sax": ("saxophone",), "flute": _FLUTES, "whistle": _FLUTES,
    "mallet": _MALLETS, "bell": ("tubular bells", "glockenspiel"), "celesta": ("music box", "glockenspiel"),
    "vocal": ("choir", "voice"), "voice": ("choir", "voice"), "singing": ("choir", "voice"),
    "synth": ("synthesiser lead", "synth bass"), "drum": ("timpani",), "percussion": ("timpani", *_MALLETS),
}  # fmt: skip
"""Words for groups of instruments, and the names in the description's line ``Timbre`` that belong to them."""
