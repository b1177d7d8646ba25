"""Pages of an Ogg stream: is the last one whole, and who made it.

Source: RFC 3533, section 6 (page format and checksum).
"""

from __future__ import annotations

import zlib
from typing import Final

_HEAD: Final = 27
_MARK: Final = b"OggS"
_MIRRORED: Final = bytes(int(f"{i:08b}"[::-1], 2) for i in range(256))


def page_length(data: bytes, at: int) -> int | None:
    """Bytes of the page that starts at ``at``, or None if ``data`` ends before the page does."""
    if at + _HEAD > len(data):
        return None
    segments = data[at + 26]
    body = at + _HEAD + segments
    if body > len(data):
        return None
    length = _HEAD + segments + sum(data[at + _HEAD : body])
    return length if at + length <= len(data) else None


def ends_whole(data: bytes) -> bool:
    """Whether the last page is complete; a stream cut exactly between two pages passes."""
    last = data.rfind(_MARK)
    length = page_length(data, last) if last >= 0 else None
    if length is None:
        return False
    rest = data[last + length :]
    return not rest or not _MARK.startswith(rest)


def ends_marked(data: bytes) -> bool:
    """Whether the last page says that it is the last; a stream that was cut does not."""
    last = data.rfind(_MARK)
    return last >= 0 and last + _HEAD <= len(data) and bool(data[last + 5] & 4)


def checksum(page: bytes | bytearray) -> int:
    """The page's CRC: polynomial 0x04C11DB7, not mirrored, starting from 0, its own field taken as 0.

    zlib's CRC-32 has the same polynomial with every byte's bits the other way round, so mirroring the
    bytes before and the sum after gives it at C speed.
    """
    mirrored = (bytes(page[:22]) + bytes(4) + bytes(page[26:])).translate(_MIRRORED)
    crc = zlib.crc32(mirrored, 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{crc:032b}"[::-1], 2)


def with_serial(data: bytes, serial: int) -> bytes:
    """The same single stream under another serial number.

    Encoders draw that number from the clock; the bytes sent, and so their hash and the reply cache,
    must not depend on it.
    """
    out = bytearray(data)
    at = 0
    while (length := page_length(data, at)) is not None:
        out[at + 14 : at + 18] = serial.to_bytes(4, "little")
        out[at + 22 : at + 26] = checksum(out[at : at + length]).to_bytes(4, "little")
        at += length
    return bytes(out)
