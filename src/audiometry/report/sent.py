"""What the model was really sent for each reply of a page: the words of the prompt, and the clips of variants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Self, TypeAlias

import msgspec

from audiometry.choices.variant import OTHER_CLIP
from audiometry.dispatch.ask import prompt_sha256
from audiometry.records import Item, Part, Prompt, ReplyRecord, Text, Turn
from audiometry.report.clips import ClipShelf
from audiometry.report.gather import RunView
from audiometry.report.record_row import LONGEST, ReplyRow
from audiometry.run.rebuilt import Rebuilt, n_sent

MOST_MADE: Final = 8_000_000
"""Bytes of clips that are made again for a page, such as noise; what has no room is not made, and counted."""

QUESTION: Final = -1
"""In a piece of words: the item's question stands here; from 0: the option in that place, as shown."""

WHOLE: Final = -2
"""Likewise: the words that the reply itself has."""

_HOLE: Final = re.compile(r"⟦(q|\d+)⟧")

Words: TypeAlias = list[str | int]
Frame: TypeAlias = list[tuple[str, list[Words | None]]]
"""Turns by role, each of parts in order: words in pieces, or None for a clip."""


class _Framed(msgspec.Struct, frozen=True):
    """A prompt with holes.

    Attributes:
        number: of its frame.
        prompt: in which marks stand for question and options.
        pieces: of its words.
    """

    number: int
    prompt: Prompt
    pieces: Words

    def filled(self, item: Item, order: Sequence[int]) -> str:
        """The words as the page puts them: the question as it is, and the options in the order of a reply's row."""
        places = order or range(len(item.options))
        holes = {QUESTION: item.question} | {shown: item.options[own] for shown, own in enumerate(places)}
        return "".join(piece if isinstance(piece, str) else holes[piece] for piece in self.pieces)

    def with_words(self, words: str) -> Prompt:
        """The prompt with these words in its last turn."""
        *before, last = self.prompt.turns
        parts = tuple(Text(words) if isinstance(part, Text) else part for part in last.parts)
        return Prompt(turns=(*before, Turn(last.role, parts)))


class Sent:
    """Rebuilds what was sent for the replies of a page.

    A prompt is stored as its frame, which all items in the same layout share and which the page fills with question
    and options. Where that would not give the words that were sent to the letter, the reply has them itself.

    Args:
        views: the runs.
        clips: takes what was heard.

    Attributes:
        frames: those that were needed so far, which rows name by number.
    """

    def __init__(self, views: Sequence[RunView], clips: ClipShelf) -> None:
        self.frames: list[Frame] = []
        self._views, self._clips, self._room = views, clips, MOST_MADE
        self._rebuilt = [Rebuilt(view.run.benchmark, view.run.info) for view in views]
        self._framed: dict[tuple[int, int, int], _Framed | None] = {}
        self._item = ""
        self._seen: dict[tuple[object, ...], tuple[int, str]] = {}

    def __enter__(self) -> Self:
        """Nothing is to be done."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what was started to make clips again."""
        for one in self._rebuilt:
            one.close()

    def fill(self, row: ReplyRow, item: Item, record: ReplyRecord) -> None:
        """Say in a reply's row what was sent.

        Args:
            row: gets the number of its frame and of the clips that were not the item's own.
            item: what was asked.
            record: the reply.
        """
        view = self._views[row.run]
        row.prompt, row.words = self._words(row, item, record)
        if record.variant == OTHER_CLIP:
            names, changed = view.changed.of_clips(view.asked.index(row.variant), record, item)
            row.heard = () if any(changed) else tuple(map(self._clips.number, names))
        elif row.variant not in view.variants:
            row.heard = self._heard(row.run, item, record)

    def _heard(self, run: int, item: Item, record: ReplyRecord) -> tuple[int, ...]:
        """The numbers of clips that were made for a variant."""
        keys = [f"\0{sha256}" for sha256 in record.audio_sha256.split("+")]
        numbers = [self._clips.made(key) for key in keys]
        if None in numbers and self._rebuilt[run].size(item, record) > self._room:
            self._clips.leave_out(keys)
        elif None in numbers:
            made = self._rebuilt[run].replaced(item, record)
            self._room -= sum(len(clip.data) for clip in made)
            numbers = [
                self._clips.add(key, clip.data, "; ".join(clip.changes)) for key, clip in zip(keys, made, strict=False)
            ]
        return () if None in numbers else tuple(number for number in numbers if number is not None)

    def _words(self, row: ReplyRow, item: Item, record: ReplyRecord) -> tuple[int, str]:
        """The number of a prompt's frame, -1 where it cannot be rebuilt, and its words where the frame lacks them."""
        if item.id != self._item:  # the replies to an item come one after the other, many of them to the same prompt
            self._item, self._seen = item.id, {}
        layout = self._views[row.run].run.info.prompt.sha256
        key = (layout, row.order, n_sent(item, record), record.prompt_sha256)
        if key not in self._seen:
            self._seen[key] = self._found(row, item, record)
        return self._seen[key]

    def _found(self, row: ReplyRow, item: Item, record: ReplyRecord) -> tuple[int, str]:
        key = (row.run, len(row.order or item.options), n_sent(item, record))
        if key not in self._framed:
            self._framed[key] = self._frame(*key)
        framed = self._framed[key]
        if framed is None:
            return -1, ""
        if prompt_sha256(framed.with_words(framed.filled(item, row.order))) == record.prompt_sha256:
            return framed.number, ""
        prompt = self._rebuilt[row.run].words(item, record)
        if prompt is None or len(prompt.text) > LONGEST:
            return -1, ""
        *before, last = prompt.turns
        words = [part.text for part in last.parts if isinstance(part, Text)]
        left = list(words)  # those before the last are examples with clips of their own
        parts = [_literal(left) if isinstance(part, Text) else None for part in last.parts]
        return self._stored([*map(_turn, before), (last.role, parts)]), words[-1]

    def _frame(self, run: int, n_options: int, n_clips: int) -> _Framed | None:
        blank = Item(id="", task="", question="⟦q⟧")
        options = tuple(f"⟦{place}⟧" for place in range(n_options))
        prompt = self._rebuilt[run].laid_out(blank, options, n_clips)
        if prompt is None:
            return None
        frame: Frame = list(map(_turn, prompt.turns))
        pieces = next(part for part in frame[-1][1] if part is not None)
        return _Framed(number=self._stored(frame), prompt=prompt, pieces=pieces)

    def _stored(self, frame: Frame) -> int:
        if frame not in self.frames:
            self.frames.append(frame)
        return self.frames.index(frame)


def _literal(left: list[str]) -> Words:
    """The next of some words as they are; the last ones the reply itself has."""
    words = left.pop(0)
    return [words] if left else [WHOLE]


def _turn(turn: Turn) -> tuple[str, list[Words | None]]:
    return turn.role, [_pieces(part) for part in turn.parts]


def _pieces(part: Part) -> Words | None:
    if not isinstance(part, Text):
        return None
    found: Words = []
    for place, piece in enumerate(_HOLE.split(part.text)):
        if place % 2:
            found.append(QUESTION if piece == "q" else int(piece))
        elif piece:
            found.append(piece)
    return found
