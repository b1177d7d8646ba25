"""A clip's file as a model takes it: sent byte for byte where it fits, else converted once, and said how."""

from __future__ import annotations

import contextlib
import hashlib
import math
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from audiometry.audio.clip_file import OpenFile, read_open
from audiometry.audio.info import AudioInfo
from audiometry.audio.inspect import inspect
from audiometry.audio.kept import KeptClips, key_of
from audiometry.audio.target import CUT, Target, passes, small_enough, target, with_room
from audiometry.errors import TooLongAudioError, TooShortAudioError, UnreadableAudioError
from audiometry.records import Audio, ModelCard

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_LARGE: Final = 1 << 24
"""Files above 16 MB are looked at before they are read into memory."""

_FULL_SCALE: Final = 1 + 2**-16
"""Peaks up to here, half a 16-bit step above 1, are full scale: rounding makes them."""

_CANCELLED: Final = 1e-4
"""Power left after averaging channels, below which they cancel (-40 dB)."""

_LOSSY: Final = {"mp3", "ogg"}

_DEPTHS: Final = {
    "PCM_U8": "8-bit", "PCM_S8": "8-bit", "PCM_24": "24-bit", "PCM_32": "32-bit", "FLOAT": "32-bit float",
    "DOUBLE": "64-bit float", "ULAW": "mu-law", "ALAW": "A-law", "IMA_ADPCM": "ADPCM", "MS_ADPCM": "ADPCM",
    "GSM610": "GSM",
}  # fmt: skip


def prepare(
    data: bytes,
    card: ModelCard,
    *,
    where: str,
    info: AudioInfo | None = None,
    file: OpenFile | None = None,
    kept: KeptClips | None = None,
) -> Audio:
    """Make of a file what a model takes.

    A file that fits is sent unchanged. Any other is decoded block by block, its channels averaged if there
    are too many, resampled (soxr, HQ), rounded to 16 bits without dither and encoded in the card's first
    format; as MP3, where the card has that, if a WAV would be too large for a request. Where the card says to cut,
    what stands beyond its longest clip is left out, and where it says to pad, silence follows a clip below its
    shortest; ``changes`` says so. Peaks above full scale
    lower the whole clip by as much as is needed, and ``changes`` says so: nothing is clipped. Memory: the output, and
    a few blocks.

    Args:
        data: bytes of the whole file.
        card: what the model takes.
        where: what error messages call the file.
        info: what `inspect` says of it, if that is known already.
        file: the file, if it is open: a decoder reads that faster than bytes, which count where it has changed since.
        kept: converted clips, of which it may be one, and will be.

    Raises:
        UnreadableAudioError: empty, truncated, damaged, not audio, or with samples that are not numbers.
        TooLongAudioError: longer than the model takes; found before anything is decoded.
        TooShortAudioError: shorter than the model takes.
        TooLargeAudioError: of more bytes than a request to the model may have.
        AudioError: the card asks for a format that is not written, or for a rate that its format does not have.
    """
    info = info or inspect(data, where, to_end=not card.formats or "flac" in card.formats)
    _refuse_too_long(info.duration_s, card, where)
    _refuse_too_short(info.duration_s, card, where)
    digest = hashlib.sha256(data).hexdigest()
    if passes(info, card, len(data)):
        return Audio(
            data=data,
            format=info.format,
            sha256=digest,
            file_sha256=digest,
            rate=info.rate,
            channels=info.channels,
            duration_s=info.duration_s,
        )
    card = with_room(info, card, where)
    key = key_of(digest, card) if kept is not None else ""
    if kept is not None and (found := kept.get(key)) is not None:
        return small_enough(found, card, where)
    made = msgspec.structs.replace(_of_those_bytes(_Source(data, info, where, file), card), file_sha256=digest)
    if kept is not None:
        kept.put(key, made)
    return small_enough(made, card, where)


def prepare_file(path: str | Path, card: ModelCard, *, where: str = "", kept: KeptClips | None = None) -> Audio:
    """Read a file and `prepare` it; of a large WAV, FLAC or Ogg file too long for the model only the header.

    Raises:
        UnreadableAudioError: missing, no file, not permitted, and all that `prepare` finds.
        ShortageError: see `read_file`.
        TooLongAudioError, TooShortAudioError: longer or shorter than the model takes.
        AudioError: the card cannot be met.
    """
    where = where or str(path)
    if card.longest_s is not None:
        _refuse_large(Path(path), card, where)
    with read_open(path, where=where) as (data, file):
        return prepare(data, card, where=where, file=file, kept=kept)


def _refuse_too_long(duration_s: float, card: ModelCard, where: str) -> None:
    if card.longest_s is not None and duration_s > card.longest_s and not card.cut:
        raise TooLongAudioError(
            f"{where}: lasts {duration_s:.2f} s, the model takes at most {card.longest_s:.2f} s; "
            "nothing is cut silently: shorten the clip or choose another model"
        )


def _refuse_too_short(duration_s: float, card: ModelCard, where: str) -> None:
    if card.shortest_s is not None and duration_s < card.shortest_s and not card.padded:
        raise TooShortAudioError(
            f"{where}: lasts {duration_s:.2f} s, the model takes {card.shortest_s:.2f} s at least; choose another model"
        )


def _refuse_large(path: Path, card: ModelCard, where: str) -> None:
    """Look at the header of a large file without reading the rest."""
    try:
        if path.stat().st_size <= _LARGE:
            return
        with path.open("rb") as f:
            head = f.read(4)
            if head == b"RIFF":
                with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                    info = inspect(whole, where)  # type: ignore[arg-type]  # sliced like bytes, read page by page
                    _refuse_too_long(info.duration_s, card, where)
            elif head in {b"fLaC", b"OggS"}:
                from audiometry.audio.decode import stated

                says = stated(path)
                _refuse_too_long(says.duration_s if says else 0.0, card, where)
    except (OSError, ValueError):
        return  # reading it will say what is wrong


