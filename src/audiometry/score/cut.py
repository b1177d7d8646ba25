"""Replies to the beginning of a clip alone, where a recipe or the model's card cuts longer ones."""

from __future__ import annotations

from collections.abc import Iterable

from audiometry.audio.target import CUT
from audiometry.choices.variant import is_of_score
from audiometry.records import Item, ReplyRecord
from audiometry.score.opened import OpenedRun
from audiometry.score.replies import Replies


class Cut:
    """Counts the replies to items with their own clips of which only the beginning was sent (see `filling.Count`).

    Args:
        run: whose.
    """

    def __init__(self, run: OpenedRun) -> None:
        self.n = 0
        self._own = [is_of_score(name) for name in run.info.variants]

    def among(self, replies: Iterable[tuple[int, ReplyRecord, Item]]) -> int:
        """How many they are."""
        return sum(self.look(column, reply) for column, reply, _ in replies if reply.audio_changes)

    def look(self, column: int, reply: ReplyRecord) -> bool:
        """Whether it is one of them."""
        return self._own[column] and reply.error is None and any(c.startswith(CUT) for c in reply.audio_changes)


def n_clips_cut(run: OpenedRun) -> int:
    """How many of the replies to a run's items with their own clips were made of the beginning of a clip."""
    found = Cut(run)
    if run.info.audio is not None and run.info.audio.cut:
        found.n = sum(found.look(column, reply) for _, column, reply in Replies(run))
    return found.n
