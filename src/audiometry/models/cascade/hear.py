"""From the bytes of a clip to what was measured and recognised in it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audiometry.audio import clip
from audiometry.models.cascade import describe
from audiometry.models.cascade.heard import Heard, Note, Stretch
from audiometry.models.cascade.messages import Request
from audiometry.models.cascade.signal import frames, pitch, voice
from audiometry.models.cascade.signal.events import measure_events
from audiometry.models.cascade.signal.frames import Span
from audiometry.models.cascade.signal.onsets import onsets, tempo
from audiometry.models.cascade.signal.timbre import timbre
from audiometry.models.cascade.signal.voice_kind import machine_likeness, speech_likeness
from audiometry.models.cascade.transcribe import RATE, Recogniser, resampled
from audiometry.models.cascade.vocabulary import NUMBERS, SPELLING

_SHORT_SPEECH_S = 1.8
_VOICES_APART = 25.0
_TIMBRE_RATE = 22_050
_MOST_NOTES = 64
_SAME_BEGINNING_S = 0.12
_MOST_TIMBRES = 12


class Listener:
    """Hears clips one after another, with instruments and one recogniser."""

    def __init__(self, recogniser: Recogniser) -> None:
        self._recogniser = recogniser

    def listen(self, request: Request) -> str:
        """The description, or with a focus the lines that answer it.

        Raises:
            AudioError: the clip cannot be read.
        """
        heard = clip.read(request.data, where="the clip sent to the cascade")
        x = heard.mono().astype(np.float64)
        if request.focus is None:
            return self._describe(x, heard.rate, heard.channels)
        at_rate = resampled(x, heard.rate)
        picked = self._recogniser.pick(_trimmed(at_rate), request.focus.phrases) if request.focus.phrases else ""
        spotted = self._recogniser.spot(at_rate, request.focus.word) if request.focus.word else []
        return describe.focus(request.focus.phrases, picked, request.focus.word, spotted)

    def _describe(self, x: npt.NDArray[np.float64], rate: int, channels: int) -> str:
        spans = frames.active_spans(x, rate)
        if not spans:
            return describe.silence(len(x) / rate, rate, channels)
        return describe.clip(self._hear(x, rate, channels, spans))

    def _hear(self, x: npt.NDArray[np.float64], rate: int, channels: int, spans: list[Span]) -> Heard:
        low = resampled(x, rate)
        sounding = np.concatenate([frames.cut(low, RATE, s) for s in spans])
        measures = voice.measure_voice(sounding, RATE)
        speech = speech_likeness(measures, sum(s.length_s for s in spans))
        transcript, digit, letter, spelling = None, "", "", ""
        is_speech = speech >= describe.SPEECH_FROM
        if is_speech:
            transcript = self._recogniser.transcribe(low)
            if sum(s.length_s for s in spans) <= _SHORT_SPEECH_S:
                word = _trimmed(low)
                digit, letter, spelling = (
                    self._recogniser.pick(word, g) for g in (NUMBERS, tuple(SPELLING), tuple(SPELLING.values()))
                )
        at = onsets(x, rate) if is_speech else _beginnings(x, rate, spans)
        return Heard(
            duration_s=len(x) / rate,
            rate=rate,
            channels=channels,
            level_dbfs=frames.level_dbfs(x),
            peak_dbfs=frames.peak_dbfs(x),
            events=measure_events(x, rate),
            stretches=tuple(_stretches(x, rate, low, spans, is_speech)),
            measures=measures,
            speech=speech,
            machine=machine_likeness(sounding, RATE) if is_speech else None,
            transcript=transcript,
            as_digit=digit,
            as_letter=letter,
            as_spelling=spelling,
            onsets=tuple(at),
            notes=() if is_speech else tuple(_notes(x, rate, at, spans)),
            tempo=None if is_speech else tempo(x, rate),
        )


def _trimmed(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """From the first to the last sound, at the recognisers' rate."""
    spans = frames.active_spans(x, RATE)
    return frames.cut(x, RATE, Span(max(0.0, spans[0].start_s - 0.1), spans[-1].end_s + 0.1)) if spans else x


def _stretches(
    x: npt.NDArray[np.float64],
    rate: int,
    low: npt.NDArray[np.float64],
    spans: list[Span],
    is_speech: bool,  # noqa: FBT001  private
) -> list[Stretch]:
    speakers = _speakers(low, spans) if is_speech else {}
    out = []
    for span in spans:
        part = frames.cut(x, rate, span)
        if not np.any(part):
            continue
        flux = voice.spectral_flux(frames.cut(low, RATE, span), RATE)
        out.append(Stretch(span, frames.level_dbfs(part), measure_events(part, rate), flux, speakers.get(span)))
    return out


def _speakers(x: npt.NDArray[np.float64], spans: list[Span]) -> dict[Span, int]:
    prints = {s: p for s in spans if (p := voice.voice_print(frames.cut(x, RATE, s), RATE)) is not None}
    return dict(zip(prints, voice.count_voices(list(prints.values()), _VOICES_APART), strict=True))


def _beginnings(x: npt.NDArray[np.float64], rate: int, spans: list[Span]) -> list[float]:
    """Onsets, and what they miss: soft beginnings after a pause, and a new pitch without a new stroke."""
    even = resampled(x, rate, _TIMBRE_RATE) if rate > _TIMBRE_RATE else x
    even_rate = min(rate, _TIMBRE_RATE)
    moved = pitch.steps(pitch.track(even, even_rate, lowest_hz=60.0, highest_hz=2500.0, hop_s=0.02, worst=0.2))
    sudden = onsets(x, rate)
    out = list(sudden)
    for t in [s.start_s for s in spans] + moved:
        if all(abs(t - o) > _SAME_BEGINNING_S for o in out):
            out.append(t)
    return sorted(out)


def _notes(x: npt.NDArray[np.float64], rate: int, at: list[float], spans: list[Span]) -> list[Note]:
    """The sounds between onsets, at most 64 of them; a sound ends where the next begins or the stretch does."""
    out: list[Note] = []
    even, even_rate = (resampled(x, rate, _TIMBRE_RATE), _TIMBRE_RATE) if rate > _TIMBRE_RATE else (x, rate)
    for start, following in zip(at[:_MOST_NOTES], [*at[1 : _MOST_NOTES + 1], len(x) / rate], strict=False):
        end = next((s.end_s for s in spans if s.start_s - 0.1 <= start < s.end_s), following)
        span = Span(start, min(end, following))
        # the first 30 ms are the attack: noise, not yet pitch
        part = frames.cut(x, rate, Span(start + 0.03, min(span.end_s, start + 2.0)))
        if span.length_s < 0.06 or not np.any(part):  # noqa: PLR2004  too short for a pitch
            continue
        hz = pitch.note_hz(part, rate)
        colour = None
        if hz is not None and sum(n.timbre is not None for n in out) < _MOST_TIMBRES:
            around = Span(max(0.0, start - 0.05), min(following, start + 3.5))
            colour = timbre(frames.cut(even, even_rate, around), even_rate, hz)
        level = float(frames.frame_levels(part, rate, 0.1, 0.02).max())
        out.append(Note(start, span.end_s, level, hz, colour))
    return out
