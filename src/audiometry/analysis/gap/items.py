"""Which items go along with preference, and which go against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from audiometry.analysis.gap.preferred import Preferred
from audiometry.analysis.gap.result import ItemGap, ItemsGap
from audiometry.analysis.gap.runs import ItemScores
from audiometry.analysis.gap.scores import Floats

FEWEST: Final = 4  # systems; of three, each item that tells them apart goes along wholly or against wholly
_LISTED: Final = 10


def by_item(scores: Sequence[ItemScores], said: Preferred) -> dict[str, ItemsGap]:
    """How far each item's scores go along with the ratings, for benchmarks that at least 4 rated systems were asked.

    Args:
        scores: of each benchmark.
        said: the ratings.
    """
    found: dict[str, ItemsGap] = {}
    for one in scores:
        rows = [row for row, name in enumerate(one.systems) if name in said.systems]
        if len(rows) >= FEWEST:
            merits = said.strengths[[said.systems.index(one.systems[row]) for row in rows]]
            found[one.benchmark] = _told(one, one.values[rows], merits)
    return found


def _told(one: ItemScores, values: Floats, merits: Floats) -> ItemsGap:
    along = correlations(values, merits)
    apart = np.flatnonzero(np.isfinite(along))
    order = apart[np.argsort(along[apart], kind="stable")]
    listed = [ItemGap(item=one.items[at], task=one.tasks[at], correlation=float(along[at])) for at in order]
    return ItemsGap(
        n_systems=len(values),
        n_items=len(one.items),
        n_along=int((along[apart] > 0).sum()),
        n_against=int((along[apart] < 0).sum()),
        n_alike=len(one.items) - len(apart),
        mean=float(along[apart].mean()) if len(apart) else None,
        against=tuple(each for each in listed[:_LISTED] if each.correlation < 0),
        along=tuple(each for each in listed[::-1][:_LISTED] if each.correlation > 0),
    )


def correlations(values: Floats, merits: Floats) -> Floats:
    """Pearson's correlation of each column with merits, ``float64[systems, items]`` -> ``float64[items]``.

    NaN where all systems score alike.
    """
    apart, own = values - values.mean(axis=0), merits - merits.mean()
    size = np.sqrt((apart**2).sum(axis=0) * float(own @ own))
    flat = (np.ptp(values, axis=0) == 0) | (size == 0)
    return np.asarray(np.where(flat, np.nan, (own @ apart) / np.where(flat, 1.0, size)), np.float64)
