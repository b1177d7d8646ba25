"""Whether a judge scores an answer by the place in which it stands."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from audiometry import seeds
from audiometry.score.extras import Bias
from audiometry.score.items import Bools, Codes
from audiometry.score.judge.comparisons import ORDERS
from audiometry.score.judge.places import Placed
from audiometry.score.row import Interval
from audiometry.stats.compare import compare
from audiometry.stats.parts import Floats, Scale, means, ratio

HIGHEST: Final = 10.0
SCALE: Final = Scale("bounded", 0.0, HIGHEST)
DECIMALS: Final = 6  # of an item's mean score, in rating files too, so that these say the same
FIRST, SECOND = ORDERS.index("reference-second"), ORDERS.index("reference-first")  # the place of the model's answer


class Apart(msgspec.Struct, frozen=True):
    """Scores in first place less those in second: mean, interval, p by swapping clusters, and how many clusters."""

    difference: float
    interval: Interval
    p: float
    n_clusters: int


def apart(
    first: Floats, second: Floats, cluster: Codes, *, scale: Scale = SCALE, seed: int = 0, confidence: float = 0.95
) -> Apart:
    """The scores of the same answers in both places, ``float64[n]``, held against each other.

    Args:
        first: in first place.
        second: in second place.
        cluster: ``int64[n]``, equal where answers are not independent.
        scale: of the scores.
        seed: of the swaps.
        confidence: of the interval.
    """
    rng = seeds.generator(seed, "compare")
    found = compare(means(first, cluster), means(second, cluster), ratio, [1.0], scale, rng, confidence=confidence)
    widest = (scale.low or 0.0) - (scale.high or 0.0)
    return Apart(
        difference=float(first.mean() - second.mean()),
        interval=found.interval or (widest, -widest),
        p=1.0 if found.p is None else found.p,
        n_clusters=found.n_clusters,
    )


def position_bias(found: Placed) -> Bias | None:
    """The model's answers in first and in second place, paired over items; None if no item was judged in both.

    Args:
        found: a judge's scores, read strictly; an item's is the mean over the variants that have both orders.

    Source: AIR-Bench (arXiv 2402.07729), §4.4 and figure 4c.
    """
    both: Bools = np.asarray(~np.isnan(found.model + found.reference).any(axis=2), np.bool_)
    rows: Bools = np.asarray(both.any(axis=1), np.bool_)
    if not rows.any():
        return None
    mine, other = (_means(side[rows], both[rows]) for side in (found.model, found.reference))
    first, second, cluster = mine[:, FIRST], mine[:, SECOND], found.cluster[rows]
    both_places = apart(first, second, cluster)
    better_first, better_second = np.sign(first - other[:, FIRST]), np.sign(second - other[:, SECOND])
    return Bias(
        n_items=len(first),
        n_clusters=both_places.n_clusters,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=both_places.difference,
        interval=both_places.interval,
        p=both_places.p,
        higher_first=float((first > second).mean()),
        equal=float((first == second).mean()),
        higher_second=float((first < second).mean()),
        flipped=float((better_first != better_second).mean()),
        counts=_counts(first, second),
    )


def _means(scores: Floats, both: Bools) -> Floats:
    """Over the variants that have both orders, ``float64[items, orders]``."""
    total = np.where(both[..., None], scores, 0.0).sum(axis=1)
    return np.asarray(np.round(total / both.sum(axis=1)[:, None], DECIMALS))


def _counts(first: Floats, second: Floats) -> dict[str, tuple[int, int]]:
    whole = [np.floor(side + 0.5).astype(np.int64) for side in (first, second)]
    each = [np.bincount(side, minlength=int(HIGHEST) + 1) for side in whole]
    lowest = int(min(side.min() for side in whole))
    return {str(k): (int(each[0][k]), int(each[1][k])) for k in range(min(1, lowest), int(HIGHEST) + 1)}
