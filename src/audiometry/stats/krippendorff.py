"""Krippendorff's alpha: the reliability of any number of raters, whoever rated what.

``alpha = 1 - D_o / D_e``: the disagreement within units over that of any two ratings put together at random. A unit
counts with as many ratings as it has; one that a single rater saw says nothing and is left out. What two different
values weigh depends on the level: nominal, all alike; interval, the squared difference; ordinal, the squared number of
ratings between them.

An ordinal distance is the squared difference of mid-ranks, since half of the ratings at both ends and all between
add up to it. So ordinal is interval on ranks, and both are functions of sums over units.

Source: Krippendorff 2019, Content Analysis, 4th ed., chapter 12; resampling units and not pairs of values follows
Zapf et al. 2016, BMC Medical Research Methodology 16, 93.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.agreement import one_minus_ratio
from audiometry.stats.bootstrap import RESAMPLES, Coefficient, How, undefined

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
_RANKED = 20  # different values up to which each resample is ranked anew,
_CELLS = 10_000_000  # if its table has no more cells: 80 MB
Level = Literal["nominal", "ordinal", "interval"]


def alpha(
    values: ArrayLike,
    units: ArrayLike,
    clusters: ArrayLike,
    level: Level,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Coefficient:
    """Krippendorff's alpha with an interval over resampled clusters of units.

    Ordinal: up to 20 different values, every resample has ranks of its own; beyond, and for very many units, it keeps
    those of the whole sample, which makes the interval slightly too narrow.

    Args:
        values: ``float64[n]``, one for each rating, finite; for nominal any codes.
        units: ``int64[n]``, what each rating is of, any codes. Missing ratings are simply not there.
        clusters: ``int64[n]``, which units are not independent, any codes; the same for all ratings of a unit.
        level: ``nominal``, ``ordinal`` or ``interval``.
        rng: source of the resamples, a named stream.
        resamples: how many.
        confidence: two-sided, between 0 and 1.

    Returns:
        The coefficient; its ``n`` counts the ratings of units with two or more.

    Raises:
        UsageError: lengths that differ, or an unknown level.

    >>> rng = np.random.default_rng(1)
    >>> round(alpha([1, 1, 2, 2, 3, 4], [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], "nominal", rng=rng).value, 3)
    0.615
    """
    rated = np.asarray(values, dtype=np.float64)
    unit, cluster = np.asarray(units), np.asarray(clusters)
    if not rated.shape == unit.shape == cluster.shape or rated.ndim != 1:
        raise UsageError(
            f"{rated.shape} values, {unit.shape} units, {cluster.shape} clusters; give one of each a rating"
        )
    if level not in {"nominal", "ordinal", "interval"}:
        raise UsageError(f"unknown level '{level}'; known: nominal, ordinal, interval")
    _, first, place, counts = np.unique(unit, return_index=True, return_inverse=True, return_counts=True)
    pairable = counts[place] > 1
    if not pairable.any():
        return undefined(0, 0, "nothing rated by two or more")
    rated, size = rated[pairable], counts[counts > 1]
    where = (np.cumsum(counts > 1) - 1)[place[pairable]]
    cluster = cluster[first][counts > 1]
    how = How(rng=rng, resamples=resamples, confidence=confidence)
    if level == "nominal":
        return _nominal(_table(rated, where, size), size, cluster, how)
    if level == "interval":
        return _numeric(rated, where, size, cluster, how)
    ranks = _midranks(rated)
    kinds = len(np.unique(rated))
    if kinds > _RANKED or len(size) * kinds * (kinds + 1) // 2 > _CELLS:
        return _numeric(ranks, where, size, cluster, how)
    return _ordinal(rated, ranks, where, size, cluster, how)


def _table(rated: Floats, where: Codes, size: Codes) -> Codes:
    """How often each unit has each value, ``int64[units, values]``, values ascending."""
    names, codes = np.unique(rated, return_inverse=True)
    return np.bincount(where * len(names) + codes, minlength=len(size) * len(names)).reshape(len(size), len(names))


def _nominal(table: Codes, size: Codes, cluster: Codes, how: How) -> Coefficient:
    apart = (size**2 - (table**2).sum(axis=1)) / (size - 1)

    def disagreements(sums: Floats) -> tuple[Floats, Floats]:
        marginals = sums[:, 1:]
        n = marginals.sum(axis=1)
        return sums[:, 0] / n, (n**2 - (marginals**2).sum(axis=1)) / (n * (n - 1))

    parts = np.column_stack((apart, table)).astype(np.float64)
    return one_minus_ratio(parts, disagreements, apart / size, size.astype(np.float64), cluster, **how)


def _ordinal(rated: Floats, ranks: Floats, where: Codes, size: Codes, cluster: Codes, how: How) -> Coefficient:
    """With ranks of its own for every resample: the sums are how often each two values meet in a unit."""
    table, apart = _table(rated, where, size), _apart(ranks, where, size)
    kinds = table.shape[1]
    one, other = np.triu_indices(kinds, 1)
    parts = np.empty((len(size), kinds + len(one)))  # filled column by column: the widest table there is
    parts[:, :kinds] = table
    for column, (i, j) in enumerate(zip(one, other, strict=True), kinds):
        parts[:, column] = 2 * table[:, i] * table[:, j] / (size - 1)

    def disagreements(sums: Floats) -> tuple[Floats, Floats]:
        marginals, met = sums[:, :kinds], sums[:, kinds:]
        n = marginals.sum(axis=1)
        ranks = marginals.cumsum(axis=1) - marginals / 2
        distance = (ranks[:, one] - ranks[:, other]) ** 2
        expected = 2 * (marginals[:, one] * marginals[:, other] * distance).sum(axis=1) / (n * (n - 1))
        return (met * distance).sum(axis=1) / n, expected

    largest = float((apart / size).max()) or float(np.ptp(ranks)) ** 2 or 1.0
    share = apart / size / largest
    return one_minus_ratio(parts, disagreements, share, size.astype(np.float64), cluster, largest=largest, **how)


def _numeric(rated: Floats, where: Codes, size: Codes, cluster: Codes, how: How) -> Coefficient:
    centred = rated - rated.mean()  # the squares of large numbers would leave only rounding
    total, square = (np.bincount(where, column, len(size)) for column in (centred, centred**2))
    apart = _apart(centred, where, size)

    def disagreements(sums: Floats) -> tuple[Floats, Floats]:
        differ, n, x, xx = sums.T
        return differ / n, 2 * (n * xx - x**2) / (n * (n - 1))

    parts = np.column_stack((apart, size, total, square)).astype(np.float64)
    largest = float((apart / size).max()) or float(np.ptp(rated)) ** 2 or 1.0
    share = apart / size / largest
    return one_minus_ratio(parts, disagreements, share, size.astype(np.float64), cluster, largest=largest, **how)


def _apart(rated: Floats, where: Codes, size: Codes) -> Floats:
    """For each unit, the squared differences of all its pairs, either way round, over one less than it has ratings."""
    deviation = rated - (np.bincount(where, rated, len(size)) / size)[where]
    return np.asarray(2 * size * np.bincount(where, deviation**2, len(size)) / (size - 1), np.float64)


def _midranks(rated: Floats) -> Floats:
    _, place, counts = np.unique(rated, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]
