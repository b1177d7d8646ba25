"""What a hearing test asks: short single-choice questions whose answer only the clip gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

import msgspec

from audiometry import seeds
from audiometry.audio import probe_tones as tones
from audiometry.audio.clip import Clip, at_rate
from audiometry.records import Item, ModelCard
from audiometry.run.probing.result import Kind

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
Shape: TypeAlias = "Callable[[Clip, np.random.Generator], Clip]"

PART_ORDER: Final = "other-order"
LONG: Final = {"end-5s": 5.0, "end-29s": 29.0, "end-31s": 31.0, "end-61s": 61.0}
"""Parts with the sound at the very end of a clip, and the clip's length, seconds."""
LONG_START: Final = "start-61s"

_DIGIT: Final = "A voice says one digit somewhere in this recording. Which digit does it say?"
_PITCH: Final = "One steady tone is heard. Which of these frequencies is nearest to it?"
_HEIGHT: Final = "One steady tone is heard. How high is its pitch?"
_ORDER: Final = "Two or three tones are heard one after the other. How does the pitch move?"

LADDER_HZ: Final = (200, 360, 650, 1170, 2100, 3780)
"""Frequencies in steps of 1.8. A rate taken wrongly by a factor of 1.35 or more lands on another step; only the inner
four are ever right, so that it can in both directions, and only they count as guesses."""

_HEIGHTS: Final = {
    "a very low tone (100 Hz)": (100.0,),
    "a low tone (320 Hz)": (320.0,),
    "a high tone (1000 Hz)": (1000.0,),
    "a very high tone (3200 Hz)": (3200.0,),
}
_MOVES: Final = {
    "it rises": (320.0, 1000.0),
    "it falls": (1000.0, 320.0),
    "it rises, then falls": (320.0, 1000.0, 320.0),
    "it falls, then rises": (1000.0, 320.0, 1000.0),
}
CHANCE: Final[dict[Kind, float]] = {"digit": 1 / 10, "pitch": 1 / 4, "tone": 1 / 4}


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the test.

    Attributes:
        name, title: as in `Aspect`.
        kind: what is to be heard.
        n: how many questions.
        skip: how many of the part's questions were asked before.
        shape: what is done to the bare sound: ``(sound, room) → clip``; None: a digit gets some quiet around it.
        rate: of the clip's file, Hz.
        form: of the clip's file.
    """

    name: str
    title: str
    kind: Kind = "digit"
    n: int = 3
    skip: int = 0
    shape: Shape | None = None
    rate: int = tones.RATE
    form: Literal["wav", "mp3"] = "wav"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question: the item (its options in the order they are shown), how its clip is made, and its file's format."""

    part: Part
    item: Item
    clip: Callable[[], Clip]


def basics(tones_asked: int = 6, digits_asked: int = 5) -> tuple[Part, ...]:
    """The parts that show whether a model hears at all."""
    return (
        Part(name="tones", title="tones: low or high, rising or falling", kind="tone", n=tones_asked),
        Part(name="digits", title="spoken digits", n=digits_asked),
    )


SHORT: Final = basics(4, 4)
"""Before a run: a part counts as heard with four tones right, or three digits."""

FIRST: Final[dict[Kind, int]] = {"digit": 3, "pitch": 4, "tone": 4}
"""Questions of a further part: as few as show at `ALPHA` that all right is no guessing."""

AGAIN: Final[dict[Kind, int]] = {"digit": 7, "pitch": 11, "tone": 10}
"""More questions of a part in doubt: so many that one which is not heard, asked of a model that hears the plain ones,
seems to be heard, or stays open, with a probability of at most 0.008."""


