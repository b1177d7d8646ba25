"""From scores to rows: tasks, categories, folders, the headline, each with its interval.

An item is averaged over its variants and both orders, then as its `Tree` says.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.score.chat.pair import ORDERS
from audiometry.score.chat.rules import ChatRules
from audiometry.score.chat.sheet import Sheet, State
from audiometry.score.chat.tree import Groups, Tree
from audiometry.score.chat.values import Values
from audiometry.score.extras import Against
from audiometry.score.row import Row
from audiometry.stats.interval import proportion
from audiometry.stats.resampling import percentiles, resampled_sums

FEWEST = 8  # clusters below which resampling them says too little
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Table:
    """All rows of a sheet under one profile, from one set of resamples.

    Args:
        sheet: the items and replies.
        found: their scores.
        rules: the profile's.
        where: how items are averaged.
        columns: the variants that count.
    """

    def __init__(self, sheet: Sheet, found: Values, rules: ChatRules, where: Tree, columns: Sequence[int]) -> None:
        self.columns = at = list(columns)
        self._rules, self._where = rules, where
        self._intervals: dict[Hashable, tuple[float, float]] = {}
        self._state = np.where(found.unread[:, at], State.UNJUDGED, sheet.state[:, at])
        self._there: Bools = np.asarray(~np.isnan(found.model[:, at]).all(axis=2))
        self._model = _over_variants(found.model[:, at])
        self._reference = _over_variants(found.reference[:, at])
        self._wins = self._compared(found, at)
        self._low = _over_variants(_filled(found, sheet.state[:, at], at, rules, rules.lowest))
        self._high = _over_variants(_filled(found, sheet.state[:, at], at, rules, rules.highest))
        answered = np.isin(sheet.state[:, at], (State.ANSWERED, State.REFUSED))[..., None]
        self._answered = _over_variants(np.where(answered, found.model[:, at], np.nan))

    @property
    def item_scores(self) -> Floats:
        """``float64[n]``, the mean of both orders; NaN where there is none."""
        return over_orders(self._model)

    def row(self, groups: Groups) -> Row:
        """The row of some items."""
        rows = groups.rows
        state = self._state[rows]
        n = {name: int((state == name).sum()) for name in State}
        value = None if n[State.NOT_ASKED] else groups.mean(self._model)
        counted = rows & ~np.isnan(self._model).all(axis=1)
        low, high = groups.mean(self._low), groups.mean(self._high)
        lost = n[State.FAILED] or n[State.NOT_ASKED] or n[State.UNJUDGED]
        return Row(
            value=value,
            interval=None if value is None else self._interval(groups, counted, value),
            bounds=(low, high) if lost and low is not None and high is not None else None,
            n_items=int(rows.sum()),
            n_clusters=len(np.unique(self._where.items.cluster[counted])),
            n_replies=state.size,
            n_answered=n[State.ANSWERED],
            n_unanswered=0,
            n_refused=n[State.REFUSED],
            n_empty=n[State.EMPTY],
            n_failed=n[State.FAILED],
            n_not_asked=n[State.NOT_ASKED],
            n_unjudged=n[State.UNJUDGED],
            n_counted=int(self._there[rows].sum()),
            over_answered=groups.mean(self._answered),
        )

    def against(self, groups: Groups) -> Against:
        """Some items beside the references."""
        win, tie, loss = (groups.mean(self._wins[..., kind]) for kind in range(3))
        orders: dict[str, float | None] = {name: groups.mean(self._model[:, k]) for k, name in enumerate(ORDERS)}
        return Against(reference=groups.mean(self._reference), orders=orders, win=win, tie=tie, loss=loss)

    def interval(self, groups: Groups) -> tuple[float, float] | None:
        """Of the mean of some items; None if nothing counts."""
        mean = groups.mean(self._model)
        counted = groups.rows & ~np.isnan(self._model).all(axis=1)
        return None if mean is None else self._interval(groups, counted, mean)

    def _interval(self, groups: Groups, counted: Bools, value: float) -> tuple[float, float]:
        """Each once: a folder may have the items of a task, and a tag's value those of a folder."""
        same = (counted.tobytes(), groups.weights, *(members.tobytes() for members in groups.members))
        if same not in self._intervals:
            self._intervals[same] = self._estimated(groups, counted, value)
        return self._intervals[same]

    def _estimated(self, groups: Groups, counted: Bools, value: float) -> tuple[float, float]:
        lowest, highest = self._rules.lowest, self._rules.highest
        cluster = self._where.items.cluster[counted]
        scores = self.item_scores[counted]
        n_clusters = len(np.unique(cluster))
        if n_clusters < FEWEST or np.ptp(scores) == 0:
            weights = groups.item_weights(counted)
            found = proportion((scores - lowest) / (highest - lowest), cluster, weights=weights)
            low, high = (lowest + limit * (highest - lowest) for limit in (found.low, found.high))
            return min(low, value), max(high, value)
        low, high = percentiles(self._resampled(groups, counted), value, n_clusters)
        return max(lowest, low), min(highest, high)

    def _resampled(self, groups: Groups, counted: Bools) -> Floats:
        """The mean in resamples of clusters, ``float64[resamples]``."""
        _, cluster = np.unique(self._where.items.cluster[counted], return_inverse=True)
        n = int(cluster.max()) + 1
        parts, member = [], []
        for members in groups.members:
            inside = members[counted]
            for order in range(len(ORDERS)):
                scores = self._model[counted, order]
                there = inside & ~np.isnan(scores)
                parts.append(np.bincount(cluster, np.where(there, scores, 0.0), n))
                parts.append(np.bincount(cluster, there, n))
            member.append(np.bincount(cluster, inside, n) > 0)
        _, strata = np.unique(np.stack(member, axis=1), axis=0, return_inverse=True)
        sums = resampled_sums(np.stack(parts, axis=1), strata.ravel(), seeds.generator(0, "chat", "bootstrap"))
        total, count = np.moveaxis(sums.reshape(len(sums), len(groups.members), len(ORDERS), 2), -1, 0)
        there = count > 0  # in few resamples nothing of a pool was read in one order: it has the other's mean then
        by_group = _averaged(np.where(there, total / np.maximum(count, 1), 0.0), there)
        return _averaged(by_group * np.array(groups.weights), there.any(axis=2) * np.array(groups.weights))

    def _compared(self, found: Values, at: list[int]) -> Floats:
        """``float64[n, orders, 3]``: shares of variants in which the model's answer wins, ties, loses."""
        model, reference = found.model[:, at], found.reference[:, at]
        if self._rules.both:
            model, reference = (np.repeat(side.mean(axis=2, keepdims=True), 2, axis=2) for side in (model, reference))
        kinds = np.stack((model > reference, model == reference, model < reference), axis=-1).astype(np.float64)
        known = ~np.isnan(model) & ~np.isnan(reference)
        lost = ~np.isnan(model) & np.isnan(reference) & np.isin(self._state, (State.FAILED, State.EMPTY))[..., None]
        kinds[lost] = (0.0, 0.0, 1.0)
        kinds[~known & ~lost] = np.nan
        return np.stack([_over_variants(kinds[..., kind]) for kind in range(3)], axis=-1)


