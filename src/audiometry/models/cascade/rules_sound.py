"""Rules for questions about sound events."""

from __future__ import annotations

from collections.abc import Sequence

from audiometry.models.cascade.description import Description
from audiometry.models.cascade.lexicon import Sound, sounds_named
from audiometry.models.cascade.question import Question

_SPEECH_WORDS = ("speech", "speaking", "talking", "voice", "conversation", "narrat", "reading")


def sound(question: Question, heard: Description) -> Sequence[float] | None:
    """The option whose sound fits the measures best; None unless at least two options name sounds that are known."""
    named = [sounds_named(o) for o in question.options]
    measures = heard.events
    if not measures or sum(map(bool, named)) < 2:  # noqa: PLR2004  a choice has two sides
        return None
    return [_speech(o, heard) if not n else best_fit(n, measures) for o, n in zip(question.options, named, strict=True)]


def best_fit(named: Sequence[Sound], measures: dict[str, float]) -> float:
    """How well the measures fit the best of several sounds; negative infinity without any."""
    return max((s.fit(measures) for s in named), default=float("-inf"))


def _speech(option: str, heard: Description) -> float:
    if any(w in option.lower() for w in _SPEECH_WORDS):
        return 0.0 if heard.speech > 0.9 and heard.number("Recogniser's confidence") else float("-inf")  # noqa: PLR2004
    return float("-inf")
