"""What a clip's file is to a browser, by its first bytes."""

from __future__ import annotations

from typing import Final

HEAD: Final = 64
"""Bytes of a file that tell what it is."""

_WAV_PLAYED: Final = {1, 3, 6, 7, 0xFFFE}  # PCM, float, A-law, mu-law, extensible: what browsers decode
_SYNC: Final = b"\xff\xe0"  # eleven bits set: an MPEG frame
_MAGIC: Final = (
    (0, b"fLaC", "audio/flac", ""),
    (0, b"OggS", "audio/ogg", ""),
    (0, b"ID3", "audio/mpeg", ""),
    (4, b"ftyp", "audio/mp4", ""),
    (0, b"FORM", "audio/aiff", "AIFF"),
    (0, b"caff", "audio/x-caf", "CAF"),
    (0, b".snd", "audio/basic", "AU"),
    (0, b"RF64", "audio/wav", "RF64"),
    (0, b"riff", "audio/wav", "W64"),
)
_RARELY: Final = "few browsers play {}; convert the clip to listen to it"


def sniff(head: bytes) -> tuple[str, str, str]:
    """What a file that starts so is to a browser: media type, a note, and why it cannot be played at all."""
    if not head:
        return "", "", "the file is empty"
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        coding = int.from_bytes(head[20:22], "little") if head[12:16] == b"fmt " else 1
        return "audio/wav", "" if coding in _WAV_PLAYED else _RARELY.format("this coding of WAV"), ""
    for offset, magic, kind, rare in _MAGIC:
        if head[offset : offset + len(magic)] == magic:
            return kind, _RARELY.format(rare) if rare else "", ""
    if head[0] == _SYNC[0] and head[1:2] >= _SYNC[1:]:
        return "audio/mpeg", "", ""
    return "", "", "the file does not start like audio that a browser knows"
