"""Where a text names options: by letter, by text, or by both side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from audiometry.choices import letter_context as context
from audiometry.choices.cues import FINAL_AFTER, NEGATED_AFTER
from audiometry.choices.number_words import ORDINALS
from audiometry.choices.option_text import OptionIndex, in_options_forms, named_at
from audiometry.choices.pattern import lazy
from audiometry.choices.tokens import Token

#: Stands for a letter beyond the options.
BEYOND = -1

_LETTER_THEN_TEXT = lazy(r"[\s.):,\]}\"'(\[=–—、-]{1,6}(?:(?:the|an?)\s)?[\"'(]?")
_TEXT_THEN_LETTER = lazy(r"\s?[\"']?[\s,:–—-]{0,3}[(\[\"']{0,2}(?:(?:option|choice|answer|letter)\s)?[(\[\"']{0,2}")
_NEARBY = 14
_NOUNS = frozenset({"option", "choice"})
_PLACES = frozenset({*ORDINALS, *_NOUNS, "last"})
_LABELS = lazy(r"\s?[:=]|\s(?:is|was|would be)\s[\"'(]?[A-Za-z]\b")


class Mention(NamedTuple):
    """An option named in a text.

    Attributes:
        start, end: the characters that name it.
        options: places of the options that may be meant, from 0; `BEYOND` for a letter that none has.
        kind: ``letter``, ``option-text``, ``option-line`` (both, in agreement), ``letter-against-text`` (both, not
            in agreement) or ``letter-or-text`` (a letter that is also the text of another option).
    """

    start: int
    end: int
    options: frozenset[int]
    kind: str


def mentions(text: str, words: Sequence[Token], known: OptionIndex) -> list[Mention]:
    """All mentions, in order and without overlap."""
    found: list[Mention] = []
    firsts = known.by_first
    words = in_options_forms(text, words, known)
    i = 0
    while i < len(words):
        first, start, end = words[i]
        if first in firsts and (named := named_at(text, words, i, known)):
            phrase, after = named
            found.append(Mention(start, words[after - 1].end, phrase.options, "option-text"))
            i = after
            continue
        if first in _PLACES and (placed := _placed(text, words, i, known)):
            found.append(placed)
            i += 2
            continue
        if end - start == 1:
            last = found[-1] if found else None
            single = _single(text, words, i, known, last) if known.lettered else _as_text(text, words, i, known)
            if single:
                found.append(single)
        i += 1
    return _paired(text, found) if len(found) > 1 else found


def _placed(text: str, words: Sequence[Token], i: int, known: OptionIndex) -> Mention | None:
    """An option named by its place: "the third option", "option two", "option number 2"."""
    here, following = words[i], words[i + 1] if i + 1 < len(words) else None
    if following is None or text[here.end : following.start] != " ":
        return None
    before = words[i - 1].key if i else "the"
    if here.key in _NOUNS:
        if following.key == "number" and i + 2 < len(words):
            following = words[i + 2]
        number = following.key if following.key.isdecimal() and len(following.key) < 3 else "0"  # noqa: PLR2004
        place = int(number) - 1
    elif following.key in _NOUNS and before == "the" and not _LABELS.match(text, following.end):
        place = known.n - 1 if here.key == "last" else ORDINALS[here.key] - 1
    else:
        return None
    if not 0 <= place < known.n or known.numbered:
        return None
    return Mention(here.start, following.end, frozenset({place}), "letter")


def _single(  # noqa: PLR0911  a rule a line
    text: str, words: Sequence[Token], i: int, known: OptionIndex, last: Mention | None
) -> Mention | None:
    """What a single character names: by its letter, by being an option's whole text, or undecidably by either."""
    word = words[i]
    raw = text[word.start]
    if raw in context.LOOKALIKES:
        alike = ord(context.LOOKALIKES[raw]) - ord("A")
        said = context.bracketed(text, word) or context.designated(text, word)
        return _mention(word, frozenset({alike}), "letter") if said and alike < known.n else None
    if not (raw.isascii() and raw.isalpha()):
        return None
    place = ord(raw.upper()) - ord("A")
    as_letter = context.is_letter(text, words, i)
    texts = known.single.get(raw.lower())
    if texts is None:
        if not as_letter or place < known.n:
            return _mention(word, frozenset({place}), "letter") if as_letter else None
        return _mention(word, frozenset({BEYOND}), "letter") if _dressed(text, word) else None
    if last and last.kind == "letter" and last.options <= texts and _follows(text, last.end, word.start):
        return _mention(word, last.options, "option-text")
    if context.names_a_thing(text, word) and (raw.isupper() or not text[word.end : word.end + 1].isspace()):
        return _mention(word, texts, "option-text")
    if not as_letter:
        return None
    if place >= known.n:
        return _mention(word, texts, "option-text")
    if texts == {place} or _dressed(text, word) or FINAL_AFTER.match(text[word.end : word.end + 80]):
        return _mention(word, frozenset({place}), "letter")
    return _mention(word, texts | {place}, "letter-or-text")


def _as_text(text: str, words: Sequence[Token], i: int, known: OptionIndex) -> Mention | None:
    """The option whose whole text a single character is, where no letters were shown."""
    word = words[i]
    texts = known.single.get(text[word.start].lower())
    if texts is None:
        return None
    said = context.names_a_thing(text, word) and text[word.start].isupper()
    return _mention(word, texts, "option-text") if said or context.is_letter(text, words, i) else None


def _mention(word: Token, options: frozenset[int], kind: str) -> Mention:
    return Mention(word.start, word.end, options, kind)


def _dressed(text: str, word: Token) -> bool:
    return context.bracketed(text, word) or context.labels(text, word) or context.designated(text, word)


def _follows(text: str, end: int, start: int) -> bool:
    return start - end <= _NEARBY and _LETTER_THEN_TEXT.fullmatch(text, end, start) is not None


def _paired(text: str, found: list[Mention]) -> list[Mention]:
    """Letters and the texts beside them as one mention each: in agreement, or against one another."""
    paired: list[Mention] = []
    i = 0
    while i < len(found):
        here = found[i]
        beside = found[i + 1] if i + 1 < len(found) else None
        pair = _pair(text, here, beside) if beside and beside.start - here.end <= _NEARBY else None
        if beside and pair == "against" and not NEGATED_AFTER.match(text[beside.end : beside.end + 80]):
            pair = "letter-against-text"
        if beside and pair in {"option-line", "letter-against-text"}:
            options = here.options if pair == "option-line" else here.options | beside.options
            paired.append(Mention(here.start, beside.end, options, pair))
            i += 2
            continue
        paired.append(here)
        i += 1
    return paired


def _pair(text: str, here: Mention, beside: Mention) -> str:
    between = text[here.end : beside.start]
    if here.kind == "letter" and beside.kind == "option-text" and _LETTER_THEN_TEXT.fullmatch(between):
        return "option-line" if here.options <= beside.options else "against"
    if here.kind == "option-text" and beside.kind == "letter" and _TEXT_THEN_LETTER.fullmatch(between):
        if beside.options <= here.options:
            return "option-line"
        closed = text[beside.end : beside.end + 1] in {")", "]"} and not text[beside.end + 1 : beside.end + 3].strip()
        return "against" if closed and between.rstrip()[-1:] in {"(", "["} else ""
    return ""
