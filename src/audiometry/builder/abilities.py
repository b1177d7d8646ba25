"""What open questions about a clip ask for: abilities by category of audio, each with what a writer is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from audiometry.builder.clip import SourceClip

TRANSCRIPTS: Final = ("transcript", "transcription", "text", "sentence", "utterance", "words")
"""Names of facts that hold what is said, word by word."""
_SPEAKER: Final = ("emotion", "gender", "age", "accent", "speaker", "speakers", "language", "style", "intent")
_MIXED: Final = ("louder", "ahead")


class Ability(msgspec.Struct, frozen=True, kw_only=True):
    """An ability.

    Attributes:
        name: short; an item's tag ``ability``.
        ask: what a question of it is like.
        needs: facts of which a clip has to have one; none: any will do.
        by_fact: the reference answer is that fact as it stands, and not what a model writes.
        any_language: its answers may be in another language than its questions.
    """

    name: str
    ask: str
    needs: tuple[str, ...] = ()
    by_fact: bool = False
    any_language: bool = False

    def fits(self, clip: SourceClip) -> bool:
        """Whether enough is known of a clip."""
        return not self.needs or any(clip.facts.get(name) for name in self.needs)


ABILITIES: Final[Mapping[str, tuple[Ability, ...]]] = {
    "speech": (
        Ability(
            name="content",
            ask="asks for something that is said: a detail, what it is about, whom it is said to",
            needs=TRANSCRIPTS,
        ),
        Ability(
            name="speaker",
            ask="asks for something that the voice tells rather than the words: mood, age, gender, accent, language, "
            "how many speak",
            needs=_SPEAKER,
        ),
        Ability(
            name="inference",
            ask="asks for what a listener would conclude from what is said and how: what the speaker wants, feels or "
            "will do next, where this takes place, how the speakers stand to each other",
        ),
        Ability(
            name="transcription",
            ask="asks, in a sentence of its own each time, to write down what is said, word by word",
            needs=TRANSCRIPTS,
            by_fact=True,
            any_language=True,
        ),
        Ability(
            name="translation",
            ask="asks to translate what is said into a widely spoken language that it names, another one than is "
            "spoken; the answer is that translation and nothing else",
            needs=TRANSCRIPTS,
            any_language=True,
        ),
    ),
    "sound": (
        Ability(name="events", ask="asks which sounds are heard, in which order, how often or how far away"),
        Ability(name="scene", ask="asks where or when this may have been recorded, and which sounds tell that"),
        Ability(
            name="cause", ask="asks why something is heard: what brings the sounds about, or how they hang together"
        ),
        Ability(
            name="action",
            ask="puts the listener in a situation in which these sounds are heard, and asks what they would do; what "
            "is right to do has to follow from the sounds",
        ),
    ),
    "music": (
        Ability(name="instruments", ask="asks for instruments or voices: which they are, what each of them does"),
        Ability(name="mood", ask="asks for mood, style or genre, and what in the music makes it so"),
        Ability(name="structure", ask="asks for tempo, rhythm, harmony, or how the piece develops"),
        Ability(
            name="creative",
            ask="asks to write something short for which the music is the ground: a scene of a story, a verse, a "
            "text for an advertisement; a good answer takes up what is heard in the music",
        ),
    ),
    "mixed": (
        Ability(name="parts", ask="asks for one of the things that are heard at the same time, in spite of the other"),
        Ability(
            name="relation",
            ask="asks which of the things that are heard is louder, or which of them begins first",
            needs=_MIXED,
        ),
        Ability(name="situation", ask="asks for the situation that all that is heard together makes likely"),
        Ability(
            name="content",
            ask="asks for something that is said while something else is heard",
            needs=TRANSCRIPTS,
        ),
    ),
}


def transcript(clip: SourceClip) -> str:
    """What is said in a clip, word by word; empty if that is not known."""
    return next((" ".join(clip.facts[name]) for name in TRANSCRIPTS if clip.facts.get(name)), "")
