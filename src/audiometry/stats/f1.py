"""Macro F1 from sums: hits, gold and predicted of each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COLUMNS = 3  # of each class: hits, gold, predicted


def classes(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Hits, gold and predicted, ``float64[..., classes]`` each, of sums ``float64[..., 3 * classes]``."""
    return sums[..., 0::COLUMNS], sums[..., 1::COLUMNS], sums[..., 2::COLUMNS]


def counted(gold: Iterable[str], read: Iterable[str | None]) -> Floats:
    """The sums of two columns of labels.

    >>> macro_f1(counted(["sad", "sad", "happy"], ["sad", None, "bored"])).item()
    0.3333333333333333

    Args:
        gold: what is right.
        read: what was read; None, or a label that is none of gold's, belongs to no class.

    Returns:
        ``float64[3 * classes]``, the classes those that occur in gold, in that order.

    Raises:
        ValueError: one column is longer than the other.
    """
    pairs = Counter(zip(gold, read, strict=True))  # a million are few kinds, and counting them is a loop in C
    place = {due: COLUMNS * k for k, due in enumerate(dict.fromkeys(due for due, _ in pairs))}
    sums = np.zeros(COLUMNS * len(place))
    for (due, said), n in pairs.items():
        sums[place[due] + 1] += n
        if said in place:
            sums[place[said] + 2] += n
        if said == due:
            sums[place[due]] += n
    return sums


def macro_f1(sums: Floats) -> Floats:
    """The mean over classes of ``2 hits / (gold + predicted)``.

    A class that never occurs in gold has no F1: it is not averaged, and what was wrongly given its name counts against
    the class that it was taken from.

    Args:
        sums: ``float64[..., 3 * classes]``; columns 3c, 3c + 1 and 3c + 2 are hits, gold and predicted of class c.

    Returns:
        ``float64[...]``, 0 to 1; NaN where no class occurs in gold.
    """
    hits, gold, predicted = classes(sums)
    there = gold > 0
    f1 = 2 * hits / np.where(there, gold + predicted, 1.0)
    number = there.sum(axis=-1)
    return np.where(number > 0, np.where(there, f1, 0.0).sum(axis=-1) / np.maximum(number, 1), np.nan)
