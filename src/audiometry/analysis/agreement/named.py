"""Agreement of raters who name one of several values: options of a question, what went wrong, the better of two."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.agreement.result import (
    Measure,
    ModelPair,
    Named,
    NamedAgainst,
    NamedPair,
    NamedPeople,
    nothing,
    of_coefficient,
    of_share,
)
from audiometry.analysis.agreement.setting import MOST_MODELS, MOST_PAIRED, Setting
from audiometry.analysis.agreement.table import Rows
from audiometry.stats.agreement import cohen_kappa
from audiometry.stats.estimate import estimate
from audiometry.stats.krippendorff import alpha
from audiometry.stats.parts import SHARE, means, ratio

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

EQUAL = 0.0
NO_PEOPLE = "no person rated the same"


class _Votes(msgspec.Struct, frozen=True):
    """How many people gave each value to each unit: ``int64[units, values]``; and the values, ascending."""

    table: Codes
    values: Floats

    def of(self, unit: Codes, value: Floats) -> tuple[Codes, Codes]:
        """How many people gave this value to this unit, and how many rated it."""
        place = np.searchsorted(self.values, value).clip(0, len(self.values) - 1)
        known = self.values[place] == value
        return np.where(known, self.table[unit, place], 0), self.table[unit].sum(axis=1)


def named(found: Rows, setting: Setting, what: str, n_two_minds: int) -> Named:
    """All agreement on values of one kind.

    Args:
        found: one word a rater and unit.
        setting: who is who.
        what: ``choice``, ``code`` or ``preferred``; of preferences, the value 0 is a tie.
        n_two_minds: left out before.
    """
    person = setting.is_person()[found.rater]
    values, code = np.unique(found.value, return_inverse=True)
    units = len(found.unit_item)
    place = found.unit[person] * len(values) + code[person]
    table = np.bincount(place, minlength=units * len(values)).reshape(units, len(values))
    votes = _Votes(table, values)
    present = [int(rater) for rater in np.unique(found.rater)]
    people = [rater for rater in present if setting.kinds[rater] == "person"]
    machines = [rater for rater in setting.machines() if rater in set(present)]
    listed = people[:MOST_PAIRED] + machines
    against = [
        _against(found, rater, unit, value, votes, setting, what) for rater, unit, value in found.by_rater(machines)
    ]
    return Named(
        n_items=len(np.unique(found.item)),
        n_units=len(np.unique(found.unit)),
        n_two_minds=n_two_minds,
        people=_people(found.of(person), people, votes, setting, what) if len(people) > 1 else None,
        against=against if people else [],
        pairs=_pairs(found, listed, setting, what),
    )


def _people(found: Rows, people: Sequence[int], votes: _Votes, setting: Setting, what: str) -> NamedPeople:
    untied = None
    if what == "preferred":
        decided = votes.table[:, votes.values != EQUAL]
        untied = _same_pairs(decided, found.unit_item, setting)
    size = votes.table[found.unit].sum(axis=1)
    rest = votes.table[found.unit] - (votes.values == found.value[:, None])
    leader, tied = _majority(rest)
    counted = (size > 2) & ~tied  # noqa: PLR2004  a majority is of two or more others
    others = _share(votes.values[leader][counted] == found.value[counted], found.item[counted], setting)
    return NamedPeople(
        raters=[setting.raters[rater] for rater in people],
        share=_same_pairs(votes.table, found.unit_item, setting),
        others=others,
        alpha=of_coefficient(
            alpha(
                found.value,
                found.unit,
                found.item,
                "nominal",
                **setting.how(what, "people", "alpha"),
            )
        ),
        untied=untied,
        models=[
            _model_pair(a, b, _same_pairs(votes.table, found.unit_item, setting, of), setting)
            for a, b, of in _model_pairs(found, what)
        ],
    )


def _against(
    found: Rows, rater: int, unit: Codes, value: Floats, votes: _Votes, setting: Setting, what: str
) -> NamedAgainst:
    name, item = setting.raters[rater], found.unit_item[unit]
    alike, size = votes.of(unit, value)
    leader, tied = _majority(votes.table[unit])
    counted = (size > 1) & ~tied
    most = votes.values[leader]
    untied = None
    if what == "preferred":
        decided, ties = value != EQUAL, votes.of(unit, np.full(len(unit), EQUAL))[0]
        untied = _shares(alike[decided], (size - ties)[decided], item[decided], setting)
    mine = np.isin(found.unit, unit) & (setting.is_person()[found.rater] | (found.rater == rater))
    both = found.of(mine)
    return NamedAgainst(
        rater=name,
        kind=setting.kinds[rater],
        share=_shares(alike, size, item, setting),
        majority=_share(most[counted] == value[counted], item[counted], setting),
        majority_kappa=of_coefficient(
            cohen_kappa(
                most[counted],
                value[counted],
                item[counted],
                **setting.how(what, name, "majority"),
            )
        ),
        n_no_majority=int(((size > 1) & tied).sum()),
        alpha=of_coefficient(
            alpha(
                both.value,
                both.unit,
                both.item,
                "nominal",
                **setting.how(what, name, "alpha"),
            )
        )
        if size.any()
        else nothing(NO_PEOPLE),
        untied=untied,
        models=[
            _model_pair(a, b, _shares(alike[of[unit]], size[of[unit]], item[of[unit]], setting), setting)
            for a, b, of in _model_pairs(found, what)
            if of[unit].any()
        ],
    )


def _pairs(found: Rows, listed: Sequence[int], setting: Setting, what: str) -> list[NamedPair]:
    """Every two of the raters who rated some of the same."""
    out = []
    for (a, units_a, values_a), (b, units_b, values_b) in itertools.combinations(found.by_rater(listed), 2):
        if setting.kinds[a] == setting.kinds[b] == "metric":
            continue
        units, left, right = np.intersect1d(units_a, units_b, assume_unique=True, return_indices=True)
        if not len(units):
            continue
        one, other, item = values_a[left], values_b[right], found.unit_item[units]
        kappa = cohen_kappa(
            one,
            other,
            item,
            **setting.how(what, setting.raters[a], setting.raters[b]),
        )
        out.append(
            NamedPair(
                a=setting.raters[a],
                b=setting.raters[b],
                kind_a=setting.kinds[a],
                kind_b=setting.kinds[b],
                share=_share(one == other, item, setting),
                kappa=of_coefficient(kappa),
            )
        )
    return out


def _model_pairs(found: Rows, what: str) -> list[tuple[int, int, NDArray[np.bool_]]]:
    """For preferences each two models that are compared, if not too many, and ``bool[units]``, which units do."""
    if what != "preferred":
        return []
    pairs = np.unique(np.stack((found.unit_model, found.unit_other), axis=1), axis=0)
    if len(pairs) > MOST_MODELS * (MOST_MODELS - 1) // 2:
        return []
    return [(int(a), int(b), (found.unit_model == a) & (found.unit_other == b)) for a, b in pairs]


def _model_pair(a: int, b: int, share: Measure, setting: Setting) -> ModelPair:
    return ModelPair(model_a=setting.models[a], model_b=setting.models[b], share=share)


def _majority(table: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """For each row of counts the place of the largest, and whether another is as large."""
    leader = table.argmax(axis=1)
    largest = table.max(axis=1)
    return leader, (table == largest[:, None]).sum(axis=1) > 1


def _same_pairs(table: Codes, item: Codes, setting: Setting, of: NDArray[np.bool_] | None = None) -> Measure:
    """How often two people say the same of a unit, over all pairs of people of all units."""
    table, item = (table, item) if of is None else (table[of], item[of])
    size = table.sum(axis=1)
    return _shares((table * (table - 1)).sum(axis=1) // 2, size * (size - 1) // 2, item, setting)


def _share(same: NDArray[np.bool_], item: Codes, setting: Setting) -> Measure:
    return _shares(same.astype(np.int64), np.ones(len(same), np.int64), item, setting)


def _shares(same: Codes, of: Codes, item: Codes, setting: Setting) -> Measure:
    """The share of the same among so many comparisons of each unit; items are the clusters."""
    counted = of > 0
    if not counted.any():
        return nothing("nothing rated in common")
    weights = of[counted].astype(np.float64)
    found = means(same[counted] / weights, item[counted], weight=weights)
    return of_share(estimate(found, ratio, [1], SHARE, confidence=setting.confidence), int(of.sum()))
