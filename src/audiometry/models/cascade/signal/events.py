"""What kind of sound event a stretch is: tonal or noisy, one or many, sudden or slow. No training involved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audiometry.models.cascade.signal.frames import active_spans, frame_levels, spectral_shape
from audiometry.models.cascade.signal.pitch import track

_HOP_S = 0.01


class EventMeasures(NamedTuple):
    """Measures of a sound event.

    Attributes:
        tonal: share of the sounding frames with a period between 80 Hz and 3.5 kHz, 0 to 1.
        pitch_hz: median of those; 0 without any.
        pitch_span: octaves between their 10th and 90th percentile.
        glide: octaves that the pitch rises from the first to the last third; negative: it falls.
        bursts: how many sounds, parted by at least 50 ms.
        burst_s: median length of one, seconds.
        rate_hz: bursts a second; 0 for one.
        regularity: 1 for evenly spaced bursts, 0 for spacing as uneven as chance; 0 under three bursts.
        attack_s: from 20 dB below the loudest frame of the loudest burst up to it, seconds.
        decay_s: from there down by 20 dB or to the burst's end, seconds.
        swing_db: standard deviation of the level over the sounding frames.
        sounding_s: seconds of sound.
        centroid_hz, flatness, low_share, high_share: see `measure.SpectralShape`.
    """

    tonal: float
    pitch_hz: float
    pitch_span: float
    glide: float
    bursts: int
    burst_s: float
    rate_hz: float
    regularity: float
    attack_s: float
    decay_s: float
    swing_db: float
    sounding_s: float
    centroid_hz: float
    flatness: float
    low_share: float
    high_share: float


def measure_events(x: npt.NDArray[np.float64], rate: int) -> EventMeasures | None:
    """Measures of all that sounds in a stretch; None where nothing does.

    Args:
        x: ``float64[n]``.
        rate: Hz.
    """
    spans = active_spans(x, rate, join_s=0.05, shortest_s=0.02)
    if not spans:
        return None
    levels = frame_levels(x, rate, hop_s=_HOP_S)
    sounding = np.zeros(len(levels), dtype=bool)
    for s in spans:
        sounding[int(s.start_s / _HOP_S) : max(int(s.start_s / _HOP_S) + 1, int(s.end_s / _HOP_S))] = True
    tonal, hz = _tones(x, rate, sounding)
    low, middle, high = (float(v) for v in np.percentile(hz, [10, 50, 90])) if len(hz) else (1.0, 0.0, 1.0)
    third = len(hz) // 3
    glide = float(np.median(np.log2(hz[-third:])) - np.median(np.log2(hz[:third]))) if third else 0.0
    starts = np.array([s.start_s for s in spans])
    gaps = np.diff(starts)
    at = [(int(s.start_s / _HOP_S), max(1, int(s.length_s / _HOP_S))) for s in spans]
    peaks = [float(np.max(levels[first : first + count])) for first, count in at]
    first, count = at[int(np.argmax(peaks))]
    attack, decay = _edges(levels, first, count)
    shape = spectral_shape(x, rate)
    return EventMeasures(
        tonal=tonal,
        pitch_hz=middle,
        pitch_span=float(np.log2(high / low)),
        glide=glide,
        bursts=len(spans),
        burst_s=float(np.median([s.length_s for s in spans])),
        rate_hz=float((len(spans) - 1) / (starts[-1] - starts[0])) if len(spans) > 1 else 0.0,
        regularity=max(0.0, 1.0 - float(np.std(gaps)) / float(np.mean(gaps))) if len(gaps) > 1 else 0.0,
        attack_s=attack,
        decay_s=decay,
        swing_db=float(np.std(levels[sounding])),
        sounding_s=float(sum(s.length_s for s in spans)),
        centroid_hz=shape.centroid_hz,
        flatness=shape.flatness,
        low_share=shape.low_share,
        high_share=shape.high_share,
    )


def _tones(
    x: npt.NDArray[np.float64], rate: int, sounding: npt.NDArray[np.bool_]
) -> tuple[float, npt.NDArray[np.float64]]:
    """Share of the sounding frames that have a pitch, and those pitches, Hz."""
    tracked = track(x, rate, lowest_hz=80.0, highest_hz=min(3500.0, rate / 4.5), hop_s=_HOP_S)
    frames = np.minimum((tracked.times_s / _HOP_S).astype(int), len(sounding) - 1)
    inside = sounding[frames]
    pitched = inside & (tracked.hz > 0)
    return float(pitched.sum() / max(1, inside.sum())), tracked.hz[pitched]


def _edges(levels: npt.NDArray[np.float64], first: int, count: int) -> tuple[float, float]:
    """Seconds that the loudest burst takes to rise by its last 20 dB, and to fall by 20 dB."""
    burst = levels[first : first + count]
    top = int(burst.argmax())
    before = np.flatnonzero(burst[: top + 1] < burst[top] - 20.0)
    after = np.flatnonzero(burst[top:] < burst[top] - 20.0)
    attack = top - int(before[-1]) if len(before) else top
    decay = int(after[0]) if len(after) else len(burst) - top
    return attack * _HOP_S, decay * _HOP_S
