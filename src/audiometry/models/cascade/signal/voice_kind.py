"""Is it speech, and does a person or a machine speak: two small logistic models over voice measures.

Fitted to: recorded telephone prompts in five languages, formant and diphone synthesisers (espeak-ng,
flite), single notes of a General MIDI sound font, and drum and synthesiser samples. They know no
other kind of synthesis: a neural voice passes for a person's. ``recipes/cascade`` fits them again.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal.frames import frame_levels
from audiometry.models.cascade.signal.pitch import track
from audiometry.models.cascade.signal.voice import VoiceMeasures, measure_voice, voiced_flux

SPEECH_WEIGHTS = (-3.742, 6.226, -1.461, -0.982, -1.979, 1.801, 1.153, -12.024, 2.4, 1.428, 1.407, -1.735, 0.17)
"""Of a constant and each of `speech_features`."""

MACHINE_WEIGHTS = (0.478, 5.46, -2.301, -5.308, -15.554, 10.874, 5.539, -1.761, 0.339, 0.009)
"""Of a constant and each of `machine_features`."""


def speech_likeness(v: VoiceMeasures, sounding_s: float) -> float:
    """How likely the measures are those of speech, 0 to 1; a held note, a drum and a machine are not.

    Args:
        v: of all that sounds in the clip.
        sounding_s: how long that is, seconds.
    """
    return _logistic(SPEECH_WEIGHTS, speech_features(v, sounding_s))


def speech_features(v: VoiceMeasures, sounding_s: float) -> tuple[float, ...]:
    """The twelve numbers that `speech_likeness` weighs: measures and logarithms of them, some squared.

    Args:
        v: of all that sounds in the clip.
        sounding_s: how long that is, seconds.
    """
    octave = math.log2(max(v.median_hz, 60.0) / 180.0)
    span = math.log2(v.high_hz / v.low_hz) if v.low_hz > 0 else 0.0
    flux, modulation = math.log(v.flux_db + 0.3), min(v.modulation_hz, 10.0) / 5.0
    return (
        v.voiced_share,
        v.voiced_share**2,
        octave,
        octave**2,
        min(span, 2.0),
        math.log(v.jitter + 0.001),
        min(v.aperiodicity, 0.5),
        flux,
        flux**2,
        modulation,
        modulation**2,
        math.log(sounding_s + 0.05),
    )


def machine_likeness(x: npt.NDArray[np.float64], rate: int) -> float | None:
    """How likely the voice is a synthesiser's, 0 to 1: its pitch is too smooth, its level too jumpy.

    Args:
        x: ``float64[n]``, what sounds of the clip, pauses removed.
        rate: Hz.

    Returns:
        None with less than about 0.1 s of voiced sound.
    """
    features = machine_features(x, rate)
    return None if features is None else _logistic(MACHINE_WEIGHTS, features)


def machine_features(x: npt.NDArray[np.float64], rate: int) -> tuple[float, ...] | None:
    """The nine numbers that `machine_likeness` weighs: how the pitch bends, how periodic, how steady the sound is.

    Args:
        x: ``float64[n]``, what sounds of the clip, pauses removed.
        rate: Hz.

    Returns:
        None with less than about 0.1 s of voiced sound.
    """
    hop_s = 0.005
    tracked = track(x, rate, hop_s=hop_s)
    levels = frame_levels(x, rate, 0.025, hop_s)
    count = min(len(levels), len(tracked.hz))
    voiced = (tracked.hz[:count] > 0) & (levels[:count] > levels.max() - 25.0)
    pitch = np.log(np.where(voiced, tracked.hz[:count], 1.0))
    run = voiced[2:] & voiced[1:-1] & voiced[:-2]
    bend = np.abs(pitch[2:] - 2.0 * pitch[1:-1] + pitch[:-2])[run]
    slope = np.abs(pitch[2:] - pitch[:-2])[run]
    smooth = slope < 0.1  # noqa: PLR2004  larger steps are octave slips
    if smooth.sum() < 20:  # noqa: PLR2004  0.1 s
        return None
    aperiodicity = tracked.aperiodicity[:count][voiced]
    measures = measure_voice(x, rate)
    return (
        math.log(float(np.median(bend[smooth])) + 1e-4),
        math.log(float(np.percentile(bend[smooth], 80)) + 1e-4),
        math.log(float(np.median(slope[smooth])) + 1e-4),
        float(np.median(aperiodicity)),
        float(np.percentile(aperiodicity, 10)),
        math.log(measures.shimmer_db + 0.1),
        voiced_flux(x, rate, voiced[::2]),
        measures.flux_db,
        measures.modulation_hz,
    )


def _logistic(weights: tuple[float, ...], features: tuple[float, ...]) -> float:
    total = weights[0] + sum(w * f for w, f in zip(weights[1:], features, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
