"""Level, activity and spectral shape of a clip.

Samples are ``float32[n, channels]`` or ``float[n]`` at full scale 1.0, rates in Hz, levels in dB
relative to full scale (dBFS). A level is the mean square of the samples, so a full-scale sine is
at -3.01 dBFS (10·log10 0.5) and a full-scale square wave at 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from audiometry.errors import SilentAudioError

Samples: TypeAlias = npt.NDArray[np.floating[Any]]

FLOOR_DB = -120.0
"""What a frame without any signal counts as, dBFS: below the step of 16-bit samples, yet finite."""

_QUIETEST_DB = -75.0
_REACH_DB = 35.0
_ABOVE_NOISE_DB = 9.0
_BELOW_TOP_DB = 12.0


class Span(NamedTuple):
    """A stretch of time, seconds from the start of the clip."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


class SpectralShape(NamedTuple):
    """Where the energy of a stretch lies.

    Attributes:
        centroid_hz: mean frequency, weighted by power.
        spread_hz: standard deviation of frequency around it.
        rolloff_hz: 85 % of the power lies below.
        flatness: geometric over arithmetic mean of the power spectrum, 0 (a tone) to 1 (white noise).
        low_share: share of the power below 300 Hz, 0 to 1.
        high_share: share of the power above 4 kHz, 0 to 1.
    """

    centroid_hz: float
    spread_hz: float
    rolloff_hz: float
    flatness: float
    low_share: float
    high_share: float


def mono(samples: Samples) -> npt.NDArray[np.float64]:
    """The mean over channels, ``float64[n]``."""
    x = np.asarray(samples, dtype=np.float64)
    return x if x.ndim == 1 else x.mean(axis=1)


def level_dbfs(samples: Samples) -> float:
    """RMS level over the whole clip and all channels, dBFS.

    >>> import numpy as np
    >>> t = np.arange(16_000) / 16_000
    >>> round(level_dbfs(np.sin(2 * np.pi * 1000 * t)), 2)
    -3.01

    Raises:
        SilentAudioError: there are no samples, or all are zero.
    """
    x = np.asarray(samples, dtype=np.float64)
    power = float(np.mean(x * x)) if x.size else 0.0
    if power <= 0.0:
        raise SilentAudioError("the clip has no level: every sample is zero")
    return 10.0 * float(np.log10(power))


def peak_dbfs(samples: Samples) -> float:
    """The largest sample magnitude, dBFS.

    Raises:
        SilentAudioError: there are no samples, or all are zero.
    """
    peak = float(np.max(np.abs(samples))) if np.size(samples) else 0.0
    if peak <= 0.0:
        raise SilentAudioError("the clip has no peak: every sample is zero")
    return 20.0 * float(np.log10(peak))


def frames(x: npt.NDArray[np.float64], size: int, hop: int) -> npt.NDArray[np.float64]:
    """Overlapping frames, ``float64[m, size]``; a clip shorter than one frame is padded with zeros to one."""
    if len(x) < size:
        x = np.pad(x, (0, size - len(x)))
    cut: npt.NDArray[np.float64] = np.lib.stride_tricks.sliding_window_view(x, size)[::hop]
    return cut


def frame_levels(
    x: npt.NDArray[np.float64], rate: int, frame_s: float = 0.02, hop_s: float = 0.01
) -> npt.NDArray[np.float64]:
    """Level of each frame, dBFS, never below `FLOOR_DB`; frame ``i`` starts at ``i * hop_s`` seconds."""
    power = np.mean(frames(x, max(1, round(frame_s * rate)), max(1, round(hop_s * rate))) ** 2, axis=1)
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(np.maximum(power, 10.0 ** (FLOOR_DB / 10.0)))
    return levels


