"""A clip of a source with all that is known of it."""

from __future__ import annotations

import msgspec

from audiometry.bench import Benchmark


class Asked(msgspec.Struct, frozen=True):
    """A question that a source has of its own.

    Attributes:
        task: whose it is; empty: any.
        question, options, kinds, answer: as an item's.
    """

    task: str
    question: str
    options: tuple[str, ...]
    kinds: tuple[str, ...]
    answer: str | None


class Recording(msgspec.Struct, frozen=True):
    """A file of audio.

    Attributes:
        name: as its source says it.
        source: what it is of; gives its file.
        stat: of its file when it was read (`audiometry.files.stamp.stat_of`).
        sha256: of its bytes.
        form: container by its usual ending, as its bytes say.
        rate, channels, frames: as its header says.
    """

    name: str
    source: Benchmark
    stat: str
    sha256: str
    form: str
    rate: int
    channels: int
    frames: int

    @property
    def duration_s(self) -> float:
        """Length, seconds."""
        return self.frames / self.rate


class SourceClip(msgspec.Struct, frozen=True, kw_only=True):
    """A recording, or a span or channel of one, with what all rows say of it.

    Attributes:
        recording: what it is of.
        span: first and last second; None: the whole.
        channel: counted from 1; 0: all.
        source: name of its source.
        rows: where they stand, ``12`` or ``12, 13``: numbers of rows in the source's tables.
        group: what it shares with clips that are not independent; empty: nothing is known.
        split: as its source says; empty: it says none.
        facts: values by the fact's name; a fact may have several, or be missing.
        asked: questions that the source has of its own.
        licence: of the recording.
        batch: of a clip that the build has made, counted from 0: which time it made some, since more were wanted.
        parts: of a mix, the group or recording of each of its clips.
        made_of: of a clip that the build has made, what an item's provenance says of it.
    """

    recording: Recording
    span: tuple[float, float] | None = None
    channel: int = 0
    source: str = ""
    rows: str = ""
    group: str = ""
    split: str = ""
    facts: dict[str, tuple[str, ...]] = {}
    asked: tuple[Asked, ...] = ()
    licence: str = ""
    batch: int = 0
    parts: tuple[str, ...] = ()
    made_of: dict[str, str] = {}

    @property
    def key(self) -> str:
        """What tells it from any other: the recording's hash, the span and the channel."""
        return key_of(self.recording.sha256, self.span, self.channel)

    @property
    def whole(self) -> bool:
        """Whether it is a recording as it is."""
        return self.span is None and not self.channel

    @property
    def duration_s(self) -> float:
        """Length, seconds."""
        return self.span[1] - self.span[0] if self.span else self.recording.duration_s

    def overlaps(self, other: SourceClip) -> bool:
        """Whether what is heard in one is heard in the other, at least in part."""
        if self.recording.sha256 != other.recording.sha256 or (
            self.channel and other.channel and self.channel != other.channel
        ):
            return False
        begin, end = self.span or (0.0, self.recording.duration_s)
        of, to = other.span or (0.0, self.recording.duration_s)
        return begin < to and of < end


def key_of(sha256: str, span: tuple[float, float] | None, channel: int) -> str:
    """The key of a clip: what it is of, which seconds, and which channel."""
    begin, end = span or ("", "")
    return f"{sha256} {begin} {end} {channel or ''}"
