"""Two categories of each observation in pairs, such as the right and the chosen letter: is each as often met in both?

The test is Stuart and Maxwell's of marginal homogeneity with whole clusters as the pieces of its variance: what a
cluster adds to the second counts more than to the first is one vector, and the variance of their sum is the sum of
their outer products. Of clusters of one observation that is Stuart's variance exactly. p is not the chi-squared one,
which is only right for large counts: the two categories of whole clusters change places (`swaps`), which leaves the
variance as it is, so that of two categories and single observations p is McNemar's exact one.

Where clusters are few, or a category is never met in one of the two, the variance is nearly as few-sided as the sum
that it is to judge, and the statistic is at its greatest whatever the counts. So p is not below that of the plain sum
of squared differences under the same swaps, which needs no variance.

Sources: Stuart 1955, Biometrika 42, 412-416; Maxwell 1970, British Journal of Psychiatry 116, 651-655; for clusters the
form of Obuchowski 1998, Statistics in Medicine 17, 1495-1507.
"""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from audiometry.errors import UsageError
from audiometry.stats.compare import SWAPS
from audiometry.stats.difference import differences
from audiometry.stats.influence import numbered
from audiometry.stats.parts import SHARE, Codes, Floats, Parts, ratio
from audiometry.stats.quantile import student_quantile
from audiometry.stats.sparse import of_dense
from audiometry.stats.swaps import swap_test

_DUST = 1e-10  # of the largest eigenvalue of the variance: below it, one is 0
_PLACES = 12


class Homogeneity(msgspec.Struct, frozen=True, kw_only=True):
    """How far two margins are apart.

    Attributes:
        difference: ``float64[k]``, of each category: its share of the second less that of the first.
        low, high: ``float64[k]``, limits of each; all together hold at ``confidence`` (Bonferroni), and
            some leave out 0 only where ``p < 1 - confidence``.
        confidence: what they claim.
        statistic: Stuart and Maxwell's, 0 or more; ``df``: degrees of freedom, 0 where nothing differs.
        p: above 0, at most 1: how often swapped clusters are as far apart, the larger of that by the statistic and
            that by the sum of squared differences.
        n: observations; ``n_clusters``: groups of those that are not independent.
    """

    difference: Floats
    low: Floats
    high: Floats
    confidence: float
    statistic: float
    df: int
    p: float
    n: int
    n_clusters: int


def homogeneity(
    first: ArrayLike,
    second: ArrayLike,
    clusters: ArrayLike,
    rng: np.random.Generator,
    *,
    swaps: int = SWAPS,
    confidence: float = 0.95,
) -> Homogeneity:
    """Whether two categories of the same observations are distributed alike.

    Args:
        first: ``int64[n]``, of each observation, from 0.
        second: the other one.
        clusters: ``int64[n]``, any codes; equal where observations are not independent.
        rng: made anew for every call; used only if more than 16 clusters differ.
        swaps: random patterns, where not all can be looked at.
        confidence: of all limits together, between 0 and 1.

    Raises:
        UsageError: no observation, or columns that are not alike.
    """
    one, other, cluster = (np.asarray(column, np.int64) for column in (first, second, clusters))
    if not len(one) or not one.shape == other.shape == cluster.shape or min(one.min(), other.min()) < 0:
        raise UsageError(
            f"pairs of categories have shapes {one.shape} and {other.shape}, clusters {cluster.shape}; give one entry "
            "an observation, at least one, categories from 0"
        )
    counts = _counts(one, other, cluster)
    n = len(one)
    del one, other, cluster  # as large as all that follows
    statistic, df, p = _tested(counts, rng, swaps)
    low, high = _limits(counts, confidence)
    if p >= round(1 - confidence, _PLACES):  # no picture may show what the test does not find
        low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
    return Homogeneity(
        difference=(counts[1] - counts[0]).sum(axis=0) / n,
        low=low,
        high=high,
        confidence=confidence,
        statistic=statistic,
        df=df,
        p=p,
        n=n,
        n_clusters=len(counts[0]),
    )


