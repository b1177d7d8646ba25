"""The score in each way in which the items were asked: in each order of the options, wording and repeat alone."""

from __future__ import annotations

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.records import State
from audiometry.score.items import Bools
from audiometry.score.sheet import CODE, UNPLANNED, Sheet
from audiometry.score.table import Table

MOST = 100  # ways


def ways(sheet: Sheet) -> dict[str, float]:
    """The value over the items that were asked in all ways, by variant; none where there is one way, or some lack it.

    Args:
        sheet: with all of the run's variants; those aside are none of these.
    """
    names, found, rows = of_score(sheet.variants), dict[str, float](), in_all(sheet)
    for name in names if 1 < len(names) <= MOST and rows.any() else ():
        table = Table(sheet.of(rows, [name]))
        average = "items" if table.by_items else table.averaged_by
        row = table.row(np.ones(int(rows.sum()), np.bool_), average, limits=False)
        if row.value is not None and not table.without_overall:
            found[name] = row.value
    return found if len(found) == len(names) else {}


def in_all(sheet: Sheet) -> Bools:
    """The items that were asked in every way, ``bool[n]``, so that ways differ in nothing else.

    Args:
        sheet: as `ways` takes it.
    """
    state = sheet.of(variants=of_score(sheet.variants)).state
    return np.asarray(((state != UNPLANNED) & (state != CODE[State.NOT_ASKED])).all(axis=1), np.bool_)
