"""A recording as a browser or a phone sends it: any container that people have, decoded, measured, made lossless.

Bytes of strangers meet a large decoder here, so it is told beforehand which demultiplexer and which decoders may run
(FFmpeg guesses from content otherwise, and some formats name other files and addresses), and whoever serves a page
has it work in a process of its own (`web.decoding`).
"""

from __future__ import annotations

import io
import math
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from audiometry.audio.clip import Clip
from audiometry.bench.check_audio import CLIPPED, SILENT
from audiometry.errors import TooLargeAudioError, TooLongAudioError, TooShortAudioError, UnreadableAudioError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PEAK_DBFS: Final = -1.0
"""Where normalising puts the highest peak."""
MOST_GAIN_DB: Final = 30.0
"""The most that normalising adds: what is quieter than that is noise rather than a voice."""
RATES: Final = (4_000, 192_000)
CHANNELS: Final = 2
_STREAMS: Final = 8
_SKIPPED: Final = 8
"""Packets without samples before the first sample: MP3 and AAC that were cut out of a longer stream begin so."""
_SLACK_S: Final = 0.25
"""A recorder that is stopped at the limit writes its last blocks after it."""
_DECODERS: Final = (
    "opus,libopus,vorbis,libvorbis,aac,aac_fixed,alac,flac,mp3,mp3float,"
    "pcm_u8,pcm_s16le,pcm_s24le,pcm_s32le,pcm_f32le,pcm_f64le,pcm_alaw,pcm_mulaw"
)
_FULL_SCALE: Final = 32767 / 32768


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken of a stranger.

    Attributes:
        bytes: of the file as it is sent.
        longest_s, shortest_s: seconds of sound.
        decode_s: seconds that decoding may take.
    """

    bytes: int = 24_000_000
    longest_s: float = 60.0
    shortest_s: float = 0.1
    decode_s: float = 20.0


LIMITS: Final = Limits()
DAMAGED: Final = "the recording is damaged and cannot be decoded; record again"


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What a recording is, before anything was done to its level.

    Attributes:
        kind: container and codec as they were sent: ``webm/opus``.
        duration_s: seconds.
        rate: samples a second, Hz.
        channels: 1 or 2.
        peak_dbfs: highest sample, dB re full scale; above 0 where a lossy coder overshot; None: all are zero.
        level_dbfs: root mean square of all samples, dB re full scale; None: all are zero.
        silent: there is nothing to hear in it.
        clipped: so many samples lie flat at full scale that it sounds distorted.
        gain_db: what was added to all of it, dB.
    """

    kind: str
    duration_s: float
    rate: int
    channels: int
    peak_dbfs: float | None
    level_dbfs: float | None
    silent: bool
    clipped: bool
    gain_db: float = 0.0


def heard(
    data: bytes, limits: Limits = LIMITS, *, normalise: bool = False, clock: Callable[[], float] = time.monotonic
) -> tuple[bytes, Heard]:
    """A recording as it is kept, FLAC of 16 bits without any of its metadata, and what it is.

    The same samples give the same bytes. Rate and channels stay. Peaks above full scale lower all of it, as
    `audio.prepare` does. What the sender calls its type is not asked.

    Args:
        data: the file.
        limits: what is taken.
        normalise: bring the highest peak to `PEAK_DBFS`, by `MOST_GAIN_DB` at most; silence stays silence.
        clock: seconds.

    Raises:
        UnreadableAudioError: empty, not audio, damaged, or with more streams, channels or a rate than is taken.
        TooLargeAudioError, TooLongAudioError, TooShortAudioError: beyond the limits; found as soon as it can be.
    """
    import numpy as np

    from audiometry.audio.encode import encode
    from audiometry.bench.check_clip import Measures

    if len(data) > limits.bytes:
        raise TooLargeAudioError(f"the recording has more than {limits.bytes / 1e6:g} MB; record or send a shorter one")
    kind, clip = _decoded(data, limits, clock)
    measures = Measures(clip.channels)
    measures.add(clip.samples)
    wide = clip.samples.astype(np.float64)
    level = math.sqrt(float(np.vdot(wide, wide)) / wide.size)
    gain = _gain(measures.peak, normalise=normalise)
    made = clip if gain == 1.0 else Clip(samples=clip.samples * np.float32(gain), rate=clip.rate)
    return encode(made, "flac"), Heard(
        kind=kind,
        duration_s=clip.duration_s,
        rate=clip.rate,
        channels=clip.channels,
        peak_dbfs=_db(measures.peak),
        level_dbfs=_db(level),
        silent=measures.peak <= SILENT,
        clipped=measures.clipped > CLIPPED * clip.samples.size,
        gain_db=_db(gain) or 0.0,
    )


def _db(value: float) -> float | None:
    return round(20 * math.log10(value), 2) if value > 0 else None


