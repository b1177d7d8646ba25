"""Whether a judge scores an answer by the place in which it stands."""

from __future__ import annotations

from typing import Final

import numpy as np

from audiometry import seeds
from audiometry.score.extras import Bias
from audiometry.score.items import Bools
from audiometry.score.judge.comparisons import ORDERS
from audiometry.score.judge.places import Placed
from audiometry.stats.compare import compare
from audiometry.stats.parts import Floats, Scale, means, ratio

HIGHEST: Final = 10.0
SCALE: Final = Scale("bounded", 0.0, HIGHEST)
FIRST, SECOND = ORDERS.index("reference-second"), ORDERS.index("reference-first")  # the place of the model's answer


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
    flip = compare(means(first, cluster), means(second, cluster), ratio, [1.0], SCALE, seeds.generator(0, "compare"))
    better_first, better_second = np.sign(first - other[:, FIRST]), np.sign(second - other[:, SECOND])
    return Bias(
        n_items=len(first),
        n_clusters=flip.n_clusters,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=float(first.mean() - second.mean()),
        interval=flip.interval or (-HIGHEST, HIGHEST),
        p=1.0 if flip.p is None else flip.p,
        higher_first=float((first > second).mean()),
        equal=float((first == second).mean()),
        higher_second=float((first < second).mean()),
        flipped=float((better_first != better_second).mean()),
        counts=_counts(first, second),
    )


def _means(scores: Floats, both: Bools) -> Floats:
    """Over the variants that have both orders, ``float64[items, orders]``."""
    total = np.where(both[..., None], scores, 0.0).sum(axis=1)
    return np.asarray(total / both.sum(axis=1)[:, None])


def _counts(first: Floats, second: Floats) -> dict[str, tuple[int, int]]:
    whole = [np.floor(side + 0.5).astype(np.int64) for side in (first, second)]
    each = [np.bincount(side, minlength=int(HIGHEST) + 1) for side in whole]
    lowest = int(min(side.min() for side in whole))
    return {str(k): (int(each[0][k]), int(each[1][k])) for k in range(min(1, lowest), int(HIGHEST) + 1)}
