"""The clips of a hearing test: pure tones, spoken digits, and where, at which rate and in which channel they sound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from audiometry.audio.clip import Clip, read
from audiometry.errors import AudioError

RATE: Final = 16_000
"""Of the recordings of the digits, Hz; tones are made at it too unless another is asked for."""

DIGITS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

LEVEL_DBFS: Final = -23.0
"""RMS of tones and of the digits' recordings, dB re full scale (full scale sine: -3)."""

ROOM_DBFS: Final = -70.0
"""RMS of the noise in the stretches around a digit: a quiet room, since digital silence is no recording."""

LEAD_S: Final = 0.4
TAIL_S: Final = 0.15
"""Quiet before a digit at a clip's beginning, and after one at its end, seconds."""

_FADE_S: Final = 0.02
_GAP_S: Final = 0.15


def digit(number: int) -> Clip:
    """The recording of a spoken English digit: mono, 16 kHz, 0.4 to 0.75 s, without silence around it.

    Raises:
        IndexError: not 0 to 9.
    """
    return _recordings()[range(10)[number]]


@cache
def _recordings() -> tuple[Clip, ...]:
    folder = Path(__file__).parent / "digits"
    return tuple(read(folder / f"{number}.flac") for number in range(len(DIGITS)))


def tone(frequency_hz: float, duration_s: float, *, rate: int = RATE) -> Clip:
    """A sine of `LEVEL_DBFS` RMS, mono, with edges of 20 ms so that it does not click.

    Args:
        frequency_hz: above 0 and below half the rate.
        duration_s: length, seconds.
        rate: samples a second, Hz.

    Raises:
        AudioError: the frequency does not fit the rate.
    """
    if not 0 < frequency_hz < rate / 2:
        raise AudioError(
            f"a tone of {frequency_hz:g} Hz at {rate} Hz; choose a frequency above 0 and below {rate / 2:g}"
        )
    frames = round(duration_s * rate)
    wave = np.sin(2 * np.pi * frequency_hz / rate * np.arange(frames)) * np.sqrt(2) * 10 ** (LEVEL_DBFS / 20)
    edge = min(round(_FADE_S * rate), frames // 2)
    rise = 0.5 - 0.5 * np.cos(np.pi * (np.arange(edge) + 0.5) / max(edge, 1))
    wave[:edge] *= rise
    wave[frames - edge :] *= rise[::-1]
    return Clip(samples=wave.astype(np.float32)[:, None], rate=rate)


def tones(frequencies_hz: Sequence[float], each_s: float = 0.7, *, rate: int = RATE) -> Clip:
    """Tones one after the other, 0.15 s of silence between two and around all."""
    gap = np.zeros((round(_GAP_S * rate), 1), dtype=np.float32)
    parts = [gap]
    for frequency in frequencies_hz:
        parts += [tone(frequency, each_s, rate=rate).samples, gap]
    return Clip(samples=np.concatenate(parts), rate=rate)


def placed(clip: Clip, duration_s: float, at: Literal["start", "end"], room: np.random.Generator) -> Clip:
    """A clip in a longer, quiet stretch: `LEAD_S` after its start, or so that it ends `TAIL_S` before the end.

    Args:
        clip: what sounds.
        duration_s: length of the whole, seconds.
        at: where it sounds.
        room: a named stream, for the noise of a quiet room (`ROOM_DBFS`) under all of it.

    Raises:
        AudioError: the clip does not fit in.
    """
    frames = round(duration_s * clip.rate)
    start = round(LEAD_S * clip.rate) if at == "start" else frames - clip.frames - round(TAIL_S * clip.rate)
    if start < 0 or start + clip.frames > frames:
        raise AudioError(f"a clip of {clip.duration_s:.2f} s does not fit into {duration_s:.2f} s; choose a longer one")
    out = room.standard_normal((frames, clip.channels), dtype=np.float32) * np.float32(10 ** (ROOM_DBFS / 20))
    out[start : start + clip.frames] += clip.samples
    return Clip(samples=out, rate=clip.rate)


def in_quiet(clip: Clip, room: np.random.Generator) -> Clip:
    """A sound with `LEAD_S` of quiet before and after it."""
    return placed(clip, clip.duration_s + 2 * LEAD_S, "start", room)


def in_channel(clip: Clip, side: Literal["left", "right"]) -> Clip:
    """A stereo clip with the mono clip in one channel and digital silence in the other."""
    if clip.channels != 1:
        raise AudioError(f"a clip of {clip.channels} channels cannot stand in one; give a mono clip")
    silent = np.zeros_like(clip.samples)
    pair = (clip.samples, silent) if side == "left" else (silent, clip.samples)
    return Clip(samples=np.concatenate(pair, axis=1), rate=clip.rate)
