"""Balanced accuracy: the mean over classes of the share that is read right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from audiometry.records import Item, State, Task
from audiometry.score.classes import class_read, right_class
from audiometry.score.measures.measure import Counted, Floats, ratio
from audiometry.score.readers import KINDS, Outcome


class BalancedAccuracy(msgspec.Struct, frozen=True):
    """The mean recall of the classes that occur in gold; whatever is no answer is not right."""

    name: str = "balanced-accuracy"
    about: str = "mean over classes of the share that is right; of labels, and of options where a card names it"
    version: int = 1
    kinds: KINDS = frozenset({"label", "choice"})
    unit: str = "mean share correct of a class"
    direction: Literal["up"] = "up"
    range: tuple[float, float] = (0.0, 1.0)
    scale: Literal["recall"] = "recall"
    has_chance: bool = True
    by_class: bool = True

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  classes are those that occur
        """Right replies and replies of each class."""
        return tuple(f"{label}: {part}" for label in gold for part in ("right", "replies"))

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:
        """1 and 1 in the class of a right reply, 0 and 1 in that of any other."""
        import numpy as np

        place = {columns[at].removesuffix(": right"): at for at in range(0, len(columns), 2)}
        found = np.zeros((len(items), len(columns)))
        for row, (item, outcome) in enumerate(zip(items, outcomes, strict=True)):
            gold = right_class(item)
            if gold in place:
                found[row, place[gold] : place[gold] + 2] = class_read(item, outcome) == gold, 1.0
        return Counted(found)

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats]:
        """A wrong reply and a right one."""
        best = self.parts(items, [Outcome(State.ANSWERED, item.answer) for item in items], columns).parts
        worst = best.copy()
        worst[:, 0::2] = 0.0
        return worst, best

    def value(self, sums: Floats) -> Floats:
        """The mean recall; NaN where no class occurs in gold."""
        import numpy as np

        each = ratio(sums[..., 0::2], sums[..., 1::2])
        there = ~np.isnan(each)
        return ratio(np.where(there, each, 0.0).sum(axis=-1), there.sum(axis=-1).astype(np.float64))


MEASURE = BalancedAccuracy()
