"""When sounds begin, and how fast they follow one another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal.frames import frame_levels, power_spectra

_HOP_S = 0.01


class Tempo(NamedTuple):
    """A pulse.

    Attributes:
        bpm: beats a minute.
        strength: the autocorrelation of the onset curve at the beat's period, 0 to 1; under about 0.2 there is no beat.
    """

    bpm: float
    strength: float


def onset_curve(x: npt.NDArray[np.float64], rate: int) -> npt.NDArray[np.float64]:
    """Spectral flux: how much louder the bands became, mean dB a band, one value each 10 ms.

    Bands are a third of an octave from 60 Hz; levels more than 50 dB below the loudest count as equal.
    """
    frame_s = 0.04
    padded = np.concatenate((np.zeros(round(frame_s * rate)), x))
    spectra = power_spectra(padded, rate, frame_s=frame_s, hop_s=_HOP_S)
    hz = np.linspace(0.0, rate / 2, spectra.shape[1])
    edges = 60.0 * 2.0 ** (np.arange(0, 28) / 3.0)
    edges = edges[edges < rate / 2]
    index = np.searchsorted(hz, edges)
    index = np.unique(index[index < len(hz)])
    bands = 10.0 * np.log10(np.add.reduceat(spectra, index, axis=1) + 1e-20)
    bands = np.maximum(bands, bands.max() - 50.0)
    rise: npt.NDArray[np.float64] = np.maximum(bands[3:] - bands[:-3], 0.0).mean(axis=1)
    return rise


def onsets(x: npt.NDArray[np.float64], rate: int, apart_s: float = 0.08) -> list[float]:
    """Times at which sounds begin, seconds, in order.

    A peak of the onset curve counts if it is the highest within ``apart_s`` on both sides, at least
    3 dB, a quarter of the strongest peak, and well above its neighbourhood; and if the clip is not
    near silence there.
    """
    from scipy.ndimage import maximum_filter1d, median_filter

    curve = onset_curve(x, rate)
    if len(curve) < 3 or curve.max() <= 0.0:  # noqa: PLR2004  too short for a peak
        return []
    reach = max(1, round(apart_s / _HOP_S))
    peak = (curve == maximum_filter1d(curve, 2 * reach + 1)) & (curve >= max(3.0, 0.25 * float(curve.max())))
    peak &= curve >= 1.5 + 2.0 * median_filter(curve, 31)
    levels = frame_levels(x, rate, hop_s=_HOP_S)
    after = maximum_filter1d(levels, 11, origin=-5)
    audible = float(levels.max()) - 40.0
    times: list[float] = []
    for i in np.flatnonzero(peak):
        at = max(0, int(i) - 1)
        if after[min(at, len(after) - 1)] < audible or (times and at * _HOP_S - times[-1] < apart_s):
            continue
        times.append(round(at * _HOP_S, 3))
    return times


def tempo(x: npt.NDArray[np.float64], rate: int) -> Tempo | None:
    """The pulse that fits the onset curve best, 50 to 210 a minute, rates near 120 preferred; None under 2 s."""
    curve = onset_curve(x, rate)
    slowest = round(60.0 / 50.0 / _HOP_S)
    if len(curve) * _HOP_S < 2.0:  # noqa: PLR2004  less than two beats at a slow rate
        return None
    curve = curve - curve.mean()
    energy = float(curve @ curve)
    if energy <= 0.0:
        return None
    size = 1 << int(np.ceil(np.log2(2 * len(curve))))
    spectrum = np.abs(np.fft.rfft(curve, size)) ** 2
    correlation = np.fft.irfft(spectrum, size)[: len(curve)] / energy
    lags = np.arange(round(60.0 / 210.0 / _HOP_S), min(slowest, len(curve) - 1))
    bpm = 60.0 / (lags * _HOP_S)
    weight = np.exp(-0.5 * (np.log2(bpm / 120.0) / 0.9) ** 2)
    best = int(np.argmax(correlation[lags] * weight))
    return Tempo(float(bpm[best]), float(max(0.0, correlation[lags[best]])))
