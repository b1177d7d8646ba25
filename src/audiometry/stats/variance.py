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
from audiometry.stats.parts import Codes, Floats, Scale

_ALL = 1 - 1e-9
_DUST = 1e-24  # a variance below it is what rounding left
_SEEN = 3  # a rare outcome as heavy as one whole cluster is worth at most so many holders
_NOISE = 1e-12  # below it a noise of the variance is what rounding left


class Variance(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of each of m statistics; each attribute is ``float64[m]``.

    Attributes:
        centre: the statistic itself.
        clustered: its variance, items of a cluster moving together, but for `unseen`.
        independent: the same as if every row were its own cluster.
        unseen: what a leaf of a single cluster may add, which shows no variation: the largest that there can be. The
            leaf's own limits are the whole scale, so no limits are made of it.
        clusters: how many it has.
        effective: Kish's number of them: so many of equal weight would be as good.
        alike: the design effect if all items of a cluster were alike; 1 if every row is its own cluster.
        doubt: 0 to 1, how little the data say of how alike they are; see `doubt`.
        room: how much more ``independent`` would be of right-or-wrong items with the same mean; 0 of the whole value.
        df: how many independent pieces the clustered variance rests on (Satterthwaite), from 1 to infinite.
    """

    centre: Floats
    clustered: Floats
    independent: Floats
    unseen: Floats
    clusters: Floats
    effective: Floats
    alike: Floats
    doubt: Floats
    room: Floats
    df: Floats

    @property
    def items(self) -> Floats:
        """The variance of the mean of items of variance 1 that are all their own clusters."""
        return np.asarray(1 / (self.effective * self.alike))

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


def of_strata(found: Strata, scale: Scale, *, paired: bool = False) -> Variance:
    """Of each stratum's centre.

    Args:
        found: the strata.
        scale: the measure's.
        paired: the centre is a difference of two models.
    """
    ones = np.ones(len(found.centre))
    return _variance(found, _Pieces(found.cell_stratum, None, ones, ones), found.centre, scale, paired)


def of_whole(found: Strata, value: float, scale: Scale, *, paired: bool = False) -> Variance:
    """Of the weighted mean of the strata's values.

    Args:
        found: the strata.
        value: that mean, on the measure's scale.
        scale: the measure's.
        paired: the value is a difference of two models.
    """
    start, span = (0.0, 1.0) if paired else scale.unit
    owner = np.zeros(found.n_clusters, np.int64)
    pieces = _Pieces(owner, found.cell_cluster, found.share, found.share * found.slope / span)
    return _variance(found, pieces, snapped(np.array([(value - start) / span])), scale, paired)


class _Pieces(msgspec.Struct, frozen=True):
    """Statistics in pieces; a piece is all that one cluster adds to one statistic.

    Attributes:
        owner: ``int64[pieces]``, whose piece it is.
        piece: ``int64[cells]``, what the cell is in; None where each cell is a piece, and each stratum a statistic.
        share: ``float64[S]``, the weight of a stratum in its statistic.
        slope: ``float64[S]``, how far its centre moves the statistic.
    """

    owner: Codes
    piece: Codes | None
    share: Floats
    slope: Floats

    def total(self, of_cells: Floats) -> Floats:
        """The sums of some numbers of the cells, ``float64[pieces]``."""
        return of_cells if self.piece is None else totals(self.piece, of_cells, len(self.owner))


def _variance(found: Strata, pieces: _Pieces, centre: Floats, scale: Scale, paired: bool) -> Variance:  # noqa: FBT001  private
    owner, m, n = pieces.owner, len(centre), len(pieces.owner)
    each = pieces.piece is None
    row_piece = found.cell if pieces.piece is None else pieces.piece[found.cell]
    row_owner = found.stratum if each else owner[row_piece]
    most = centre * (1 - centre) if not paired else scale.unit[1] ** 2 - centre**2
    largest = np.sqrt(np.clip(most, 0.0, None)) if scale.ends else np.zeros(m)
    weight = found.weight if each else pieces.share[found.stratum] * found.weight
    cell_weight = found.cell_weight if each else pieces.share[found.cell_stratum] * found.cell_weight
    seen = pieces.total(pieces.slope[found.cell_stratum] * found.residual)
    items = totals(row_owner, weight**2, m)
    clustered = totals(owner, seen**2, m)
    independent = totals(row_owner, _moved(found, pieces) ** 2, m)
    clustered, independent = (np.where(v > _DUST * items, v, 0.0) for v in (clustered, independent))
    piece_weight, separate = pieces.total(cell_weight), totals(row_piece, weight**2, n)
    effective = 1 / totals(owner, piece_weight**2, m)
    filled = Variance(
        centre=centre,
        clustered=clustered,
        independent=independent,
        unseen=totals(owner, (largest[owner] * pieces.total(np.where(found.alone, cell_weight, 0.0))) ** 2, m),
        clusters=np.bincount(owner, minlength=m).astype(np.float64),
        effective=effective,
        alike=1 / (effective * items),
        doubt=np.zeros(m),
        room=np.zeros(m),
        df=np.full(m, np.inf),
    )
    known = _known(found, row_owner, weight, scale, m, paired)
    if scale.ends and not paired:
        filled = _within_ends(found, pieces, filled, weight, (piece_weight, separate), items * largest**2)
    leverage = pieces.total(cell_weight * found.cell_weight) / np.where(piece_weight > 0, piece_weight, 1.0)
    df = _degrees(filled, known, separate, piece_weight**2, leverage, owner)
    if scale.kind == "f1" and m == 1:  # a class of few items has limits of its own; its weight says nothing of the rest
        df = np.maximum(1.0, filled.clusters - 1)
    if not scale.ends:
        df = np.minimum(df, _of_tails(seen, owner, filled))
    return msgspec.structs.replace(filled, df=df)


def _known(found: Strata, owner: Codes, weight: Floats, scale: Scale, m: int, paired: bool) -> Floats:  # noqa: FBT001  private
    """How much of a row's variance is known with the strata's centres, 0 to 1: all of that of right-or-wrong items.

    Of a difference, with the share of rows that differ: all where a row is a win, a tie or a loss.
    """
    if (scale.kind == "f1" and paired) or not scale.ends:
        return np.zeros(m)
    size = found.centre
    if paired:
        size = totals(found.stratum, found.weight * np.abs(found.y), len(found.centre)) * scale.unit[1]
    most = totals(owner, weight**2 * (size - found.centre**2)[found.stratum], m)
    seen = totals(owner, weight**2 * (found.y - found.centre[found.stratum]) ** 2, m)
    return np.clip(np.where(most > _DUST, seen / np.where(most > _DUST, most, 1.0), 0.0), 0.0, 1.0)


def _moved(found: Strata, pieces: _Pieces) -> Floats:
    """How far each row moves its statistic, were it its own cluster; 0 of a stratum that is nothing without it."""
    shown = ~found.alone[found.cell]
    moved = pieces.slope[found.stratum] * found.weight * (found.y - found.centre[found.stratum])
    return np.where(shown, moved, 0.0) / np.sqrt(np.where(shown, 1 - found.weight, 1.0))


def _within_ends(
    found: Strata, pieces: _Pieces, filled: Variance, weight: Floats, of_pieces: tuple[Floats, Floats], single: Floats
) -> Variance:
    """The same on a scale with ends: with what was not met by chance, doubt and room.

    Args:
        found: the strata.
        pieces: of the statistics.
        filled: what is known of these so far.
        weight: ``float64[rows]``, of a row in its statistic.
        of_pieces: the weight of each piece, and the sum of the squares of its rows' weights.
        single: ``float64[m]``, the variance of right-or-wrong items with the same mean that are all their own clusters.
    """
    owner, (piece_weight, separate) = pieces.owner, of_pieces
    m, n, each = len(single), len(owner), pieces.piece is None
    row_piece = found.cell if pieces.piece is None else pieces.piece[found.cell]
    telling = 1 - separate / np.where(piece_weight > 0, piece_weight, 1.0) ** 2
    rare = [totals(row_piece, weight * np.clip(y, 0.0, None), n) for y in (found.y, 1 - found.y)]
    filled = _met(filled, np.maximum(*(doubt(side, piece_weight, owner, m) for side in rare)), single)
    room = np.maximum(0.0, single - filled.independent) if each else filled.room
    doubts = np.maximum(*(doubt(telling * side, telling * piece_weight, owner, m) for side in rare))
    return msgspec.structs.replace(filled, doubt=doubts, room=room)


def _met(found: Variance, doubts: Floats, single: Floats) -> Variance:
    """The same, where scores far from those that were met may just not have been met.

    Where nearly all scores are at one end of the scale and few are not, they say little of how far the next may be: the
    variance of an item is moved towards the largest that it can have with this mean, which right-or-wrong items have.
    """
    some = found.independent > 0
    more = np.where(some, doubts * np.maximum(0.0, single - found.independent), 0.0)
    effect = np.maximum(1.0, found.clustered / np.where(some, found.independent, 1.0))
    return msgspec.structs.replace(
        found, independent=found.independent + more, clustered=found.clustered + more * effect
    )


def _of_tails(seen: Floats, owner: Codes, found: Variance) -> Floats:
    """How many degrees of freedom a variance has of which few clusters make up most, at least 2.

    Normal influences would have ``2 v^2`` in place of ``v^2``; but where tails are heavy the largest were not met, and
    the fourth powers are too small. With twice as many, error rates of 200 clips were covered in 92.8 %, not 94.3.
    """
    m = len(found.centre)
    squares, fourth = totals(owner, seen**2, m) ** 2, totals(owner, seen**4, m)
    noise = fourth - squares / np.maximum(found.clusters, 1.0)
    some = noise > _NOISE * squares
    return np.where(some, 1 + squares / np.where(some, noise, 1.0), np.inf)


def _degrees(
    found: Variance, known: Floats, separate: Floats, together: Floats, leverage: Floats, owner: Codes
) -> Floats:
    """Satterthwaite's degrees of freedom, at least 1.

    A right-or-wrong item that is its own cluster adds nothing to the uncertainty of the variance, since
    p (1 - p) is known with p; only products of items in one cluster do. So m like items in a cluster count with
    ``1 - 1/m`` of the square of their share, and df is infinite where all clusters are single items.

    A piece counts by ``1 - leverage``: a cluster that is a whole leaf shows no variation whose uncertainty could count,
    but the largest there can be, and the leaf's own limits are the whole scale. Its weight says nothing of the rest.
    """
    m, room = len(known), found.alike - 1
    alike = np.where(
        room > _NOISE, np.clip((found.design_effect - 1) / np.where(room > _NOISE, room, 1.0), 0.0, 1.0), 0.0
    )
    share = separate + alike[owner] * (together - separate)
    own = separate / np.where(together > 0, together, 1.0)
    seen = np.where(leverage > _ALL, 0.0, 1 - leverage)
    noise = totals(owner, seen * share**2 * np.clip(1 - known[owner] * own, 0.0, None), m)
    whole = totals(owner, seen * share, m) ** 2
    some = noise > _NOISE * whole
    return np.where(some, np.maximum(1.0, whole / np.where(some, noise, 1.0)), np.inf)
