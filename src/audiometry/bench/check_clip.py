"""One clip, decoded to its end and measured."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from audiometry.audio.clip_file import called, opened, read_file
from audiometry.audio.info import AudioInfo
from audiometry.audio.inspect import inspect
from audiometry.errors import UnreadableAudioError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_FULL_SCALE: Final = {"PCM_U8": 127 / 128, "PCM_S8": 127 / 128, "ULAW": 32124 / 32768, "ALAW": 32256 / 32768}
_FULL_SCALE_16: Final = 32767 / 32768
RUN: Final = 3
"""Samples in a row at full scale that count as clipped; single ones are what normalising to the peak leaves."""


class ClipFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a clip.

    Attributes:
        name: as the items name it.
        path: the file that was read.
        flaw: why it could not be read to its end; empty if it could. Then the measures below are 0.
        message: the same as a sentence.
        bytes: size of the file.
        sha256: of the file, hexadecimal; empty if it could not be read.
        content: sha256 of rate, channels and decoded samples: equal for a WAV and its FLAC copy.
        info: what the file is; None if it could not be told.
        peak: largest absolute sample; 1 is full scale.
        offset: the mean of the channel whose mean is farthest from 0.
        clipped: samples (over all channels) in runs of `RUN` or more at or beyond full scale.
        samples: samples over all channels; 0 if the clip was not decoded.
        left: power of the channels' mean relative to the mean of their powers, 0 to 1; 1 for mono and for silence.
        ends: whether the file shows that it is complete; not so for an Ogg stream without its end mark.
    """

    name: str
    path: str
    flaw: str = ""
    message: str = ""
    bytes: int = 0
    sha256: str = ""
    content: str = ""
    info: AudioInfo | None = None
    peak: float = 0.0
    offset: float = 0.0
    clipped: int = 0
    samples: int = 0
    left: float = 1.0
    ends: bool = True


def examine(name: str, path: Path) -> ClipFacts:
    """Read, decode and measure a clip; what cannot be read is said, not raised. Memory: the file and one block."""
    from audiometry.audio import ogg

    facts = ClipFacts(name=name, path=str(path))
    try:
        data = read_file(path, where=name)
    except UnreadableAudioError as e:
        return msgspec.structs.replace(facts, flaw=e.flaw, message=str(e))
    facts = msgspec.structs.replace(facts, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    try:
        info = inspect(data, name)
        measures = Measures(info.channels, info)
        _measure(data, info, name, measures)
    except UnreadableAudioError as e:
        return msgspec.structs.replace(facts, flaw=e.flaw, message=str(e))
    return msgspec.structs.replace(
        facts,
        info=info,
        content=measures.content.hexdigest(),
        peak=measures.peak,
        offset=measures.offset(),
        clipped=measures.clipped,
        samples=measures.frames * info.channels,
        left=measures.left(),
        ends=info.format != "ogg" or ogg.ends_marked(data),
    )


def examine_header(name: str, path: Path) -> ClipFacts:
    """Read what a clip's header and tail say, without decoding it: no measures, no hashes."""
    import mmap

    from audiometry.audio import ogg

    facts = ClipFacts(name=name, path=str(path))
    try:
        with opened(path, called(name)) as (file, size):
            if not size:
                read_file(path, where=name)
            with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as data:
                info = inspect(data, name)  # type: ignore[arg-type]  # read like bytes
                ends = info.format != "ogg" or ogg.ends_marked(data[-(1 << 16) :])
    except UnreadableAudioError as e:
        return msgspec.structs.replace(facts, flaw=e.flaw, message=str(e))
    return msgspec.structs.replace(facts, bytes=size, info=info, ends=ends)


def _measure(data: bytes, info: AudioInfo, name: str, measures: Measures) -> None:
    from audiometry.audio.decode import blocks

    for block in blocks(data, info, name):
        measures.add(block)


class Measures:
    """Sums over the blocks of a clip.

    Args:
        channels: of every block.
        info: what its file is; None: it is none, but samples of 16 bits or more.
    """

    def __init__(self, channels: int, info: AudioInfo | None = None) -> None:
        self.content = hashlib.sha256(f"{info.rate if info else 0} {channels} ".encode())
        self.peak, self.frames, self.clipped = 0.0, 0, 0
        self._full = _FULL_SCALE.get(info.subtype, _FULL_SCALE_16) if info else _FULL_SCALE_16
        self._sums = [0.0] * channels
        self._open_runs = [0] * channels
        self._power = self._power_of_mean = 0.0

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """The next samples, float32 of shape (frames, channels)."""
        import numpy as np

        from audiometry.audio.clip import average

        self.content.update(block.data)
        self.frames += len(block)
        peak = max(float(block.max()), -float(block.min()))
        self.peak = max(self.peak, peak)
        for channel in range(block.shape[1]):
            one = block[:, channel]
            self._sums[channel] += float(one.sum(dtype=np.float64))
            if peak >= self._full or self._open_runs[channel]:
                self._count_runs(channel, np.abs(one) >= self._full)
        if block.shape[1] > 1:
            mean = average(block).astype(np.float64)
            self._power_of_mean += float(np.vdot(mean, mean))
            wide = block.astype(np.float64)
            self._power += float(np.vdot(wide, wide)) / block.shape[1]

    def _count_runs(self, channel: int, at_limit: npt.NDArray[np.bool_]) -> None:
        """Add the runs that are long enough; one that reaches the block's end is kept open for the next block."""
        import numpy as np

        steps = np.flatnonzero(np.diff(at_limit, prepend=False, append=False))
        starts, ends = steps[::2], steps[1::2]
        lengths = ends - starts
        before = self._open_runs[channel]
        counted = before if before >= RUN else 0
        self._open_runs[channel] = 0
        if len(starts) and starts[0] == 0:
            self.clipped -= counted
            lengths[0] += before
        self.clipped += int(lengths[lengths >= RUN].sum())
        if len(ends) and ends[-1] == len(at_limit):
            self._open_runs[channel] = int(lengths[-1])

    def offset(self) -> float:
        """The mean farthest from 0."""
        return max(self._sums, key=abs) / self.frames

    def left(self) -> float:
        """Power that averaging the channels leaves, 0 to 1."""
        return self._power_of_mean / self._power if self._power else 1.0
