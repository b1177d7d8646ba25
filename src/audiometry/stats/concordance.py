"""Whether two raters put things in the same order: Kendall's tau-b and Spearman's rho.

Both take ties into account and ask nothing of the scales, so a metric between 0 and 1 can be held against people's
scores from 1 to 10. The interval comes from how much each unit moves the coefficient (its influence), added up over
clusters: the infinitesimal jackknife. It costs a sort, where resampling would cost a thousand.

Sources: Kendall 1945, Biometrika 33, 239-251 (tau-b); Spearman 1904, American Journal of Psychology 15, 72-101; Efron
1982, The Jackknife, the Bootstrap and Other Resampling Plans, chapter 6; Bonett and Wright 2000, Psychometrika 65,
23-28 (limits on Fisher's z).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.bootstrap import Coefficient, gathered, undefined
from audiometry.stats.quantile import check_confidence, student_quantile
from audiometry.stats.wilson import wilson

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_ALL = 1 - 1e-12
_TABLE = 1_000_000  # cells of a table of both ranks that is faster than sorting


def kendall_tau_b(a: ArrayLike, b: ArrayLike, clusters: ArrayLike, *, confidence: float = 0.95) -> Coefficient:
    """Kendall's tau-b: pairs of units in the same order less pairs in opposite order, over those that are not tied.

    Args:
        a: ``float64[n]``, one rater's scores, finite.
        b: ``float64[n]``, the other's.
        clusters: ``int64[n]``, which units are not independent, any codes.
        confidence: two-sided, between 0 and 1.

    Raises:
        UsageError: lengths that differ.

    >>> round(kendall_tau_b([1, 2, 3, 4], [1, 3, 2, 4], range(4)).value, 4)
    0.6667
    """
    return _correlation(_kendall, a, b, clusters, confidence)


def spearman_rho(a: ArrayLike, b: ArrayLike, clusters: ArrayLike, *, confidence: float = 0.95) -> Coefficient:
    """Spearman's rank correlation, Pearson's of mid-ranks; all else as `kendall_tau_b`.

    >>> round(spearman_rho([1, 2, 3, 4], [1, 3, 2, 4], range(4)).value, 4)
    0.8
    """
    return _correlation(_spearman, a, b, clusters, confidence)


def _kendall(x: Codes, y: Codes) -> tuple[float, Floats]:
    """Tau-b of two columns of ranks, and the influence of each unit on it."""
    concordant, untied_x, untied_y = _pairs(x, y)
    both, only_x, only_y = (float(column.sum()) for column in (concordant, untied_x, untied_y))
    value = both / math.sqrt(only_x * only_y)
    influence = concordant / math.sqrt(only_x * only_y) - value / 2 * (untied_x / only_x + untied_y / only_y)
    return value, 2 * influence


def _spearman(x: Codes, y: Codes) -> tuple[float, Floats]:
    """Rho of two columns of ranks, and the influence of each unit on it."""
    u, v = (_midranks(codes) / len(x) for codes in (x, y))
    u, v = u - u.mean(), v - v.mean()
    uu, vv, uv = (float((one * other).sum()) for one, other in ((u, u), (v, v), (u, v)))
    value = max(-1.0, min(1.0, uv / math.sqrt(uu * vv)))
    # A unit moves the sums by its own product and by the ranks of all others that it lifts.
    on_uv = u * v + _lifted(x, v) + _lifted(y, u)
    on_uu, on_vv = u * u + 2 * _lifted(x, u), v * v + 2 * _lifted(y, v)
    influence = on_uv / math.sqrt(uu * vv) - value / 2 * (on_uu / uu + on_vv / vv)
    return value, influence - influence.mean()


def _correlation(
    measure: Callable[[Codes, Codes], tuple[float, Floats]],
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike,
    confidence: float,
) -> Coefficient:
    check_confidence(confidence)
    x, y, cluster = _ranked(a, b, clusters)
    if reason := _nothing(x, y):
        return undefined(len(x), len(np.unique(cluster)), reason)
    value, influence = measure(x, y)
    return _measured(value, influence, cluster, confidence)


def _measured(value: float, influence: Floats, cluster: Codes, confidence: float) -> Coefficient:
    """The value with the limits that its units' influences give, which add up to 0."""
    by_cluster = gathered(influence[:, None], cluster)[:, 0]
    n, size = len(influence), len(by_cluster)
    if size <= 2:  # noqa: PLR2004  Fisher's z of two points says nothing
        return Coefficient(
            value=value, low=None, high=None, n=n, n_clusters=size, why="no interval: fewer than three items"
        )
    if abs(value) >= _ALL:
        # size // 2 pairs of items that share none all have one order: the limit of a share of 1
        end = 2 * wilson(1.0, size // 2, confidence)[0] - 1
        low, high = (end, 1.0) if value > 0 else (-1.0, -end)
        return Coefficient(value=math.copysign(1.0, value), low=low, high=high, n=n, n_clusters=size)
    se = math.sqrt(float((by_cluster**2).sum()) * size / (size - 1))
    reach = student_quantile(confidence, size - 1) * se / (1 - value**2)
    centre = math.atanh(value)
    return Coefficient(value=value, low=math.tanh(centre - reach), high=math.tanh(centre + reach), n=n, n_clusters=size)


def _ranked(a: ArrayLike, b: ArrayLike, clusters: ArrayLike) -> tuple[Codes, Codes, Codes]:
    """Both columns as ranks without gaps, ties alike."""
    x, y, cluster = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64), np.asarray(clusters)
    if x.ndim != 1 or not x.shape == y.shape == cluster.shape:
        raise UsageError(
            f"scores of shapes {x.shape} and {y.shape}, clusters {cluster.shape}; give columns of one length"
        )
    return np.unique(x, return_inverse=True)[1], np.unique(y, return_inverse=True)[1], cluster