def active_spans(x: npt.NDArray[np.float64], rate: int, join_s: float = 0.2, shortest_s: float = 0.03) -> list[Span]:
    """Where the clip sounds: frames well above its own noise floor and within reach of its loudest parts.

    The threshold lies 9 dB above the 10th percentile of the frame levels, but at least 12 dB below
    and at most 35 dB below their 95th, so that a clip which sounds throughout is one span.

    Args:
        x: ``float64[n]``.
        rate: Hz.
        join_s: pauses shorter than this do not part two spans.
        shortest_s: shorter spans are dropped, unless nothing else is there.

    Returns:
        Spans in order; none for a clip without sound.
    """
    hop_s = 0.01
    levels = frame_levels(x, rate, hop_s=hop_s)
    floor, top = (float(v) for v in np.percentile(levels, [10, 98]))
    if top <= _QUIETEST_DB:
        top = float(levels.max())
        if top <= _QUIETEST_DB:
            return []
    threshold = max(top - _REACH_DB, min(floor + _ABOVE_NOISE_DB, top - _BELOW_TOP_DB), _QUIETEST_DB)
    loud = np.concatenate(([False], levels > threshold, [False]))
    edges = np.flatnonzero(np.diff(loud.astype(np.int8)))
    spans: list[Span] = []
    end_of_clip = len(x) / rate
    for first, past in zip(edges[::2], edges[1::2], strict=True):
        # a frame is 20 ms wide: its middle stands for it
        start = float(first) * hop_s + 0.005
        end = end_of_clip if past == len(levels) else min(float(past) * hop_s + 0.005, end_of_clip)
        if spans and start - spans[-1].end_s < join_s:
            spans[-1] = Span(spans[-1].start_s, end)
        else:
            spans.append(Span(0.0 if first == 0 else start, end))
    long = [s for s in spans if s.length_s >= shortest_s]
    return long or spans


def cut(x: npt.NDArray[np.float64], rate: int, span: Span) -> npt.NDArray[np.float64]:
    """The samples inside a span."""
    return x[max(0, round(span.start_s * rate)) : max(1, round(span.end_s * rate))]


def power_spectra(
    x: npt.NDArray[np.float64], rate: int, frame_s: float = 0.04, hop_s: float = 0.02
) -> npt.NDArray[np.float64]:
    """Hann-windowed power spectra, ``float64[m, size // 2 + 1]``; bin ``k`` is at ``k * rate / size`` Hz."""
    size = max(16, round(frame_s * rate))
    window = np.hanning(size + 1)[:-1]
    spectra: npt.NDArray[np.float64] = np.abs(
        np.fft.rfft(frames(x, size, max(1, round(hop_s * rate))) * window, axis=1)
    )
    return spectra**2


def spectral_shape(x: npt.NDArray[np.float64], rate: int) -> SpectralShape:
    """Shape of the long-term spectrum of a stretch.

    Raises:
        SilentAudioError: it has no energy above 20 Hz.
    """
    power = power_spectra(x, rate).mean(axis=0)
    hz = np.linspace(0.0, rate / 2, len(power))
    power = np.where(hz >= 20.0, power, 0.0)  # noqa: PLR2004  below hearing: offsets and rumble
    total = float(power.sum())
    if total <= 0.0:
        raise SilentAudioError("the clip has no spectrum: it holds no audible energy")
    share = power / total
    centroid = float(share @ hz)
    audible = power[hz >= 20.0]  # noqa: PLR2004
    floor = float(audible.max()) * 1e-10
    flatness = float(np.exp(np.mean(np.log(audible + floor))) / np.mean(audible + floor))
    return SpectralShape(
        centroid_hz=centroid,
        spread_hz=float(np.sqrt(share @ (hz - centroid) ** 2)),
        rolloff_hz=float(hz[min(int(np.searchsorted(np.cumsum(share), 0.85)), len(hz) - 1)]),
        flatness=flatness,
        low_share=float(share[hz < 300.0].sum()),  # noqa: PLR2004
        high_share=float(share[hz > 4000.0].sum()),  # noqa: PLR2004
    )
