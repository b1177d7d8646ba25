"""A prompt, as a model receives it: turns of ordered parts, text and audio."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec


class Text(msgspec.Struct, frozen=True):
    """Words."""

    text: str


class Audio(msgspec.Struct, frozen=True, kw_only=True):
    """A clip encoded once, exactly as it is sent.

    Attributes:
        data: the bytes of a whole file in ``format``.
        format: container and codec by its usual ending: ``wav``, ``mp3``, ``flac``, ``ogg``.
        sha256: of ``data``, hexadecimal.
        rate: samples a second, Hz.
        channels: how many.
        duration_s: length, seconds.
        changes: what was done to the source to get here ("resampled 44100 to 16000 Hz"), in order.
        file_sha256: of the file it was made from, as that was on disk; empty if not known.
        file_stat: size, times and number of that file just before it was read; see `files.stamp`.
    """

    data: bytes
    format: str
    sha256: str
    rate: int
    channels: int
    duration_s: float
    changes: tuple[str, ...] = ()
    file_sha256: str = ""
    file_stat: str = ""


Part: TypeAlias = Text | Audio


class Turn(msgspec.Struct, frozen=True):
    """What one side says."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


class Decoding(msgspec.Struct, frozen=True):
    """How the reply to a request is to be decoded; None: not stated, the model's own default.

    Attributes:
        temperature: 0 or more; 0: the likeliest words.
        max_tokens: the longest reply.
    """

    temperature: float | None = None
    max_tokens: int | None = None


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """Turns, and beside them what the dispatcher and scripted models need to know; that is never sent.

    Attributes:
        turns: in order.
        item: id of the item it asks about.
        variant: which way the item is asked.
        options: the options in the order they are shown, letter A first; empty for open questions.
        lettered: whether they are shown under letters.
        decoding: of its reply; None: as the model was told when it was loaded.
        example_clips: how many of the clips, the first ones, belong to worked examples before the item.
        asks: the words that ask the item itself, where examples go before them; empty: all words do.
    """

    turns: tuple[Turn, ...]
    item: str = ""
    variant: str = ""
    options: tuple[str, ...] = ()
    lettered: bool = True
    decoding: Decoding | None = None
    example_clips: int = 0
    asks: str = ""

    @property
    def audio(self) -> tuple[Audio, ...]:
        """All clips, in order."""
        return tuple(p for t in self.turns for p in t.parts if isinstance(p, Audio))

    @property
    def own_audio(self) -> tuple[Audio, ...]:
        """The clips that the item itself is asked about."""
        return self.audio[self.example_clips :]

    @property
    def text(self) -> str:
        """All words, in order, a blank line between parts; what a text-only reader sees."""
        return "\n\n".join(p.text for t in self.turns for p in t.parts if isinstance(p, Text))
