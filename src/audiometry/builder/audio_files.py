"""The clips of a benchmark as files, each written once and named after its content."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audiometry.audio.clip_file import called, opened
from audiometry.builder.clip import Recording, SourceClip
from audiometry.errors import AudioError
from audiometry.files import atomic
from audiometry.files.build_folder import KeptClip
from audiometry.files.stamp import stat_of
from audiometry.programs.parallel import processors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from audiometry.audio.clip import Clip

FOLDER: Final = "audio"
NAMED: Final = 16  # hexadecimal digits of its hash that a file is named after


def written(
    folder: Path, by_recording: Iterable[Sequence[SourceClip]]
) -> Iterator[list[tuple[SourceClip, KeptClip | AudioError]]]:
    """Write clips: byte for byte where they are whole, else cut out, as 16-bit WAV.

    Memory holds the spans of a recording that overlap, for each processor; its file is mapped.

    Args:
        folder: of the benchmark.
        by_recording: clips of one recording after the other.

    Returns:
        By recording, each clip with its file, or why there is none.
    """
    with ThreadPoolExecutor(processors()) as pool:
        yield from pool.map(lambda clips: list(_written(folder, clips)), by_recording)


def _written(folder: Path, clips: Sequence[SourceClip]) -> Iterator[tuple[SourceClip, KeptClip | AudioError]]:
    recording = clips[0].recording
    try:
        with _mapped(recording) as (data, file):
            for clip in (one for one in clips if one.whole):
                yield clip, _kept(folder, clip, data, recording.form, recording.sha256)
            if cut := [one for one in clips if not one.whole]:
                yield from _cut(folder, data, file, recording, cut)
    except AudioError as problem:
        yield from ((clip, problem) for clip in clips)


def read(clip: SourceClip, where: str) -> Clip:
    """The samples of a clip, of whose recording no more is decoded than up to its end.

    Args:
        clip: any.
        where: what error messages call it.

    Raises:
        AudioError: its recording is not what was read before, or cannot be read.
    """
    import numpy as np

    from audiometry.audio import decode
    from audiometry.audio.clip import Clip
    from audiometry.audio.inspect import inspect

    first, last = frames_of(clip) if clip.span else (0, sys.maxsize)
    parts: list[npt.NDArray[np.float32]] = []
    at = 0
    with _mapped(clip.recording) as (data, file):
        info = inspect(data, where)
        for block in decode.blocks(data, info, where, file=file):
            if at + len(block) > first:
                parts.append(block[max(0, first - at) : last - at].copy())
            at += len(block)
            if at >= last:
                break
    if not parts:
        raise AudioError(f"{where} ends before its header says, at {at / info.rate:.2f} s; correct the times")
    samples = np.concatenate(parts)
    return Clip(samples[:, clip.channel - 1 : clip.channel] if clip.channel else samples, info.rate)


@contextlib.contextmanager
def _mapped(recording: Recording) -> Iterator[tuple[bytes, int]]:
    """A recording's bytes, mapped and so in no memory, and its descriptor; an AudioError if they are others now."""
    with opened(recording.source.clip_path(recording.name), called(recording.name)) as (file, size):
        changed = AudioError(f"{recording.name} has changed while it was built from; run the same command again")
        if not size:
            raise changed
        with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as data:
            if stat_of(file) != recording.stat and hashlib.sha256(data).hexdigest() != recording.sha256:
                raise changed
            yield data, file  # type: ignore[misc]  # read like bytes


def _kept(folder: Path, clip: SourceClip, data: bytes, form: str, sha256: str = "") -> KeptClip:
    sha256 = sha256 or hashlib.sha256(data).hexdigest()
    name = f"{FOLDER}/{sha256[:NAMED]}.{form}"
    path = folder / name
    if not path.is_file() or path.stat().st_size != len(data):
        atomic.write_parts(path, (data,), durable=False)
    return KeptClip(clip.key, name, sha256)


def _cut(
    folder: Path, data: bytes, file: int, recording: Recording, clips: Sequence[SourceClip]
) -> Iterator[tuple[SourceClip, KeptClip | AudioError]]:
    import numpy as np

    from audiometry.audio import decode
    from audiometry.audio.encode import encoder, to_pcm16
    from audiometry.audio.inspect import inspect

    info = inspect(data, recording.name)

    def finished(clip: SourceClip, parts: list[npt.NDArray[np.int16]]) -> KeptClip:
        sink = encoder("wav", info.rate, 1 if clip.channel else info.channels)
        sink.write(np.concatenate(parts))
        return _kept(folder, clip, sink.finish(), "wav")

    ahead = sorted(clips, key=frames_of, reverse=True)
    under_way: list[tuple[SourceClip, list[npt.NDArray[np.int16]]]] = []
    at = 0
    for block in decode.blocks(data, info, recording.name, file=file):
        end = at + len(block)
        while ahead and frames_of(ahead[-1])[0] < end:
            under_way.append((ahead.pop(), []))
        pcm = to_pcm16(block) if under_way else None
        still = []
        for clip, parts in under_way:
            first, last = frames_of(clip)
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
    for clip in ahead:
        yield (
            clip,
            AudioError(f"{recording.name} ends before its header says, at {at / info.rate:.2f} s; correct the times"),
        )


def frames_of(clip: SourceClip) -> tuple[int, int]:
    """First frame of a clip, and the one after its last."""
    recording = clip.recording
    begin, end = clip.span or (0.0, recording.duration_s)
    first = min(round(begin * recording.rate), recording.frames - 1)
    return first, max(first + 1, min(round(end * recording.rate), recording.frames))
