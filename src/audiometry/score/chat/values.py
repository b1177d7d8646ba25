"""The scores of a sheet under one profile, as arrays; what is missing is NaN in here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.score.chat.reading import Scores
from audiometry.score.chat.rules import ChatRules
from audiometry.score.chat.sheet import Sheet, State
from audiometry.score.readers import Said

Floats = NDArray[np.float64]
Panel: TypeAlias = Literal["mean", "median", "majority"]


class Values(msgspec.Struct, frozen=True):
    """What was given to the model's answers and to the references.

    Attributes:
        model, reference: ``float64[items, variants, 2]``, by order; NaN where nothing counts. ``reference`` is also
            NaN where no judge was asked.
        unread: ``bool[items, variants]``, a reply that was judged in vain in at least one order.
        why: how many answers of the judge could not be read, by reason.
    """

    model: Floats
    reference: Floats
    unread: NDArray[np.bool_]
    why: dict[str, int]


def values(sheet: Sheet, said: Mapping[str, Said], rules: ChatRules) -> Values:
    """Read all that a judge said about a sheet's pairs."""
    n, variants = sheet.state.shape
    model, reference = np.full((n, variants, 2), np.nan), np.full((n, variants, 2), np.nan)
    why: Counter[str] = Counter()
    read: dict[str, Scores] = {}
    for place, both in sheet.keys.items():
        if sheet.state[place] == State.EMPTY and not rules.empty_judged:
            continue
        for order, key in enumerate(both):
            if key not in read:
                read[key] = rules.scores(said.get(key, Said()))
            scores = read[key]
            mine, other = (scores.second, scores.first) if order == 0 else (scores.first, scores.second)
            if mine is None:
                why[scores.how] += 1
                continue
            model[*place, order] = mine
            reference[*place, order] = np.nan if other is None else other
    judged = np.isin(sheet.state, (State.ANSWERED, State.REFUSED, *([State.EMPTY] if rules.empty_judged else [])))
    unread = judged & np.isnan(model).any(axis=2)
    if rules.both:
        model[unread] = reference[unread] = np.nan
    if rules.unread is not None:
        model[judged[..., None] & np.isnan(model)] = rules.unread
    if rules.failed is not None:
        model[~judged & (sheet.state != State.NOT_ASKED)] = rules.failed
    return Values(model, reference, unread, dict(sorted(why.items())))


def joined(judges: Sequence[Values], panel: Panel) -> Values:
    """One set of scores from those of several judges; missing wherever one of them is, since judges differ in level.

    ``majority`` takes the score, rounded to a whole one, that more than half of the judges gave, and the median where
    there is none.
    """
    if len(judges) == 1:
        return judges[0]
    why: Counter[str] = Counter()
    for one in judges:
        why.update(one.why)
    model, reference = (_together(np.stack(parts), panel) for parts in _sides(judges))
    return Values(model, reference, np.any([one.unread for one in judges], axis=0), dict(sorted(why.items())))


def _sides(judges: Sequence[Values]) -> tuple[list[Floats], list[Floats]]:
    return [one.model for one in judges], [one.reference for one in judges]


def _together(scores: Floats, panel: Panel) -> Floats:
    if panel == "mean":
        return np.asarray(scores.mean(axis=0))
    middle = np.asarray(np.median(scores, axis=0))
    if panel == "median":
        return middle
    whole = np.floor(scores + 0.5)
    votes = (whole[:, None] == whole[None]).sum(axis=0)
    most = votes.argmax(axis=0)[None]
    winner = np.take_along_axis(whole, most, axis=0)[0]
    wins = np.take_along_axis(votes, most, axis=0)[0] > len(scores) / 2
    return np.where(np.isnan(middle), np.nan, np.where(wins, winner, middle))
