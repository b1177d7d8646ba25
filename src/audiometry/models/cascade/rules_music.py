"""Rules for questions about notes and music."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from audiometry.models.cascade.description import Description, Note
from audiometry.models.cascade.instruments import names
from audiometry.models.cascade.question import Question
from audiometry.models.cascade.vocabulary import FAMILIES, whole_number

_NAMES = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
_DYNAMICS = {
    "pianissimo": 25, "very soft": 25, "very quiet": 25, "piano": 45, "soft": 45, "quiet": 45, "gentl": 45,
    "mezzo piano": 60, "mezzo-piano": 60, "medium": 70, "moderate": 70, "mezzo forte": 80, "mezzo-forte": 80,
    "forte": 100, "loud": 100, "hard": 105, "strong": 105, "fortissimo": 120, "very loud": 120,
}  # fmt: skip
_UP = re.compile(r"\b(up\w*|ris\w*|ascend\w*|higher|increas\w*|climb\w*)\b")
_DOWN = re.compile(r"\b(down\w*|fall\w*|descend\w*|lower|decreas\w*|sink\w*|drop\w*)\b")
_SAME = re.compile(r"\b(same|level|flat|constant|stays?|unchanged|steady|neither|repeat\w*)\b")


def midi_number(option: str) -> float | None:
    """The MIDI number of an option that names a pitch.

    >>> midi_number("60"), midi_number("C4"), midi_number("F#3 (MIDI 54)"), midi_number("440 Hz"), midi_number("Bb2")
    (60.0, 60.0, 54.0, 69.0, 46.0)
    """
    from audiometry.models.cascade.signal.pitch import midi_of

    text = option.strip().lower()
    if found := re.search(r"midi[a-z_ ]*?(\d+)", text) or re.fullmatch(r"(?:note |pitch |midi )*(\d{1,3})", text):
        return float(found[1])
    if found := re.search(r"(\d+(?:\.\d+)?)\s*hz", text):
        return midi_of(float(found[1])) if float(found[1]) > 0 else None
    if found := re.search(r"\b([a-g])\s*(#|♯|b|♭|sharp|flat)?\s*(-?\d)\b", text):
        sharp = {"#": 1, "♯": 1, "sharp": 1, "b": -1, "♭": -1, "flat": -1}.get(found[2] or "", 0)
        return 12.0 * (int(found[3]) + 1) + _NAMES[found[1]] + sharp
    return None


def _main_note(notes: Sequence[Note]) -> Note | None:
    return max(notes, key=lambda n: n.level_dbfs, default=None)


def pitch(question: Question, heard: Description) -> Sequence[float] | None:
    """The pitch nearest to the note asked for: first, last, highest or lowest, else the loudest."""
    values = [midi_number(o) for o in question.options]
    notes = heard.notes
    if not notes or any(v is None for v in values):
        return None
    if not re.search(r"\b(pitch|note|midi|tone|frequency|key)\b", question.lowered):
        return None
    chosen = _asked_note(question.lowered, notes)
    return [-_apart(v or 0.0, chosen.midi) for v in values]


def _apart(asked: float, found: float) -> float:
    """Semitones apart; whole octaves count as 3 semitones each, since a pitch is easily heard an octave off."""
    octaves = round((asked - found) / 12.0)
    return min(abs(asked - found), abs(asked - found - 12.0 * octaves) + 3.0 * abs(octaves))


def _asked_note(text: str, notes: Sequence[Note]) -> Note:
    if re.search(r"\b(highest|top)\b", text):
        return max(notes, key=lambda n: n.midi)
    if re.search(r"\b(lowest|bottom)\b", text):
        return min(notes, key=lambda n: n.midi)
    if re.search(r"\b(last|final|ends?)\b", text):
        return notes[-1]
    if re.search(r"\b(first|begins?|starts?|opens?)\b", text):
        return notes[0]
    return _main_note(notes) or notes[0]


def velocity(question: Question, heard: Description) -> Sequence[float] | None:
    """The velocity nearest to the one estimated from level and brightness."""
    if not re.search(
        r"\b(velocity|dynamics?|how (?:loud|hard|strong\w*|soft\w*)|force|struck|strike)\b", question.lowered
    ):
        return None
    found = heard.number("Velocity")
    values = [_velocity_of(o) for o in question.options]
    if found is None or any(v is None for v in values):
        return None
    return [-abs((v or 0.0) - found) for v in values]


def _velocity_of(option: str) -> float | None:
    text = option.lower()
    if found := re.search(r"\d+", text):
        return float(found[0])
    return next((float(v) for k, v in sorted(_DYNAMICS.items(), key=lambda kv: -len(kv[0])) if k in text), None)


def direction(question: Question, heard: Description) -> Sequence[float] | None:
    """Whether the notes rise, fall or stay."""
    kinds = [_direction_of(o) for o in question.options]
    notes = heard.notes
    if len(notes) < 2 or sum(map(bool, kinds)) < 2:  # noqa: PLR2004  a change, a choice
        return None
    if not re.search(r"\b(pitch|melody|notes?|tune|line|scale|contour|direction|goes|move)\b", question.lowered):
        return None
    steps = [b.midi - a.midi for a, b in pairwise(notes)]
    rise = sum(s > 0.5 for s in steps)  # noqa: PLR2004  half a semitone: a new note
    fall = sum(s < -0.5 for s in steps)  # noqa: PLR2004
    total = len(steps)
    turned = min(rise, fall) > 0
    first = steps[0] > 0
    shares = {"up": rise / total, "down": fall / total, "same": 1.0 - (rise + fall) / total}
    shares["up then down"] = 1.5 if turned and first else 0.0
    shares["down then up"] = 1.5 if turned and not first else 0.0
    return [shares.get(k, float("-inf")) for k in kinds]


def _direction_of(option: str) -> str:
    up, down = _UP.search(option.lower()), _DOWN.search(option.lower())
    if up and down:
        return "up then down" if up.start() < down.start() else "down then up"
    if up or down:
        return "up" if up else "down"
    return "same" if _SAME.search(option.lower()) else ""


def tempo(question: Question, heard: Description) -> Sequence[float] | None:
    """The number of beats a minute nearest to the measured one, doubled or halved if that is nearer."""
    found = heard.number("Tempo")
    if found is None or not re.search(
        r"\b(tempo|bpm|beats per minute|beats a minute|how fast|speed)\b", question.lowered
    ):
        return None
    numbers = [re.search(r"\d+(?:\.\d+)?", o) for o in question.options]
    if all(numbers):
        values = [float(n[0]) for n in numbers if n]
        return [-min(abs(v - found), abs(v - 2 * found) + 10, abs(v - found / 2) + 10) for v in values]
    paces = {"very slow": 45, "slow": 65, "moderate": 105, "medium": 105, "very fast": 185, "fast": 150, "quick": 150}
    named = [
        next((v for k, v in sorted(paces.items(), key=lambda kv: -len(kv[0])) if k in o.lower()), None)
        for o in question.options
    ]
    return None if None in named else [-abs((v or 0) - found) for v in named]


def level_change(question: Question, heard: Description) -> Sequence[float] | None:
    """Whether it grows louder or softer, from the levels of the notes or stretches."""
    kinds = []
    for option in question.options:
        text = option.lower()
        louder = re.search(r"\b(louder|crescendo|increas\w*|grow\w*)\b", text)
        softer = re.search(r"\b(softer|quieter|diminuendo|decrescendo|decreas\w*|fad\w*)\b", text)
        kinds.append("up" if louder and not softer else "down" if softer else "same" if _SAME.search(text) else "")
    levels = [n.level_dbfs for n in heard.notes] or [s.level_dbfs for s in heard.stretches]
    if not {"up", "down"} <= set(kinds) or len(levels) < 2:  # noqa: PLR2004  a change
        return None
    half = len(levels) // 2
    change = sum(levels[-half:]) / half - sum(levels[:half]) / half
    trend = "same" if abs(change) < 5.0 else "up" if change > 0 else "down"  # noqa: PLR2004  dB: notes of one velocity differ by as much
    return [1.0 if k == trend else 0.0 for k in kinds]


def count(question: Question, heard: Description) -> Sequence[float] | None:
    """How many notes, beats or sounds."""
    values = [whole_number(o) for o in question.options]
    if not re.search(r"\bhow (many|often)\b|\bnumber of\b", question.lowered) or any(v is None for v in values):
        return None
    if re.search(r"\bdifferent (pitches|notes)|distinct (pitches|notes)\b", question.lowered):
        found: float | None = float(len({round(n.midi) for n in heard.notes}))
    elif re.search(r"\b(notes?|beats?|strokes?|hits?|tones?)\b", question.lowered):
        found = heard.number("Onsets")
    else:
        found = heard.events.get("bursts")
    return None if not found else [-abs((v or 0) - found) for v in values]


def instrument(question: Question, heard: Description) -> Sequence[float] | None:
    """The instrument that the timbre is most like: of all notes, or of the first or last where the question says so."""
    shares = heard.shares
    asked = [_instruments(o) for o in question.options]
    if not shares or sum(map(bool, asked)) < 2:  # noqa: PLR2004  a choice has two sides
        return None
    notes = heard.notes
    single = None
    if len(notes) > 1 and re.search(r"\b(first|begins?|starts?|opens?)\b", question.lowered):
        single = notes[0].like
    elif len(notes) > 1 and re.search(r"\b(last|final|ends?|second)\b", question.lowered):
        single = notes[-1].like
    if single and sum(single in a for a in asked) == 1:
        return [1.0 if single in a else 0.0 for a in asked]
    return [max((shares.get(n, 0.0) for n in a), default=float("-inf")) for a in asked]


def _instruments(option: str) -> set[str]:
    """The names of the timbre line that an option stands for."""
    text = option.lower().replace("synthesizer", "synthesiser")
    exact = {n for n in names() if n in text}
    if exact:
        longest = max(exact, key=len)
        if longest not in FAMILIES:
            return {longest}
    found = {n for word, members in FAMILIES.items() if re.search(rf"\b{word}", text) for n in members}
    return found | exact
