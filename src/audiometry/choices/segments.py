"""A text cut into what is said at one go: sentences, lines, and what stands before and after a "but"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from audiometry.choices import cues
from audiometry.choices.mentions import Mention
from audiometry.choices.pattern import lazy
from audiometry.choices.refusal import declines, may_decline

_WORDS = lazy(r"[^\W\d_]")
_CLAUSE = lazy(r"[,;:–—]")
_PURE_GAP = lazy(r"[\s,;:.|/*()\[\]\"'-]*(?:(?:and|or|&)\s)?[\s(\[\"'*]*")
_GAP = 40
_JOINT = 80


class Segment(NamedTuple):
    """A stretch of text and the options it names.

    Attributes:
        start, end: its characters, without the mark that ends it.
        question: it ends with a question mark.
        edge: it is the first or the last of the text's segments that hold a word.
        declines: it says that it will not or cannot answer.
        inside: mentions in it that count: not those that repeat the question's list, nor those that a refusal is about.
        named: whether it has mentions at all.
    """

    start: int
    end: int
    question: bool
    edge: bool
    declines: bool
    inside: tuple[Mention, ...]
    named: bool


def segments(text: str, found: Sequence[Mention], listed: set[Mention]) -> list[Segment]:
    """The segments of a text; none ends inside a mention."""
    spans: list[tuple[int, int, str, Sequence[Mention]]] = []
    here = k = 0
    ends = [(m.start(), m.end(), m.group()) for m in cues.SEGMENT_ENDS.finditer(text)] + [(len(text), len(text), "")]
    for start, end, mark in ends:
        upto = k
        while upto < len(found) and found[upto].start < start:
            upto += 1
        if upto > k and found[upto - 1].end > start:
            continue
        spans.append((here, start, mark, found[k:upto]))
        here, k = end, upto
    worded = [start for start, end, _, named in spans if named or _WORDS.search(text, start, end)]
    edges = {*worded[:1], *worded[-1:]}
    may = may_decline(text)
    return [_segment(text, span, listed, edge=span[0] in edges, may=may) for span in spans]


def _segment(
    text: str, span: tuple[int, int, str, Sequence[Mention]], listed: set[Mention], *, edge: bool, may: bool
) -> Segment:
    start, end, mark, named = span
    refusal = declines(text[start:end]) if may else None
    silent = range(0)
    if refusal and any(
        m.start < start + refusal.end() and start + refusal.start() < m.end and may_decline(text[m.start : m.end])
        for m in named
    ):
        refusal = None  # these are an option's own words: "cannot be determined"
    if refusal:  # what the refusal is about reaches to the end of its clause
        clause = _CLAUSE.search(text, start + refusal.end(), end)
        silent = range(start + refusal.start(), clause.start() if clause else end)
    inside = tuple(m for m in named if m not in listed and m.start not in silent)
    return Segment(start, end, mark[:1] in {"?", "？"}, edge, refusal is not None, inside, bool(named))


def repeated_lists(text: str, found: Sequence[Mention], n: int) -> set[Mention]:
    """Mentions that only repeat the question's options: A, B, … in order, with nothing between them but their texts."""
    listed: set[Mention] = set()
    run: list[Mention] = []
    for mention in found:
        place = min(mention.options) if mention.kind in {"letter", "option-line"} else None
        if run and place == len(run) and _PURE_GAP.fullmatch(text[run[-1].end : mention.start][:_GAP]):
            run.append(mention)
            continue
        listed |= _without_choice(text, run, n)
        run = [mention] if place == 0 else []
    return listed | _without_choice(text, run, n)


def _without_choice(text: str, run: Sequence[Mention], n: int) -> set[Mention]:
    lines = sum(mention.kind == "option-line" for mention in run)
    if not run or (lines < 2 and len(run) < n):  # noqa: PLR2004  one is no list
        return set()
    chosen = cues.FINAL_AFTER.match(text[run[-1].end : run[-1].end + _GAP])
    return set(run[:-1] if chosen else run)


def groups(text: str, heard: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions joined by "and", "or", a comma or a slash, together."""
    joined: list[list[Mention]] = []
    for mention in heard:
        if joined and _joins(text, joined[-1], mention):
            joined[-1].append(mention)
        else:
            joined.append([mention])
    return joined


def _joins(text: str, group: Sequence[Mention], mention: Mention) -> bool:
    between = text[group[-1].end : mention.start]
    if len(between) > _JOINT or cues.CORRECTED.match(between) or not cues.JOINED.match(between):
        return False
    again = not between.strip(" ,") and any(mention.options == m.options for m in group)  # "of B and C, B"
    return not again
