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
    of_leaves,
    over_variants,
    snapped,
    totals,
    values_of,
    without,
)
from audiometry.stats.parts import Floats, Parts, Scale, Value, of_recalls, ratio
from audiometry.stats.quantile import normal_quantile
from audiometry.stats.variance import Variance
from audiometry.stats.wilson import score_limits

_DUST = 1e-24  # a variance below it is what rounding left


class Differences(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison is made of.

    Attributes:
        a, b: both values.
        strata: a stratum for each leaf that both have a value of, those of one cluster together; its value and centre
            are the difference.
        leaves, whole: variances of the leaves' differences and of the whole one.
        effect: ``float64[G]``, how far apart each cluster puts the two values: half of what changes if it is swapped.
        ahead: ``float64[cells]``, the same within a leaf.
        middle: ``float64[c]``, the mean of both models' sums, all leaves, variants and columns in one row.
        half: ``float64[G, c]``, half of what each cluster adds to the first model's sums more than to the second's.
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
    middle: Floats
    half: Floats
    statistic: Callable[[Floats, Floats], Floats]
    bounded: float | None
    plain: bool

    @property
    def difference(self) -> float:
        """The first model's value less the second's."""
        return float(self.strata.share @ self.strata.value)

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
    if scale.kind == "recall":
        together = msgspec.structs.replace(a, sums=np.concatenate((a.sums, b.sums), axis=1))
        value, (together, weights) = ratio, of_recalls(together, weights)
        sides = np.split(together.sums, [a.sums.shape[1]], axis=1)
        a, b = (msgspec.structs.replace(together, sums=side) for side in sides)
    (of_a, value_a), (of_b, value_b) = (leaf_values(one, value, len(weights)) for one in (a, b))
    kept = np.isfinite(value_a) & np.isfinite(value_b) & (weights > 0)
    if not kept.any():
        return None
    a, b, share = chosen(a, kept), chosen(b, kept), weights[kept] / weights[kept].sum()
    of_a, of_b, value_a, value_b = of_a[kept], of_b[kept], value_a[kept], value_b[kept]
    linear = Scale("f1" if scale.kind == "f1" else "plain")
    first, second = of_leaves(a, value, of_a, value_a, share, linear), of_leaves(b, value, of_b, value_b, share, linear)
    apart = msgspec.structs.replace(
        first,
        value=value_a - value_b,
        centre=value_a - value_b,
        y=first.y - second.y,
        residual=first.residual - second.residual,
        alone=first.alone | second.alone,
    )
    made = collapsed(apart)
    half = totals(apart.cell, (a.sums - b.sums) / 2, len(apart.cell_stratum))
    middle = (of_a + of_b) / 2
    more, less = (without(value, middle, apart.cell_stratum, half, times) for times in (-1.0, 1.0))
    ahead = np.nan_to_num(more - less)
    bounded = None if scale.ends is None else scale.unit[1]
    return Differences(
        a=float(share @ value_a),
        b=float(share @ value_b),
        strata=made.strata,
        leaves=variance.of_strata(made.strata, scale, paired=True),
        whole=variance.of_whole(made.strata, float(share @ apart.value), scale, paired=True),
        effect=totals(apart.cell_cluster, share[apart.cell_stratum] * ahead, apart.n_clusters),
        ahead=made.cells(ahead),
        middle=middle.ravel(),
        half=_by_cluster(apart, half),
        statistic=_statistic(value, share, middle.shape),
        bounded=bounded,
        plain=scale.kind == "plain",
    )


def _by_cluster(found: Strata, half: Floats) -> Floats:
    """The parts of each cluster in all leaves, ``float64[G, L * V * k]``."""
    rows = np.zeros((found.n_clusters, len(found.share), *half.shape[1:]))
    rows[found.cell_cluster, found.cell_stratum] = half
    return rows.reshape(found.n_clusters, -1)


def _statistic(value: Value, share: Floats, shape: tuple[int, ...]) -> Callable[[Floats, Floats], Floats]:
    def statistic(above: Floats, below: Floats) -> Floats:
        one, other = (over_variants(values_of(value, sums.reshape(-1, *shape))) for sums in (above, below))
        apart = one - other
        there = np.isfinite(apart)
        weight = there @ share
        total = np.where(there, apart, 0.0) @ share
        return np.where(weight > 0, total / np.where(weight > 0, weight, 1.0), np.nan)

    return statistic
