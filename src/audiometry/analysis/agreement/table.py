"""Ratings joined by what they are of: a table of raters and units for each kind of rating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.files.ratings import WHATS, Ratings

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

ONE_MODEL = "{what} without a model, {n:,}: taken as of {model}, the only one that others name"
MANY_MODELS = "{what} without a model, {n:,}, while others name {models:,} models: these meet only each other"


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """The ratings of one kind, the last of each rater, unit and order; sorted by rater and unit.

    A unit is what is rated: a model's reply to an item, or two models' replies, the first name first in the alphabet.

    Attributes:
        rater, unit, order: ``int64[n]``.
        value: ``float64[n]``.
        unit_item, unit_model, unit_other: ``int64[units]``, codes of the names.
        n_repeated: ratings that a later one replaced.
        warnings: what had to be assumed.
    """

    rater: Codes
    unit: Codes
    order: Codes
    value: Floats
    unit_item: Codes
    unit_model: Codes
    unit_other: Codes
    n_repeated: int
    warnings: list[str]

    def of(self, keep: NDArray[np.bool_] | Codes) -> Rows:
        """Only some of the rows, by a mask or by their places, of the same units."""
        columns = {name: getattr(self, name)[keep] for name in ("rater", "unit", "order", "value")}
        return msgspec.structs.replace(self, **columns)

    @property
    def item(self) -> Codes:
        """``int64[n]``, the item of each row: its cluster."""
        return self.unit_item[self.unit]

    def by_rater(self, raters: Sequence[int]) -> Iterator[tuple[int, Codes, Floats]]:
        """Each of these raters with their units, in order, and values."""
        starts = np.searchsorted(self.rater, np.asarray(raters, np.int64), "left")
        ends = np.searchsorted(self.rater, np.asarray(raters, np.int64), "right")
        for rater, start, end in zip(raters, starts, ends, strict=True):
            yield rater, self.unit[start:end], self.value[start:end]


def rows(ratings: Ratings, what: str) -> Rows | None:
    """The ratings of a kind, one of `WHATS`; None if there are none."""
    chosen = ratings.what == WHATS.index(what)
    if not chosen.any():
        return None
    item, rater, order = ratings.item[chosen], ratings.rater[chosen], ratings.order[chosen]
    first, second, value = ratings.model[chosen], ratings.other[chosen], ratings.value[chosen]
    warnings: list[str] = []
    if what == "preferred":
        swapped = first > second  # codes are in the order of the alphabet
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
        value = np.where(swapped, 0 - value, value)  # no negative zero
    else:
        first = _named(first, ratings.models, what, warnings)
    models = len(ratings.models)
    keys, unit = np.unique((item * models + first) * models + second, return_inverse=True)
    keys, unit_other = np.divmod(keys, models)
    unit_item, unit_model = np.divmod(keys, models)
    # stable: the last of equals is the last that was read
    place = np.lexsort((order, unit, rater))
    last = np.ones(len(place), np.bool_)
    r, u, o = rater[place], unit[place], order[place]
    last[:-1] = (r[1:] != r[:-1]) | (u[1:] != u[:-1]) | (o[1:] != o[:-1])
    place = place[last]
    return Rows(
        rater=rater[place],
        unit=unit[place],
        order=order[place],
        value=value[place],
        unit_item=unit_item,
        unit_model=unit_model,
        unit_other=unit_other,
        n_repeated=int(len(last) - last.sum()),
        warnings=warnings,
    )


def _named(model: Codes, models: list[str], what: str, warnings: list[str]) -> Codes:
    """Ratings without a model as of the only one named, if there is but one."""
    blank = model == 0
    named = np.unique(model[~blank])
    if not blank.any() or not len(named):
        return model
    if len(named) > 1:
        warnings.append(MANY_MODELS.format(n=int(blank.sum()), what=what, models=len(named)))
        return model
    warnings.append(ONE_MODEL.format(n=int(blank.sum()), what=what, model=models[int(named[0])]))
    return np.where(blank, named[0], model)


def mean_over_orders(found: Rows) -> Rows:
    """One score for each rater and unit: the mean over the orders of the replies."""
    start = _starts(found)
    count = np.diff(np.r_[start, len(found.value)])
    kept = found.of(start)
    return msgspec.structs.replace(kept, value=np.add.reduceat(found.value, start) / count)


def same_in_all_orders(found: Rows) -> tuple[Rows, int]:
    """One word for each rater and unit, and how many are left out since another order got another word."""
    start = _starts(found)
    low, high = np.minimum.reduceat(found.value, start), np.maximum.reduceat(found.value, start)
    return found.of(start[low == high]), int((low != high).sum())


def _starts(found: Rows) -> Codes:
    """Where each rater's word on a unit begins."""
    new = np.ones(len(found.value), np.bool_)
    new[1:] = (found.rater[1:] != found.rater[:-1]) | (found.unit[1:] != found.unit[:-1])
    return np.flatnonzero(new)
