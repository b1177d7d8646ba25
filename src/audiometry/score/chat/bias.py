"""Whether a judge scores an answer by the place in which it stands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.score.chat.pair import ORDERS
from audiometry.score.chat.values import Values
from audiometry.score.extras import Bias
from audiometry.stats.paired import paired

HIGHEST = 10.0
FIRST, SECOND = ORDERS.index("reference-second"), ORDERS.index("reference-first")  # the place of the model's answer


def position_bias(found: Values, cluster: NDArray[np.int64], columns: list[int]) -> Bias | None:
    """The model's answers in first and in second place, paired over items; None if no item was judged in both.

    Args:
        found: a judge's scores, read strictly.
        cluster: ``int64[items]``, equal where items are not independent.
        columns: the variants with the items' own clips; an item's score is the mean over those that have both.

    Source: AIR-Bench (arXiv 2402.07729), §4.4 and figure 4c.
    """
    model, reference = found.model[:, columns], found.reference[:, columns]
    both = np.asarray(~np.isnan(model + reference).any(axis=2), np.bool_)
    rows = np.asarray(both.any(axis=1), np.bool_)
    if not rows.any():
        return None
    model, reference, both = model[rows], reference[rows], both[rows]
    mine, other = (_means(side, both) for side in (model, reference))
    first, second = mine[:, FIRST], mine[:, SECOND]
    flip = paired(first / HIGHEST, second / HIGHEST, cluster[rows], rng=seeds.generator(0, "chat", "bias"))
    better_first, better_second = np.sign(first - other[:, FIRST]), np.sign(second - other[:, SECOND])
    return Bias(
        n_items=flip.n,
        n_clusters=flip.n_clusters,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=float(first.mean() - second.mean()),
        interval=(flip.low * HIGHEST, flip.high * HIGHEST),
        p=flip.p,
        higher_first=float((first > second).mean()),
        equal=float((first == second).mean()),
        higher_second=float((first < second).mean()),
        flipped=float((better_first != better_second).mean()),
        counts=_counts(first, second),
    )


def _means(scores: NDArray[np.float64], both: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Over the variants that have both orders, ``float64[items, orders]``."""
    total = np.where(both[..., None], scores, 0.0).sum(axis=1)
    return np.asarray(total / both.sum(axis=1)[:, None])


def _counts(first: NDArray[np.float64], second: NDArray[np.float64]) -> dict[str, tuple[int, int]]:
    whole = [np.floor(side + 0.5).astype(np.int64) for side in (first, second)]
    each = [np.bincount(side, minlength=int(HIGHEST) + 1) for side in whole]
    lowest = int(min(side.min() for side in whole))
    return {str(k): (int(each[0][k]), int(each[1][k])) for k in range(min(1, lowest), int(HIGHEST) + 1)}
