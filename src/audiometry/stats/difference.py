"""The difference of two models in each leaf, and how far each cluster moves it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from audiometry.stats import limits, variance
from audiometry.stats.collapsed import collapsed
from audiometry.stats.influence import (
    Strata,
    chosen,
    leaf_values,
    numbered,
    of_leaves,
    over_variants,
    snapped,
    totals,
    values_of,
    without,
)
from audiometry.stats.parts import Floats, Parts, Scale, Value, of_recalls, ratio
from audiometry.stats.quantile import normal_quantile
from audiometry.stats.sparse import Sparse, of_dense
from audiometry.stats.variance import Variance
from audiometry.stats.wilson import score_limits

_DUST = 1e-24  # a variance below it is what rounding left


class Differences(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison is made of.

    Attributes:
        a, b: both values.
        strata: a stratum for each leaf (of balanced accuracy for each class) that both have a value of, those of one
            cluster together; its value and centre are the difference.
        leaves, whole: variances of the leaves' differences and of the whole one.
        effect: ``float64[G]``, how far apart each cluster puts the two values: half of what changes if it is swapped.
        ahead: ``float64[cells]``, the same within a leaf.
        largest: the largest share of the whole that one cluster has: of its weight, or of both models' errors.
        differing, apart: the share of weight of the rows that differ, and how far apart one puts the two values,
            larger ones counting more.
        uneven: the squares of what its share of errors is more than that of weight, summed over clusters; 0 of others.
        middle: ``float64[c]``, the mean of both models' sums, all leaves, variants and columns in one row.
        half: ``[G, c]``, half of what each cluster adds to the first model's sums more than to the second's.
        statistic: from sums of both models, ``float64[m, c]`` each, the differences of their values, ``float64[m]``.
        bounded: the largest difference there can be; None without one.
        plain: nothing is known of where values lie, so that only those that were met say how far apart they can be.
    """

    a: float
    b: float
    strata: Strata
    leaves: Variance
    whole: Variance
    effect: Floats
    ahead: Floats
    largest: float
    differing: float
    apart: float
    uneven: float
    middle: Floats
    half: Sparse
    statistic: Callable[[Floats, Floats], Floats]
    bounded: float | None
    plain: bool

    @property
    def difference(self) -> float:
        """The first model's value less the second's."""
        return self.a - self.b

    @property
    def span(self) -> float:
        """The largest difference there can be, 1 without one."""
        return self.bounded or 1.0

    def own(self, confidence: float) -> tuple[Floats, Floats]:
        """Limits of each leaf's difference; NaN where the data give none.

        The wider of Student's and, where the scale has ends or no error is the best, those from the share of weight on
        which each model is ahead: few clusters that differ say little of how many there may be.
        """
        low, high = limits.plain(self.leaves, confidence)
        if self.plain:
            return low, high
        alone = self.leaves.clusters <= 1
        least, most = self._few_that_differ(confidence)
        low, high = np.fmin(low, least), np.fmax(high, most)
        if self.bounded is None:
            return low, high
        ends = self.bounded
        return np.where(alone, -ends, low.clip(-ends, ends)), np.where(alone, ends, high.clip(-ends, ends))

    def _few_that_differ(self, confidence: float) -> tuple[Floats, Floats]:
        """Limits from Wilson's for the shares of weight on which each model is ahead.

        Source: Newcombe 1998, Statistics in Medicine 17, 873-890.
        """
        found, n = self.strata, len(self.strata.value)
        of, ahead = found.cell_stratum, self.ahead / self.span
        size = np.minimum(1.0, snapped(totals(of, np.abs(ahead), n)))
        single = size * (1 - size)
        apart = totals(of, (np.abs(ahead) - size[of] * found.cell_weight) ** 2, n)
        apart = np.where(apart > _DUST, apart, 0.0)
        effective = self.leaves.effective
        doubt = variance.doubt(np.abs(ahead), found.cell_weight, of, n)
        apart += doubt * np.maximum(0.0, single / effective - apart)
        worth = np.maximum(effective, np.where(apart > 0, single / np.where(apart > 0, apart, 1.0), effective))
        z = np.full(n, normal_quantile(confidence))
        up, down = (np.minimum(1.0, totals(of, side, n)) for side in (ahead.clip(0), (-ahead).clip(0)))
        (up_low, up_high), (down_low, down_high) = score_limits(up, worth, z), score_limits(down, worth, z)
        below, above = np.hypot(up - up_low, down_high - down), np.hypot(up_high - up, down - down_low)
        return found.value - self.span * below, found.value + self.span * above


