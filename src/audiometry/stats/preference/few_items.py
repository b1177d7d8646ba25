"""Which few items go along with preference best, chosen one after the other.

Source: arXiv 2605.00022 (HUMANS), which chooses subsets of audio benchmarks that foretell people's ratings; the
choosing here is plain forward selection, and what it is worth is told by systems that had no part in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import Floats
from audiometry.stats.preference.left_out import Foretell

Codes = NDArray[np.int64]
_DUST: Final = 1e-12


def few_items(values: Floats, merits: Floats, n: int, order: Codes | None = None) -> Codes:
    """The items whose mean goes along best with merits: at each step the one that raises its correlation most.

    Args:
        values: ``float64[systems, items]``, finite.
        merits: ``float64[systems]``, not all equal.
        n: how many, at least 1 and at most all.
        order: ``int64[items]``, in which items that are equally good are preferred; None: as they stand.

    Returns:
        ``int64[n]``, columns, in the order in which they were chosen.

    Raises:
        UsageError: there are not so many items.

    >>> few_items(np.array([[0.0, 1, 0], [1, 0, 0], [1, 1, 1]]), np.array([0.0, 1, 2]), 2).tolist()
    [0, 2]
    """
    if not 1 <= n <= values.shape[1]:
        raise UsageError(f"{n:,} items of {values.shape[1]:,}; give a number from 1 to that")
    rank = np.arange(values.shape[1]) if order is None else np.asarray(order)
    apart, own = (values - values.mean(axis=0))[:, rank], merits - merits.mean()
    along, size = own @ apart, (apart**2).sum(axis=0)
    summed, dots, free = np.zeros(len(merits)), np.zeros(values.shape[1]), np.ones(values.shape[1], np.bool_)
    chosen: list[int] = []
    for _ in range(n):
        spread = float(summed @ summed) + 2 * dots + size
        up = float(own @ summed) + along
        worth = np.where(free, up / np.sqrt(np.maximum(spread, _DUST)), -np.inf)
        best = int(np.flatnonzero(worth >= worth.max() - _DUST)[0])
        free[best] = False
        chosen.append(best)
        summed = summed + apart[:, best]
        dots = dots + apart[:, best] @ apart
    return np.asarray(rank[chosen], np.int64)


def by_few_items(n: int, order: Codes | None = None) -> Foretell:
    """Foretelling by the mean of so many items, chosen on the systems that are known."""

    def how(x: Floats, merits: Floats) -> tuple[Callable[[Floats], float], str]:
        return _by_mean(x, merits, few_items(x, merits, n, order)), f"{n} items"

    return how


def by_items(columns: Codes) -> Foretell:
    """Foretelling by the mean of these items, whatever the votes say."""
    return lambda x, merits: (_by_mean(x, merits, columns), f"{len(columns)} items")


def _by_mean(x: Floats, merits: Floats, columns: Codes) -> Callable[[Floats], float]:
    """Least squares on the mean of some items."""
    means = x[:, columns].mean(axis=1)
    centre = float(means.mean())
    apart = means - centre
    slope = float(apart @ merits) / float(apart @ apart) if np.ptp(means) > 0 else 0.0
    return lambda one: slope * (float(one[columns].mean()) - centre)
