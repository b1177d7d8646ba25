"""Rows by what items are about, as the card lists it."""

from __future__ import annotations

import numpy as np

from audiometry.choices.variant import of_score
from audiometry.records import Card
from audiometry.score.chosen import Dimension
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table


def dimensions(sheet: Sheet, card: Card) -> dict[str, Dimension]:
    """By tag, a row for the items with each value and one for those with any; items of all tasks as one.

    Args:
        sheet: with all of the run's variants, and the tags of the dimensions.
        card: of its benchmark.
    """
    if not card.dimension:
        return {}
    own = sheet.of(variants=of_score(sheet.variants))
    table, found = Table(own), {}
    for one in card.dimension:
        tagged = own.items.tagged(one.tag)
        rows = {value: tagged[value] for value in one.values if value in tagged}
        together = np.any([*rows.values()], axis=0) if rows else None
        found[one.tag] = Dimension(
            title=one.title or one.tag,
            any=None if together is None else table.row(together),
            values={value: table.row(these) for value, these in rows.items()},
        )
    return found
