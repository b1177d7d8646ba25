"""The clips of a benchmark as files, each written once and named after its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from audiometry.audio.clip_file import read_file
from audiometry.builder.clip import Recording, SourceClip
from audiometry.errors import AudioError
from audiometry.files import atomic

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FOLDER: Final = "audio"
NAMED: Final = 16  # hexadecimal digits of its hash that a file is named after


class AudioFile(msgspec.Struct, frozen=True):
    """A clip as a file: its name in the benchmark and the hash of its bytes."""

    name: str
    sha256: str


def written(folder: Path, clips: Sequence[SourceClip]) -> Iterator[tuple[SourceClip, AudioFile | AudioError]]:
    """Write clips of one recording: byte for byte where it is whole, else cut out, as 16-bit WAV.

    Memory holds the recording's file and the spans that overlap.

    Args:
        folder: of the benchmark.
        clips: of one recording.

    Returns:
        Each clip with its file, or why there is none.
    """
    recording = clips[0].recording
    try:
        data = _bytes(recording)
        for clip in (one for one in clips if one.whole):
            yield clip, _kept(folder, data, recording.form)
        cut = [one for one in clips if not one.whole]
        if cut:
            yield from _cut(folder, data, recording, cut)
    except AudioError as problem:
        yield from ((clip, problem) for clip in clips)


def _bytes(recording: Recording) -> bytes:
    data = read_file(recording.source.clip_path(recording.name), where=recording.name)
    if hashlib.sha256(data).hexdigest() != recording.sha256:
        raise AudioError(f"{recording.name} has changed while it was built from; run the same command again")
    return data


def _kept(folder: Path, data: bytes, form: str) -> AudioFile:
    sha256 = hashlib.sha256(data).hexdigest()
    name = f"{FOLDER}/{sha256[:NAMED]}.{form}"
    path = folder / name
    if not path.is_file() or path.stat().st_size != len(data):
        atomic.write_parts(path, (data,), durable=False)
    return AudioFile(name, sha256)


def _cut(
    folder: Path, data: bytes, recording: Recording, clips: Sequence[SourceClip]
) -> Iterator[tuple[SourceClip, AudioFile]]:
    import numpy as np

    from audiometry.audio import decode
    from audiometry.audio.encode import encoder, to_pcm16
    from audiometry.audio.inspect import inspect

    info = inspect(data, recording.name)

    def finished(clip: SourceClip, parts: list[npt.NDArray[np.int16]]) -> AudioFile:
        file = encoder("wav", info.rate, 1 if clip.channel else info.channels)
        file.write(np.concatenate(parts))
        return _kept(folder, file.finish(), "wav")

    ahead = sorted(clips, key=_frames, reverse=True)
    under_way: list[tuple[SourceClip, list[npt.NDArray[np.int16]]]] = []
    at = 0
    for block in decode.blocks(data, info, recording.name):
        end = at + len(block)
        while ahead and _frames(ahead[-1])[0] < end:
            under_way.append((ahead.pop(), []))
        pcm = to_pcm16(block) if under_way else None
        still = []
        for clip, parts in under_way:
            first, last = _frames(clip)
            if pcm is not None:
                part = pcm[max(0, first - at) : last - at]
                parts.append(part[:, clip.channel - 1 : clip.channel] if clip.channel else part)
            if last > end:
                still.append((clip, parts))
                continue
            yield clip, finished(clip, parts)
        under_way, at = still, end
    for clip, parts in under_way:  # of a lossy file whose header promises a little more than there is
        yield clip, finished(clip, parts)


def _frames(clip: SourceClip) -> tuple[int, int]:
    """First frame of a clip, and the one after its last."""
    recording = clip.recording
    begin, end = clip.span or (0.0, recording.duration_s)
    first = min(round(begin * recording.rate), recording.frames - 1)
    return first, max(first + 1, min(round(end * recording.rate), recording.frames))
