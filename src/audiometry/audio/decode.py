"""Files to samples, block by block: WAV of 16 bits here, all else by libsndfile, on which no other reader rests.

Imported when first needed.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import soundfile

from audiometry.audio import mpeg, ogg, riff
from audiometry.audio.clip_file import opened
from audiometry.audio.info import AudioInfo
from audiometry.audio.mute import mute
from audiometry.errors import UnreadableAudioError

BLOCK: Final = 1 << 18
"""Samples read at a time, over all channels: 1 MB. Few calls a clip, so that threads seldom wait for each other."""

_IN_A_FILE: Final = 1 << 26
"""Bytes up to which the library is given a file, which is a copy; more than that it reads through Python."""

_UNKNOWN_LENGTH: Final = 1 << 62
_NAMES: Final = {"WAVEX": "wav", "NIST": "sph"}
_SHORT_OF: Final = re.compile(r"(?im)^\s*(ssnd|data size|riff size|riff|data)\s*: (\d+) \(should be (\d+)\)")
_EXACT: Final = frozenset({"wav", "flac", "aiff", "au", "caf", "w64", "rf64"})


class _Forward(soundfile.SoundFile):  # type: ignore[misc]  # the library ships no types for its base
    """Read front to back: without the seek that the library does after every block."""

    def seekable(self) -> bool:
        return False


class _Bytes(io.BytesIO):
    """Bytes as a file of Python's in which a damaged header may ask for places before the start.

    An error in the library's callback would not be raised but printed, over the progress of a run.
    """

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return super().seek(max(0, offset) if whence == 0 else offset, whence)


@contextlib.contextmanager
def _as_file(data: bytes, file: int | None) -> Iterator[int | _Bytes]:
    """Bytes as what the library reads best, a descriptor; of very many bytes, or where there is none, Python's file.

    Through a file of Python's it calls back some 2,300 times for half a minute of MP3, and waits for the interpreter's
    lock each time, for which threads that convert side by side then fight.
    """
    if file is not None:
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    elif len(data) <= _IN_A_FILE and (copy := _nameless(data)) is not None:
        with copy:
            yield copy.fileno()
    else:
        yield _Bytes(data)


def _nameless(data: bytes) -> io.RawIOBase | None:
    """A file without a name, in memory where the system has that; None if there is no room or descriptor for one."""
    try:
        file = io.FileIO(_descriptor(), "r+")
    except OSError:
        return None
    with contextlib.suppress(OSError):
        if file.write(data) == len(data) and file.seek(0) == 0:
            return file
    file.close()
    return None


def _descriptor() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("audio")
    number, path = tempfile.mkstemp()
    os.unlink(path)  # noqa: PTH108  a plain name
    return number


@mute()
def describe(data: bytes, where: str, *, to_end: bool = True) -> AudioInfo | None:
    """What a file is, by libsndfile: any format but the plain WAV that needs no library; None if it knows it not.

    Raises:
        UnreadableAudioError: it ends before it should.
    """
    if data[:4] == b"OggS" and not ogg.ends_whole(data):
        raise UnreadableAudioError(f"{where}: truncated: its last Ogg page is cut; replace the file", "truncated")
    stream = mpeg.scan(data)
    if stream is not None and stream.cut:
        raise UnreadableAudioError(f"{where}: truncated: {stream.cut}; replace the file", "truncated")
    try:
        with soundfile.SoundFile(_Bytes(data)) as f:
            info = _info(f)
            _refuse_short(f, info, where, to_end=to_end)
    except soundfile.SoundFileError:
        return None
    if info.frames >= _UNKNOWN_LENGTH:
        return _with_frames(info, sum(len(b) for b in blocks(data, info, where)), plain=info.plain)
    if stream is not None and info.format == "mp3" and stream.misleads(info.frames):
        return _with_frames(info, stream.samples, plain=_counted_with_tags(data, info, stream))
    return info


@mute()
def stated(path: Path) -> AudioInfo | None:
    """What a file's header states, without reading the rest; None if it states no length or cannot be read."""
    try:
        with opened(path, str(path)) as (file, _), soundfile.SoundFile(file, closefd=False) as f:
            return _info(f) if f.frames < _UNKNOWN_LENGTH else None
    except (soundfile.SoundFileError, UnreadableAudioError):
        return None


def _info(f: soundfile.SoundFile) -> AudioInfo:
    return AudioInfo(
        format=_format(f),
        subtype=f.subtype,
        rate=f.samplerate,
        channels=f.channels,
        frames=f.frames,
        plain=f.format != "WAVEX" and (f.format != "WAV" or f.subtype == "PCM_16"),
    )


def _with_frames(info: AudioInfo, frames: int, *, plain: bool) -> AudioInfo:
    return AudioInfo(
        format=info.format, subtype=info.subtype, rate=info.rate, channels=info.channels, frames=frames, plain=plain
    )


def _counted_with_tags(data: bytes, info: AudioInfo, stream: mpeg.Stream) -> bool:
    """Whether the library expects too much only because it takes the tags before the frames for frames too."""
    if not stream.start or info.frames < stream.samples:
        return False
    with soundfile.SoundFile(_Bytes(data[stream.start :])) as f:
        return not stream.misleads(f.frames)


