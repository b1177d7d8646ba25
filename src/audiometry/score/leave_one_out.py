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

    An item is right by vote if more of its passes take the right option than take any other. A reply in which nothing
    is read has no vote; one that was lost might have had any, so that an item is right where that would change nothing.
    A letter that the rules draw is a vote, as it is in the score.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    passes = {how.leaves: at for at, name in enumerate(sheet.variants) if (how := fewer(name)) is not None}
    passes.pop(0, None)
    items = sheet.items
    n_options, gold = items.n_options, items.right
    right, most, tied, single, each, lost = (np.zeros(len(items)) for _ in range(6))
    whole, chance = np.zeros(len(items), np.bool_), np.zeros(len(items))
    for n in sorted(set(n_options.tolist())):
        these = [passes[k] for k in range(1, n) if k in passes]
        if len(these) < max(2, n - 1):
            continue
        asked = (n_options == n) & (gold >= 0) & _asked(sheet, these)
        option, gone, counted = sheet.option[:, these], sheet.lost[:, these], sheet.counted[:, these]
        votes = np.stack([((option == place) & ~gone).sum(axis=1) for place in range(n)], axis=1)
        own = np.arange(n) == gold[:, None]
        mine, rival, open_ = (votes * own).sum(axis=1), (votes * ~own).max(axis=1), gone.sum(axis=1)
        right += asked & (mine > rival + open_)
        most += asked & (mine + open_ > rival)
        tied += asked & (mine == rival) & (mine > 0)
        single += asked * (counted & (option == gold[:, None])).sum(axis=1)
        each += asked * counted.sum(axis=1)
        lost += asked * open_
        chance[asked] = guessed(n)
        whole |= asked
    of_right = share(right, whole.astype(np.float64), items.cluster)
    of_single = share(single, each, items.cluster)
    if of_right is None or of_single is None:
        return None
    by_chance = float(chance[whole].mean())
    return LeaveOneOut(
        vote=of_right,
        most=float(most[whole].mean()),
        each=of_single,
        chance=None if np.isnan(by_chance) else by_chance,
        n_tied=int(tied.sum()),
        n_items=of_right.n,
        n_lost=int(lost.sum()),
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
