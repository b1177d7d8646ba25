"""What was heard, in words and numbers: the lines that a reader, rules or a chat model, gets instead of the sound.

Each line is a label, a colon and facts with their units. ``rules`` reads these lines and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from audiometry.models.cascade.instruments import likeness
from audiometry.models.cascade.signal.pitch import midi_of, note_name
from audiometry.models.cascade.wording import NO_WORDS

if TYPE_CHECKING:
    from audiometry.models.cascade.heard import Heard, Note, Stretch
    from audiometry.models.cascade.signal.events import EventMeasures
    from audiometry.models.cascade.signal.voice import VoiceMeasures
    from audiometry.models.cascade.transcribe import Word

VERSION = 2
"""Raised with every change that may change a description."""

SPEECH_FROM = 0.5
"""From this likeness to speech on, 0 to 1, the recogniser is asked."""

_MOST_WORDS = 400
_FEWEST_WORDS = 3
_FULL_VELOCITY_DBFS = -31.0  # loudest tenth of a second of a note at velocity 127, fluidsynth's default gain
_MOST_STRETCHES = 24


def silence(duration_s: float, rate: int, channels: int) -> str:
    """The description of a clip in which nothing sounds."""
    return _lines([("Length", _length(duration_s, rate, channels)), ("Kind", "silence")])


def clip(h: Heard) -> str:
    """The description of a clip."""
    return _lines(
        [
            ("Length", _length(h.duration_s, h.rate, h.channels)),
            ("Level", f"{h.level_dbfs:.1f} dBFS RMS, peak {h.peak_dbfs:.1f} dBFS"),
            ("Kind", f"speech likeness {h.speech:.2f}"),
            *_speech(h),
            *_music(h),
            *([("Events", _events(h.events))] if h.events is not None else []),
            ("Sounding", "; ".join(_range(s.span.start_s, s.span.end_s) for s in h.stretches)),
            *((f"Stretch {i}", _stretch(s)) for i, s in enumerate(h.stretches[:_MOST_STRETCHES], 1)),
        ]
    )


def transcript(words: str) -> str:
    """The description of a clip of which the words are all that is known; no time, confidence or language goes in."""
    return _lines([("Transcript", words or NO_WORDS)])


def focus(phrases: Sequence[str], picked: str, word: str, spotted: Sequence[Word]) -> str:
    """The lines that a question's own words asked for."""
    out = []
    if phrases and picked:
        out.append((f"Closest of {', '.join(phrases)}", picked))
    if word and spotted:
        found = "; ".join(f"{_range(w.start_s, w.end_s)} (confidence {w.confidence:.2f})" for w in spotted[:4])
        out.append((f"Listening for '{word}'", found))
    return _lines(out)


