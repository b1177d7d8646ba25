"""The table: all rows of a sheet, from the headline to any tag, each with its interval and bounds.

One tree of averages for every measure: a task, or a pool of tasks, has a value of its own; a category is the mean of
its pools, the headline the mean of the categories (of the pools, where one has no category). Where a profile says so
all items count alike instead. A value is computed for each variant and then averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from audiometry.records import State
from audiometry.score.averages import mean_of, shares
from audiometry.score.items import KINDS, Bools, Codes, Floats, occurring
from audiometry.score.row import Bounds, Row
from audiometry.score.sheet import BY_CLASSES, CODE, STATES, Ends, Kept, Sheet
from audiometry.stats.estimate import FEW_HOLD, Estimate, estimate, value_of
from audiometry.stats.parts import Parts, Scale
from audiometry.stats.sparse import Sparse

_PLACES = 12
MOST_FAILED = 0.01  # a run with more replies lost than this is not ranked
ScaleKind: TypeAlias = Literal["bounded", "log", "f1", "recall", "plain"]
GUESSED = frozenset({"choice", "label"})  # kinds of task that have a chance


class Table:
    """Rows of a sheet, over all of its variants.

    Args:
        sheet: with the variants that count in a value.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet, items = sheet, sheet.items
        self.by_items = sheet.profile.average == "items"
        names = [items.categories[code] or items.tasks[code] for code in range(len(items.tasks))]
        pools = names if self.by_items else list(items.pools)
        self.pools = tuple(dict.fromkeys(pools))
        category = dict(zip(pools, items.categories, strict=True))
        self.categories = tuple(category[name] for name in self.pools)
        self._pool_of_task = np.array([self.pools.index(name) for name in pools], np.int64)
        self.pool: Codes = self._pool_of_task[items.task]
        self._lost = sheet.lost
        answered = np.asarray(sheet.state == CODE[State.ANSWERED], np.bool_)
        self._answered = answered & sheet.counted & ~sheet.guessed
        guessed = np.isin(items.kind, [KINDS.index(kind) for kind in GUESSED])
        self._chance = getattr(sheet.measure, "has_chance", False) and bool(guessed.all()) and len(items) > 0

    @property
    def averaged_by(self) -> str:
        """What the headline is a mean of."""
        if self.without_overall:
            return "none"
        if self.by_items:
            return "items"
        present = occurring(self.pool)
        by = self.sheet.profile.average
        return "categories" if by == "categories" and all(self.categories[code] for code in present) else "tasks"

    @property
    def without_overall(self) -> bool:
        """Whether the rules have numbers for categories only, and there are several."""
        kinds = {KINDS[code] for code in occurring(self.sheet.items.kind).tolist()}
        several = len({self.categories[code] for code in occurring(self.pool).tolist()}) > 1
        return several and bool(kinds & self.sheet.profile.without_overall)

    def whole(self) -> Row:
        """The row over everything."""
        row = self.row(np.ones(len(self.pool), np.bool_), "items" if self.by_items else self.averaged_by)
        if not self.without_overall:
            return row
        return _without_value(row)

    def row(self, rows: Bools, average: str = "items", *, limits: bool = True) -> Row:
        """The row of some of the items.

        Args:
            rows: ``bool[n]``.
            average: ``items``: all alike; ``tasks``: the mean of their pools; ``categories``: of their categories.
            limits: whether it has an interval, which takes most of the time.
        """
        sheet, at = self.sheet, (slice(None) if rows.all() else np.flatnonzero(rows))  # of all, nothing is copied
        state, counted, lost = sheet.state[at], sheet.counted[at], self._lost[at]
        leaf, categories = self.leaves(rows, average)
        became = {name: int((state == CODE[name]).sum()) for name in STATES}
        n_counted, cluster = int(counted.sum()), sheet.items.cluster[at]
        guessed = sheet.guessed[at]
        found, value = None, None
        whole, came = not became[State.NOT_ASKED], sum(became.values()) > became[State.FAILED]
        if n_counted and whole and came:
            weights = weights_of(leaf, categories, self.known(rows, leaf))
            made = Parts(sums=self._sums(rows, leaf), cluster=cluster, leaf=leaf, size=self.sizes(rows))
            if weights.any() and limits:
                found = estimate(made, sheet.measure.value, weights, self.scale)
                value = found.value
            elif weights.any():
                value = value_of(made, sheet.measure.value, weights)
        n_replies = int((state >= 0).sum())
        return Row(
            value=_clean(value),
            interval=None if found is None or found.value is None else _both(found.interval),
            bounds=self._bounds(rows, leaf, categories) if lost.any() else None,
            n_items=len(state),
            n_clusters=len(occurring(cluster[counted.any(axis=1)])),
            n_replies=n_replies,
            n_answered=became[State.ANSWERED],
            n_unanswered=became[State.UNANSWERED],
            n_refused=became[State.REFUSED],
            refusal_rate=became[State.REFUSED] / n_replies if n_replies else None,
            n_empty=became[State.EMPTY],
            n_failed=became[State.FAILED],
            n_not_asked=became[State.NOT_ASKED],
            n_unjudged=became[State.UNJUDGED],
            n_counted=n_counted,
            n_guessed=int(guessed.sum()),
            n_guessed_right=self._guessed_right(rows),
            over_answered=_clean(self._over(rows, leaf, categories)),
            rests_on=_few(found),
            chance=_clean(self._chance_of(rows, counted, leaf, categories)),
        )

    def _sums(self, rows: Bools, leaf: Codes) -> Floats | Sparse:
        different = self.sheet.different
        if different is None or self.scale.kind not in BY_CLASSES:
            return self.sheet.sums(rows, leaf)
        return self.sheet.spread(different, rows, leaf)

    @cached_property
    def scale(self) -> Scale:
        """How limits are made for this measure."""
        measure = self.sheet.measure
        low, high = measure.range
        kind: ScaleKind = getattr(measure, "scale", "plain" if high is None else "bounded")
        start = low or 0.0
        return Scale(kind, start, start + 1.0 if high is None else high)

    def leaves(self, rows: Bools, average: str) -> tuple[Codes, Sequence[str]]:
        """What has a value of its own, as a code by item, and the category of each; one for all if items are alike."""
        if average in {"items", "none"}:
            return np.zeros(int(rows.sum()), np.int64), [""]
        pool = self.pool if rows.all() else self.pool[rows]
        return pool, self.categories if average == "categories" else [""] * len(self.pools)

    def known(self, rows: Bools, leaf: Codes) -> list[int]:
        """The leaves that have a value, by code: one without takes part in no average, as if it were not there."""
        there, found = self.sheet.counted[rows], []
        for code in occurring(leaf[there.any(axis=1)]).tolist():
            inside, chosen = leaf == code, rows.copy()
            chosen[rows] = inside
            if not np.isnan(self.sheet.values(chosen, there[inside])).all():
                found.append(code)
        return found

    def sizes(self, rows: Bools) -> Floats:
        """How much of its leaf an item is: reference words on the log scale, else 1; 0 where it does not count."""
        counted = self.sheet.counted[rows]
        if self.scale.kind != "log":
            return np.asarray(counted.any(axis=1), np.float64)
        sums = self.sheet.sums(rows, np.zeros(int(rows.sum()), np.int64))
        return np.asarray(sums[..., 1].sum(axis=1) / np.maximum(counted.sum(axis=1), 1))

    def value(self, rows: Bools, leaf: Codes, categories: Sequence[str], there: Bools, end: Ends = "") -> float | None:
        """The tree's value of some items over those of their places that are there; None if none has one."""

        def of_leaf(inside: Bools) -> Floats:
            chosen = rows.copy()
            chosen[rows] = inside
            return self.sheet.values(chosen, there[inside], end)

        return mean_of(of_leaf, leaf, categories, there)

    def _bounds(self, rows: Bools, leaf: Codes, categories: Sequence[str]) -> Bounds | None:
        """The value had every lost reply been as bad, and as good, as can be; None above where there is no end."""
        sheet = self.sheet
        there = (sheet.counted | self._lost)[rows]
        both: dict[Ends, Kept | None] = {"worst": sheet.worst, "best": sheet.best}
        known: list[Ends] = [end for end, parts in both.items() if parts is not None]
        found = [value for end in known if (value := self.value(rows, leaf, categories, there, end)) is not None]
        if not found or len(found) < len(known):
            return None
        return clean(min(found)), clean(max(found)) if len(found) == len(both) else None

    def _over(self, rows: Bools, leaf: Codes, categories: Sequence[str]) -> float | None:
        """The value over answered replies alone."""
        there = self._answered[rows]
        return self.value(rows, leaf, categories, there) if there.any() else None

    def _chance_of(self, rows: Bools, counted: Bools, leaf: Codes, categories: Sequence[str]) -> float | None:
        if not self._chance or not rows.any():
            return None
        chance, there = self.sheet.items.chance[rows], counted.any(axis=1)
        if not there.any():
            return float(chance.mean())
        codes: list[int] = occurring(leaf[there]).tolist()
        weights = shares([categories[code] for code in codes])
        means = [float(chance[there & (leaf == code)].mean()) for code in codes]
        return float(sum(float(weight) * mean for weight, mean in zip(weights, means, strict=True)))

    def _guessed_right(self, rows: Bools) -> int:
        sheet = self.sheet
        guessed = sheet.guessed & rows[:, None]
        if not guessed.any():
            return 0
        parts = sheet.parts[guessed] if sheet.different is None else sheet.different.at(sheet.parts[guessed]).dense()
        return int(np.nansum(sheet.measure.value(parts)))