class _Source(msgspec.Struct, frozen=True):
    data: bytes
    info: AudioInfo
    where: str
    file: OpenFile | None


def _of_those_bytes(source: _Source, card: ModelCard) -> Audio:
    """As `_converted`, but never what was written over the file between its hash and its samples."""
    if source.file is not None:
        with contextlib.suppress(UnreadableAudioError):
            made = _converted(source, card)
            if source.file.unchanged:
                return made
    return _converted(msgspec.structs.replace(source, file=None), card)


def _converted(source: _Source, card: ModelCard) -> Audio:
    info = source.info
    goal = target(info, card, source.where)
    gain = 1.0
    stream = _Stream(source, goal)
    encoded = _encoded(stream, goal, gain)
    if stream.peak > _FULL_SCALE:
        gain = 32767 / 32768 / stream.peak
        encoded = _encoded(_Stream(source, goal), goal, gain)
    if stream.frames == 0:
        raise UnreadableAudioError(
            f"{source.where}: too short: {info.frames} samples at {info.rate} Hz are none at {goal.rate} Hz; "
            "replace the file"
        )
    return Audio(
        data=encoded,
        format=goal.form,
        sha256=hashlib.sha256(encoded).hexdigest(),
        rate=goal.rate,
        channels=goal.channels,
        duration_s=stream.frames / goal.rate,
        changes=_changes(info, goal, gain, stream.left_after_averaging),
    )


def _encoded(stream: _Stream, target: Target, gain: float) -> bytes:
    from audiometry.audio.encode import encoder, to_pcm16

    sink = encoder(target.form, target.rate, target.channels)
    for block in stream:
        sink.write(to_pcm16(block if gain == 1.0 else block * block.dtype.type(gain)))
    return sink.finish()


class _Stream:
    """The samples in the target's rate and channels, and what was met on the way."""

    def __init__(self, source: _Source, target: Target) -> None:
        self._source, self._info, self._target = source, source.info, target
        self.peak, self.frames = 0.0, 0
        self._power_before = self._power_after = 0.0

    @property
    def left_after_averaging(self) -> float:
        """Power of the mean of the channels relative to the mean of their powers, 0 to 1."""
        return self._power_after / self._power_before if self._power_before else 1.0

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        most = self._target.frames
        for whole in self._resampled():
            block = whole if most is None else whole[: most - self.frames]
            if len(block):
                peak = float(abs(block).max())
                if not math.isfinite(peak):
                    raise UnreadableAudioError(
                        f"{self._source.where}: samples too large to be converted; replace the file"
                    )
                self.peak = max(self.peak, peak)
                self.frames += len(block)
                yield block
                if self.frames == most:
                    break
        if self.frames and self._target.silence:
            import numpy as np

            self.frames += self._target.silence
            yield np.zeros((self._target.silence, self._target.channels), dtype=np.float32)

    def _resampled(self) -> Iterator[npt.NDArray[np.float32]]:
        if self._info.rate == self._target.rate:
            yield from self._averaged()
            return
        import numpy as np
        import soxr

        resampler = soxr.ResampleStream(
            self._info.rate, self._target.rate, self._target.channels, dtype="float32", quality="HQ"
        )
        for block in self._averaged():
            yield resampler.resample_chunk(block)
        yield resampler.resample_chunk(np.zeros((0, self._target.channels), dtype=np.float32), last=True)

    def _averaged(self) -> Iterator[npt.NDArray[np.float32]]:
        import numpy as np

        from audiometry.audio.clip import average
        from audiometry.audio.decode import blocks

        source, file = self._source, self._source.file and self._source.file.number
        for block in blocks(source.data, source.info, source.where, file=file):
            if self._info.channels == self._target.channels:
                yield block
                continue
            mean = average(block)
            with np.errstate(over="ignore"):  # absurdly loud float files: the peak is what matters then
                self._power_before += float(np.vdot(block, block)) / self._info.channels
                self._power_after += float(np.vdot(mean, mean))
            yield mean


def _changes_of_length(info: AudioInfo, target: Target) -> list[str]:
    if target.frames is not None:
        return [f"{CUT}{target.frames / target.rate:.2f} of {info.duration_s:.2f} s"]
    return [f"{target.silence / target.rate:.2f} s of silence after it"] if target.silence else []


def _changes(info: AudioInfo, target: Target, gain: float, left: float) -> tuple[str, ...]:
    out = _changes_of_length(info, target)
    if info.channels != target.channels:
        out.append(f"{info.channels} → {target.channels} channels")
    if left < _CANCELLED:
        fall = f"by {-10 * math.log10(left):.0f} dB" if left else "to nothing"
        out.append(f"channels cancel each other: level falls {fall}")
    if info.rate != target.rate:
        out.append(f"{info.rate} → {target.rate} Hz")
    if gain != 1.0:
        out.append(f"lowered by {-20 * math.log10(gain):.2f} dB (peaks above full scale)")
    if info.subtype in _DEPTHS:
        out.append(f"{_DEPTHS[info.subtype]} → 16-bit")
    if info.format != target.form:
        out.append(f"{info.format} → {target.form}")
    elif info.format in _LOSSY:
        out.append(f"{info.format} encoded anew")
    if not out:
        out.append(f"{info.format} header made plain")
    return tuple(out)