def _filled(found: Values, state: NDArray[np.int8], at: list[int], rules: ChatRules, score: float) -> Floats:
    """The scores as they were had everything that failed been given this one."""
    out = found.model[:, at].copy()
    lost = (state == State.FAILED) | (state == State.NOT_ASKED) | found.unread[:, at]
    stands_in = [score for score in (rules.failed, rules.unread) if score is not None]
    out[lost[..., None] & (np.isnan(out) | np.isin(out, stands_in))] = score
    return out


def _over_variants(scores: Floats) -> Floats:
    """The mean over variants of what is there, ``float64[n, orders]``."""
    if scores.shape[1] == 1:
        return np.asarray(scores[:, 0])
    there = ~np.isnan(scores)
    count = there.sum(axis=1)
    total = np.where(there, scores, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def over_orders(scores: Floats) -> Floats:
    """The mean over the last axis of what is there; NaN where nothing is."""
    there = ~np.isnan(scores)
    count = there.sum(axis=-1)
    return np.where(count > 0, np.where(there, scores, 0.0).sum(axis=-1) / np.maximum(count, 1), np.nan)


def _averaged(values: Floats, weights: NDArray[Any]) -> Floats:
    """Sums over the last axis, divided by those of the weights; 0 where these are 0."""
    total = weights.sum(axis=-1)
    return np.asarray(values.sum(axis=-1) / np.where(total > 0, total, 1))
