"""Answers that a reply marks as such: answer tags, boxes, double brackets, JSON keys."""

from __future__ import annotations

import re
from typing import NamedTuple

from audiometry.choices.pattern import lazy

_KEYS = (
    r"(?:final[_ ]?answer|correct[_ ]?answer|answer|choice|option|response|prediction|letter|label"
    r"|selected(?:_option)?)"
)
_TAG = lazy(
    r"<(answer|response|final_answer|final|output|solution|choice|option|result|conclusion)(?:\s[^<>]{0,60})?>"
    r"|<\|begin_of_solution\|>",
    re.IGNORECASE,
)
_ANY_TAG = lazy(r"</?[a-z_]{1,20}>", re.IGNORECASE)
_BOX = lazy(r"\\boxed\s{0,3}\{")
_BOX_LONGEST = 500
_DOUBLE = lazy(r"\[\[([^\[\]]{1,300})\]\]")
_JSON = lazy(
    rf"[\"']{_KEYS}[\"']\s{{0,9}}:\s{{0,9}}"
    r"(\"(?:[^\"\\]|\\.){0,2000}\"|'(?:[^'\\]|\\.){0,2000}'|\[[^\]]{0,500}\]|[^\s,}]{1,60})",
    re.IGNORECASE,
)
_TYPEFACE = lazy(r"\\(?:text|textbf|mathrm|mathbf|mathit|textit)\{([^{}]{0,300})\}")


class Marked(NamedTuple):
    """A marked answer: its text, and where the mark begins and ends in the reply."""

    start: int
    end: int
    text: str


def marked(text: str) -> list[Marked]:
    r"""All marked answers that are not empty, in their order; the first kind that occurs is the one read.

    Kinds in order: tags (``<answer>``, ``<response>``, …), ``\boxed{…}``, ``[[…]]``, JSON keys (``"answer": …``).
    """
    found: list[Marked] = []
    if "<" in text:
        found = _tags(text)
    if not found and "\\boxed" in text:
        found = _boxes(text)
    if not found and "[[" in text:
        found = [Marked(m.start(), m.end(), m[1]) for m in _DOUBLE.finditer(text)]
    if not found and "{" in text:
        found = [Marked(m.start(), m.end(), m[1]) for m in _JSON.finditer(text)]
    return [mark for mark in found if mark.text.strip()]


def _tags(text: str) -> list[Marked]:
    found = []
    lowered = text.lower() if text.isascii() else "".join(c.lower() if c.isascii() else c for c in text)
    here = 0
    while tag := _TAG.search(text, here):
        closing = f"</{tag[1].lower()}>" if tag[1] else "<|end_of_solution|>"
        end = lowered.find(closing, tag.end())
        here = len(text) if end < 0 else end + len(closing)
        inner = text[tag.end() : len(text) if end < 0 else end]
        found.append(Marked(tag.start(), here, _ANY_TAG.sub(" ", inner)))
    return found


def _boxes(text: str) -> list[Marked]:
    found = []
    for box in _BOX.finditer(text):
        depth, inner = 1, text[box.end() : box.end() + _BOX_LONGEST]
        for i, char in enumerate(inner):
            depth += (char == "{") - (char == "}")
            if depth == 0:
                found.append(Marked(box.start(), box.end() + i + 1, _TYPEFACE.sub(r"\1", inner[:i])))
                break
    return found