def _gain(peak: float, *, normalise: bool) -> float:
    if normalise and peak > SILENT:
        return min(10 ** (PEAK_DBFS / 20) / peak, 10 ** (MOST_GAIN_DB / 20))
    return min(1.0, _FULL_SCALE / peak) if peak > 1.0 else 1.0


def sniffed(data: bytes) -> str:
    """The demultiplexer for a file by its first bytes, as FFmpeg names it; empty: none of those that are read here."""
    head = data[:16]
    if head[4:8] == b"ftyp":
        return "mov"
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "wav"
    for mark, name in ((b"\x1aE\xdf\xa3", "matroska"), (b"OggS", "ogg"), (b"fLaC", "flac"), (b"ID3", "mp3")):
        if head.startswith(mark):
            return name
    if re.match(rb"\xff[\xf0\xf1\xf8\xf9]", head):
        return "aac"
    return "mp3" if re.match(rb"\xff[\xe2-\xff]", head) else ""


def _decoded(data: bytes, limits: Limits, clock: Callable[[], float]) -> tuple[str, Clip]:
    import av
    import numpy as np
    from av.error import FFmpegError

    if not data:
        raise UnreadableAudioError("the recording is empty (0 bytes); record again", "empty")
    form = sniffed(data)
    if not form:
        raise UnreadableAudioError(
            "this is no recording that is read here; send WebM, Ogg, MP4 or M4A, WAV, FLAC or MP3", "not-audio"
        )
    options = {"codec_whitelist": _DECODERS, "format_whitelist": form, "max_streams": str(_STREAMS)}
    end = clock() + limits.decode_s
    try:
        with av.open(io.BytesIO(data), format=form, container_options=options, metadata_errors="ignore") as container:
            stream = _stream(container)
            blocks = list(_blocks(container, stream, limits, end, clock))
            name = f"{_KINDS.get(form, form)}/{stream.codec_context.name.partition('_')[0].removesuffix('float')}"
            rate = stream.codec_context.sample_rate
    except (FFmpegError, ValueError, OverflowError, LookupError, TypeError, AttributeError) as problem:
        raise UnreadableAudioError(
            "the recording is damaged and cannot be decoded; record again", "damaged"
        ) from problem
    samples = np.concatenate(blocks, axis=1).T if blocks else np.zeros((0, 1), np.float32)
    clip = Clip(samples=np.ascontiguousarray(samples, np.float32), rate=rate)
    if clip.frames < limits.shortest_s * rate:
        raise TooShortAudioError(
            f"the recording lasts {clip.duration_s:.2f} s, which is too short to say anything; record again"
        )
    if not np.isfinite(clip.samples).all():
        raise UnreadableAudioError("the recording holds samples that are not numbers; record again", "not-numbers")
    return name, clip


_KINDS: Final = {"matroska": "webm", "mov": "mp4"}


def _stream(container: Any) -> Any:
    """The one stream of sound that there is; pictures beside it (covers, video) are left alone."""
    sounds = container.streams.audio
    if len(container.streams) >= _STREAMS or len(sounds) > 1:
        raise UnreadableAudioError("the recording holds several tracks; send a file with one", "streams")
    if not sounds or sounds[0].codec_context is None or sounds[0].codec_context.name not in _DECODERS.split(","):
        raise UnreadableAudioError("the file holds no sound that is read here; record again", "not-audio")
    codec = sounds[0].codec_context
    if not RATES[0] <= codec.sample_rate <= RATES[1] or not 1 <= codec.channels <= CHANNELS:
        raise UnreadableAudioError(
            f"the recording has {codec.channels} channels at {codec.sample_rate} Hz; send 1 or {CHANNELS} at "
            f"{RATES[0]} to {RATES[1]} Hz",
            "shape",
        )
    return sounds[0]


def _blocks(
    container: Any, stream: Any, limits: Limits, end: float, clock: Callable[[], float]
) -> Iterator[npt.NDArray[np.float32]]:
    """The samples in order, float32 of shape (channels, frames), as many as the limits let through."""
    import av
    import numpy as np
    from av.error import InvalidDataError

    codec = stream.codec_context
    shape, resampler = (codec.sample_rate, codec.channels), av.AudioResampler(format="fltp")
    most, frames, skipped = (limits.longest_s + _SLACK_S) * codec.sample_rate, 0, 0
    for packet in container.demux(stream):
        if clock() > end:
            raise TooLargeAudioError("the recording takes too long to decode; record again")
        try:
            decoded = packet.decode()
        except InvalidDataError:
            skipped += 1
            if frames or skipped > _SKIPPED:
                raise
            continue
        for frame in decoded:
            if (frame.sample_rate, len(frame.layout.channels)) != shape:
                raise UnreadableAudioError("the recording changes its rate or channels midway; record again", "shape")
            for block in resampler.resample(frame):
                frames += block.samples
                if frames > most:
                    raise TooLongAudioError(
                        f"the recording lasts more than {limits.longest_s:g} s; record or send a shorter one"
                    )
                yield block.to_ndarray().astype(np.float32, copy=False)
