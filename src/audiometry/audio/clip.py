"""A clip: audio as a value."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt


class Clip(msgspec.Struct, frozen=True, eq=False):
    """Samples and their rate.

    Attributes:
        samples: float32 of shape (frames, channels); full scale is -1 to 1, but values beyond it may occur.
        rate: samples a second, Hz.
    """

    samples: npt.NDArray[np.float32]
    rate: int

    @property
    def frames(self) -> int:
        """How many samples each channel has."""
        return int(self.samples.shape[0])

    @property
    def channels(self) -> int:
        """How many channels."""
        return int(self.samples.shape[1])

    @property
    def duration_s(self) -> float:
        """Length, seconds."""
        return self.frames / self.rate

    def mono(self) -> npt.NDArray[np.float32]:
        """The mean of the channels, float32 of shape (frames,)."""
        return average(self.samples)[:, 0]


def average(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The mean of the channels, float32 of shape (frames, 1).

    Column by column: several times faster than numpy's mean over so short an axis.
    """
    if samples.shape[1] == 1:
        return samples
    if samples.shape[1] == 2:  # noqa: PLR2004  stereo, what most recordings are: the same values in half the time
        mean: npt.NDArray[np.float32] = samples[:, :1] + samples[:, 1:]
        mean *= np.float32(0.5)
        return mean
    weight = np.float32(1 / samples.shape[1])
    out = samples[:, :1] * weight
    for channel in range(1, samples.shape[1]):
        out += samples[:, channel : channel + 1] * weight
    return out


def at_rate(clip: Clip, rate: int) -> Clip:
    """The same sound at another rate (soxr, HQ); what is above half of a lower rate is lost."""
    if rate == clip.rate:
        return clip
    import soxr

    samples: npt.NDArray[np.float32] = soxr.resample(clip.samples, clip.rate, rate, quality="HQ")
    return Clip(samples=samples, rate=rate)


def read(source: str | Path | bytes, *, where: str = "") -> Clip:
    """Decode a whole clip, at its own rate and with its own channels.

    Args:
        source: a path, or the bytes of a file; what it is, its content says and not its name.
        where: what error messages call it; the path if empty.

    Raises:
        UnreadableAudioError: missing, empty, truncated, not audio, or with samples that are not numbers.
    """
    from audiometry.audio.clip_file import read_file
    from audiometry.audio.decode import blocks
    from audiometry.audio.inspect import inspect

    data = source if isinstance(source, bytes) else read_file(source, where=where)
    where = where or ("audio" if isinstance(source, bytes) else str(source))
    info = inspect(data, where)
    samples = np.empty((info.frames, info.channels), dtype=np.float32)
    at = 0
    for block in blocks(data, info, where):
        samples[at : at + len(block)] = block
        at += len(block)
    return Clip(samples=samples[:at], rate=info.rate)
