"""The share of replies that are right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from audiometry.records import Item, State, Task
from audiometry.score.measures.measure import Counted, Floats, ratio
from audiometry.score.readers import KINDS, Outcome

_COLUMNS = ("right", "replies")


class Accuracy(msgspec.Struct, frozen=True):
    """Right replies over all that count; whatever is no answer is not right."""

    name: str = "accuracy"
    about: str = "share of replies that are right; of labels and of options"
    version: int = 1
    kinds: KINDS = frozenset({"choice", "label"})
    unit: str = "share correct"
    direction: Literal["up"] = "up"
    range: tuple[float, float] = (0.0, 1.0)
    has_chance: bool = True
    takes: Literal["read", "scores"] = "read"

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  the same for all
        """Right replies, and replies."""
        return _COLUMNS

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:  # noqa: ARG002  fixed
        """1 and 1 for a right reply, 0 and 1 for any other."""
        import numpy as np

        right = [is_right(item, outcome) for item, outcome in zip(items, outcomes, strict=True)]
        found = np.ones((len(right), 2))
        found[:, 0] = right
        return Counted(found)

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats]:  # noqa: ARG002  fixed
        """A wrong reply and a right one."""
        import numpy as np

        return np.tile((0.0, 1.0), (len(items), 1)), np.ones((len(items), 2))

    def value(self, sums: Floats) -> Floats:
        """Right over all; NaN of nothing."""
        return ratio(sums[..., 0], sums[..., 1])


def is_right(item: Item, outcome: Outcome) -> bool:
    """Whether what was read is the item's answer."""
    if outcome.state != State.ANSWERED or outcome.read is None or item.answer is None:
        return False
    return outcome.read == item.answer or _plain(outcome.read) == _plain(item.answer)


@lru_cache(maxsize=1 << 11)  # several sheets ask for the same texts, one after the other
def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


MEASURE = Accuracy()
