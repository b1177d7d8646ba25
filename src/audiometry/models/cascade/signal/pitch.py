"""Fundamental frequency: a track over time, and the pitch of a single note.

Source: A. de Cheveigné and H. Kawahara, "YIN, a fundamental frequency estimator for speech and
music", J. Acoust. Soc. Am. 111 (2002), steps 1 to 5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal.frames import frames

_NOTES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
_A4_HZ, _A4_MIDI = 440.0, 69


class PitchTrack(NamedTuple):
    """Fundamental frequency frame by frame.

    Attributes:
        times_s: ``float64[m]``, middle of each frame.
        hz: ``float64[m]``, the frequency; 0 where the frame is not periodic.
        aperiodicity: ``float64[m]``, the normalised difference at the chosen lag, 0 (periodic) to 1 and beyond.
    """

    times_s: npt.NDArray[np.float64]
    hz: npt.NDArray[np.float64]
    aperiodicity: npt.NDArray[np.float64]


def midi_of(hz: float) -> float:
    """MIDI note number of a frequency, A4 = 440 Hz = 69, equal temperament, fractions kept.

    >>> midi_of(440.0), round(midi_of(261.6256), 3)
    (69.0, 60.0)
    """
    return _A4_MIDI + 12.0 * float(np.log2(hz / _A4_HZ))


def hz_of(midi: float) -> float:
    """Frequency of a MIDI note number, Hz.

    >>> hz_of(57)
    220.0
    """
    return float(_A4_HZ * 2.0 ** ((midi - _A4_MIDI) / 12.0))


def note_name(midi: int) -> str:
    """Scientific pitch name, sharps only; MIDI 60 is C4.

    >>> note_name(60), note_name(69), note_name(46)
    ('C4', 'A4', 'A#2')
    """
    return f"{_NOTES[midi % 12]}{midi // 12 - 1}"


def track(
    x: npt.NDArray[np.float64],
    rate: int,
    *,
    lowest_hz: float = 65.0,
    highest_hz: float = 500.0,
    hop_s: float = 0.01,
    threshold: float = 0.15,
    worst: float = 0.35,
) -> PitchTrack:
    """YIN pitch track.

    Args:
        x: ``float64[n]``.
        rate: Hz.
        lowest_hz: the lowest fundamental sought; the window is two of its periods.
        highest_hz: the highest fundamental sought.
        hop_s: seconds between frames.
        threshold: the first dip of the normalised difference below this is taken.
        worst: a frame whose best dip lies above this is not periodic.
    """
    longest = int(np.ceil(rate / lowest_hz)) + 2
    shortest = max(2, int(rate / highest_hz))
    window = 2 * longest
    hop = max(1, round(hop_s * rate))
    cut = frames(x, window + longest, hop)
    found = [_yin(block, window, shortest, longest, threshold) for block in _blocks(cut)]
    lag = np.concatenate([f[0] for f in found])
    dip = np.concatenate([f[1] for f in found])
    hz = np.where(dip <= worst, rate / lag, 0.0)
    times = (np.arange(len(cut)) * hop + (window + longest) / 2) / rate
    return PitchTrack(times, hz, dip)


def steps(tracked: PitchTrack, least: float = 0.6, held_s: float = 0.06) -> list[float]:
    """Times at which the pitch moves to another one and stays there, seconds.

    Args:
        tracked: a pitch track.
        least: smallest move that counts, semitones.
        held_s: how long the pitch has to stay within half that move, before and after.
    """
    semitones = np.where(tracked.hz > 0, 12.0 * np.log2(np.maximum(tracked.hz, 1.0)), np.nan)
    hop_s = float(tracked.times_s[1] - tracked.times_s[0]) if len(tracked.times_s) > 1 else held_s
    reach = max(2, round(held_s / hop_s))
    out: list[float] = []
    current: float | None = None
    for i in range(len(semitones) - reach + 1):
        window = semitones[i : i + reach]
        if np.isnan(window).any() or float(window.max() - window.min()) > least / 2:
            continue
        here = float(np.median(window))
        if current is not None and abs(here - current) >= least:
            out.append(float(tracked.times_s[i]))
        current = here
    return out


def _blocks(cut: npt.NDArray[np.float64], most: int = 2048) -> list[npt.NDArray[np.float64]]:
    """Frames in blocks, so that an hour of sound does not need an hour's worth of memory at once."""
    return [cut[i : i + most] for i in range(0, len(cut), most)]


