"""Two-sided critical values, normal and Student's t, without loading scipy (0.24 s and 50 MB); and p, with it."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError

_MANY = 1e4  # degrees of freedom from which the series in 1/df is the better: lgammas that nearly cancel lose digits
_STEPS = 60  # Newton needs about 6; the bound is there so that it ends


def check_confidence(confidence: float) -> None:
    """Let through only a confidence strictly between 0 and 1.

    Raises:
        UsageError: it is not.
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence lies between 0 and 1, got {confidence}; for 95 % give 0.95")


def normal_quantile(confidence: float) -> float:
    """The z with that much of the normal distribution between -z and z.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf(0.5 + confidence / 2)


@lru_cache(maxsize=4096)
def student_quantile(confidence: float, df: float) -> float:
    """The t with that much of Student's distribution between -t and t.

    With ``t = sqrt(df) tan(x)`` the mass between -t and t is the integral of ``cos(x)^(df-1)`` from 0 to x over
    that from 0 to pi/2: smooth, so Gauss-Legendre nodes and Newton steps give 7 digits or more for any real df >= 1.
    From many on it is the normal quantile and two terms in 1/df (Abramowitz and Stegun 26.7.5).

    Args:
        confidence: between 0 and 1.
        df: degrees of freedom, >= 1, whole or not.

    >>> round(student_quantile(0.95, 5), 4)
    2.5706
    """
    z = normal_quantile(confidence)
    if df > _MANY:
        return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
    nodes, weights = _legendre()
    log_whole = 0.5 * math.log(math.pi) + math.lgamma(df / 2) - math.lgamma((df + 1) / 2) - math.log(2)
    target = confidence * math.exp(log_whole)
    # The mass is concave in x, so Newton from a point left of the root climbs to it without overshoot.
    x = target
    for _ in range(_STEPS):
        mass = x / 2 * float(weights @ np.cos(x * (nodes + 1) / 2) ** (df - 1))
        step = (target - mass) / math.cos(x) ** (df - 1)
        x += step
        if abs(step) < 1e-12 * x:  # near the rounding of a double
            break
    return math.sqrt(df) * math.tan(x)


def student_p(t: float, df: float) -> float:
    """The mass of Student's distribution outside -t and t.

    Args:
        t: a difference over its standard error.
        df: degrees of freedom, > 0, whole or not.

    >>> round(student_p(-2.5706, 5), 4)
    0.05
    """
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(t)))


@lru_cache(maxsize=1)
def _legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    nodes, weights = np.polynomial.legendre.leggauss(96)
    return nodes, weights
