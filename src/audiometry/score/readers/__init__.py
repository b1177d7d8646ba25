"""Readers: each looks at one reply and says what became of it and what was read.

A reader is pure: judges were asked before, and their words on the reply are handed to it. Which reply counts, and
what an outcome is worth, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import msgspec

from audiometry.records import Item, ReplyRecord, State, Task
from audiometry.records.reply import FILTERED

DECLINED = frozenset({FILTERED, "refusal"})
"""Finish reasons of a reply that declines."""


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of one reply.

    Attributes:
        state: one of seven.
        read: what was read: the text of an option, a label, words; None if nothing was.
        scores: of judges, judges by orders; NaN where one failed.
        how: the rule that decided; of a failure its kind.
        letter: the letter of the option that was chosen, as shown; it may be one that no option has.
    """

    state: State
    read: str | None = None
    scores: tuple[float, ...] = ()
    how: str = ""
    letter: str | None = None


class Said(msgspec.Struct, frozen=True):
    """What a judge answered about one content.

    Attributes:
        first: its first answer; None if none came, or if it was only asked without a limit on the length.
        again: its answer to being asked once more; None if it was not, or gave none.
        readable: the first answer can be read and is whole.
        cut: the answer that counts is the second one and reached a limit of the judge's: its last line may be half.
    """

    first: str | None = None
    again: str | None = None
    readable: bool = False
    cut: bool = False

    @property
    def text(self) -> str | None:
        """The answer that counts; None where there is none yet."""
        return self.first if self.readable else self.again


class Reader(Protocol):
    """Says what became of one reply. ``kinds`` are those of tasks: choice, label, transcript, open."""

    @property
    def name(self) -> str:
        """Whose rules."""
        ...

    @property
    def version(self) -> int:
        """Another number is another rule."""
        ...

    @property
    def kinds(self) -> frozenset[str]:
        """Of tasks whose replies it reads."""
        ...

    def read(self, reply: ReplyRecord | None, item: Item, shown: Sequence[str], said: Sequence[Said] = ()) -> Outcome:
        """What became of a reply.

        Args:
            reply: the one that counts; None if none was asked for.
            item: what was asked.
            shown: its options in the order they were shown.
            said: the judges' words on this reply, where it asks any.
        """
        ...


def ended(reply: ReplyRecord | None) -> Outcome | None:
    """The outcome where no words came, the same for every reader: not asked, failed, or blocked; None if some did."""
    if reply is None:
        return NOT_ASKED
    if reply.error is not None:
        return Outcome(State.FAILED, how=reply.error.kind)
    if reply.text is None:
        return Outcome(State.FAILED, how="no-text")
    return BLOCKED if reply.blocked else None


def as_shown(reader: Reader | None, style: str) -> Reader | None:
    """A reader as it reads replies to options that were shown in a style (`choices.STYLES`), if that matters to it."""
    shown_as: Callable[[str], Reader] | None = getattr(reader, "shown_as", None)
    return reader if shown_as is None else shown_as(style)


def of_task(reader: Reader | None, task: Task, gold: Sequence[str]) -> Reader | None:
    """A reader as it reads replies of a task with these right labels, if that matters to it."""
    for_task: Callable[[Task, Sequence[str]], Reader] | None = getattr(reader, "for_task", None)
    return reader if for_task is None else for_task(task, gold)


def lent(item: Item) -> Item:
    """An item for code of another package, which may do with its tags what it likes."""
    if not item.tags:
        return item
    tags = {name: [*value] if isinstance(value, list) else value for name, value in item.tags.items()}
    return msgspec.structs.replace(item, tags=tags)


NOT_ASKED = Outcome(State.NOT_ASKED, how="not-asked")
BLOCKED = Outcome(State.REFUSED, how=FILTERED)
KINDS: TypeAlias = frozenset[str]
