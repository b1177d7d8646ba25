"""A judge against itself: the same answers in the other order."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.agreement.preference import preferences
from audiometry.analysis.agreement.result import Measure, ModelPosition, Position, nothing, of_share
from audiometry.analysis.agreement.scores import difference
from audiometry.analysis.agreement.setting import MOST_MACHINES, MOST_MODELS, Setting
from audiometry.analysis.agreement.table import Rows
from audiometry.files.ratings import ORDERS
from audiometry.score.judge.bias import SCALE
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import SHARE, means, ratio

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

FIRST, SECOND = ORDERS.index("reference-second"), ORDERS.index("reference-first")
MANY_MODELS = f"more than {MOST_MODELS} models"
ONE_MODEL = "needs scores of two models' replies to one item"


def positions(found: Rows, setting: Setting, clusters: Codes) -> list[Position]:
    """Every rater that scored some reply in both places, in the order of the files.

    Args:
        found: scores, one a rater, unit and order.
        setting: who is who.
        clusters: ``int64[items]``, equal for items that are not independent.

    Source: AIR-Bench, section 4.4 and figure 4(c).
    """
    raters = [int(rater) for rater in np.unique(found.rater[found.order == FIRST])[:MOST_MACHINES]]
    firsts = {rater: (unit, value) for rater, unit, value in _in_order(found, FIRST, raters)}
    out = []
    for rater, unit_b, value_b in _in_order(found, SECOND, raters):
        unit_a, value_a = firsts[rater]
        units, left, right = np.intersect1d(unit_a, unit_b, assume_unique=True, return_indices=True)
        if len(units):
            out.append(_position(rater, units, value_a[left], value_b[right], found, setting, clusters))
    return out


def _in_order(found: Rows, order: int, raters: list[int]) -> list[tuple[int, Codes, Floats]]:
    return list(found.of(found.order == order).by_rater(raters))


def _position(
    rater: int, units: Codes, first: Floats, second: Floats, found: Rows, setting: Setting, clusters: Codes
) -> Position:
    name, item, model = setting.raters[rater], found.unit_item[units], found.unit_model[units]
    if setting.lowered[rater]:
        first, second = -first, -second
    values, counts = np.unique(np.round(first - second, 9), return_counts=True)
    levels = np.unique(np.concatenate((first, second)))
    flips, reverses = _flips(item, model, first, second, setting.margins[rater], setting.confidence)
    judged = setting.kinds[rater] == "judge" and SCALE.low <= levels[0] <= levels[-1] <= SCALE.high
    same = np.abs(first - second) < 1e-9  # noqa: PLR2004  rounding
    return Position(
        rater=name,
        first=float(first.mean()),
        second=float(second.mean()),
        difference=difference(first, second, clusters[item], setting, SCALE if judged else None),
        same=_share(same, item, setting.confidence),
        flips=flips,
        reversed=reverses,
        models=[
            ModelPosition(
                model=setting.models[code],
                n=int((model == code).sum()),
                first=float(first[model == code].mean()),
                second=float(second[model == code].mean()),
            )
            for code in np.unique(model)
        ],
        histogram=[(float(value), int(n)) for value, n in zip(values, counts, strict=True)],
        scores=[(float(level), int((first == level).sum()), int((second == level).sum())) for level in levels],
    )


def _flips(
    item: Codes, model: Codes, first: Floats, second: Floats, margin: float, confidence: float
) -> tuple[Measure, Measure]:
    """How often the order of two models' replies to an item is another one in the other place."""
    codes = np.unique(model)
    if len(codes) > MOST_MODELS:
        return nothing(MANY_MODELS), nothing(MANY_MODELS)
    of = {int(code): np.flatnonzero(model == code) for code in codes}
    changed, turned, items = [], [], []
    for a, b in itertools.combinations(of.values(), 2):
        shared, left, right = np.intersect1d(item[a], item[b], assume_unique=True, return_indices=True)
        one = preferences(first[a[left]], first[b[right]], margin)
        other = preferences(second[a[left]], second[b[right]], margin)
        changed.append(one != other)
        turned.append(one * other < 0)
        items.append(shared)
    if not sum(map(len, items)):
        return nothing(ONE_MODEL), nothing(ONE_MODEL)
    cluster = np.concatenate(items)
    flips, reverses = (_share(np.concatenate(part), cluster, confidence) for part in (changed, turned))
    return flips, reverses


def _share(true: NDArray[np.bool_], cluster: Codes, confidence: float) -> Measure:
    return of_share(estimate(means(true, cluster), ratio, [1], SHARE, confidence=confidence), len(true))
