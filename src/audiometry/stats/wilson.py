"""The Wilson score interval, for any positive amount of evidence, whole or not."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.quantile import check_confidence, normal_quantile

Floats = NDArray[np.float64]


def wilson(p: float, n: float, confidence: float = 0.95, *, quantile: float | None = None) -> tuple[float, float]:
    """Limits for a proportion: all values that a score test at this level would not reject.

    Args:
        p: the observed proportion, 0 to 1.
        n: how many independent observations it rests on, > 0; a fraction where n was divided by a design effect.
        confidence: two-sided, between 0 and 1.
        quantile: the critical value, if not the normal one that belongs to ``confidence`` (Student's t where
            the variance was estimated from few clusters).

    Returns:
        ``(low, high)`` with ``0 <= low <= p <= high <= 1``.

    Raises:
        UsageError: p outside 0 to 1, n not above 0, confidence not between 0 and 1.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.

    >>> low, high = wilson(1.0, 20)
    >>> round(low, 4), high
    (0.8389, 1.0)
    """
    check_confidence(confidence)
    if not 0 <= p <= 1:
        raise UsageError(f"a proportion lies between 0 and 1, got {p}; give a share, not a count or a percentage")
    if not 0 < n < math.inf:
        raise UsageError(f"an interval needs n above 0 and finite, got {n}; there is nothing to estimate from")
    z = normal_quantile(confidence) if quantile is None else quantile
    low, high = score_limits(np.array([p]), np.array([n]), np.array([z]))
    return float(low[0]), float(high[0])


def score_limits(p: Floats, n: Floats, quantile: Floats) -> tuple[Floats, Floats]:
    """The same for many proportions at once, unchecked; ``float64[m]`` each, n may be infinite."""
    share = quantile**2 / n
    centre = (p + share / 2) / (1 + share)
    half = np.sqrt(share * p * (1 - p) + share * share / 4) / (1 + share)
    # At 0 and 1 the limit is exact; rounding must not leave 1 - 1e-16 there, nor cross p.
    low = np.where(p == 0, 0.0, np.clip(np.minimum(p, centre - half), 0.0, None))
    return low, np.where(p == 1, 1.0, np.clip(np.maximum(p, centre + half), None, 1.0))
