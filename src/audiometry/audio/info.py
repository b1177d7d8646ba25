"""What an audio file says of itself."""

from __future__ import annotations

import msgspec


class AudioInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a file's content says it is.

    Attributes:
        format: container by its usual ending (``wav``, ``flac``, ``ogg``, ``mp3``, ``aiff``, …).
        subtype: coding of the samples as libsndfile names it (``PCM_16``, ``FLOAT``, ``VORBIS``, …).
        rate: samples a second, Hz; above 0.
        channels: 1 or more.
        frames: samples a channel; 1 or more.
        plain: any reader of that format reads all of it. Not so: WAV with an extensible or open-ended header or
            with other samples than 16-bit PCM, MP3 whose header gives a wrong length.
    """

    format: str
    subtype: str
    rate: int
    channels: int
    frames: int
    plain: bool = True

    @property
    def duration_s(self) -> float:
        """Length, seconds."""
        return self.frames / self.rate
