"""Consistency: what is right, and what is the same, wherever the options stand and however the question is put."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np

from audiometry.choices.variant import Asked, asked
from audiometry.records import State
from audiometry.score.chosen import Consistent
from audiometry.score.items import Bools, Codes
from audiometry.score.preferences import share
from audiometry.score.sheet import CODE, UNPLANNED, Sheet

ORDERS: Final = "orders"
WORDINGS: Final = "wordings"
_Set: TypeAlias = tuple[Bools, list[int]]
"""Some items, and the columns of replies to each that are held against one another."""


def consistency(sheet: Sheet) -> dict[str, Consistent]:
    """Items that are right, or answered alike, in every order of a round, and in every wording of a question.

    Orders 1 to n of an item with n options are the rotations of one shuffle, n + 1 to 2 n those of another (see
    `choices.ordering`): a round. The wordings that an item was asked in, options in the same order, are a set likewise.
    A reply that was lost, or in which nothing is read, is neither right nor the same; a letter that the rules draw is
    a reply, as it is in the score.

    Args:
        sheet: of choices, with all of the run's variants.

    Returns:
        By ``orders`` and ``wordings``; without those of which no item was asked a whole set.
    """
    columns = {how: at for at, name in enumerate(sheet.variants) if (how := asked(name)) is not None}
    n_options = sheet.items.n_options
    found = {
        ORDERS: _over(sheet, n_options, _rounds(columns, n_options)),
        WORDINGS: _over(sheet, n_options, _worded(columns, sheet)),
    }
    return {way: one for way, one in found.items() if one is not None}


def _over(sheet: Sheet, n_options: Codes, sets: Iterator[_Set]) -> Consistent | None:
    """What holds over whole sets; None where none was asked. Of several sets of an item the mean counts."""
    gold = sheet.items.right
    right, same, single, chance = (np.zeros(len(sheet.items)) for _ in range(4))
    n = np.zeros(len(sheet.items), np.int64)
    for rows, these in sets:
        state, option = sheet.state[:, these], sheet.option[:, these]
        came = ((state != UNPLANNED) & (state != CODE[State.NOT_ASKED])).all(axis=1)
        whole = rows & came & (gold >= 0) & (n_options > 1)
        hits = option == gold[:, None]
        right += whole & hits.all(axis=1)
        same += whole & (option[:, 0] >= 0) & (option == option[:, :1]).all(axis=1)
        single += whole * hits.mean(axis=1)
        chance += whole / np.maximum(n_options, 1.0) ** len(these)
        n += whole
    there, each = n > 0, np.maximum(n, 1)
    one, cluster = there.astype(np.float64), sheet.items.cluster
    of_right, of_same = share(right / each, one, cluster), share(same / each, one, cluster)
    if of_right is None or of_same is None:
        return None
    return Consistent(
        right=of_right,
        same=of_same,
        each=float((single / each)[there].mean()),
        chance=float((chance / each)[there].mean()),
        n_rounds=int(n.sum()),
    )


def _rounds(columns: dict[Asked, int], n_options: Codes) -> Iterator[_Set]:
    """Of each wording and repeat the orders that are the rotations of one shuffle."""
    most = max((how.order for how in columns), default=0)
    for n in sorted(set(n_options.tolist())):
        for wording, repeat in dict.fromkeys((how.wording, how.repeat) for how in columns):
            for first in range(1, most - n + 2, max(n, 1)):
                these = [columns.get(Asked(wording, order, repeat), -1) for order in range(first, first + n)]
                if n > 1 and -1 not in these:
                    yield n_options == n, these


def _worded(columns: dict[Asked, int], sheet: Sheet) -> Iterator[_Set]:
    """Of each order and repeat the wordings in which items were to be asked, where these are several."""
    for order, repeat in dict.fromkeys((how.order, how.repeat) for how in columns):
        every = np.array([at for how, at in columns.items() if (how.order, how.repeat) == (order, repeat)])
        planned = sheet.state[:, every] != UNPLANNED
        for pattern in np.unique(planned, axis=0):
            if pattern.sum() > 1:
                yield np.asarray((planned == pattern).all(axis=1), np.bool_), every[pattern].tolist()