def differences(a: Parts, b: Parts, value: Value, weights: Floats, scale: Scale) -> Differences | None:
    """What a comparison of two models is made of; None if there is no leaf that both have a value of.

    Args:
        a: the first model's parts, checked.
        b: the second's, of the same rows.
        value: the measure's.
        weights: ``float64[L]``, of the leaves.
        scale: the measure's.
    """
    a, b = (msgspec.structs.replace(one, size=np.maximum(a.size, b.size)) for one in (a, b))
    found = whole = _both(a, b, value, weights)
    of = value
    if scale.kind == "recall":
        together = msgspec.structs.replace(a, sums=np.concatenate((a.dense, b.dense), axis=1))
        of, (together, weights) = ratio, of_recalls(together, weights)
        a, b = (
            msgspec.structs.replace(together, sums=side) for side in np.split(together.dense, [a.sums.shape[1]], axis=1)
        )
        found = _both(a, b, of, weights)
    if found is None or whole is None:
        return None
    linear = Scale("f1" if scale.kind == "f1" else "plain")
    first, second = (of_leaves(one, of, sums, values, found.share, linear) for one, sums, values in found.sides)
    apart = msgspec.structs.replace(
        first,
        value=first.value - second.value,
        centre=first.value - second.value,
        y=first.y - second.y,
        residual=first.residual - second.residual,
        alone=first.alone | second.alone,
    )
    largest, uneven = _shares(apart, found.share, first.y + second.y if scale.kind == "log" else None)
    row, other = found.share[apart.stratum] * apart.weight, found.half.any(axis=(1, 2))
    moved = np.abs(row * apart.y)[other]
    del first, second  # as large as all that follows
    made = collapsed(apart)
    half = totals(apart.cell, found.half, len(apart.cell_stratum))
    more, less = (without(of, found.middle, apart.cell_stratum, half, times) for times in (-1.0, 1.0))
    ahead = np.nan_to_num(more - less)
    return Differences(
        a=whole.values[0],
        b=whole.values[1],
        strata=made.strata,
        leaves=variance.of_strata(made.strata, scale, paired=True),
        whole=variance.of_whole(made.strata, float(found.share @ apart.value), scale, paired=True),
        effect=totals(apart.cell_cluster, found.share[apart.cell_stratum] * ahead, apart.n_clusters),
        ahead=made.cells(ahead),
        largest=largest,
        differing=float(row[other].sum()),
        apart=float((moved**2).sum()) / (float(moved.sum()) or 1.0),
        uneven=uneven,
        middle=whole.middle.ravel(),
        half=whole.by_cluster(),
        statistic=_statistic(value, whole.share, whole.middle.shape),
        bounded=None if scale.ends is None else scale.unit[1],
        plain=scale.kind == "plain",
    )


def _shares(found: Strata, share: Floats, errors: Floats | None) -> tuple[float, float]:
    """The largest share of a cluster, and how unlike those of errors are those of weight."""
    row, cluster = share[found.stratum] * found.weight, found.cell_cluster[found.cell]
    weight = totals(cluster, row, found.n_clusters)
    if errors is None or not (made := totals(cluster, row * errors.clip(0), found.n_clusters)).any():
        return float(weight.max()), 0.0
    made /= made.sum()
    return float(max(weight.max(), made.max())), float(((made - weight) ** 2).sum())


class _Both(msgspec.Struct, frozen=True):
    """Both models' parts, sums and values of the leaves that both have a value of, and the leaves' shares."""

    sides: tuple[tuple[Parts, Floats, Floats], ...]
    share: Floats

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(float(self.share @ value) for _, _, value in self.sides)

    @property
    def middle(self) -> Floats:
        """The mean of both models' sums, ``float64[L, V, k]``."""
        return np.asarray((self.sides[0][1] + self.sides[1][1]) / 2)

    @property
    def half(self) -> Floats:
        """Half of what each row adds to the first model's sums more than to the second's."""
        return np.asarray((self.sides[0][0].dense - self.sides[1][0].dense) / 2)

    def by_cluster(self) -> Sparse:
        """The same of each cluster in all leaves, ``[G, L * V * k]``; most clusters are in few of them."""
        parts, n_leaves = self.sides[0][0], len(self.share)
        code, n = numbered(parts.cluster)
        cells, cell = np.unique(code * n_leaves + parts.leaf, return_inverse=True)
        of = of_dense(totals(cell, self.half, len(cells)).reshape(len(cells), -1))
        cluster, leaf = np.divmod(cells, n_leaves)
        return Sparse(
            ends=of.ends[np.searchsorted(cluster, np.arange(n + 1))],
            column=leaf[of.line] * of.n_columns + of.column,
            value=of.value,
            n_columns=n_leaves * of.n_columns,
        )


def _both(a: Parts, b: Parts, value: Value, weights: Floats) -> _Both | None:
    found = [(one, *leaf_values(one, value, len(weights))) for one in (a, b)]
    kept = np.isfinite(found[0][2]) & np.isfinite(found[1][2]) & (weights > 0)
    if not kept.any():
        return None
    return _Both(
        tuple((chosen(one, kept), sums[kept], values[kept]) for one, sums, values in found),
        weights[kept] / weights[kept].sum(),
    )


def _statistic(value: Value, share: Floats, shape: tuple[int, ...]) -> Callable[[Floats, Floats], Floats]:
    def statistic(above: Floats, below: Floats) -> Floats:
        one, other = (over_variants(values_of(value, sums.reshape(-1, *shape))) for sums in (above, below))
        apart = one - other
        there = np.isfinite(apart)
        weight = there @ share
        total = np.where(there, apart, 0.0) @ share
        return np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), np.nan)

    return statistic
