"""What a voice is like: how regular its pitch is, how it sounds, and whether two stretches share a voice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal.frames import frame_levels, power_spectra
from audiometry.models.cascade.signal.pitch import PitchTrack, track

_CEPSTRA = 20
_BANDS = 40


class VoiceMeasures(NamedTuple):
    """Measures of the voiced frames of a stretch.

    Attributes:
        voiced_share: share of the frames above the level floor that are periodic, 0 to 1.
        median_hz: median fundamental frequency, Hz; 0 without voiced frames.
        low_hz, high_hz: its 10th and 90th percentile.
        jitter: median change of the fundamental from one 10 ms frame to the next, relative to it.
        aperiodicity: median normalised difference at the period, 0 (a machine's) to about 0.3 (breathy).
        shimmer_db: median change of the level between neighbouring voiced frames, dB.
        flux_db: mean change of the band spectrum between frames 30 ms apart, dB: speech moves, a held note does not.
        modulation_hz: where the level curve's power between 1 and 20 Hz has its middle; syllables give 3 to 8 Hz.
    """

    voiced_share: float
    median_hz: float
    low_hz: float
    high_hz: float
    jitter: float
    aperiodicity: float
    shimmer_db: float
    flux_db: float
    modulation_hz: float


def _bands(x: npt.NDArray[np.float64], rate: int) -> npt.NDArray[np.float64]:
    """Mel-band levels, dB, ``float64[m, 40]``, frames of 25 ms every 10 ms, 100 Hz to 7.6 kHz or half the rate."""
    spectra = power_spectra(x, rate, frame_s=0.025, hop_s=0.01)
    hz = np.linspace(0.0, rate / 2, spectra.shape[1])
    mel = 2595.0 * np.log10(1.0 + np.array([100.0, min(7600.0, rate / 2)]) / 700.0)
    centres = 700.0 * (10.0 ** (np.linspace(mel[0], mel[1], _BANDS + 2) / 2595.0) - 1.0)
    rising = (hz - centres[:-2, None]) / (centres[1:-1] - centres[:-2])[:, None]
    falling = (centres[2:, None] - hz) / (centres[2:] - centres[1:-1])[:, None]
    weights = np.maximum(0.0, np.minimum(rising, falling))
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(spectra @ weights.T + 1e-12)
    return levels


def cepstra(x: npt.NDArray[np.float64], rate: int) -> npt.NDArray[np.float64]:
    """Mel-frequency cepstral coefficients 1 to 19 (level left out), ``float64[m, 19]``, every 10 ms."""
    from scipy.fft import dct

    coefficients = np.asarray(dct(_bands(x, rate), axis=1, norm="ortho"), dtype=np.float64)
    return coefficients[:, 1:_CEPSTRA]


def measure_voice(x: npt.NDArray[np.float64], rate: int, tracked: PitchTrack | None = None) -> VoiceMeasures:
    """Measures of the stretch as if it were a voice; see `VoiceMeasures`.

    Args:
        x: ``float64[n]``.
        rate: Hz.
        tracked: its pitch track, if there is one already.
    """
    tracked = tracked or track(x, rate)
    levels = frame_levels(x, rate, frame_s=0.025, hop_s=0.01)
    loud = levels > levels.max() - 30.0
    count = min(len(tracked.hz), len(levels))
    hz, at_level, loud = tracked.hz[:count], levels[:count], loud[:count]
    voiced = (hz > 0) & loud
    share = float(voiced.sum() / max(1, loud.sum()))
    flux = spectral_flux(x, rate)
    modulation = _modulation_hz(levels)
    if voiced.sum() < 3:  # noqa: PLR2004  too few for a change between neighbours
        return VoiceMeasures(share, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, flux, modulation)
    pairs = voiced[1:] & voiced[:-1]
    change = np.abs(np.log(np.where(pairs, hz[1:], 1.0) / np.where(pairs, hz[:-1], 1.0)))
    near = pairs & (change < 0.1)  # noqa: PLR2004  larger steps are octave slips, not jitter
    low, middle, high = (float(v) for v in np.percentile(hz[voiced], [10, 50, 90]))
    return VoiceMeasures(
        voiced_share=share,
        median_hz=middle,
        low_hz=low,
        high_hz=high,
        jitter=float(np.median(change[near])) if near.any() else 0.0,
        aperiodicity=float(np.median(tracked.aperiodicity[:count][voiced])),
        shimmer_db=float(np.median(np.abs(np.diff(at_level))[near])) if near.any() else 0.0,
        flux_db=flux,
        modulation_hz=modulation,
    )


def spectral_flux(x: npt.NDArray[np.float64], rate: int) -> float:
    """Mean change of the mel-band levels between frames 30 ms apart, dB, over frames within 30 dB of the loudest.

    Band levels more than 60 dB below the loudest count as equal; 0 for a stretch too short to change.
    """
    levels = frame_levels(x, rate, frame_s=0.025, hop_s=0.01)
    bands = _bands(x, rate)
    bands = np.maximum(bands, bands.max() - 60.0)
    step = np.abs(bands[3:] - bands[:-3]).mean(axis=1)
    count = min(len(step), len(levels))
    loud = levels[:count] > levels.max() - 30.0
    return float(step[:count][loud].mean()) if loud.any() else 0.0


def voiced_flux(x: npt.NDArray[np.float64], rate: int, voiced: npt.NDArray[np.bool_]) -> float:
    """Median change of the lower 30 mel bands from one 10 ms frame to the next, both voiced, dB; 0 without such.

    Args:
        x: ``float64[n]``.
        rate: Hz.
        voiced: ``bool[m]``, whether each frame, every 10 ms, is voiced.
    """
    bands = _bands(x, rate)[:, :30]
    count = min(len(bands), len(voiced))
    pairs = voiced[1:count] & voiced[: count - 1]
    step = np.abs(np.diff(bands[:count], axis=0)).mean(axis=1)[pairs]
    return float(np.median(step)) if len(step) else 0.0


def _modulation_hz(levels: npt.NDArray[np.float64]) -> float:
    curve = np.maximum(levels, levels.max() - 40.0)
    curve = curve - curve.mean()
    size = max(256, 1 << int(np.ceil(np.log2(len(curve)))))
    power = np.abs(np.fft.rfft(curve * np.hanning(len(curve)), size)) ** 2
    hz = np.fft.rfftfreq(size, 0.01)
    inside = (hz >= 1.0) & (hz <= 20.0)  # noqa: PLR2004
    total = float(power[inside].sum())
    return float((hz[inside] * power[inside]).sum() / total) if total > 0 else 0.0


class VoicePrint(NamedTuple):
    """A stretch of speech as a point: mean cepstrum of its voiced frames, its pitch, how much of it there was.

    Attributes:
        cepstrum: ``float64[19]``, dB.
        pitch: octaves, log2 of the median fundamental in Hz.
        voiced_s: seconds of voiced sound behind it.
    """

    cepstrum: npt.NDArray[np.float64]
    pitch: float
    voiced_s: float


def voice_print(x: npt.NDArray[np.float64], rate: int) -> VoicePrint | None:
    """The print of a stretch; None with less than 0.15 s of voiced sound."""
    tracked = track(x, rate)
    levels = frame_levels(x, rate, frame_s=0.025, hop_s=0.01)
    features = cepstra(x, rate)
    count = min(len(tracked.hz), len(levels), len(features))
    if not count:
        return None
    voiced = (tracked.hz[:count] > 0) & (levels[:count] > levels.max() - 25.0)
    if voiced.sum() < 15:  # noqa: PLR2004  0.15 s
        return None
    pitch = float(np.median(np.log2(tracked.hz[:count][voiced])))
    return VoicePrint(features[:count][voiced].mean(axis=0), pitch, float(voiced.sum()) / 100.0)


def voice_distance(a: VoicePrint, b: VoicePrint) -> float:
    """How far two prints lie apart: cepstral distance in dB plus pitch, an octave weighing 40 dB.

    Short stretches vary with what is said in them, so the distance shrinks with the shorter one's length.
    """
    timbre = float(np.sqrt(np.sum((a.cepstrum - b.cepstrum) ** 2)))
    pitch = 40.0 * abs(a.pitch - b.pitch)
    shorter = min(a.voiced_s, b.voiced_s)
    return (timbre + pitch) * float(np.sqrt(shorter / (shorter + 0.3)))


def count_voices(prints: Sequence[VoicePrint], apart: float) -> list[int]:
    """Which voice each print belongs to, by average-linkage clustering cut at a distance.

    Args:
        prints: one for each stretch.
        apart: stretches further apart than this, on average, are different voices.

    Returns:
        A number from 0 for each print, in order of first appearance.
    """
    if len(prints) < 2:  # noqa: PLR2004  nothing to compare
        return [0] * len(prints)
    from scipy.cluster.hierarchy import fcluster, linkage

    distances: list[Any] = [voice_distance(a, b) for i, a in enumerate(prints) for b in prints[i + 1 :]]
    found = fcluster(linkage(np.array(distances), "average"), apart, "distance")
    first_seen = {label: i for i, label in enumerate(dict.fromkeys(found.tolist()))}
    return [first_seen[label] for label in found.tolist()]
