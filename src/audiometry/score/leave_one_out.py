"""Passes that leave one distractor out each: single replies, and a vote over them.

Source: RUListening (arXiv 2504.00369), which reports both; that ties are not right is ours.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from audiometry.choices.fewer import fewer
from audiometry.records import State
from audiometry.score.chosen import LeaveOneOut
from audiometry.score.items import Bools
from audiometry.score.preferences import share
from audiometry.score.sheet import CODE, UNPLANNED, Sheet

MOST_DRAWN = 7  # options of an item: the ways to guess are counted one by one


def leave_one_out(sheet: Sheet) -> LeaveOneOut | None:
    """Single replies and votes over the items that were asked without each of their distractors; None without any.

    An item is right by vote if more of its passes take the right option than take any other. A reply that was lost, or
    in which nothing is read, has no vote.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    passes = {how.leaves: at for at, name in enumerate(sheet.variants) if (how := fewer(name)) is not None}
    passes.pop(0, None)
    items = sheet.items
    n_options = np.array([len(one.longest) for one in items.shapes], np.int64)[items.shape]
    gold = np.array([one.right for one in items.shapes], np.int64)[items.shape]
    right, tied, single = (np.zeros(len(items)) for _ in range(3))
    whole, chance = np.zeros(len(items), np.bool_), np.zeros(len(items))
    for n in sorted(set(n_options.tolist())):
        these = [passes[k] for k in range(1, n) if k in passes]
        if len(these) < max(2, n - 1):
            continue
        asked = (n_options == n) & (gold >= 0) & _asked(sheet, these)
        option = sheet.option[:, these]
        votes = np.stack([(option == place).sum(axis=1) for place in range(n)], axis=1)
        mine = np.take_along_axis(votes, np.maximum(gold, 0)[:, None], axis=1)[:, 0]
        most = votes.max(axis=1)
        alone = (votes == most[:, None]).sum(axis=1) == 1
        right += asked & (mine == most) & alone
        tied += asked & (mine == most) & ~alone & (most > 0)
        single += asked * mine / len(these)
        chance[asked] = guessed(n)
        whole |= asked
    of_right = share(right, whole.astype(np.float64), items.cluster)
    of_single = share(single, whole.astype(np.float64), items.cluster)
    if of_right is None or of_single is None:
        return None
    by_chance = float(chance[whole].mean())
    return LeaveOneOut(
        vote=of_right,
        each=of_single,
        chance=None if np.isnan(by_chance) else by_chance,
        n_tied=int(tied.sum()),
        n_items=of_right.n,
    )


def _asked(sheet: Sheet, columns: list[int]) -> Bools:
    state = sheet.state[:, columns]
    return np.asarray(((state != UNPLANNED) & (state != CODE[State.NOT_ASKED])).all(axis=1), np.bool_)


@cache
def guessed(n: int) -> float:
    """How often a guesser is right by vote on an item of ``n`` options; NaN where there are too many to count.

    >>> round(guessed(3), 3), round(guessed(5), 3)
    (0.25, 0.215)
    """
    if n > MOST_DRAWN:
        return float("nan")
    shown = [[place for place in range(n) if place != left] for left in range(1, n)]
    right = 0
    for drawn in product(*shown):
        votes = [drawn.count(place) for place in range(n)]
        right += votes[0] > max(votes[1:])
    return right / float((n - 1) ** (n - 1))
