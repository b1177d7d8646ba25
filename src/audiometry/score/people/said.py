"""What people said of a run's replies, from a rating file: one score an item, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError, shown
from audiometry.files.ratings import WHATS, Ratings

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]

SCALE = (1.0, 10.0)  # what people are asked to rate on, as judges are
HALF = 5.0
NAMES = 3  # of unknown items or models that are told


class PeopleSaid(msgspec.Struct, frozen=True, kw_only=True):
    """People's scores of a run's items.

    Attributes:
        score: ``float64[n]``, the mean over raters, each over the orders in which replies were shown; NaN where nobody
            rated the item.
        propensity: ``float64[n]``, how likely each rated item was to be rated; None: they were drawn alike.
        n_ratings: scores that count, of each rater, item and order the last.
        raters: how many people they are from.
        notes: what was passed over or looks odd, a line each.
    """

    score: Floats
    propensity: Floats | None
    n_ratings: int
    raters: int
    notes: tuple[str, ...] = ()


def people_said(ratings: Ratings, models: Sequence[str], row_of: Callable[[str], int | None], n: int) -> PeopleSaid:
    """People's scores of a run's items.

    Args:
        ratings: as `audiometry.files.ratings.read` gives them.
        models: names of the run's model, the fullest first.
        row_of: the row of an item by its id, from 0; None: the run has no such item.
        n: how many items the run has.

    Raises:
        UsageError: no person scored this model's replies to these items; a score is off the scale; propensities of
            some items only, or several of one.
    """
    files = ", ".join(shown(source.path, 300) for source in ratings.sources)
    person = np.array([kind == "person" for kind in ratings.kinds], np.bool_)[ratings.rater]
    chosen = person & (ratings.what == WHATS.index("score"))
    if not chosen.any():
        has = sorted({WHATS[what] for what in ratings.what[person].tolist()}) or ["no word of a person"]
        raise UsageError(f"{files} has no scores by people, from 1 to 10 (it has {', '.join(has)}); see docs/people.md")
    chosen &= _of_model(ratings, chosen, models, files)
    rows = np.array([-1 if (found := row_of(name)) is None else found for name in ratings.items], np.int64)
    row = rows[ratings.item]
    notes = [f"{files}: {note}" for note in _unread(ratings)]
    if (unknown := chosen & (row < 0)).any():
        names = [ratings.items[code] for code in np.unique(ratings.item[unknown]).tolist()]
        some = (
            f"{_listed(names)}: {len(names):,} of the rated items {'is' if len(names) == 1 else 'are'} not in this run"
        )
        if not (chosen & (row >= 0)).any():
            raise UsageError(f"{files} rates no item of this run ({_listed(names)}); give the ratings of its items")
        notes.append(f"{some}, and passed over")
    place = _last(ratings, row, np.flatnonzero(chosen & (row >= 0)))
    value, at = ratings.value[place], row[place]
    _on_scale(ratings, place, value, files)
    if len(value) and value.max() <= HALF:
        notes.append(f"no person gave more than {value.max():g}: scores are taken to lie between 1 and 10")
    each = ratings.rater[place] * n + at  # a rater's word on an item, the mean over orders
    keys, first, count = np.unique(each, return_index=True, return_counts=True)
    mean = np.bincount(np.searchsorted(keys, each), value) / count
    score = _mean(at[first], mean, n)
    return PeopleSaid(
        score=score,
        propensity=_propensity(ratings, place, at, n, files),
        n_ratings=len(place),
        raters=len(np.unique(ratings.rater[place])),
        notes=tuple(notes),
    )


def _of_model(ratings: Ratings, chosen: NDArray[np.bool_], models: Sequence[str], files: str) -> NDArray[np.bool_]:
    """The ratings of this model's replies: all, where no line says whose they are."""
    named = {ratings.models[code] for code in np.unique(ratings.model[chosen]).tolist()} - {""}
    if not named:
        return np.ones(len(chosen), np.bool_)
    mine = next((name for name in models if name in named), None)
    if mine is None:
        raise UsageError(f"{files} rates no replies of {models[0]} (it has those of {_listed(sorted(named))})")
    return np.asarray(ratings.model == ratings.models.index(mine), np.bool_)


def _last(ratings: Ratings, row: Codes, chosen: Codes) -> Codes:
    """Places of the last rating of each rater, item and order: who rates again has thought again."""
    order = np.lexsort((chosen, ratings.order[chosen], row[chosen], ratings.rater[chosen]))
    place = chosen[order]
    key = np.stack((ratings.rater[place], row[place], ratings.order[place]))
    last = np.append((key[:, 1:] != key[:, :-1]).any(axis=0), [True] * (len(place) > 0))
    return np.asarray(place[last], np.int64)


def _on_scale(ratings: Ratings, place: Codes, value: Floats, files: str) -> None:
    off = (value < SCALE[0]) | (value > SCALE[1])
    if off.any():
        one = place[int(off.argmax())]
        raise UsageError(
            f"{files}: {shown(ratings.raters[ratings.rater[one]])} gives {shown(ratings.items[ratings.item[one]])} "
            f"{ratings.value[one]:g}; scores lie between 1 and 10 ({int(off.sum()):,} do not): bring them to that scale"
        )


def _mean(at: Codes, value: Floats, n: int) -> Floats:
    count = np.bincount(at, minlength=n)
    return np.where(count > 0, np.bincount(at, value, n) / np.maximum(count, 1), np.nan)


def _propensity(ratings: Ratings, place: Codes, at: Codes, n: int, files: str) -> Floats | None:
    """Of each rated item; None where no line has one."""
    odds = ratings.propensity[place]
    there = ~np.isnan(odds)
    if not there.any():
        return None
    found = _mean(at[there], odds[there], n)
    if np.isnan(found[at]).any():
        one = ratings.items[ratings.item[place[int(np.isnan(found[at]).argmax())]]]
        raise UsageError(f"{files}: {shown(one)} has no `propensity`, others have; give it for every rated item")
    if (apart := np.abs(odds[there] - found[at[there]]) > 1e-9 * odds[there]).any():
        one = ratings.items[ratings.item[place[there][int(apart.argmax())]]]
        raise UsageError(f"{files}: {shown(one)} has more than one `propensity`; an item has one")
    return found


def _unread(ratings: Ratings) -> list[str]:
    return [
        f"{one.n_unread:,} lines could not be used (line {one.unread[0].line}: {one.unread[0].why})"
        for one in ratings.sources
        if one.n_unread
    ]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES:,} more" if len(names) > NAMES else ""
    return ", ".join(shown(name) for name in names[:NAMES]) + more