def _nothing(x: Codes, y: Codes) -> str:
    """Why there is no correlation, if there is none."""
    if len(x) < 2:  # noqa: PLR2004  an order needs two
        return "nothing rated in common" if not len(x) else "a single unit has no order"
    if not x.any() or not y.any():  # ranks begin at 0
        return "all scores of one rater are equal, so there is no order"
    return ""


def _pairs(x: Codes, y: Codes) -> tuple[Floats, Floats, Floats]:
    """For each unit: others in the same order less those in the opposite one; others not tied in x, in y."""
    n = len(x)
    below_x, below_y = np.cumsum(np.bincount(x)) - np.bincount(x), np.cumsum(np.bincount(y)) - np.bincount(y)
    tied_x, tied_y = np.bincount(x)[x], np.bincount(y)[y]
    less_x, less_y = below_x[x], below_y[y]
    cell = x * (int(y.max()) + 1) + y
    _, place, counts = np.unique(cell, return_inverse=True, return_counts=True)
    same = counts[place]
    less_tied = _below_within(y, x)  # lower in x, tied in y
    tied_less = _below_within(x, y)  # tied in x, lower in y
    less_less = _both_below(x, y)
    less_more = less_x - less_less - less_tied
    more_less = less_y - less_less - tied_less
    more_tied = tied_y - less_tied - same
    more_more = n - tied_x - less_x - more_less - more_tied
    concordant = less_less + more_more - less_more - more_less
    return concordant.astype(np.float64), (n - tied_x).astype(np.float64), (n - tied_y).astype(np.float64)


def _below_within(group: Codes, values: Codes) -> Codes:
    """For each unit, how many of its group have a lower value."""
    order = np.lexsort((values, group))
    g, v = group[order], values[order]
    place = np.arange(len(g))
    new_group = np.r_[True, g[1:] != g[:-1]]
    new_value = new_group | np.r_[True, v[1:] != v[:-1]]
    start = np.maximum.accumulate(np.where(new_group, place, 0))
    first = np.maximum.accumulate(np.where(new_value, place, 0))
    out = np.empty(len(g), np.int64)
    out[order] = first - start
    return out


def _both_below(x: Codes, y: Codes) -> Codes:
    """For each unit, how many are lower in x and in y."""
    kinds_x, kinds_y = int(x.max()) + 1, int(y.max()) + 1
    if kinds_x * kinds_y > _TABLE:
        return _both_below_sorted(x, y)
    table = np.bincount(x * kinds_y + y, minlength=kinds_x * kinds_y).reshape(kinds_x, kinds_y)
    below = np.zeros((kinds_x + 1, kinds_y + 1), np.int64)
    below[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
    return below[x, y]


def _both_below_sorted(x: Codes, y: Codes) -> Codes:
    """The same by a merge sort by y of what is sorted by x, level by level.

    Within equal x the higher y comes first, so that none of them is counted as earlier and lower.
    """
    order = np.lexsort((-y, x))
    n = len(order)
    rank = y[order]
    found = np.zeros(n, np.int64)
    width = 1
    place = np.arange(n)
    while width < n:
        block, right = place // (2 * width), (place // width) % 2 == 1
        # in a block by y, the right half first where y is equal: ties are not lower
        merged = np.lexsort((~right, rank, block))
        is_left = ~right[merged]
        before = np.cumsum(is_left) - is_left
        starts = np.searchsorted(block[merged], block[merged], "left")
        lefts = np.r_[0, np.cumsum(is_left)]
        found[merged] += np.where(is_left, 0, before - lefts[starts])
        width *= 2
    out = np.empty(n, np.int64)
    out[order] = found
    return out


def _midranks(codes: Codes) -> Floats:
    counts = np.bincount(codes)
    return (np.cumsum(counts) - (counts - 1) / 2)[codes]


def _lifted(codes: Codes, values: Floats) -> Floats:
    """For each unit the sum of the values of those above it and half of those level with it, over n."""
    level = np.bincount(codes, values)
    above = level[::-1].cumsum()[::-1] - level
    return (above + level / 2)[codes] / len(codes)