def _few(found: Estimate | None) -> int | None:
    """How many clusters hold half of the errors, if they are few."""
    held = None if found is None else found.half_in
    return held if held is not None and held <= FEW_HOLD else None


def clean(value: float) -> float:
    """A number without what rounding left behind its 12th decimal place: 1.0 and not 0.9999999999999999, nor -0.0."""
    return round(value, _PLACES) + 0.0


def cleaned(found: Any) -> Any:
    """The same with each number in it made clean, however deep: a result as it is printed and stored.

    >>> cleaned({"a": (0.1 + 0.2, None, "x"), "b": [-0.0]})
    {'a': (0.3, None, 'x'), 'b': [0.0]}
    """
    if isinstance(found, float):
        return clean(found)
    if isinstance(found, msgspec.Struct):
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        return msgspec.structs.replace(found, **{name: cleaned(one) for name, one in fields.items()})
    if isinstance(found, dict):
        return {name: cleaned(one) for name, one in found.items()}
    return type(found)(map(cleaned, found)) if isinstance(found, tuple | list) else found


def _clean(value: float | None) -> float | None:
    return None if value is None else clean(value)


def _both(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if ends is None else (clean(ends[0]), clean(ends[1]))


def weights_of(leaf: Codes, categories: Sequence[str], known: Sequence[int]) -> Floats:
    """How much each leaf counts, summing to 1; 0 for those that are not known.

    Args:
        leaf: ``int64[n]``, codes.
        categories: of each leaf; empty for none.
        known: the leaves that have a value.
    """
    weights = np.zeros(max(len(categories), int(leaf.max(initial=0)) + 1))
    if known:
        weights[list(known)] = [float(share) for share in shares([categories[code] for code in known])]
    return weights


def _without_value(row: Row) -> Row:
    return msgspec.structs.replace(row, value=None, interval=None, bounds=None, over_answered=None, chance=None)
