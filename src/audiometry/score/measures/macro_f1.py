"""Macro F1: the mean over classes of the harmonic mean of precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from audiometry.records import Item, Task
from audiometry.score.classes import class_read, right_class
from audiometry.score.measures.measure import Counted, Floats
from audiometry.score.readers import KINDS, Outcome


class MacroF1(msgspec.Struct, frozen=True):
    """The mean F1 of the classes that occur in gold; a reply without a label belongs to no class.

    What was read outside these classes counts against the class that it was taken from alone. Of choices the classes
    are the letters of the options in the benchmark's own order.
    """

    name: str = "macro-f1"
    about: str = "mean over classes of F1; of labels, and of options where a card names it"
    version: int = 1
    kinds: KINDS = frozenset({"label", "choice"})
    unit: str = "mean F1"
    direction: Literal["up"] = "up"
    range: tuple[float, float] = (0.0, 1.0)
    scale: Literal["f1"] = "f1"
    by_class: bool = True

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  classes are those that occur
        """Hits, gold and predicted of each class."""
        return tuple(f"{label}: {part}" for label in gold for part in ("hits", "gold", "predicted"))

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:
        """1 for the class that is right, 1 for the one that was read, and 1 for a hit."""
        import numpy as np

        place = _places(columns)
        found = np.zeros((len(items), len(columns)))
        for row, (item, outcome) in enumerate(zip(items, outcomes, strict=True)):
            gold, read = place.get(right_class(item)), place.get(class_read(item, outcome))
            if gold is not None:
                found[row, gold + 1] = 1.0
            if read is not None:
                found[row, read + 2] = 1.0
                found[row, read] = float(read == gold)
        return Counted(found)

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats]:
        """Another label than the right one, and the right one; which other one is the worst `lowest` knows."""
        import numpy as np

        place = _places(columns)
        worst, best = np.zeros((len(items), len(columns))), np.zeros((len(items), len(columns)))
        for row, item in enumerate(items):
            gold = place.get(right_class(item))
            if gold is None:
                continue
            worst[row, gold + 1] = 1.0
            best[row, gold : gold + 3] = 1.0
            if len(columns) > len(_PARTS):
                worst[row, (gold + len(_PARTS)) % len(columns) + 2] = 1.0
        return worst, best

    def lowest(self, known: Floats, lost: Floats) -> Floats:
        """The lowest value there can be, ``float64[v]``.

        F1 falls the more slowly the more replies were given a class wrongly, so that giving each lost reply to the
        class that loses most by it finds the least there can be, or a little less, as it may be the right one.

        Args:
            known: ``float64[v, k]``, sums of the replies that came.
            lost: ``float64[v, k]``, sums of the worst parts of those that are lost.
        """
        import numpy as np

        sums = known.copy()
        sums[..., 1::3] += lost[..., 1::3]
        for row, count in zip(sums, lost[..., 2::3].sum(axis=-1).astype(int).tolist(), strict=True):
            _give_away(row, count)
        return np.asarray(self.value(sums), np.float64)

    def value(self, sums: Floats) -> Floats:
        """The mean F1; NaN where no class occurs in gold."""
        from audiometry.stats.f1 import macro_f1

        return macro_f1(sums)


_PARTS = ("hits", "gold", "predicted")


def _places(columns: Sequence[str]) -> dict[str | None, int]:
    """The first column of each class."""
    return {columns[at].removesuffix(f": {_PARTS[0]}"): at for at in range(0, len(columns), len(_PARTS))}


def _give_away(row: Floats, count: int) -> None:
    """Add predictions to the classes that lose most by them, one after the other."""
    hits, gold = row[0::3], row[1::3]
    for _ in range(count if (hits > 0).any() else 0):
        every = gold + row[2::3]
        there = every > 0
        every[~there] = 1.0
        fall = (hits / every - hits / (every + 1)) * there
        row[3 * int(fall.argmax()) + 2] += 1


MEASURE = MacroF1()
