"""The reader by rules: picks the option that a description speaks for, or says that it cannot tell.

It is given what a chat model would be given, the question, the options and the description, and
nothing else. Each rule says for which questions it is and gives each option a score from the
evidence; the first rule with a clear winner decides. Where no rule has evidence, there is no guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from audiometry.choices import letters
from audiometry.models.cascade import rules_music, rules_open, rules_sound, rules_speech
from audiometry.models.cascade.description import Description
from audiometry.models.cascade.question import Question

Rule: TypeAlias = Callable[[Question, Description], "Sequence[float] | None"]

VERSION = 2
"""Raised with every change that may change an answer."""

CANNOT_TELL = "I cannot tell from the audio."

RULES: tuple[tuple[str, Rule], ...] = (
    ("time range", rules_speech.time_range),
    ("language", rules_speech.language),
    ("voices", rules_speech.voices),
    ("natural or synthesised", rules_speech.natural),
    ("sex", rules_speech.sex),
    ("velocity", rules_music.velocity),
    ("pitch", rules_music.pitch),
    ("direction", rules_music.direction),
    ("tempo", rules_music.tempo),
    ("level", rules_music.level_change),
    ("count", rules_music.count),
    ("words", rules_speech.said),
    ("instrument", rules_music.instrument),
    ("sound", rules_sound.sound),
    ("words anywhere", rules_speech.mentioned),
)


class Ruling(NamedTuple):
    """The reader's answer, and which rule gave it (empty: none could)."""

    text: str
    rule: str


def read(question: Question, description: str) -> Ruling:
    """Answer a question from a description.

    Args:
        question: with its options in the order shown; without options what was heard is said in sentences.
        description: the lines that `describe` writes; of several clips, one after another.
    """
    heard = Description(description)
    if not question.options:
        return Ruling(rules_open.answer(question, heard), "open")
    for name, rule in RULES:
        scores = rule(question, heard)
        if scores is None:
            continue
        best = max(scores)
        if best > float("-inf") and sum(s == best for s in scores) == 1:
            at = list(scores).index(best)
            return Ruling(f"{letters(len(scores))[at]}. {question.options[at]}", name)
    return Ruling(CANNOT_TELL, "")
