"""What a prompt asks: the question, its options, and what to listen for because of them."""

from __future__ import annotations

import re
from typing import NamedTuple

from audiometry.models.cascade.messages import Focus
from audiometry.records import Prompt

_LETTERED = re.compile(r"^\s*\(?([A-Z])[.):]\)?\s+(.+?)\s*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“‘'«]([^\"”’'»]{1,60})[\"”’'»](?![a-z])")
_RANGE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:s|sec|seconds)?\s*(?:,|-|to|–|until|and)\s*(\d+(?:\.\d+)?)")
_ABOUT_WORDS = re.compile(
    r"\b(say|says|said|saying|spoken|speaks?|utter\w*|words?|digits?|numbers?|numerals?|letters?|pronounc\w*|mention\w*"
    r"|hear|heard|name[sd]?|spell\w*|alphabet|code|read|entity|called)\b"
)
_NOT_WORDS = re.compile(
    r"\b(language|gender|sex|male|female|emotion|mood|age|old|how many|accent|synthe\w*|real|fake|instrument|pitch"
    r"|velocity|tempo)\b"
)


class Question(NamedTuple):
    """A question and its options in the order shown; none for an open question."""

    text: str
    options: tuple[str, ...]

    @property
    def lowered(self) -> str:
        """The question in lower case."""
        return self.text.lower()

    @property
    def quoted(self) -> str:
        """The words that the question puts in quotation marks; empty if none."""
        found = _QUOTED.search(self.text)
        return found[1].strip(" .,") if found else ""

    @property
    def ranges(self) -> list[tuple[float, float]] | None:
        """The options as time ranges, seconds; None unless all of them are."""
        found = [span(o) for o in self.options]
        out = [f for f in found if f is not None]
        return out if out and len(out) == len(found) else None


def span(option: str) -> tuple[float, float] | None:
    """An option that is a time range and nothing else.

    >>> span("[1.20, 2.35]"), span("from 0.5 s to 2 s"), span("two dogs")
    ((1.2, 2.35), (0.5, 2.0), None)
    """
    found = _RANGE.search(option)
    if not found or re.search(r"[a-z]{4,}", re.sub(r"seconds?|from|between|until", "", option.lower())):
        return None
    start, end = float(found[1]), float(found[2])
    return (start, end) if start <= end else None


def of(prompt: Prompt) -> Question:
    """The question in a prompt: its words without the lettered lines that show the options, nor worked examples."""
    text = prompt.asks or prompt.text
    options = prompt.options or tuple(m[2] for m in _LETTERED.finditer(text))
    shown = {o.strip() for o in options}
    kept = [line for line in text.splitlines() if not ((m := _LETTERED.match(line)) and m[2] in shown)]
    return Question("\n".join(kept).strip(), options)


def focus(question: Question) -> Focus | None:
    """What to listen for: the options, where the question is about words; the quoted word, where it asks when."""
    if question.ranges is not None:
        return Focus(word=question.quoted) if question.quoted else None
    short = all(len(o.split()) <= 5 and len(o) <= 40 for o in question.options)  # noqa: PLR2004  a phrase
    about_words = _ABOUT_WORDS.search(question.lowered) and not _NOT_WORDS.search(question.lowered)
    if len(question.options) >= 2 and short and about_words:  # noqa: PLR2004  a choice
        return Focus(phrases=question.options)
    return None
