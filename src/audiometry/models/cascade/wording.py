"""A prompt in words: each clip replaced by what was heard in it, for a reader that gets no sound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from audiometry.records import Prompt, Text, Turn

Hears: TypeAlias = Literal["all", "words"]

VERSION = 1
"""Raised with every change that may change what a reader of transcripts is sent."""

NO_WORDS = "(no words recognised)"

_MEASURED = (
    "You cannot hear the recording yourself. Instruments measured it and a speech recogniser listened to it; "
    "their notes stand in its place below. Recognised words may be wrong. Answer from the notes.\n\n"
)
_TRANSCRIBED = (
    "You cannot hear the recording yourself. A speech recogniser wrote down the words in it; its transcript stands in "
    "place of the recording below, and may have mistakes.\n\n"
)
TITLES: Mapping[Hears, str] = {"all": "Notes on", "words": "Transcript of"}


def in_words(prompt: Prompt, heard: Sequence[str], hears: Hears) -> Prompt:
    """The prompt as a text-only reader is sent it, each turn one text.

    Of transcripts, a turn that is nothing but recordings is what a person says: its words alone stand for it, as in the
    pipelines of speech recogniser and language model that talk with people.

    Args:
        prompt: as the cascade got it.
        heard: of each clip, in order, what is known of it; of transcripts an empty one is said to be empty.
        hears: whether that is all there is to hear, or words.
    """
    preamble = _TRANSCRIBED if hears == "words" else _MEASURED
    waiting = iter(enumerate(heard, 1))
    turns: list[Turn] = []
    for turn in prompt.turns:
        alone = hears == "words" and not any(isinstance(part, Text) and part.text.strip() for part in turn.parts)
        said: list[str] = []
        for part in turn.parts:
            if isinstance(part, Text):
                said += [part.text] if part.text.strip() else []
                continue
            number, words = next(waiting)
            text = words or NO_WORDS
            if not alone:
                which = f"recording {number}" if len(heard) > 1 else "the recording"
                text = f"{preamble}{TITLES[hears]} {which}:\n{text}"
                preamble = ""
            said.append(text)
        turns.append(Turn(turn.role, (Text("\n\n".join(said)),)))
    return msgspec.structs.replace(prompt, turns=tuple(turns))
