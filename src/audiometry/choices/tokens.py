"""Words as they are compared: option texts and replies are cut into the same tokens."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from audiometry.choices.number_words import NUMBER_WORDS, compounds
from audiometry.choices.pattern import lazy

# Scripts written without blanks, and Hangul, whose particles stick to the word: each character is a token.
_APART = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?![\d.])|\d+(?:[.:]\d+)*"
# A minus is part of a number, a dash between two numbers is not.
_SIGNED = rf"(?<![\d)\]] )(?<![\w.)\]])-(?:{_NUMBER})|{_NUMBER}"
_ASCII = lazy(rf"[A-Ga-g]#-?\d*(?![A-Za-z])|[A-Za-z][A-Za-z0-9]*(?:'[A-Za-z]+)*|{_SIGNED}")
_ANY = lazy(
    rf"[A-Ga-g][#♯♭]-?\d*(?![^\W\d_])|[{_APART}]|[^\W\d_{_APART}][^\W_{_APART}]*(?:'[^\W\d_{_APART}]+)*"
    rf"|{_SIGNED}"
)


def word_set(words: str) -> frozenset[str]:
    """The words of a text between blanks."""
    return frozenset(words.split())


ARTICLES = frozenset({"a", "an", "the"})

_LONGEST_KEPT, _MOST_KEPT = 64, 16_384  # characters, words: so that what is kept of them stays small


class Token(NamedTuple):
    """A word, number, note name or single character: how it is compared, and where it stands."""

    key: str
    start: int
    end: int


class _Keys(dict[str, str]):
    """Words and their keys, looked up faster than a call takes; bounded in number and length."""

    def __missing__(self, word: str) -> str:
        if len(word) >= _LONGEST_KEPT:
            return word.casefold()
        found = key(word)
        if len(self) < _MOST_KEPT:
            self[word] = found
        return found


_key_of = _Keys()


def tokens(text: str) -> list[Token]:
    """The tokens of an undressed text; a number in several words is one."""
    new, key_of, found = tuple.__new__, _key_of, []  # what `Token(…)` calls in the end; a reply has many words
    for m in _pattern(text).finditer(text):
        start, end = m.span()
        found.append(new(Token, (key_of[m[0]], start, end)))
    if "ty" in text or "undred" in text or "TY" in text or "UNDRED" in text:
        for start, end, digits in compounds(text):
            first, after = bisect_left(found, start, key=_start), bisect_left(found, end, key=_start)
            found[first:after] = [Token(digits, start, end)]
    return found


def keys(text: str) -> tuple[str, ...]:
    """The keys of the tokens of an undressed text."""
    return tuple(token.key for token in tokens(text))


def _start(token: Token) -> int:
    return token.start


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII if text.isascii() else _ANY


def key(word: str) -> str:
    """How a word is compared: without case, possessive or elided article; numbers by value.

    >>> key("Speaker's"), key("two"), key("7.50"), key("8.0"), key("1,200"), key("C♯4")
    ('speaker', '2', '7.5', '8', '1200', 'c#4')
    """
    low = word.casefold()
    if low[0].isdigit() or low[0] == "-":
        return _number(low)
    if low in NUMBER_WORDS:
        return NUMBER_WORDS[low]
    if "'" in low:
        head, _, rest = low.rpartition("'")
        if rest == "s":
            return head
        if head in {"l", "d"}:
            return rest
    return low.replace("♯", "#").replace("♭", "b") if not low.isascii() else low


def _number(word: str) -> str:
    if "," in word:
        return word.replace(",", "")
    if word.count(".") == 1 and ":" not in word:
        return word.rstrip("0").rstrip(".")
    return word


def is_number(token_key: str) -> bool:
    """Whether the token is a number, as digits or as a word."""
    return token_key[-1].isdigit() and (token_key[0].isdigit() or token_key[0] == "-")
