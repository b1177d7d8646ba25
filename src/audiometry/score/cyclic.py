"""Whole rounds of orders: what is right, and what is the same, wherever the options stand."""

from __future__ import annotations

import numpy as np

from audiometry.choices.variant import asked
from audiometry.records import State
from audiometry.score.chosen import Cyclic
from audiometry.score.items import Codes, Floats
from audiometry.score.preferences import share
from audiometry.score.sheet import CODE, UNPLANNED, Sheet


def cyclic(sheet: Sheet) -> Cyclic | None:
    """Items that are right, or answered alike, in every order of a round; None where none was asked a whole one.

    Orders 1 to n of an item with n options are the rotations of one shuffle, n + 1 to 2 n those of another (see
    `choices.ordering`). A reply that was lost, or in which nothing is read, is neither right nor the same.

    Args:
        sheet: of choices, with all of the run's variants.
    """
    right, same, single, rounds, n_options = _counted(sheet)
    there = rounds > 0
    if not there.any():
        return None
    one, cluster = there.astype(np.float64), sheet.items.cluster
    each = np.maximum(rounds, 1)
    of_right, of_same = share(right / each, one, cluster), share(same / each, one, cluster)
    assert of_right is not None and of_same is not None  # noqa: S101, PT018  some are there
    return Cyclic(
        right=of_right,
        same=of_same,
        each=float((single / each)[there].mean()),
        chance=float((1.0 / n_options[there] ** n_options[there]).mean()),
        n_rounds=int(rounds.sum()),
    )


def _counted(sheet: Sheet) -> tuple[Floats, Floats, Floats, Codes, Codes]:
    """Of each item: rounds all right, rounds all the same, rounds' mean share of right replies; rounds; options."""
    items, columns = sheet.items, _columns(sheet)
    n_options = np.array([len(one.longest) for one in items.shapes], np.int64)[items.shape]
    gold = np.array([one.right for one in items.shapes], np.int64)[items.shape]
    right, same, single = (np.zeros(len(items)) for _ in range(3))
    rounds = np.zeros(len(items), np.int64)
    for n in sorted(set(n_options[n_options > 1].tolist())):
        of_n = n_options == n
        for orders in columns.values():
            for first in range(1, max(orders, default=0) - n + 2, n):
                if not all(order in orders for order in range(first, first + n)):
                    continue
                these = [orders[order] for order in range(first, first + n)]
                asked_for = (sheet.state[:, these] != UNPLANNED) & (sheet.state[:, these] != CODE[State.NOT_ASKED])
                whole = of_n & asked_for.all(axis=1) & (gold >= 0)
                option = sheet.option[:, these]
                hits = option == gold[:, None]
                right += whole & hits.all(axis=1)
                same += whole & (option[:, 0] >= 0) & (option == option[:, :1]).all(axis=1)
                single += whole * hits.mean(axis=1)
                rounds += whole
    return right, same, single, rounds, np.maximum(n_options, 1)


def _columns(sheet: Sheet) -> dict[tuple[int, int], dict[int, int]]:
    """By wording and repeat, the column of each order."""
    found: dict[tuple[int, int], dict[int, int]] = {}
    for column, name in enumerate(sheet.variants):
        if (how := asked(name)) is not None:
            found.setdefault((how.wording, how.repeat), {})[how.order] = column
    return found
