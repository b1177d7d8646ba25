"""What is put before raters, one at a time: an item, and the replies to it that are judged."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from audiometry import seeds
from audiometry.records import Item


class Judged(msgspec.Struct, frozen=True):
    """A reply that is judged: whose, and what it says."""

    model: str
    text: str


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to be judged.

    Attributes:
        item: what it is about.
        title: of its task, for people.
        asked: the question as models are asked it, where its task puts it in words of its own.
        replies: what is judged; none where the item itself is.
        options: the options in the order in which the model was shown them; of an item itself its own.
        suspects: where a label is suspected, the stated answer and the one that models agree on.
        given: of a wording that a model wrote, the examples of it; the wording is the item's question.
    """

    item: Item
    title: str = ""
    asked: str = ""
    replies: tuple[Judged, ...] = ()
    options: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """The question to be read."""
        return self.asked or self.item.question

    @property
    def models(self) -> tuple[str, ...]:
        """Whose replies are judged."""
        return tuple(one.model for one in self.replies)

    @property
    def key(self) -> str:
        """What it is kept under, the same in every review."""
        return _sha(["unit", self.item.id, *self.models])[:16]

    @property
    def content(self) -> str:
        """Hash of all that is judged: an answer to another content says nothing of this one."""
        item = self.item
        return _sha(
            [self.question, item.options, item.answer, item.sha256 or item.clips, self.options, self.suspects]
            + [one.text for one in self.replies]
            + list(self.given)
        )[:12]


def drawn(units: Sequence[Unit], n: int | None, seed: int) -> list[Unit]:
    """So many of them at random, each as likely as any other; all where there are no more, or None is asked for."""
    if n is None or n >= len(units):
        return list(units)
    return seeds.stream(seed, "review sample").shuffled(units)[:n]


def _sha(parts: Sequence[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
