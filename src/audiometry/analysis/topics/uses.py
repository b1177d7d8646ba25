"""What a query is for, by rules: the words of nineteen languages by which people ask, seek advice or talk.

The four uses are those of Mind the Gap (arXiv 2502.15919, figure 2). The rules are ours, written from the development
half of a labelled sample; how far they agree with the other half stands beside every share (`measured`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from audiometry.analysis.topics.words import normal
from audiometry.files import foreign, jsonl
from audiometry.files.code_book import Book, Code

NAME: Final = "rules"
VERSION: Final = 1
TASK, KNOWLEDGE, CHAT, ADVICE = "task-execution", "knowledge-expansion", "chat", "advice"
EFFICIENCY: Final = frozenset({TASK, KNOWLEDGE})
"""What counts as use for efficiency: our definition; the paper's abstract says that 77 % of users speak for it."""
_FILE: Final = Path(__file__).with_name("uses.toml")
_SLOTS: Final = (  # in order: name, use, whether it stands at the beginning
    ("greets", CHAT, True),
    ("makes", TASK, True),
    ("asks_advice", ADVICE, False),
    ("company", CHAT, True),
    ("does", TASK, True),
    ("reckons", TASK, False),
    ("knows", KNOWLEDGE, True),
    ("wonders", KNOWLEDGE, False),
    ("tells", CHAT, True),
)
_REST: Final = ".*"  # whatever is left, where a language tells what is asked by its words alone
_AS_SAID: Final = frozenset({"greets", "company"})  # which also stand before what leads to a request
_FILLER: Final = re.compile(
    r"(?:(?:u+m+|u+h+|uhm|er+m?|eh|ah|oh|hm+|so|well|ok(?:ay)?|right|yeah|like|hey(?: (?:siri|google|alexa|there))?"
    r"|alexa|lah|actually|basically|now|and|but|euh|ben|alors|äh|ähm|also|pues|bueno|este|allora|então|ну"
    r"|あの+|えっと|ええと|ねえ|那个|嗯"
    r"|음|저기)(?!\w)[\s,.…;:!-]*|[\s,.…;:¿¡\"'“”‘()-]+)+"
)
_INSIDE: Final = re.compile(r"[,\s]*(?<!\w)(?:u+m+|u+h+|uhm|er+m?|euh|äh+m?)(?!\w)[,\s]*|(?<=you),? like,? ")
_AGAIN: Final = re.compile(r"(?<!\w)(\w+(?: \w+){0,3})(?:[,. ]+\1)+(?!\w)")
_ASKS: Final = re.compile(r"[?？؟]\s*$")


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: tuple[Code, ...]
    words: Mapping[str, Mapping[str, tuple[str, ...]]]


class _Words(msgspec.Struct, frozen=True):
    lead: re.Pattern[str]
    slots: Mapping[str, re.Pattern[str]]


@cache
def _file() -> _File:
    return foreign.toml(foreign.read_file(_FILE), _File)


@cache
def book() -> Book:
    """The four uses as a code book, by which judges go too."""
    return Book(_file().code)


@cache
def _words(language: str) -> _Words:
    """Of a language; of one that has none, of all of them together."""
    known = _file().words
    some = [known[language]] if language in known else list(known.values())

    def together(slot: str) -> list[str]:
        every = [one for words in some for one in words.get(slot, ())]
        return every if len(some) == 1 else [one for one in every if one != _REST]

    lead = "|".join(together("lead")) or "(?!)"
    slots = {}
    for slot, _, begins in _SLOTS:
        each = "|".join(together(slot)) or "(?!)"
        whole = r"[\s.!?。！？]*$" if slot == "greets" else ""
        slots[slot] = re.compile(f"(?:{each}){whole}" if begins else each)
    return _Words(re.compile(rf"(?:{lead})(?:\s*[,，、]\s*|\s+|(?<=[^\x00-\x7f]))"), slots)


def use_of(query: str, language: str = "") -> tuple[str, str]:
    """What a query is for, and the rule that says so.

    Args:
        query: as it was said.
        language: its ISO 639-1 code; empty, or one without rules of its own: those of all languages are tried.

    >>> use_of("Um, can you write me a short email to my landlord?", "en")
    ('task-execution', 'makes')
    >>> use_of("Should I buy a used bike?", "en")[0], use_of("Wie hoch ist der Mont Blanc?", "de")[0]
    ('advice', 'knowledge-expansion')
    """
    said, words = normal(query), _words(language)
    plain = _AGAIN.sub(r"\1", _INSIDE.sub(" ", said)).strip()
    bare = _without(plain, _FILLER)
    core = _without(_without(bare, words.lead), _FILLER)
    for slot, use, begins in _SLOTS:
        found = words.slots[slot]
        texts: tuple[str, ...] = (said, bare, core) if slot in _AS_SAID else (core,) if begins else (plain,)
        if slot == "knows":
            texts = (bare, core)
        if slot == "tells" and _ASKS.search(said):
            return KNOWLEDGE, "asks"
        if any((found.match if begins else found.search)(text) for text in texts):
            return use, slot
    return KNOWLEDGE, "none of the others"


def _without(text: str, what: re.Pattern[str]) -> str:
    """A text without what its beginning matches, several times over; as it is where nothing would be left."""
    for _ in range(4):
        found = what.match(text)
        if found is None or not found.end() or found.end() == len(text):
            return text
        text = text[found.end() :]
    return text


class Labelled(msgspec.Struct, frozen=True):
    """A query that was labelled by its use before any rule was written.

    Attributes:
        text, language: of the query.
        use: its label.
        half: ``development``, from which rules were written, or ``held-out``, on which they are measured.
    """

    text: str
    language: str
    use: str
    half: str


@cache
def labelled(half: str = "held-out") -> Sequence[Labelled]:
    """One half of the sample."""
    return tuple(one for one in jsonl.read(_FILE.with_name("labelled.jsonl"), Labelled) if one.half == half)
