"""What is asked of a process that listens, and what it answers."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

UNAVAILABLE: Final = "model-unavailable"
"""Kind of an answer that no answer can ever be had."""


class Focus(msgspec.Struct, frozen=True):
    """What a question asks to listen for, beside what is always measured.

    Attributes:
        phrases: one of them may be what is said.
        word: when is it said; empty: not asked.
    """

    phrases: tuple[str, ...] = ()
    word: str = ""


class Request(msgspec.Struct, frozen=True):
    """A clip, as a whole file, and what is wanted of it.

    Attributes:
        data: of the file; heeded unless nothing is wanted.
        focus: with one only that is listened for; for a description.
        wanted: all that can be measured and recognised, the words alone, or nothing but to know that it can be asked.
    """

    data: bytes
    focus: Focus | None = None
    wanted: Literal["description", "words", "nothing"] = "description"


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A description or words, or why there are none: ``kind`` as a failure record calls it, and a line for people."""

    description: str = ""
    kind: str = ""
    message: str = ""