def further(card: ModelCard, part_order: str, signal: Literal["digit", "tone"]) -> tuple[Part, ...]:
    """The parts that show what becomes of clips on their way.

    Args:
        card: of the model; says at which rate an MP3 passes unchanged.
        part_order: ``audio-first`` or ``text-first``, as the other parts are asked.
        signal: what is played: digits, or tones for a model that cannot tell digits.
    """
    other = "clip after the words" if part_order == "audio-first" else "clip before the words"
    spoken = [Part(name=f"digits-{_k(r)}", title=f"digit, file of {r:,} Hz", rate=r) for r in RATES if r != tones.RATE]
    n = FIRST[signal]
    return (
        Part(name=PART_ORDER, title=f"{signal}, {other}", kind=signal, n=n),
        *(
            Part(
                name=f"pitch-{_k(r)}",
                title=f"pitch of a tone, file of {r:,} Hz",
                kind="pitch",
                n=FIRST["pitch"],
                rate=r,
            )
            for r in RATES
        ),
        *(spoken if signal == "digit" else ()),
        Part(name="left", title=f"{signal} in the left channel only", kind=signal, n=n, shape=_side("left")),
        Part(name="right", title=f"{signal} in the right channel only", kind=signal, n=n, shape=_side("right")),
        *(
            Part(
                name=name,
                title=f"{signal} at the end of {seconds:g} s",
                kind=signal,
                n=n,
                shape=_at("end", seconds),
            )
            for name, seconds in LONG.items()
        ),
        Part(name=LONG_START, title=f"{signal} at the start of 61 s", kind=signal, n=n, shape=_at("start", 61.0)),
        Part(name="mp3", title=f"{signal}, MP3 file", kind=signal, n=n, form="mp3", rate=card.rate or tones.RATE),
    )


RATES: Final = (16_000, 8_000, 44_100)


def questions(asked: Sequence[Part], seed: int) -> list[Question]:
    """The questions of those parts: the same for the same seed, and each part's own whichever others are asked.

    Args:
        asked: which parts.
        seed: of what is said, of the order of options, and of the noise under the digits.
    """
    return [question for part in asked for question in _of(part, seed)]


def _of(part: Part, seed: int) -> Iterator[Question]:
    stream = seeds.stream(seed, "probe", part.name)
    if part.kind == "digit":
        for number, digit in _chosen(part, stream.shuffled(range(10))):
            made = _made(part, partial(tones.digit, digit), seed, number)
            yield _question(part, number, seed, _DIGIT, tones.DIGITS, tones.DIGITS[digit], made)
    elif part.kind == "pitch":
        for number, hz in _chosen(part, stream.shuffled(LADDER_HZ[1:-1])):
            made = _made(part, partial(tones.tones, (hz,), 1.5, rate=part.rate), seed, number)
            yield _question(part, number, seed, _PITCH, [named(step) for step in LADDER_HZ], named(hz), made)
    else:
        heights, moves = stream.shuffled(tuple(_HEIGHTS)), stream.shuffled(tuple(_MOVES))
        if part.name == "tones":  # one height to two moves: a wrong rate leaves the moves as they are
            heights = [heights[0], *moves[:2], heights[1], *moves[2:]]
        for number, answer in _chosen(part, heights):  # elsewhere a single tone: it fits into a second
            table, words = (_HEIGHTS, _HEIGHT) if answer in _HEIGHTS else (_MOVES, _ORDER)
            made = _made(part, partial(tones.tones, table[answer], 0.6, rate=tones.RATE), seed, number)
            yield _question(part, number, seed, words, tuple(table), answer, made)


def _chosen(part: Part, shuffled: Sequence[T]) -> Iterator[tuple[int, T]]:
    """What a part asks of a shuffled list, each with its number in the part; begun again where it ends."""
    return ((number, shuffled[number % len(shuffled)]) for number in range(part.skip, part.skip + part.n))


def _question(
    part: Part, number: int, seed: int, words: str, options: Sequence[str], answer: str, clip: Callable[[], Clip]
) -> Question:
    name = f"{part.name}/{number}"
    shown = tuple(seeds.stream(seed, "probe", "options", name).shuffled(options))
    file_name = f"audio/{part.name}-{number}.{part.form}"
    item = Item(id=name, task=part.name, question=words, options=shown, answer=answer, file_name=file_name)
    return Question(part=part, item=item, clip=clip)


def named(hz: int) -> str:
    """A frequency as an option.

    >>> named(1170)
    '1170 Hz'
    """
    return f"{hz} Hz"


def _made(part: Part, sound: Callable[[], Clip], seed: int, number: int) -> Callable[[], Clip]:
    """The clip of a question: the sound, shaped, at the rate of the part."""

    def make() -> Clip:
        room = seeds.generator(seed, "probe", "room", part.name, str(number))
        clip = sound()
        if part.shape is not None:
            clip = part.shape(clip, room)
        elif part.kind == "digit":
            clip = tones.in_quiet(clip, room)
        return at_rate(clip, part.rate)

    return make


def _side(side: Literal["left", "right"]) -> Shape:
    return lambda sound, room: tones.in_channel(tones.in_quiet(sound, room), side)


def _at(where: Literal["start", "end"], seconds: float) -> Shape:
    return lambda sound, room: tones.placed(sound, seconds, where, room)


def _k(rate: int) -> str:
    return f"{rate // 1000}k"