def _format(f: soundfile.SoundFile) -> str:
    if f.format == "MP3" and f.subtype != "MPEG_LAYER_III":
        return "mp2" if f.subtype == "MPEG_LAYER_II" else "mp1"
    name: str = f.format
    return _NAMES.get(name, name.lower())


def _refuse_short(f: soundfile.SoundFile, info: AudioInfo, where: str, *, to_end: bool) -> None:
    """Raise if the header promises more than the file holds."""
    for _, stated, there in _SHORT_OF.findall(f.extra_info):
        if int(there) < int(stated) < riff.ENDLESS:
            raise UnreadableAudioError(
                f"{where}: truncated: its header promises {stated} bytes, {there} are there; replace the file",
                "truncated",
            )
    if to_end and info.format == "flac" and info.frames < _UNKNOWN_LENGTH:
        try:
            f.seek(info.frames - 1)
            last = len(f.read(1, dtype="float32"))
        except soundfile.SoundFileError:
            last = 0
        if not last:
            raise UnreadableAudioError(
                f"{where}: truncated: its header promises {info.duration_s:.2f} s, its end is missing; "
                "replace the file",
                "truncated",
            )


def blocks(
    data: bytes, info: AudioInfo, where: str, size: int = 0, *, file: int | None = None
) -> Iterator[npt.NDArray[np.float32]]:
    """The samples in order, float32 of shape (≤ size, channels), full scale -1 to 1; the next ones take their place.

    Args:
        data: the file's bytes.
        info: what `inspect` said of them.
        where: what error messages call it.
        size: frames a block; 0 for `BLOCK` divided by the channels.
        file: descriptor of the file, if it is open.

    Raises:
        UnreadableAudioError: damaged, shorter than the header says, or with samples that are not numbers.
    """
    if info.format == "wav" and data[:4] == b"RIFF" and (header := riff.parse(data, where)).subtype == "PCM_16":
        yield from _pcm16(data, header, info.frames, size)
        return
    size, done = size or max(1024, BLOCK // info.channels), 0
    whole, lead = _decodable(data, info, where)
    try:
        own = file if whole is data else None
        with mute(), _as_file(whole, own) as opened, _Forward(opened, closefd=False) as f:
            if (f.samplerate, f.channels) != (info.rate, info.channels):
                raise UnreadableAudioError(
                    f"{where}: damaged: its header says {info.channels} channels at {info.rate} Hz, its samples "
                    f"{f.channels} at {f.samplerate} Hz; replace the file",
                    "damaged",
                )
            room = np.empty((size, info.channels), dtype=np.float32)
            f.read(lead, dtype="float32")
            while True:
                block = room[: len(f.read(out=room))]
                if len(block):
                    _refuse_not_numbers(block, done, info, where)
                    done += len(block)
                    yield block
                if len(block) < size:
                    break
    except soundfile.SoundFileError as e:
        raise UnreadableAudioError(
            f"{where}: damaged: decoding stops after {done / info.rate:.2f} s of {info.duration_s:.2f} s; "
            "replace the file",
            "damaged",
        ) from e
    short = info.frames - done
    if done == 0 or (info.frames < _UNKNOWN_LENGTH and short > (0 if info.format in _EXACT else mpeg.TOLERANCE)):
        raise UnreadableAudioError(
            f"{where}: truncated: {done / info.rate:.2f} s of {info.duration_s:.2f} s can be decoded; replace the file",
            "truncated",
        )


def _pcm16(data: bytes, header: riff.WavHeader, frames: int, size: int) -> Iterator[npt.NDArray[np.float32]]:
    """The same of samples that lie in the file as they are, for which the library takes ten times as long."""
    size = size or max(1024, BLOCK // 8 // header.channels)  # what stays in the processor's cache
    whole = np.frombuffer(data, "<i2", frames * header.channels, header.start).reshape(-1, header.channels)
    room = np.empty((min(size, frames), header.channels), dtype=np.float32)
    for at in range(0, frames, size):
        part = whole[at : at + size]
        yield np.multiply(part, np.float32(1 / 32768), out=room[: len(part)])


def _decodable(data: bytes, info: AudioInfo, where: str) -> tuple[bytes, int]:
    """The same audio with a header that does not make libsndfile stop early, and samples before it that are not its."""
    if info.plain:
        return data, 0
    if info.format == "wav" and data[:4] == b"RIFF":
        header = riff.parse(data, where)
        return (riff.closed(data, header) if header.open_ended else data), 0
    return mpeg.led_in(data) if info.format == "mp3" else (data, 0)


def _refuse_not_numbers(block: npt.NDArray[np.float32], before: int, info: AudioInfo, where: str) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(np.vdot(block, block))
    if math.isfinite(total):
        return  # the quick look: a sum of squares is finite only if every part of it is
    bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
    if len(bad):
        at = (before + int(bad[0])) / info.rate
        raise UnreadableAudioError(
            f"{where}: samples that are not numbers (NaN or infinity), the first at {at:.3f} s; replace the file",
            "not-numbers",
        )
