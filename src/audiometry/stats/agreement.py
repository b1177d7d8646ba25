"""How far two raters agree beyond chance: Cohen's kappa, plain and weighted.

``kappa = 1 - observed disagreement / disagreement expected of independent raters with the same habits``. 1 is full
agreement, 0 what chance would give, below 0 less than that. Where both raters always say one and the same thing,
chance would agree as well, and kappa is not defined.

Sources: Cohen 1960, Educational and Psychological Measurement 20, 37-46; Cohen 1968, Psychological Bulletin 70,
213-220 (weights).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.bootstrap import RESAMPLES, Coefficient, gathered, limits, undefined
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio

Floats = NDArray[np.float64]
Disagreements = Callable[[Floats], tuple[Floats, Floats]]

_FEW = 10  # clusters with a disagreement: below it resampling shows too little of them
_DUST = 1e-12


def cohen_kappa(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Coefficient:
    """Cohen's kappa of two raters who name one of several values; all disagreements weigh alike.

    Args:
        a: ``int64[n]``, what the first rater says of each unit, as any codes.
        b: ``int64[n]``, what the second says.
        clusters: ``int64[n]``, which units are not independent (those of one item).
        rng: source of the resamples, a named stream.
        resamples: how many.
        confidence: two-sided, between 0 and 1.

    Raises:
        UsageError: lengths that differ.

    >>> rng = np.random.default_rng(1)
    >>> round(cohen_kappa([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2], range(6), rng=rng).value, 3)
    0.75
    """
    first, second = _same_length(a, b)
    n = len(first)
    values, codes = np.unique(np.concatenate((first, second)), return_inverse=True)
    one, other, kinds = codes[:n], codes[n:], len(values)
    rows = np.arange(n)
    parts = np.zeros((n, 1 + 2 * kinds))
    parts[:, 0] = one != other
    parts[rows, 1 + one] = 1
    parts[rows, 1 + kinds + other] = 1

    def disagreements(sums: Floats) -> tuple[Floats, Floats]:
        left, right = sums[:, 1 : 1 + kinds], sums[:, 1 + kinds :]
        size = left.sum(axis=1)
        return sums[:, 0] / size, 1 - (left * right).sum(axis=1) / size**2

    return one_minus_ratio(
        parts, disagreements, parts[:, 0], np.ones(n), clusters, rng=rng, resamples=resamples, confidence=confidence
    )


def quadratic_kappa(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Coefficient:
    """Kappa of two raters who give numbers; a disagreement weighs by its square.

    On scores that are not rounded this is Lin's concordance correlation (1989, Biometrics 45, 255-268), with sums over
    n. A rater who is always two points higher than the other does not agree with them, however well both correlate.

    Args:
        a: ``float64[n]``, the first rater's scores, finite; round them first to follow Cohen to the letter.
        b: ``float64[n]``, the second rater's.
        clusters: ``int64[n]``, which units are not independent.
        rng: source of the resamples, a named stream.
        resamples: how many.
        confidence: two-sided, between 0 and 1.

    Raises:
        UsageError: lengths that differ.

    >>> rng = np.random.default_rng(1)
    >>> round(quadratic_kappa([1, 2, 3, 4], [1, 2, 4, 4], range(4), rng=rng).value, 3)
    0.917
    """
    first, second = (values.astype(np.float64) for values in _same_length(a, b))
    n = len(first)
    both = np.concatenate((first, second))
    if n:  # the squares of large numbers would leave only rounding
        first, second = first - both.mean(), second - both.mean()
    apart = (first - second) ** 2
    parts = np.stack((np.ones(n), apart, first, second, first**2, second**2), axis=1)

    def disagreements(sums: Floats) -> tuple[Floats, Floats]:
        size, differ, x, y, xx, yy = sums.T
        return differ / size, (xx + yy) / size - 2 * x * y / size**2

    largest = float(apart.max(initial=0.0)) or (float(np.ptp(both)) ** 2 if n else 0.0) or 1.0
    return one_minus_ratio(
        parts,
        disagreements,
        apart / largest,
        np.ones(n),
        clusters,
        rng=rng,
        resamples=resamples,
        confidence=confidence,
        largest=largest,
    )


def one_minus_ratio(
    parts: Floats,
    disagreements: Disagreements,
    share: Floats,
    weight: Floats,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int,
    confidence: float,
    largest: float = 1.0,
) -> Coefficient:
    """A coefficient ``1 - observed / expected`` with its interval.

    The interval is that of resampled clusters. Where fewer than ten clusters hold a disagreement, resampling them
    shows too little of how many there may be (none at all, for full agreement), so the limits are moved out to
    those of the Wilson interval of the observed disagreement, with the expected one taken as known.

    Args:
        parts: ``float64[n, k]``, what each unit adds to the sums.
        disagreements: from rows of sums, the observed and the expected disagreement of each row.
        share: ``float64[n]``, 0 to 1, each unit's disagreement as a share of ``largest``.
        weight: ``float64[n]``, how many ratings (or pairs) a unit has.
        clusters: ``int64[n]``, which units are not independent.
        rng: source of the resamples.
        resamples: how many.
        confidence: two-sided, between 0 and 1.
        largest: what a share of 1 is in the units of ``disagreements``.
    """
    if not len(parts):
        return undefined(0, 0, "nothing rated in common")
    n = round(float(weight.sum()))
    by_cluster = gathered(parts, clusters)
    size = len(by_cluster)

    def statistic(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            observed, expected = disagreements(sums)
            return np.where(expected > _DUST * largest, 1 - observed / expected, np.nan)

    whole = by_cluster.sum(axis=0)[None]
    value = float(statistic(whole)[0])
    if not np.isfinite(value):
        return undefined(n, size, "all ratings are equal, as chance would have them")
    found = limits(by_cluster, statistic, rng=rng, resamples=resamples, confidence=confidence)
    if found is None:
        why = "a single item" if size == 1 else "most resamples hold but one value"
        return Coefficient(value=value, low=None, high=None, n=n, n_clusters=size, why=f"no interval: {why}")
    low, high = found
    if int((gathered(share[:, None], clusters)[:, 0] > _DUST).sum()) < _FEW:
        observed = means(share.clip(0, 1), clusters, weight=weight)
        least, most = estimate(observed, ratio, [1], SHARE, confidence=confidence).interval or (0.0, 1.0)
        scale = largest / float(disagreements(whole)[1][0])
        low, high = min(low, 1 - most * scale), max(high, 1 - least * scale)
    return Coefficient(value=value, low=max(low, min(-1.0, value)), high=min(1.0, high), n=n, n_clusters=size)


def _same_length(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape:
        raise UsageError(f"ratings of shapes {first.shape} and {second.shape}; give two columns of one length")
    return first, second
