"""Several things that are known of systems, held against votes together as far as so few systems allow.

n systems give n - 1 contrasts, however many votes there are: of more columns than n - 2 no effect can be told from the
others', nor from chance. Then the columns' principal components stand for them, the fewest that hold four fifths of
their variance and leave two contrasts to tell chance by.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import Floats
from audiometry.stats.preference.fits import Preference, fit
from audiometry.stats.preference.mixed import Mixed

ENOUGH: Final = 0.8  # of the variance
_TINY: Final = 1e-9  # of the largest: no direction of its own


class Components(msgspec.Struct, frozen=True, kw_only=True):
    """Principal components of standardised columns.

    Attributes:
        scores: ``float64[n, m]``, each of standard deviation 1.
        loadings: ``float64[k, m]``, correlation of each column with each component.
        shares: of the variance, of each component that is kept.
        rank: directions in which the columns vary at all.
    """

    scores: Floats
    loadings: Floats
    shares: tuple[float, ...]
    rank: int


def standardised(x: Floats) -> Floats:
    """Columns of mean 0 and standard deviation 1 (n - 1); a constant one stays 0.

    Args:
        x: ``float64[n, k]``.
    """
    apart = x - x.mean(axis=0)
    spread = apart.std(axis=0, ddof=1) if len(x) > 1 else np.zeros(x.shape[1])
    flat = np.ptp(x, axis=0) == 0
    return np.asarray(np.where(flat, 0.0, apart / np.where(flat | (spread == 0), 1.0, spread)), np.float64)


def components(x: Floats) -> Components:
    """The fewest principal components that hold four fifths of the variance, at most n - 3 (of three systems one).

    Args:
        x: ``float64[n, k]``, finite, n at least 3.

    Raises:
        UsageError: fewer than three systems, or nothing that varies.
    """
    n, own = len(x), standardised(x)
    if n < 3:  # noqa: PLR2004  two contrasts
        raise UsageError(f"{n} systems give {max(0, n - 1)} contrasts, too few for a component; give 3 or more")
    left, sizes, right = np.linalg.svd(own, full_matrices=False)
    rank = int((sizes > _TINY * max(1.0, float(sizes[0]))).sum())
    if not rank:
        raise UsageError("no column varies between systems, so there is nothing to put together")
    variance = sizes[:rank] ** 2 / float((sizes**2).sum())
    wanted = int(np.searchsorted(np.cumsum(variance), ENOUGH - _TINY)) + 1
    kept = min(wanted, rank, max(1, n - 3))
    sign = np.sign(right[:kept].sum(axis=1))
    sign[sign == 0] = 1.0
    scores = left[:, :kept] * np.sqrt(n - 1) * sign
    return Components(
        scores=np.asarray(scores, np.float64),
        loadings=np.asarray(own.T @ scores / (n - 1), np.float64),
        shares=tuple(map(float, variance[:kept])),
        rank=rank,
    )


def plainly(votes: Preference, x: Floats, *, confidence: float = 0.95) -> Mixed:
    """All columns in one fit, each standardised.

    Args:
        votes: of the systems, or their ratings.
        x: ``float64[n_systems, k]``.
        confidence: two-sided.

    Raises:
        UsageError: the systems do not identify so many effects; says the rank.
    """
    return fit(votes, standardised(x), confidence=confidence)
