"""Numbers in words, below a thousand: one word each, or put together ("seventy-two", "one hundred and twenty")."""

from __future__ import annotations

import re

from audiometry.choices.pattern import lazy

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_DECADES = "thirty forty fifty sixty seventy eighty ninety hundred"
NUMBER_WORDS = {word: str(i) for i, word in enumerate((_UNITS + " seventeen eighteen nineteen twenty").split())} | {
    word: str(10 * i) for i, word in enumerate(_DECADES.split(), start=3)
}
ORDINALS = {
    word: i
    for i, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
}
HOW_OFTEN = {"once": "1", "twice": "2", "thrice": "3"}

_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_BELOW_HUNDRED = rf"(?:{_TENS}(?:[ -]{_ONES})?|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|{_ONES})"
_COMPOUND = lazy(
    rf"\b(?:(?:(?:an?|{_ONES})[ -])?hundred(?:(?: and |[ -]){_BELOW_HUNDRED})?|{_TENS}[ -]{_ONES})\b", re.IGNORECASE
)
_WORD = lazy(r"[a-z]+")


def compounds(text: str) -> list[tuple[int, int, str]]:
    """Where numbers of several words stand in a text, and their digits.

    >>> compounds("about one hundred and seventy-two or so")
    [(6, 33, '172')]
    """
    return [(m.start(), m.end(), _value(m[0].lower())) for m in _COMPOUND.finditer(text)]


def _value(number: str) -> str:
    total = 0
    for word in _WORD.findall(number):
        if word == "hundred":
            total = max(total, 1) * 100
        else:
            total += int(NUMBER_WORDS.get(word, "0"))  # "a" and "and" add nothing
    return str(total)
