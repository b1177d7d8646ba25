"""The score in each way in which the items were asked: in each order of the options, wording and repeat alone."""

from __future__ import annotations

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table

MOST = 100  # ways


def ways(sheet: Sheet) -> dict[str, float]:
    """The value over everything by variant; none where there is one way alone, or where some have no value.

    Args:
        sheet: with all of the run's variants; those aside are none of these.
    """
    names, found = of_score(sheet.variants), {}
    for name in names if 1 < len(names) <= MOST else ():
        table = Table(sheet.of(variants=[name]))
        average = "items" if table.by_items else table.averaged_by
        row = table.row(np.ones(len(sheet.items), np.bool_), average, limits=False)
        if row.value is not None and not table.without_overall:
            found[name] = row.value
    return found if len(found) == len(names) else {}