def _lines(facts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{label}: {text}" for label, text in facts)


def _length(duration_s: float, rate: int, channels: int) -> str:
    return f"{duration_s:.2f} s, {rate} Hz, {channels} channel{'s' if channels != 1 else ''}"


def _range(start_s: float, end_s: float) -> str:
    return f"{start_s:.2f}-{end_s:.2f} s"


def _speech(h: Heard) -> list[tuple[str, str]]:
    if h.transcript is None:
        return []
    out = [("Transcript", h.transcript.text or NO_WORDS)]
    if h.transcript.words:
        words = "; ".join(f"{w.text} {_range(w.start_s, w.end_s)}" for w in h.transcript.words[:_MOST_WORDS])
        out += [("Words", words), ("Recogniser's confidence", f"{h.transcript.confidence:.2f}")]
    if h.transcript.language:
        out.append(("Language", f"{h.transcript.language} ({h.transcript.language_p:.2f})"))
    elif len(h.transcript.words) >= _FEWEST_WORDS:
        out.append(("Language", f"en ({_english(h.transcript.confidence):.2f}), by how sure the English recogniser is"))
    readings = (("As a number", h.as_digit), ("As a letter", h.as_letter), ("As a spelling word", h.as_spelling))
    out += [(label, text) for label, text in readings if text]
    v = h.measures
    if v.median_hz:
        out.append(
            ("Voice", f"pitch {v.median_hz:.0f} Hz (10 to 90 %: {v.low_hz:.0f}-{v.high_hz:.0f} Hz), {_regular(v)}")
        )
    if h.machine is not None:
        out.append(("Machine-like voice", f"{h.machine:.2f} (0: a person, 1: a synthesiser)"))
    speakers = [s.speaker for s in h.stretches if s.speaker is not None]
    if speakers:
        out.append(("Voices", f"{max(speakers) + 1}"))
    return out


def _english(confidence: float) -> float:
    """How likely the speech is English, 0 to 1.

    English prompts are recognised with a mean confidence of 0.55 to 0.9, Spanish, French, Italian and
    Russian ones with 0.2 to 0.55.
    """
    return 1.0 / (1.0 + math.exp(-(confidence - 0.55) / 0.06))


def _regular(v: VoiceMeasures) -> str:
    return f"jitter {100 * v.jitter:.2f} %, aperiodicity {v.aperiodicity:.3f}, shimmer {v.shimmer_db:.2f} dB"


def _music(h: Heard) -> list[tuple[str, str]]:
    at = f" at {', '.join(f'{t:.2f}' for t in h.onsets[:64])} s" if h.onsets else ""
    out = [("Onsets", f"{len(h.onsets)}{at}")]
    pitched = [n for n in h.notes if n.hz is not None]
    if pitched:
        out.append(("Notes", "; ".join(f"{n.start_s:.2f} s {_note(n)}" for n in pitched)))
    if h.notes:
        velocity = min(127.0, 127.0 * 10.0 ** ((max(n.level_dbfs for n in h.notes) - _FULL_VELOCITY_DBFS) / 40.0))
        out.append(("Velocity", f"about {velocity:.0f}, if the clip keeps the level of a General MIDI renderer"))
    coloured = [n.timbre for n in pitched if n.timbre is not None]
    if coloured:
        shares = "; ".join(f"{name} {share:.3f}" for name, share in likeness(coloured) if share >= 0.002)  # noqa: PLR2004
        out.append(("Timbre", f"if one instrument plays: {shares}"))
    if h.tempo is not None:
        out.append(("Tempo", f"{h.tempo.bpm:.0f} beats a minute, strength {h.tempo.strength:.2f}"))
    return out


def _note(n: Note) -> str:
    midi = midi_of(n.hz or 1.0)
    like = f", like {likeness([n.timbre])[0][0]}" if n.timbre is not None else ""
    return f"{note_name(round(midi))} (MIDI {midi:.1f}, {n.hz:.1f} Hz), {n.level_dbfs:.1f} dBFS{like}"


def _stretch(s: Stretch) -> str:
    facts = [_range(s.span.start_s, s.span.end_s), f"{s.level_dbfs:.1f} dBFS"]
    if s.events is not None:
        facts.append(_events(s.events))
    facts.append(f"flux {s.flux_db:.1f} dB")
    if s.speaker is not None:
        facts.append(f"voice {s.speaker + 1}")
    return ", ".join(facts)


def _events(e: EventMeasures) -> str:
    return (
        f"tonal {e.tonal:.2f}, tone {e.pitch_hz:.0f} Hz, span {e.pitch_span:.2f} octaves, glide {e.glide:.2f} octaves, "
        f"bursts {e.bursts}, burst {e.burst_s:.2f} s, rate {e.rate_hz:.2f} Hz, regularity {e.regularity:.2f}, "
        f"attack {e.attack_s:.2f} s, decay {e.decay_s:.2f} s, swing {e.swing_db:.1f} dB, "
        f"sounding {e.sounding_s:.2f} s, "
        f"centroid {e.centroid_hz:.0f} Hz, flatness {e.flatness:.4f}, low {e.low_share:.2f}, high {e.high_share:.2f}"
    )
