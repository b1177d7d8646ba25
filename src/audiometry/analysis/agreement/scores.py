"""Agreement of raters who give scores to the same replies."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.agreement.result import Measure, ScorePair, Scores, nothing, of_coefficient
from audiometry.analysis.agreement.setting import MOST_PAIRED, OTHERS, PEOPLE, Setting
from audiometry.analysis.agreement.table import Rows
from audiometry.score.judge.bias import apart
from audiometry.stats.agreement import quadratic_kappa
from audiometry.stats.concordance import kendall_tau_b, spearman_rho
from audiometry.stats.krippendorff import Level, alpha
from audiometry.stats.parts import Scale

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

OTHER_SCALE = "a metric has a scale of its own"
ONE_SCORE = "all scores are equal"


def turned(found: Rows, setting: Setting) -> Rows:
    """The scores with a higher one always better: those of raters where lower is better change their sign."""
    sign = np.where(np.array(setting.lowered, np.bool_), -1.0, 1.0)
    return msgspec.structs.replace(found, value=found.value * sign[found.rater])


def scores(found: Rows, setting: Setting) -> Scores:
    """All agreement on scores.

    Args:
        found: one score a rater and unit, higher always better.
        setting: who is who.
    """
    present = [int(rater) for rater in np.unique(found.rater)]
    people = [rater for rater in present if setting.kinds[rater] == "person"]
    machines = [rater for rater in setting.machines() if rater in set(present)]
    person = setting.is_person()[found.rater]
    theirs = found.of(person)
    total = np.bincount(theirs.unit, theirs.value, len(found.unit_item))
    count = np.bincount(theirs.unit, minlength=len(found.unit_item))
    columns = {rater: (unit, value) for rater, unit, value in found.by_rater(present)}
    each_person, against = [], []
    for rater in people if len(people) > 1 else []:
        unit, value = columns[rater]
        shared = count[unit] > 1
        unit, value = unit[shared], value[shared]
        rest = (total[unit] - value) / (count[unit] - 1)
        if len(unit):
            each_person.append(_pair(value, rest, found.unit_item[unit], (rater, OTHERS), setting))
    for rater in machines if people else []:
        unit, value = columns[rater]
        shared = count[unit] > 0
        unit, value = unit[shared], value[shared]
        if len(unit):
            against.append(_pair(value, total[unit] / count[unit], found.unit_item[unit], (rater, PEOPLE), setting))
    pairs = []
    for a, b in itertools.combinations(people[:MOST_PAIRED] + machines, 2):
        if setting.kinds[a] == setting.kinds[b] == "metric":
            continue
        (units_a, values_a), (units_b, values_b) = columns[a], columns[b]
        units, left, right = np.intersect1d(units_a, units_b, assume_unique=True, return_indices=True)
        if len(units):
            pairs.append(_pair(values_a[left], values_b[right], found.unit_item[units], (a, b), setting))
    return Scores(
        n_items=len(np.unique(found.item)),
        n_units=len(np.unique(found.unit)),
        people=[setting.raters[rater] for rater in people],
        alpha_interval=_alpha(theirs, "interval", setting) if len(people) > 1 else None,
        alpha_ordinal=_alpha(theirs, "ordinal", setting) if len(people) > 1 else None,
        each_person=each_person,
        against=against,
        pairs=pairs,
    )


def _alpha(found: Rows, level: Level, setting: Setting) -> Measure:
    return of_coefficient(alpha(found.value, found.unit, found.item, level, **setting.how("score", level)))


def _pair(one: Floats, other: Floats, item: Codes, who: tuple[int, int | str], setting: Setting) -> ScorePair:
    """Two columns of scores of the same units; the same interval whoever is named first, or stands for all people."""
    first, second = (setting.raters[rater] if isinstance(rater, int) else rater for rater in who)
    kinds = [setting.kinds[rater] if isinstance(rater, int) else "people" for rater in who]
    alphas = [nothing(OTHER_SCALE), nothing(OTHER_SCALE)]
    kappa = bias = nothing(OTHER_SCALE)
    if "metric" not in kinds:
        bias = difference(one, other, item, setting)
        columns = sorted((one, other), key=lambda column: column.tolist())
        rounded, against = (np.floor(column + 0.5) for column in columns)
        kappa = of_coefficient(quadratic_kappa(rounded, against, item, **setting.how("score", "kappa")))
        both, unit, items = np.concatenate(columns), np.tile(np.arange(len(one)), 2), np.tile(item, 2)
        levels: tuple[Level, Level] = ("interval", "ordinal")
        alphas = [of_coefficient(alpha(both, unit, items, level, **setting.how("score", level))) for level in levels]
    return ScorePair(
        a=first,
        b=second,
        kind_a=kinds[0],
        kind_b=kinds[1],
        tau_b=of_coefficient(kendall_tau_b(one, other, item, confidence=setting.confidence)),
        spearman=of_coefficient(spearman_rho(one, other, item, confidence=setting.confidence)),
        bias=bias,
        kappa=kappa,
        alpha_interval=alphas[0],
        alpha_ordinal=alphas[1],
    )


def difference(one: Floats, other: Floats, cluster: Codes, setting: Setting, scale: Scale | None = None) -> Measure:
    """The mean of one less other, in points, with interval and p by swapping clusters.

    Args:
        one: ``float64[n]``, scores of some units.
        other: ``float64[n]``, of the same.
        cluster: ``int64[n]``, of the units.
        setting: who is who.
        scale: of the scores; None: from the lowest to the highest of these.
    """
    low, high = (float(f(np.concatenate((one, other)))) for f in (np.min, np.max))
    if low == high:
        return Measure(value=0.0, interval=None, n=len(one), n_items=len(np.unique(cluster)), why=ONE_SCORE)
    scale = scale or Scale("bounded", low, high)
    found = apart(one, other, cluster, scale=scale, seed=setting.seed, confidence=setting.confidence)
    return Measure(value=found.difference, interval=found.interval, n=len(one), n_items=found.n_clusters, p=found.p)
