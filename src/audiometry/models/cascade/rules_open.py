"""Answers to questions without options: what was heard, said in sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from audiometry.models.cascade.description import Description, Note, Stretch
from audiometry.models.cascade.question import Question

_WANTS_WORDS = re.compile(r"\b(transcri\w*|say\w*|said|words?|spoken|speech|utter\w*)\b")
_FEWEST_NOTES = 3
_TONAL, _NOISY = 0.7, 0.2
_REPEATED = 3
_SURE = 0.1  # below this the recogniser made words out of music
_MOST_LISTED = 12
_SEMITONE = 0.5
_NAMES = re.compile(r" s (\S+) \(MIDI")


def answer(question: Question, heard: Description) -> str:
    """The transcript where the question asks for words; else what was heard, words, notes or sounds, in sentences."""
    if heard.spoken and _WANTS_WORDS.search(question.lowered):
        return heard.spoken
    sure = heard.number("Recogniser's confidence")  # not there where the transcript is all there is
    if heard.spoken and (sure is None or sure >= _SURE):
        return f"A voice says: {heard.spoken}."
    if heard["Kind"] == "silence":
        return "The clip is silent."
    notes, stretches = heard.notes, heard.stretches
    if len(notes) >= _FEWEST_NOTES and heard.events.get("tonal", 0.0) >= _TONAL:
        return _music(notes, heard)
    if stretches:
        return _sounds(stretches)
    return _music(notes, heard) if notes else "I cannot tell from the audio."


def _music(notes: Sequence[Note], heard: Description) -> str:
    names = ", ".join(_NAMES.findall(heard["Notes"])[:_MOST_LISTED]) + (", …" if len(notes) > _MOST_LISTED else "")
    shares = heard.shares
    like = f", most like {max(shares, key=lambda name: shares[name])}" if shares else ""
    many = f"{len(notes)} notes" if len(notes) > 1 else "1 note"
    pace = heard.number("Tempo")
    return (
        f"I hear music: {many}{like} ({names}).{_course(notes)}"
        f"{f' The tempo is about {pace:.0f} beats a minute.' if pace is not None and len(notes) > 1 else ''}"
    )


def _course(notes: Sequence[Note]) -> str:
    """Which way the melody goes, if it goes one way or turns once."""
    steps = [second.midi - first.midi for first, second in pairwise(notes)]
    ways = [step > 0 for step in steps if abs(step) > _SEMITONE]
    turns = [way for before, way in pairwise(ways) if before != way]
    if not ways or len(turns) > 1:
        return ""
    words = {True: "rises", False: "falls"}
    return f" The melody {words[ways[0]]}{f' and then {words[turns[0]]}' if turns else ''}."


def _sounds(stretches: Sequence[Stretch]) -> str:
    told = "; ".join(f"{s.start_s:.1f} to {s.end_s:.1f} s, {_manner(s.facts)}" for s in stretches[:_MOST_LISTED])
    many = f"{len(stretches)} separate sounds" if len(stretches) > 1 else "one sound"
    return f"I hear {many}: {told}."


def _manner(facts: dict[str, float]) -> str:
    tonal, bursts = facts.get("tonal", 0.0), int(facts.get("bursts", 0.0))
    kind = "noise-like" if tonal < _NOISY else f"a tone around {facts.get('tone', 0.0):.0f} Hz"
    kind = kind if tonal < _NOISY or tonal >= _TONAL else f"partly {kind}"
    return f"{kind}, in {bursts} bursts" if bursts >= _REPEATED else kind
