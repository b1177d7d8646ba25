"""The colour of one note as numbers: how it starts, how it dies away, how strong each harmonic is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal.frames import frame_levels
from audiometry.models.cascade.signal.pitch import midi_of, track

FEATURES = (
    "octave", "attack_6db", "attack_2db", "level_150ms", "level_300ms", "level_600ms", "level_900ms",
    "centroid_over_pitch", "centroid", "centroid_change", "noise", "odd_over_even",
    "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9_to_15", "vibrato", "unrest",
)  # fmt: skip
"""Names of the numbers that `timbre` gives, in order."""

_HOP_S = 0.01
_HARMONICS = 15
_HIGHEST_HZ = 11_000.0
_FFT = 1 << 15


def timbre(x: npt.NDArray[np.float64], rate: int, hz: float) -> npt.NDArray[np.float64] | None:
    """`FEATURES` of a note: times as log seconds of 10 ms frames, levels in dB, frequency ratios in octaves.

    Args:
        x: ``float64[n]``, the note from just before its beginning.
        rate: Hz; at least 16 kHz, and the same about 22 kHz for notes that are to be compared.
        hz: its fundamental frequency.

    Returns:
        ``float64[23]``; None for a note with less than 0.1 s of sound behind its attack.
    """
    levels = frame_levels(x, rate, 0.02, _HOP_S)
    top = float(levels.max())
    first = int(np.argmax(levels > top - 30.0))
    near = int(np.argmax(levels[first:] > top - 6.0))
    full = int(np.argmax(levels[first:] > top - 1.5))
    start = first + near
    body = x[round(start * _HOP_S * rate) :]
    early = _spectrum(body[: round(0.4 * rate)], rate)
    if early is None:
        return None
    harmonics, noise, centroid = _partials(early, rate, hz)
    late = _spectrum(body[round(0.4 * rate) : round(0.8 * rate)], rate)
    later = [max(float(levels[min(start + after, len(levels) - 1)]) - top, -60.0) for after in (15, 30, 60, 90)]
    fallen = 0.7
    if late is not None and later[2] > -40.0:  # noqa: PLR2004  below this it is the room's noise
        fallen = max(_partials(late, rate, hz)[2], 20.0) / centroid
    shape = 20.0 * np.log10(harmonics / max(float(harmonics.max()), 1e-12) + 1e-3)
    steps = np.diff(levels[start : start + 60])
    numbers = [
        midi_of(hz) / 12.0,
        np.log(near + 1.0),
        np.log(full + 1.0),
        *later,
        np.log2(centroid / hz),
        np.log2(centroid / 1000.0),
        np.log2(fallen),
        np.log10(noise + 1e-3),
        shape[[2, 4, 6]].mean() - shape[[1, 3, 5]].mean(),
        *shape[:8],
        shape[8:].mean(),
        _vibrato(body[:rate], rate, hz),
        float(np.abs(steps).mean()) if len(steps) else 0.0,
    ]
    return np.array(numbers, dtype=np.float64)


def _spectrum(x: npt.NDArray[np.float64], rate: int) -> npt.NDArray[np.float64] | None:
    if len(x) < 0.1 * rate or not np.any(x):
        return None
    magnitude: npt.NDArray[np.float64] = np.abs(np.fft.rfft(x * np.hanning(len(x)), _FFT))
    return magnitude


def _partials(magnitude: npt.NDArray[np.float64], rate: int, hz: float) -> tuple[npt.NDArray[np.float64], float, float]:
    """Magnitudes of the first harmonics, share of the power outside all harmonics, centroid in Hz."""
    step = rate / _FFT
    at = np.arange(len(magnitude)) * step
    harmonics = np.zeros(_HARMONICS)
    for k in range(1, _HARMONICS + 1):
        if hz * k * 1.03 > min(rate / 2, _HIGHEST_HZ):
            break
        low, high = int((hz * k * 0.985 - 10.0) / step), int((hz * k * 1.015 + 10.0) / step) + 1
        harmonics[k - 1] = magnitude[max(0, low) : high].max()
    power = magnitude**2
    power[at < 40.0] = 0.0  # noqa: PLR2004  rumble
    total = float(power.sum()) + 1e-20
    off = np.abs(at / hz - np.maximum(1.0, np.round(at / hz))) * hz
    inside = float(power[off < max(12.0, 0.02 * hz)].sum())
    return harmonics, max(0.0, 1.0 - inside / total), float((at * power).sum() / total)


def _vibrato(x: npt.NDArray[np.float64], rate: int, hz: float) -> float:
    """Standard deviation of the pitch over the first second, semitones."""
    tracked = track(x, rate, lowest_hz=max(26.0, hz * 0.7), highest_hz=min(hz * 1.5, rate / 4), hop_s=_HOP_S)
    pitched = tracked.hz[tracked.hz > 0]
    if len(pitched) <= 10:  # noqa: PLR2004  0.1 s
        return 0.0
    return float(np.clip(12.0 * np.log2(pitched / hz), -0.7, 0.7).std())
