"""Replies that are nothing but an answer: a letter, an option's text, or both, in any dress."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from audiometry.choices.clean import undressed
from audiometry.choices.letter_context import LOOKALIKES
from audiometry.choices.pattern import lazy

_LONGEST = 2_000
_OPEN = r"[\s*_`\"'(\[{$#«“‘（【「-]*"
_CLOSE = r"[\s*_`\"')\]}.,:;!?$»”’）】」。！？、-]*"
_LEAD = (
    r"(?:(?:the\s|my\s)?(?:(?:correct|right|best|final|most\s(?:likely|suitable|appropriate|accurate))\s){0,3}"
    r"(?:answer|option|choice|letter)\b(?:\s?(?:is|would be|should be))?[\s:=*_`\"'(\[-]*(?:(?:option|choice"
    r"|letter)\s)?)?"
)
_ALIKE = "".join(LOOKALIKES)
_LETTER = lazy(rf"{_OPEN}{_LEAD}{_OPEN}([A-Za-zＡ-Ｚａ-ｚⒶ-ⓩ{_ALIKE}]){_CLOSE}", re.IGNORECASE)
_LINE = lazy(rf"{_OPEN}{_LEAD}{_OPEN}([A-Za-z])([\s*_`\"')\]}}.:=,、–—-]+)(.*)", re.IGNORECASE | re.DOTALL)
_TEXT = lazy(rf"{_OPEN}{_LEAD}(.*)", re.IGNORECASE | re.DOTALL)
_EDGES = " \t\n\r.,;:!?\"'()[]{}*`_“”‘’。，！？"
_LETTER_LONGEST = 80


class Whole(NamedTuple):
    """The place of the option that a reply is, and the rule; no place if letter and text are at odds."""

    option: int | None
    how: str


def whole(text: str, options: tuple[str, ...]) -> Whole | None:
    """What a text answers if it is an answer and nothing else; None if it is more or something else."""
    text = text.strip()
    n = len(options)
    if not text or len(text) > _LONGEST:
        return None
    if (place := rendered(text, options)) is not None:
        other = _only(text, options)
        return Whole(place, "option-line") if other in {None, place} else Whole(None, "letter-or-text")
    letter = _LETTER.fullmatch(text) if len(text) <= _LETTER_LONGEST else None
    place = _place(letter[1]) if letter else n
    if place < n:
        return Whole(place, "letter")
    plains = _plains(options)
    exact = _only(text, options)
    if exact is None:
        exact = _only(plain(text), plains)
    line = _line(text, plains)
    if exact is not None:
        agree = line is None or line.option == exact
        return Whole(exact, "option-text") if agree else Whole(None, "letter-or-text")
    if line is None and not letter and (lead := _TEXT.fullmatch(text)):
        exact = _only(plain(lead[1]), plains)
        return Whole(exact, "option-text") if exact is not None else None
    return Whole(None, "letter-beyond") if letter else line


def whole_text(text: str, options: tuple[str, ...]) -> Whole | None:
    """As `whole`, of options that were shown without letters: a letter before an option's text is passed over."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    plains = _plains(options)
    ways = (line[3] for line in [_LINE.fullmatch(text)] if line), (lead[1] for lead in [_TEXT.fullmatch(text)] if lead)
    for way in (text, *ways[0], *ways[1]):
        exact = _only(way, options)
        exact = _only(plain(way), plains) if exact is None else exact
        if exact is not None:
            return Whole(exact, "option-text")
    return None


def rendered(text: str, options: tuple[str, ...]) -> int | None:
    """The place of the option of which the text is a line as `rendering.render` writes it."""
    bracketed = text[0] == "("
    place = ord(text[bracketed : bracketed + 1] or "~") - ord("A")
    if not 0 <= place < len(options):
        return None
    body = text[4:] if bracketed else text[3:]
    between = text[2:4] if bracketed else text[1:3]
    shown = body == options[place] or body == " ".join(options[place].splitlines()).strip()
    return place if shown and between == (") " if bracketed else ". ") else None


def _line(text: str, plains: tuple[str, ...]) -> Whole | None:
    """A letter and a text side by side; a lone "A" before another option's text is the article."""
    line = _LINE.fullmatch(text)
    if line is None:
        return None
    letter, between, rest = line.groups()
    wanted = plain(rest)
    same = [i for i, known in enumerate(plains) if known == wanted]
    place = _place(letter)
    if not same:
        return None
    if not between.strip() and letter in "Aa":
        return Whole(same[0], "option-text") if len(same) == 1 else None
    if place in same:
        return Whole(place, "option-line")
    return Whole(None, "letter-against-text")


def _place(letter: str) -> int:
    upper = unicodedata.normalize("NFKC", letter).upper()
    return ord(LOOKALIKES.get(upper, upper)) - ord("A")


def _only(text: str, among: Sequence[str]) -> int | None:
    """The place of the one text that is equal."""
    return among.index(text) if among.count(text) == 1 else None


@lru_cache(maxsize=4096)
def _plain(option: str) -> str:
    return plain(option)


@lru_cache(maxsize=1024)
def _plains(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_plain, options))


def plain(text: str) -> str:
    """The text without case, width, runs of blanks and the punctuation around it; itself if nothing is left."""
    folded = undressed(text).casefold()
    return " ".join(folded.split()).strip(_EDGES) or text
