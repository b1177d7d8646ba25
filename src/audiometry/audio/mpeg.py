"""Frames of an MP3 file, counted: how long it is, and whether it is all there.

libsndfile trusts the first frame's length note (Xing/Info), and without one multiplies the first frame's size:
an MP3 of variable bit rate without the note, or two joined files, is then silently cut;
a tag before the frames counts as frames. So these are counted here (a header each, nothing is decoded).

Source: ISO/IEC 11172-3, 2.4.1.3 and ISO/IEC 13818-3 (frame header).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

TOLERANCE: Final = 3 * 1152
"""Samples by which a decoder may fall short of the count: its own delay and the padding at the end."""

_KBPS_V1: Final = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_KBPS_V2: Final = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES: Final = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


class Frame(msgspec.Struct, frozen=True):
    """One frame's header: bytes long, samples a channel, and what must stay the same (version and rate)."""

    length: int
    samples: int
    kind: int
    side: int


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """All frames of a file.

    Attributes:
        count: frames with audio (the length note's own frame left out).
        samples: samples a channel in them.
        cut: what shows that the file ends early; empty if nothing does.
        start: offset of the first frame.
        note: whether the first frame is a length note.
    """

    count: int
    samples: int
    cut: str
    start: int
    note: bool

    def misleads(self, frames: int) -> bool:
        """Whether a decoder's expectation of ``frames`` samples is off by more than delay and padding."""
        return abs(self.samples - frames) > TOLERANCE


def scan(data: bytes) -> Stream | None:
    """Count the frames of an MPEG layer III file; None if it does not begin like one."""
    at = _after_tags(data, 0)
    first = frame(data, at)
    if first is None:
        return None
    start, count, cut = at, 0, ""
    stated, note = _stated(data, at, first)
    kind, end = first.kind, len(data)
    while at < end:
        here = _frame(data[at : at + 4])
        if here is None or here.kind != kind:
            at = _resume(data, at + 1, first)
            continue
        at += here.length
        if at > end:
            cut = "its last frame is incomplete"
            break
        count += 1
    count -= note
    if stated is not None and count < stated:
        cut = f"its header promises {stated} frames, {count} are there"
    return Stream(count=count, samples=count * first.samples, cut=cut, start=start, note=note)


def led_in(data: bytes) -> tuple[bytes, int]:
    """The same frames behind a silent one, and how many samples that adds at the start.

    The silent frame is the shortest that there can be, so that whoever multiplies its size expects more than is there,
    and reads all of it. A length note in its place has libsndfile drop the first 529 samples.
    """
    stream = scan(data)
    first = frame(data, stream.start) if stream is not None else None
    if stream is None or first is None:
        return data, 0
    head = bytearray(data[stream.start : stream.start + 4])
    head[1] |= 1  # no checksum follows
    head[2] = (head[2] & 0x0D) | 0x10  # the smallest bit rate, and no byte to fill up with
    shape = _frame(bytes(head)) or first
    body = data[stream.start + (first.length if stream.note else 0) :]
    return b"".join((bytes(head), bytes(shape.length - len(head)), body)), shape.samples


def frame(data: bytes, at: int) -> Frame | None:
    """The layer III frame header at ``at``, or None if there is none."""
    return _frame(bytes(data[at : at + 4]))


@lru_cache(maxsize=4096)  # a file of a thousand frames has a handful of different headers
def _frame(head: bytes) -> Frame | None:
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:  # noqa: PLR2004  sync and layer III bits
        return None
    version, step, rate_index = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    if version == 1 or rate_index == 3 or step in {0, 15}:  # noqa: PLR2004  reserved, and free format
        return None
    first = version == 3  # noqa: PLR2004  MPEG-1; the others are 2 and 2.5
    rate = _RATES[version][rate_index]
    kbps = (_KBPS_V1 if first else _KBPS_V2)[step]
    mono = head[3] >> 6 == 3  # noqa: PLR2004  channel mode
    side = (17 if mono else 32) if first else (9 if mono else 17)
    length = (144_000 if first else 72_000) * kbps // rate + (head[2] >> 1 & 1)
    return Frame(length, 1152 if first else 576, version << 2 | rate_index, side)


def _stated(data: bytes, at: int, first: Frame) -> tuple[int | None, bool]:
    """The number of frames that the length note in the first frame promises, and whether there is a note."""
    note = at + 4 + first.side
    if data[note : note + 4] not in {b"Xing", b"Info"}:
        return None, False
    if len(data) < note + 12 or not data[note + 7] & 1:
        return None, True
    return int.from_bytes(data[note + 8 : note + 12], "big"), True


def _after_tags(data: bytes, at: int) -> int:
    """Past any ID3v2 tags that begin at ``at``."""
    while data[at : at + 3] == b"ID3" and at + 10 <= len(data):
        a, b, c, d = (x & 0x7F for x in data[at + 6 : at + 10])
        at += 10 + (a << 21 | b << 14 | c << 7 | d) + (10 if data[at + 5] & 0x10 else 0)
    return at


def _resume(data: bytes, at: int, first: Frame) -> int:
    """Where the next run of frames begins after something else, or the end."""
    at = _after_tags(data, at - 1) if data[at - 1 : at + 2] == b"ID3" else at
    while (at := data.find(b"\xff", at)) >= 0:
        here = frame(data, at)
        if here is not None and here.kind == first.kind:
            following = at + here.length
            after = frame(data, following)
            if following == len(data) or (after is not None and after.kind == first.kind):
                return at
        at += 1
    return len(data)
