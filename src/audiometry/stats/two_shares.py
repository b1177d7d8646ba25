"""Two shares of observations that come in clusters, which may have observations in both: are they the same?

The statistic is that of two proportions with their pooled share, its variance times the design effect: how many times
more the clusters' sums vary than independent observations with the same residuals would. p is Student's with one less
than the number of clusters, and never below Fisher's exact one, which holds for counts however small.

Sources: Rao and Scott 1992, Biometrics 48, 577-585 (tests of clustered shares by design effects); Fisher 1935, Journal
of the Royal Statistical Society 98, 39-82.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.quantile import student_p


def same_share(has: ArrayLike, group: ArrayLike, clusters: ArrayLike) -> float | None:
    """p, two-sided, of the share in a group being that of all other observations.

    Args:
        has: ``bool[n]``, what is counted.
        group: ``bool[n]``, whether an observation is in the group.
        clusters: ``int64[n]``, any codes; equal where observations are not independent.

    Returns:
        None where the group or the others hold no observation, all have it or none does, or there is a single cluster.

    Raises:
        UsageError: columns of different lengths.

    >>> round(same_share([1] * 9 + [0] * 11, [1] * 10 + [0] * 10, range(20)), 5)
    0.00087
    """
    y, within = np.asarray(has, np.float64), np.asarray(group, np.bool_)
    codes = np.asarray(clusters)
    if not (y.ndim == 1 and y.shape == within.shape == codes.shape):
        raise UsageError(f"columns of {y.shape}, {within.shape} and {codes.shape}; give one entry an observation")
    n, n_in, total = len(y), int(within.sum()), float(y.sum())
    place = np.unique(codes, return_inverse=True)[1] if n else np.zeros(0, np.int64)
    size = int(place.max(initial=-1)) + 1
    if not 0 < n_in < n or not 0 < total < n or size < 2:  # noqa: PLR2004  a single one tells no spread
        return None
    pooled, in_group = total / n, float(y[within].sum())
    weight = np.where(within, 1 / n_in, -1 / (n - n_in))
    effect = _design_effect((y - pooled) * weight, place, size)
    spread = pooled * (1 - pooled) * (1 / n_in + 1 / (n - n_in)) * effect
    t = float(weight @ y) / math.sqrt(spread)
    return min(1.0, max(student_p(t, size - 1), _fisher(in_group, n_in, total, n)))


def _design_effect(residual: NDArray[np.float64], place: NDArray[np.int64], size: int) -> float:
    sums = np.bincount(place, residual, size)
    return max(1.0, size / (size - 1) * float(sums @ sums) / float(residual @ residual))


def _fisher(in_group: float, n_in: int, total: float, n: int) -> float:
    from scipy.stats import fisher_exact

    table = [[in_group, n_in - in_group], [total - in_group, n - n_in - total + in_group]]
    found: Any = fisher_exact(table)  # its stubs know nothing of what it gives
    return float(found.pvalue)