def _counts(one: Codes, other: Codes, cluster: Codes) -> list[Codes]:
    """How often each category is met in each cluster, ``int64[G, k]`` of both."""
    k = max(int(one.max()), int(other.max())) + 1
    code, n_clusters = numbered(cluster)
    return [np.bincount(code * k + of, minlength=n_clusters * k).reshape(-1, k) for of in (one, other)]


def _tested(counts: list[Codes], rng: np.random.Generator, swaps: int) -> tuple[float, int, float]:
    """The statistic, its degrees of freedom and p."""
    apart = (counts[1] - counts[0]).astype(np.float64)
    scaled, df = _scaling(apart)
    p, _ = swap_test(
        (counts[0] + counts[1]).sum(axis=0) / 2,
        of_dense(apart / 2),
        lambda above, below: np.stack([_length((above - below) @ scaled), _length(above - below)], axis=1),
        rng=rng,
        swaps=swaps,
    )
    return float(((apart.sum(axis=0) @ scaled) ** 2).sum()), df, p


def _scaling(apart: Floats) -> tuple[Floats, int]:
    """What makes of the sums of the clusters' vectors independent ones of variance 1, ``float64[k, df]``."""
    found, directions = np.linalg.eigh(apart.T @ apart)
    kept = found > _DUST * max(1.0, float(found[-1]))
    return directions[:, kept] / np.sqrt(found[kept]), int(kept.sum())


def _length(of: Floats) -> Floats:
    return np.asarray(np.sqrt((of**2).sum(axis=1)))


def _limits(counts: list[Codes], confidence: float) -> tuple[Floats, Floats]:
    """Of each category's difference of shares, in which all clusters have a part; one by one, as all take k times.

    They are the wider of those of two models' shares and of Student's with one more cluster as far off as there can be:
    of a category that is never chosen in eight clusters that is all that tells that it might be in the ninth.
    """
    n_clusters, k = counts[0].shape
    met = int(((counts[0] + counts[1]).sum(axis=0) > 0).sum())
    confidence = 1 - (1 - confidence) / (met if met > 2 else 1)  # noqa: PLR2004  of two, one is the other's mirror image
    size = counts[0].sum(axis=1).astype(np.float64)
    low, high = np.empty(k), np.empty(k)
    for category in range(k):
        low[category], high[category] = _of_shares(counts, category, size, confidence)
        if n_clusters > 1:
            below, above = _one_more(counts[0][:, category], counts[1][:, category], size, confidence)
            low[category], high[category] = min(low[category], below), max(high[category], above)
    return low, high


def _of_shares(counts: list[Codes], category: int, size: Floats, confidence: float) -> tuple[float, float]:
    """Limits of a category's difference as of two models' shares; what they rest on is as large as all clusters."""
    cluster, leaf = np.arange(len(size)), np.zeros(len(size), np.int64)
    sums = (np.stack((of[:, category], size), axis=1).astype(np.float64) for of in counts)
    first, second = (Parts(of[:, None], cluster, leaf, size) for of in sums)
    found = differences(second, first, ratio, np.ones(1), SHARE)
    assert found is not None  # noqa: S101  every category has a share of observations
    (low,), (high,) = found.own(confidence)
    return float(low), float(high)


def _one_more(first: Codes, second: Codes, size: Floats, confidence: float) -> tuple[float, float]:
    """Limits of a category's difference by Student's t, as if one more cluster were never or always in the second."""
    whole = float(size.sum())
    share, middle = float(first.sum()) / whole, float((second - first).sum()) / whole
    worth = whole**2 / float((size**2).sum())  # equal clusters
    seen = float((((second - first) - middle * size) ** 2).sum()) / whole**2 * len(size) / (len(size) - 1)
    reach = student_quantile(confidence, max(1.0, worth - 1))
    below, above = (reach * math.hypot(math.sqrt(seen), (end - middle) / worth) for end in (-share, 1 - share))
    return max(-1.0, middle - below), min(1.0, middle + above)
