"""What a file of audio is, from its header and its tail, without decoding it.

What is found here, and so before anything is sent: missing and empty files, content that is not audio,
headers without channels or samples, WAV, AIFF, AU, CAF, W64, RF64, FLAC, MP3 and Ogg files that end before they
should. What only decoding finds (``audiometry check``, or a conversion): damage in the middle of a compressed
file, samples that are not numbers, an Ogg stream cut exactly between two pages.
"""

from __future__ import annotations

import re
from typing import Final

from audiometry.audio import riff
from audiometry.audio.info import AudioInfo
from audiometry.errors import UnreadableAudioError

RATES: Final = (1_000, 2_000_000)
"""Lowest and highest rate of anything that can be listened to or measured, Hz; others are slips of a header."""

FORMATS: Final = ("wav", "flac", "ogg", "mp3", "aiff", "au", "caf", "w64", "rf64")


def inspect(data: bytes, where: str, *, to_end: bool = True) -> AudioInfo:
    """Say what ``data``, the bytes of a whole file, are.

    16-bit PCM WAV takes microseconds and loads no audio library.

    Args:
        data: bytes; a memory map does as well.
        where: what error messages call it.
        to_end: see that the end of a FLAC file is there, which may take as long as decoding all of it; for whoever
            does that anyway, False.

    Raises:
        UnreadableAudioError: empty, truncated, without channels or samples, or not audio.
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        header = riff.parse(data, where)
        if header.subtype:
            return _some(
                AudioInfo(
                    format="wav",
                    subtype=header.subtype,
                    rate=header.rate,
                    channels=header.channels,
                    frames=header.length // header.align,
                    plain=header.plain,
                ),
                where,
            )
    if not len(data):
        raise UnreadableAudioError(f"{where}: empty (0 bytes); replace the file", "empty")
    from audiometry.audio import decode

    info = decode.describe(data, where, to_end=to_end)
    if info is None:
        raise UnreadableAudioError(f"{where}: {_guess(data[:512])}", "not-audio")
    return _some(info, where)


def _some(info: AudioInfo, where: str) -> AudioInfo:
    if info.frames < 1:
        raise UnreadableAudioError(
            f"{where}: a {info.format.upper()} header without samples after it; replace the file", "empty"
        )
    if not RATES[0] <= info.rate <= RATES[1]:
        raise UnreadableAudioError(
            f"{where}: its header says {info.rate} Hz, audio has {RATES[0]} to {RATES[1]}; correct the header",
            "damaged",
        )
    return info


def _guess(head: bytes) -> str:
    """What a file that no decoder knows probably is, and what to do."""
    if head.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer, not the audio itself; fetch it with 'git lfs pull'"
    if head[4:8] == b"ftyp":
        return "an MP4/M4A file, which is not read here; convert it to FLAC or WAV first"
    if head.startswith(b"\x1aE\xdf\xa3"):
        return "a WebM/Matroska file, which is not read here; convert it to FLAC or WAV first"
    if head.startswith((b"RIFF", b"fLaC", b"OggS", b"ID3", b"FORM", b".snd", b"caff")):
        return "starts like audio but its header cannot be read; replace the file"
    if re.match(rb"\s*<(!doctype|html|\?xml)", head, re.IGNORECASE):
        return "a web page, not audio; the download failed, fetch it again"
    # nothing of it is quoted: a link may lead to anything
    return f"not audio (it starts as no known format does); known: {', '.join(FORMATS)}"
