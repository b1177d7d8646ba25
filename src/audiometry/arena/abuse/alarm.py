"""An alarm when more votes are set apart than before: an outage or a rule gone wrong looks like abuse."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

RECENT: Final = 200
"""The last votes, which are held against all before them."""
LEVEL: Final = 0.001
TIMES: Final = 2.0
"""A rate that is less than so many times the one before is no jump, however sure."""


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """A jump of the share of votes that are set apart.

    Attributes:
        recent, before: that share, of the last votes and of all others.
        n: how many the last ones are.
        p: of as many among the last, had the share stayed the same; Fisher's exact test, one-sided.
    """

    recent: float
    before: float
    n: int
    p: float


def alarm(apart: NDArray[np.bool_]) -> Alarm | None:
    """Whether the share has jumped.

    Args:
        apart: ``bool[n]``, which votes are set apart, in the order of time; twice `RECENT` of them or more.
    """
    if len(apart) < 2 * RECENT:
        return None
    n, total = len(apart), int(apart.sum())
    recent = int(apart[-RECENT:].sum())
    p = _at_least(recent, n, total)
    now, before = recent / RECENT, (total - recent) / (n - RECENT)
    return Alarm(recent=now, before=before, n=RECENT, p=p) if p < LEVEL and now >= TIMES * before else None


def _at_least(recent: int, n: int, total: int) -> float:
    """The chance that of `RECENT` drawn of ``n`` so many or more are among ``total``, the hypergeometric tail."""
    from scipy.special import betaln  # all of scipy.stats takes half a second to load

    def ways(of: NDArray[np.int64] | int, k: NDArray[np.int64] | int) -> NDArray[np.float64]:
        chosen: NDArray[np.float64] = -np.log1p(of) - betaln(np.subtract(of, k) + 1, np.add(k, 1))
        return chosen

    k = np.arange(max(recent, RECENT - n + total), min(RECENT, total) + 1)
    return min(float(np.exp(ways(total, k) + ways(n - total, RECENT - k) - ways(n, RECENT)).sum()), 1.0)
