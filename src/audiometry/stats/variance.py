"""How sure a value is whose items come in clusters: variance, design effect, degrees of freedom.

The value is linearised around each stratum's own, so differences between strata, which a repetition of the study would
keep, do not count as noise. A cluster's influence in a stratum is corrected by ``sqrt(1 - its share of the stratum)``
(CR2, exactly unbiased if items were independent), added up over the cluster's strata, squared, and summed.

Sources: Bell and McCaffrey 2002, Survey Methodology 28, 169-181; Cameron and Miller 2015, Journal of Human Resources
50, 317-372, section VI.
"""

from __future__ import annotations

import msgspec
import numpy as np

from audiometry.stats.influence import Strata, snapped, totals
from audiometry.stats.parts import Codes, Floats

_ALL = 1 - 1e-9
_DUST = 1e-24  # a variance below it is what rounding left
_SEEN = 3  # a rare outcome as heavy as one whole cluster is worth at most so many holders
_NOISE = 1e-12  # below it a noise of the variance is what rounding left


class Variance(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of each of m statistics; each attribute is ``float64[m]``.

    Attributes:
        centre: the statistic itself.
        clustered: its variance, items of a cluster moving together.
        independent: the same as if every row were its own cluster.
        clusters: how many it has.
        effective: Kish's number of them: so many of equal weight would be as good.
        alike: the design effect if all items of a cluster were alike; 1 if every row is its own cluster.
        doubt: 0 to 1, how little the data say of how alike they are; see `doubt`.
        df: how many independent pieces the clustered variance rests on (Satterthwaite), from 1 to infinite.
    """

    centre: Floats
    clustered: Floats
    independent: Floats
    clusters: Floats
    effective: Floats
    alike: Floats
    doubt: Floats
    df: Floats

    @property
    def doubted(self) -> Floats:
        """The clustered variance, moved towards that of items all alike by as much as there is doubt."""
        return self.clustered + self.doubt * np.maximum(0.0, self.alike * self.independent - self.clustered)

    @property
    def design_effect(self) -> Floats:
        """How many times fewer independent items would be as informative; below 1 only by chance."""
        some = (self.independent > 0) & (self.clusters > 1)
        return np.where(some, self.doubted / np.where(some, self.independent, 1.0), self.alike)


def doubt(rare: Floats, weight: Floats, owner: Codes, n: int) -> Floats:
    """How little the clusters that hold a rare outcome say of how alike the items of a cluster are, 0 to 1.

    A variance estimated where the outcome is rare rests on its k holders (Kish's number of them), and the cluster
    that is wrong throughout may just not have been met. So the design effect is moved towards the largest possible
    one by ``2 (1 - 2 s)^4 / (2 + k)``, with s the share of the outcome: all the way for no holder, nearly
    nothing where s is above 0.2 or holders are many. Many clusters that hold a little of it do not say that none holds
    all: k is at most three times the number of whole clusters that the outcome would fill. Only clusters of several
    items tell: a single one counts as nothing, m like ones as ``1 - 1/m``. Form and constants were chosen by simulation
    (``benchmarks/statistics/``); without it, coverage at 2 % and 98 % falls below 80 %.

    Args:
        rare: ``float64[pieces]``, the weight of the outcome in each cluster, as far as it tells. Of an outcome that is
            not rare there is no doubt.
        weight: ``float64[pieces]``, the weight of each cluster, as far as it tells.
        owner: ``int64[pieces]``, the statistic that the cluster is a piece of.
        n: how many statistics.
    """
    whole = totals(owner, weight, n)
    share = np.minimum(0.5, totals(owner, rare, n) / np.where(whole > 0, whole, 1.0))
    holders = np.minimum(kish(rare, owner, n), _SEEN * share * kish(weight, owner, n))
    return np.where(whole > 0, 2 * (1 - 2 * share) ** 4 / (2 + holders), 0.0)


def kish(sizes: Floats, owner: Codes, n: int) -> Floats:
    """How many equal ones the sizes of each owner are worth, ``float64[n]``; 0 where all are 0."""
    whole, squares = totals(owner, sizes, n), totals(owner, sizes**2, n)
    return np.where(squares > 0, whole**2 / np.where(squares > 0, squares, 1.0), 0.0)


def of_strata(found: Strata, *, paired: float | None = None) -> Variance:
    """Of each stratum's centre.

    Args:
        found: the strata.
        paired: the largest difference there can be, where the centre is a difference of two models; None where not.
    """
    n = len(found.centre)
    ones = np.ones(n)
    return _variance(found, found.cell_stratum, np.arange(len(found.cell_stratum)), found.centre, ones, ones, paired)


def of_whole(found: Strata, centre: float, span: float, *, paired: float | None = None) -> Variance:
    """Of the weighted mean of the strata's values.

    Args:
        found: the strata.
        centre: the whole, from 0 to 1 on a bounded scale.
        span: how many of the measure's units a change of the centre by 1 is.
        paired: as of strata.
    """
    slopes = found.share * found.slope / span
    owner = np.zeros(found.n_clusters, np.int64)
    return _variance(found, owner, found.cell_cluster, snapped(np.array([centre])), found.share, slopes, paired)


def _variance(
    found: Strata, owner: Codes, piece: Codes, centre: Floats, share: Floats, slopes: Floats, paired: float | None
) -> Variance:
    """The variances of statistics.

    Args:
        found: the strata.
        owner: ``int64[pieces]``, the statistic of each piece, which is a cluster's whole part in it.
        piece: ``int64[cells]``.
        centre: ``float64[m]``.
        share: ``float64[S]``, the weight of a stratum in its statistic.
        slopes: ``float64[S]``, how far its centre moves the statistic.
        paired: as of strata. A difference's variance is not known with it, as that of a share is, and its doubt is
            counted elsewhere, by the shares of which the models differ.
    """
    m, n = len(centre), len(owner)
    one = m > 1 or len(found.centre) == 1  # a stratum is a statistic
    most = centre * (1 - centre) if paired is None else paired**2 - centre**2
    largest = np.sqrt(np.clip(most, 0.0, None))
    row_piece = piece[found.cell]
    row_owner = owner[row_piece]
    weight = share[found.stratum] * found.weight
    cell_weight = share[found.cell_stratum] * found.cell_weight
    seen = totals(piece, slopes[found.cell_stratum] * found.residual, n)
    unseen = totals(piece, np.where(found.alone, cell_weight, 0.0), n)
    clustered = totals(owner, (np.abs(seen) + largest[owner] * unseen) ** 2, m)
    whole = found.weight > _ALL
    moved = slopes[found.stratum] * found.weight * (found.y - found.centre[found.stratum])
    moved = np.where(whole, largest[row_owner] * weight, moved / np.sqrt(np.where(whole, 1.0, 1 - found.weight)))
    squares = weight**2
    independent = totals(row_owner, moved**2, m)
    items = totals(row_owner, squares, m)
    clustered, independent = (np.where(v > _DUST * items, v, 0.0) for v in (clustered, independent))
    piece_weight = totals(piece, cell_weight, n)
    effective = 1 / totals(owner, piece_weight**2, m)
    separate = totals(row_piece, squares, n)
    pairs = 1 - separate / np.where(piece_weight > 0, piece_weight, 1.0) ** 2  # how much of a piece is not one item
    tells = pairs * piece_weight
    doubts = [
        doubt(pairs * totals(row_piece, weight * np.clip(y, 0.0, None), n), tells, owner, m)
        for y in (found.y, 1 - found.y)
    ]
    filled = Variance(
        centre=centre,
        clustered=clustered,
        independent=independent,
        clusters=np.bincount(owner, minlength=m).astype(np.float64),
        effective=effective,
        alike=1 / (effective * items),
        doubt=np.maximum(*doubts) if paired is None else np.zeros(m),
        df=np.full(m, np.inf),
    )
    known = np.zeros(m)
    if one and paired is None:
        binary = totals(row_owner, squares * (found.y - centre[row_owner]) ** 2, m)
        single = items * largest**2
        known = np.clip(np.where(single > 0, binary / np.where(single > 0, single, 1.0), 0.0), 0.0, 1.0)
    leverage = totals(piece, cell_weight * found.cell_weight, n) / np.where(piece_weight > 0, piece_weight, 1.0)
    return msgspec.structs.replace(filled, df=_degrees(filled, known, separate, piece_weight**2, leverage, owner))


def _degrees(
    found: Variance, known: Floats, separate: Floats, together: Floats, leverage: Floats, owner: Codes
) -> Floats:
    """Satterthwaite's degrees of freedom, at least 1.

    A right-or-wrong item that is its own cluster adds nothing to the uncertainty of the variance, since
    p (1 - p) is known with p; only products of items in one cluster do. So m like items in a cluster count with
    ``1 - 1/m`` of the square of their share, and df is infinite where all clusters are single items.
    """
    m, room = len(known), found.alike - 1
    alike = np.where(
        room > _NOISE, np.clip((found.design_effect - 1) / np.where(room > _NOISE, room, 1.0), 0.0, 1.0), 0.0
    )
    share = separate + alike[owner] * (together - separate)
    own = separate / np.where(together > 0, together, 1.0)
    noise = totals(owner, share**2 * np.clip(1 - known[owner] * own, 0.0, None), m)
    whole = totals(owner, share, m) * totals(owner, share * (1 - leverage), m)
    some = noise > _NOISE * whole
    return np.where(some, np.maximum(1.0, whole / np.where(some, noise, 1.0)), np.inf)
