"""Mixed audio looked at closer: by how the sources lie over each other, and beside items with one source."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from audiometry.score.items import Bools, Codes, Floats
from audiometry.score.row import Mixed, Slice
from audiometry.score.sheet import Sheet
from audiometry.score.table import Table, weights_of
from audiometry.stats.estimate import estimate
from audiometry.stats.parts import Parts, Scale

MIXED: Final = "mixed"  # the category of items with several sources at a time
LEVELS = (3.0, 6.0, 10.0)  # dB between parts
OFFSETS = (0.5, 1.0, 3.0)  # seconds between onsets
Name: TypeAlias = Callable[[object], tuple[float, str]]
"""What the values of a tag are called, with their place among others; empty for what is none."""


def mixed(sheet: Sheet) -> Mixed | None:
    """Rows of the mixed items by their tags, and their mean beside that of the others; None if none is mixed.

    Args:
        sheet: of judges' scores, with the variants that count in a value.
    """
    table = Table(sheet)
    category = np.array(table.categories)[table.pool] if len(table.pool) else np.array([], dtype=str)
    rows = np.asarray(category == MIXED, np.bool_)
    if not rows.any():
        return None
    at = sheet.run.benchmark.items.at
    tags = [
        at(place).tags if here else {} for place, here in zip(sheet.items.position.tolist(), rows.tolist(), strict=True)
    ]
    single = np.asarray(~rows & (category != ""), np.bool_)
    one, other = (_mean(table, group) for group in (rows, single))
    return Mixed(
        by={tag: _slices(table, tags, tag, name) for tag, name in _NAMES.items()},
        mixed=one,
        single=other,
        difference=None if one is None or other is None else one - other,
        interval=None if one is None or other is None else _apart(table, rows, single),
    )


def _mean(table: Table, rows: Bools) -> float | None:
    return table.row(rows, "categories").value if rows.any() else None


def _slices(table: Table, tags: Sequence[Mapping[str, object]], tag: str, name: Name) -> dict[str, Slice]:
    every = [name(each.get(tag)) for each in tags]
    out: dict[str, Slice] = {}
    for one in sorted(set(every)):
        if one[1]:
            row = table.row(np.array([each == one for each in every], np.bool_))
            out[one[1]] = Slice(value=row.value, interval=row.interval, n_items=row.n_items)
    return out


def _word(value: object) -> tuple[float, str]:
    return 0.0, value.strip().lower() if isinstance(value, str) else ""


def _binned(edges: tuple[float, ...], unit: str) -> Name:
    def name(value: object) -> tuple[float, str]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            return 0.0, ""
        low = 0.0
        for edge in edges:
            if abs(value) <= edge:
                return edge, f"{low:g}-{edge:g} {unit}"
            low = edge
        return math.inf, f"over {low:g} {unit}"

    return name


_NAMES: Mapping[str, Name] = {
    "louder": _word,
    "ahead": _word,
    "level_difference": _binned(LEVELS, "dB"),
    "offset_s": _binned(OFFSETS, "s"),
}


def _apart(table: Table, one: Bools, other: Bools) -> tuple[float, float] | None:
    """The interval of the difference of two means over different items; clusters may be on both sides.

    With the scores of the second side turned around on their scale (s becomes low + high - s), the mean of both means
    is half the difference and a constant, so that one interval holds for it.
    """
    sheet = table.sheet
    low, high = table.scale.low, table.scale.high
    rows = one | other
    parts, turned = sheet.parts.copy(), sheet.parts[other]
    turned[..., 0::2] = turned[..., 1::2] * (low + high) - turned[..., 0::2]
    parts[other] = turned
    leaf: Codes = table.pool + np.where(other, len(table.pools), 0)
    weights: Floats = np.concatenate([_weights(table, side) for side in (one, other)])
    made = Parts(sums=parts[rows], cluster=sheet.items.cluster[rows], leaf=leaf[rows], size=table.sizes(rows))
    found = estimate(made, sheet.measure.value, weights, Scale("bounded", low, high))
    if found.interval is None or found.n_clusters <= 2:  # noqa: PLR2004  one on each side shows nothing
        return None
    below, above = (2 * limit - (low + high) for limit in found.interval)
    return below, above


def _weights(table: Table, rows: Bools) -> Floats:
    """How much each pool weighs in the mean of a side, half in all."""
    there = np.asarray(rows & table.sheet.counted.any(axis=1), np.bool_)
    leaf, categories = table.leaves(there, "categories")
    return weights_of(leaf, categories, table.known(there, leaf)) / 2