def _yin(
    cut: npt.NDArray[np.float64], window: int, shortest: int, longest: int, threshold: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Lag (samples, fractional) and depth of the chosen dip for each frame."""
    size = 1 << int(np.ceil(np.log2(cut.shape[1] + window)))
    spectrum = np.fft.rfft(cut, size, axis=1)
    head = np.fft.rfft(cut[:, :window], size, axis=1)
    cross = np.fft.irfft(spectrum * np.conj(head), size, axis=1)[:, : longest + 1]
    squares = np.concatenate((np.zeros((len(cut), 1)), np.cumsum(cut * cut, axis=1)), axis=1)
    energy = squares[:, window : window + longest + 1] - squares[:, : longest + 1]
    difference = np.maximum(energy[:, :1] + energy - 2.0 * cross, 0.0)
    lags = np.arange(1, longest + 1)
    mean = np.cumsum(difference[:, 1:], axis=1) / lags
    normal = np.ones_like(difference)
    np.divide(difference[:, 1:], mean, out=normal[:, 1:], where=mean > 1e-12)  # noqa: PLR2004  silence
    inside = normal[:, shortest:longest]
    is_dip = (inside <= normal[:, shortest - 1 : longest - 1]) & (inside < normal[:, shortest + 1 : longest + 1])
    good = is_dip & (inside < threshold)
    best = np.where(good.any(axis=1), good.argmax(axis=1), np.where(is_dip, inside, np.inf).argmin(axis=1)) + shortest
    rows = np.arange(len(cut))
    before, here, after = normal[rows, best - 1], normal[rows, best], normal[rows, best + 1]
    bend = before - 2.0 * here + after
    shift = np.divide(0.5 * (before - after), bend, out=np.zeros_like(bend), where=np.abs(bend) > 1e-12)  # noqa: PLR2004
    return best + np.clip(shift, -0.5, 0.5), here


def note_hz(
    x: npt.NDArray[np.float64], rate: int, *, lowest_hz: float = 26.0, highest_hz: float = 4500.0
) -> float | None:
    """Fundamental frequency of one held or struck note, Hz; None where no stable pitch is found.

    The YIN track's median gives the period; a comb over the first harmonics of one long spectrum
    then settles it to a few cents, which short lags at low rates cannot.
    """
    tracked = track(x, rate, lowest_hz=lowest_hz, highest_hz=min(highest_hz, rate / 4), hop_s=0.02, threshold=0.1)
    pitched = tracked.hz[tracked.hz > 0]
    if len(pitched) < max(2, 0.2 * len(tracked.hz)):
        return None
    octaves = np.log2(pitched)
    middle = float(np.median(octaves))
    near = octaves[np.abs(octaves - middle) < 1 / 12]
    if len(near) < 0.4 * len(octaves):
        return None
    return _combed(x, rate, float(2.0 ** np.median(near)))


def _combed(x: npt.NDArray[np.float64], rate: int, guess: float) -> float:
    """The frequency near the guess, or near a multiple of it, whose first harmonics hold the most amplitude.

    Lags of a few samples fall between the true ones, so that YIN takes a multiple of the period: where
    harmonics of the guess that are none of its multiple's hold next to nothing, the multiple it is.
    """
    x = x[: 4 * rate]
    size = 1 << int(np.ceil(np.log2(max(len(x), rate)))) + 1
    magnitude = np.abs(np.fft.rfft(x * np.hanning(len(x)), size))
    found = _fine(magnitude, rate, size, guess)
    for multiple in (3, 2, 2):
        harmonics = _at(magnitude, rate, size, found, np.arange(1, 13))
        own = np.arange(1, 13) % multiple == 0
        if harmonics[~own].sum() < 0.01 * harmonics[own].sum():  # -40 dB: leakage, not partials
            found = _fine(magnitude, rate, size, found * multiple)
    return found


def _fine(magnitude: npt.NDArray[np.float64], rate: int, size: int, guess: float) -> float:
    """The frequency within half a semitone of the guess with the most amplitude in its first six harmonics."""
    tries = guess * 2.0 ** (np.linspace(-0.5, 0.5, 201) / 12.0)
    count = max(1, min(6, int(rate / 2 / (guess * 1.05))))
    sums = _at(magnitude, rate, size, np.repeat(tries, count), np.tile(np.arange(1, count + 1), len(tries)))
    return float(tries[int(np.argmax(sums.reshape(len(tries), count).sum(axis=1)))])


def _at(
    magnitude: npt.NDArray[np.float64], rate: int, size: int, hz: Any, harmonic: npt.NDArray[np.int_]
) -> npt.NDArray[np.float64]:
    """Magnitudes at harmonics of a frequency, between bins by interpolation; 0 above half the rate."""
    bins: npt.NDArray[np.float64] = hz * harmonic * size / rate
    found: npt.NDArray[np.float64] = np.interp(bins, np.arange(len(magnitude)), magnitude, right=0.0)
    return found
