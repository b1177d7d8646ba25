"""Macro F1 from sums: hits, gold and predicted of each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COLUMNS = 3  # of each class: hits, gold, predicted


def classes(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Hits, gold and predicted, ``float64[..., classes]`` each, of sums ``float64[..., 3 * classes]``."""
    return sums[..., 0::COLUMNS], sums[..., 1::COLUMNS], sums[..., 2::COLUMNS]


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
