"""Mixed audio looked at closer: by which part is louder, by how much, by which starts first, and against one source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from audiometry.score.chat.rows import Table
from audiometry.score.chat.sheet import Sheet
from audiometry.score.chat.tree import Groups, Tree
from audiometry.score.extras import Mixed, Slice
from audiometry.stats.clustered import layout, spread
from audiometry.stats.quantile import student_quantile

MIXED = "mixed"  # the category of items with several sources at a time
LEVELS = (3.0, 6.0, 10.0)  # dB between parts
OFFSETS = (0.5, 1.0, 3.0)  # seconds between onsets
Bools = NDArray[np.bool_]


def mixed(sheet: Sheet, found: Table, where: Tree) -> Mixed | None:
    """Rows of the mixed items by their tags, and their mean beside that of the others; None if none is mixed."""
    category = np.array([where.categories[code] for code in where.pool])
    rows = category == MIXED
    if not rows.any():
        return None
    items = sheet.run.benchmark.items
    tags = [items.at(place).tags if here else {} for place, here in zip(sheet.run.positions, rows, strict=True)]
    together, single = where.of(rows), where.of(~rows & (category != ""))
    one, other = (_mean(groups, found) for groups in (together, single))
    return Mixed(
        by={tag: _slices(tags, tag, name, found) for tag, name in _NAMES.items()},
        mixed=one,
        single=other,
        difference=None if one is None or other is None else one - other,
        interval=_apart(found, where, together, single),
    )


def _mean(groups: Groups, found: Table) -> float | None:
    return groups.mean(found.item_scores) if groups.members else None


def _slices(
    tags: Sequence[Mapping[str, object]], tag: str, name: Callable[[object], str], found: Table
) -> dict[str, Slice]:
    said = [name(each.get(tag)) for each in tags]
    names = np.array(said)
    out: dict[str, Slice] = {}
    for value in sorted({one for one in names.tolist() if one}, key=lambda one: (_order(one), one)):
        groups = Groups.one(names == value)
        out[value] = Slice(
            value=groups.mean(found.item_scores),
            interval=found.interval(groups),
            n_items=int((names == value).sum()),
        )
    return out


def _order(name: str) -> float:
    """Bins of numbers in their order; words after one another."""
    digits = name.removeprefix("over ").partition(" ")[0].partition("-")[0]
    try:
        return float(digits) + 0.5 * name.startswith("over ")
    except ValueError:
        return 0.0


def _word(value: object) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def _binned(edges: tuple[float, ...], unit: str) -> Callable[[object], str]:
    def name(value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            return ""
        size = abs(float(value))
        low = 0.0
        for edge in edges:
            if size <= edge:
                return f"{low:g}-{edge:g} {unit}"
            low = edge
        return f"over {edges[-1]:g} {unit}"

    return name


_NAMES: Mapping[str, Callable[[object], str]] = {
    "louder": _word,
    "ahead": _word,
    "level_difference": _binned(LEVELS, "dB"),
    "offset_s": _binned(OFFSETS, "s"),
}


def _apart(found: Table, where: Tree, one: Groups, other: Groups) -> tuple[float, float] | None:
    """The interval of the difference of two means over different items; clusters may be on both sides."""
    if not one.members or not other.members:
        return None
    scores = found.item_scores
    weight = np.zeros(len(scores))
    for sign, groups in ((1.0, one), (-1.0, other)):
        for rows, share in zip(groups.members, groups.weights, strict=True):
            here = rows & ~np.isnan(scores)
            if not here.any():
                return None
            weight[here] = sign * share / here.sum()
    used = weight != 0
    # a difference of weighted means is a weighted mean of scores with one side's sign turned
    signed = np.sign(weight[used]) * scores[used]
    at = layout(len(signed), where.items.cluster[used], np.abs(weight[used]), where.pool[used])
    if at.n_clusters <= 2:  # noqa: PLR2004  one on each side shows nothing
        return None
    value = float((weight[used] * scores[used]).sum())
    se = 2 * float(np.sqrt(spread(signed[at.used], at, largest=float(np.ptp(scores[used])) ** 2 / 4).clustered))
    reach = student_quantile(0.95, at.n_clusters - 1) * se
    return value - reach, value + reach
