"""What is known of a clip of mini, in words: the description that a judge reads in place of the audio."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePosixPath

from recipes.mini.orchestra import ORCHESTRA

from audiometry.records import Item

NOTES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
LABELS = {instrument.program: instrument.label for instrument in ORCHESTRA}
SPEAKERS = {
    "English": "a woman",
    "Spanish": "a woman",
    "French": "a woman",
    "Italian": "a man",
    "Russian": "a woman",
}
"""Language -> who recorded its prompts, as the folder of the voice says."""
FLITE = "flite, voice {}"


def note(pitch: int) -> str:
    """The name of a MIDI pitch; 60 is C4, middle C.

    >>> note(60), note(69)
    ('C4', 'A4')
    """
    return f"{NOTES[pitch % 12]}{pitch // 12 - 1}"


def when(span: Sequence[float], shift_s: float) -> str:
    """A stretch of time as it is written in a description, seconds."""
    return f"{span[0] + shift_s:.2f} to {span[1] + shift_s:.2f} s"


def described(item: Item, shift_s: float = 0.0) -> str:
    """The facts of a clip of mini as sentences.

    Args:
        item: of mini.
        shift_s: by how much later everything lies than in the clip, seconds.

    Raises:
        KeyError: nobody has said how to describe clips of that task.
    """
    facts = json.loads(item.meta) if item.meta else {}
    return DESCRIBERS[item.task](item, facts, shift_s)


def _listed(names: Sequence[str], spans: Sequence[Sequence[float]], shift_s: float) -> str:
    return "; ".join(f"{name} ({when(span, shift_s)})" for name, span in zip(names, spans, strict=True))


def _words(item: Item, facts: dict[str, list[str]], shift_s: float) -> str:
    language = str(item.tags["language"])
    values = facts.get("words") or facts["values"]
    kind = {"digits": "digits", "letters": "letters", "code-words": "code words"}.get(
        str(item.tags.get("entity")), "words"
    )
    quoted = [f'"{value}"' for value in values]
    return (
        f"Speech: the recorded voice of {SPEAKERS[language]} says in {language}, one after the other with silences "
        f"between them, these {len(values)} {kind}: {_listed(quoted, facts['spans'], shift_s)}."
    )


def _phrase(item: Item, facts: dict[str, list[str]], shift_s: float) -> str:  # noqa: ARG001  a describer
    language, voice = str(item.tags["language"]), str(item.tags["voice"])
    said = f'says in {language}: "{item.tags["text"]}"'
    if voice == "recorded":
        return f"Speech: the recorded voice of {SPEAKERS[language]} {said}"
    made_by = voice if voice == "espeak-ng" else FLITE.format(voice)
    return f"Speech: a synthesised voice ({made_by}) {said}"


def _language(item: Item, facts: dict[str, list[str]], shift_s: float) -> str:  # noqa: ARG001  a describer
    language = str(item.tags["language"])
    return f"Speech: the recorded voice of {SPEAKERS[language]} says a short telephone prompt in {language}."


def _turns(item: Item, facts: dict[str, list[str]], shift_s: float) -> str:  # noqa: ARG001  a describer
    who = list(dict.fromkeys(facts["turns"]))
    turns = [
        f"speaker {who.index(turn) + 1} ({SPEAKERS[language]}) in {language}"
        for turn, language in zip(facts["turns"], facts["languages"], strict=True)
    ]
    return (
        f"Speech: {len(turns)} short telephone prompts with silences between them, number of speakers: {len(who)}. "
        f"In order: {_listed(turns, facts['spans'], shift_s)}."
    )


def _sounds(item: Item, facts: dict[str, list[str]], shift_s: float) -> str:
    if "spans" not in facts:
        return f"Sound: {item.tags['sound']}, and nothing else."
    return (
        f"Sound: {len(facts['sounds'])} sounds one after the other with silences between them: "
        f"{_listed(facts['sounds'], facts['spans'], shift_s)}."
    )


def _vocal(item: Item, facts: dict[str, float | None], shift_s: float) -> str:  # noqa: ARG001  a describer
    noise = facts["noise_db_below_sound"]
    under = "" if noise is None else f" There is a soft steady noise {noise:.0f} dB below it."
    return f"Sound: {item.tags['sound']}, made by a person.{under}"


def _instrument(item: Item, facts: dict[str, list[int]], shift_s: float) -> str:  # noqa: ARG001  a describer
    name = str(item.tags["instrument"])
    if item.tags["made"] == "recorded":
        title = PurePosixPath(item.source).stem
        return f"Music: a recording of one instrument, {name} (the recording is called {title})."
    notes = ", ".join(map(note, facts["pitches"]))
    return f"Music: one instrument, {name} (rendered), plays {len(facts['pitches'])} notes: {notes}."


def _pitch(item: Item, facts: dict[str, list[int]], shift_s: float) -> str:  # noqa: ARG001  a describer
    pitch = int(str(item.tags["pitch"]))
    name = f"{note(pitch)} (MIDI {pitch})"
    return f"Music: one instrument, {item.tags['instrument']} (rendered), plays a single note, {name}."


def _tune(item: Item, facts: dict[str, list[float]], shift_s: float) -> str:
    labels = [LABELS[int(program)] for program in facts["programs"]]
    runs: list[tuple[str, list[str]]] = []
    for start, pitch, label in zip(facts["starts"], facts["pitches"], labels, strict=True):
        if not runs or runs[-1][0] != label:
            runs.append((label, []))
        runs[-1][1].append(f"{note(int(pitch))} at {start + shift_s:.2f} s")
    played = "; then ".join(f"{label}: {', '.join(notes)}" for label, notes in runs)
    velocities = [int(velocity) for velocity in facts["velocities"]]
    strength = (
        "all with the same strength"
        if len(set(velocities)) == 1
        else (f"with these strengths (MIDI velocity, more is louder): {', '.join(map(str, velocities))}")
    )
    number = len(set(labels))
    instruments = f"{number} different instruments" if number > 1 else "1 instrument"
    return (
        f"Music (rendered): {len(labels)} single notes, {instruments}, {strength}. In order: {played}.{_course(item)}"
    )


def _course(item: Item) -> str:
    what = {"contour": "Course of the melody", "tempo": "Course of the tempo", "loudness": "Course of the loudness"}
    about = str(item.tags["about"])
    return f" {what[about]}: {item.answer}." if about in what else ""


DESCRIBERS = {
    "Speech_Grounding": _words,
    "Speech_Entity_Reconition": _words,
    "Synthesized_Voice_Detection": _phrase,
    "Spoken_Language_Identification": _language,
    "Speaker_Number_Verification": _turns,
    "Sound_AQA": _sounds,
    "Audio_Grounding": _sounds,
    "vocal_sound_classification": _vocal,
    "Music_Instruments_Classfication": _instrument,
    "Music_Midi_Pitch_Analysis": _pitch,
    "Music_AQA": _tune,
}


def mixed(speech: str, other: str, kind: str, *, above_db: float, later_s: float) -> str:
    """The description of two clips laid over each other.

    Args:
        speech: description of the speech, its times those of the mix.
        other: the same of what it is laid over.
        kind: ``sound`` or ``music``.
        above_db: by how much the speech is louder, dB.
        later_s: by how much it starts later, seconds.
    """
    louder, softer = ("speech", kind) if above_db > 0 else (kind, "speech")
    level = f"The {louder} is {abs(above_db):g} dB louder than the {softer}" if above_db else "Both are equally loud"
    first, second = (kind, "speech") if later_s > 0 else ("speech", kind)
    onset = f"the {first} starts first, the {second} {abs(later_s):g} s later" if later_s else "both start together"
    return f"Two recordings laid over each other. {speech} {other} {level}; {onset}."
