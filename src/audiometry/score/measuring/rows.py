"""From counts to rows: tasks, categories, the whole, each with its interval.

A task (or a pool of tasks) is a corpus: its value comes from the sums of its items' counts. A category is the mean of
its corpora and the whole the mean of its categories, as for every other score, so a task's weight does not depend on
how many items it happens to have.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.score.aggregate import ItemTable, table
from audiometry.score.averages import shares
from audiometry.score.chat.sheet import State
from audiometry.score.measuring.answers import Answers
from audiometry.score.measuring.pairs import Counts
from audiometry.score.metrics import Metric
from audiometry.score.metrics.pair import Floats
from audiometry.score.row import Row
from audiometry.stats.resampling import percentiles, resampled_sums
from audiometry.stats.wilson import wilson

CONFIDENCE = 0.95
_DUST = 1e-9  # below it a difference between resamples is what rounding left
Bools = NDArray[np.bool_]
Ends = tuple[Floats, Floats] | None


class Rows:
    """All rows of a run under one metric, from one set of resamples.

    Args:
        answers: the run's.
        counts: what the metric found.
        metric: which.
        ends: counts of the worst and of the best reply there can be, for those without a score; None if not known.
    """

    def __init__(self, answers: Answers, counts: Counts, metric: Metric, ends: Ends) -> None:
        self._answers, self._counts, self._metric, self._ends = answers, counts, metric, ends
        self.items: ItemTable = table(answers.run)
        card = answers.run.benchmark.card
        entries = [card.task_named(name) for name in self.items.tasks]
        names = [entry.pool or entry.name for entry in entries]
        self._corpora = tuple(dict.fromkeys(names))
        categories = dict(zip(names, (entry.category for entry in entries), strict=True))
        self._categories = tuple(categories[name] for name in self._corpora)
        self._corpus_of_task = np.array([self._corpora.index(name) for name in names], np.int64)
        self._corpus = self._corpus_of_task[self.items.task]
        self._counted = counts.there.any(axis=1)
        self._found = _over_variants(counts.found, counts.there)

    @property
    def average(self) -> Literal["items", "categories", "tasks"]:
        """What the whole is a mean of."""
        present = np.unique(self._corpus)
        if len(present) == 1:
            return "items"
        return "categories" if all(self._categories[code] for code in present) else "tasks"

    @property
    def pooled(self) -> float | None:
        """All items as one corpus; None if nothing counts."""
        return _number(self._metric.value(self._found.sum(axis=0)[None])[0])

    def whole(self) -> Row:
        """The row over everything."""
        return self._row(np.ones(len(self._corpus), np.bool_), self._corpus, self.average == "categories")

    def tasks(self) -> dict[str, Row]:
        """Rows by task, in the benchmark's order."""
        return {
            self.items.tasks[code]: self._row(self.items.task == code, self.items.task, by_category=False)
            for code in np.unique(self.items.task)
        }

    def categories(self) -> dict[str, Row]:
        """Rows by category, in the benchmark's order."""
        found = {}
        for name in dict.fromkeys(self._categories):
            inside = np.array([category == name for category in self._categories])[self._corpus]
            if name and inside.any():
                found[name] = self._row(inside, self._corpus, by_category=False)
        return found

    def _row(self, rows: Bools, corpus: NDArray[np.int64], by_category: bool) -> Row:  # noqa: FBT001  private
        state, there, lost = self._answers.state[rows], self._counts.there[rows], self._answers.lost[rows]
        n = {name: int((state == name).sum()) for name in (State.FAILED, State.NOT_ASKED)}
        n |= {name: int((there & (state == name)).sum()) for name in (State.ANSWERED, State.REFUSED, State.EMPTY)}
        codes = np.unique(corpus[rows & self._counted])
        values = {code: self._metric.value(self._sum(self._found, corpus == code))[0] for code in codes.tolist()}
        known = [code for code, value in values.items() if not np.isnan(value)]
        names = [self._categories[code] if by_category else "" for code in known]
        weights = np.array([float(share) for share in shares(names)] if known else [])
        value = float(weights @ [values[code] for code in known]) if known else None
        clusters = np.unique(self.items.cluster[rows & self._counted])
        n_unjudged = int((~there & ~lost).sum())
        masks = [rows & (corpus == code) for code in known]
        if n[State.NOT_ASKED]:
            value = None
        return Row(
            value=value,
            interval=None if value is None else self._interval(masks, weights, value, len(clusters)),
            bounds=self._bounds(masks, weights) if (n_unjudged or lost.any()) and known else None,
            n_items=int(rows.sum()),
            n_clusters=len(clusters),
            n_replies=state.size,
            n_answered=n[State.ANSWERED],
            n_unanswered=0,
            n_refused=n[State.REFUSED],
            n_empty=n[State.EMPTY],
            n_failed=n[State.FAILED],
            n_not_asked=n[State.NOT_ASKED],
            n_unjudged=n_unjudged,
            n_counted=int((there & (state != State.NOT_ASKED)).sum()),
        )

    def _sum(self, counts: Floats, rows: Bools) -> Floats:
        return np.asarray(counts[rows].sum(axis=0)[None])

    def _bounds(self, masks: list[Bools], weights: Floats) -> tuple[float, float] | None:
        """The value had all that is lost been as bad, and as good, as it can be; see `Row.bounds`."""
        counts = self._counts
        if not counts.both or (counts.unscored and self._ends is None):
            return None
        ends = []
        for found, end in zip((counts.found, counts.best), self._ends or (None, None), strict=True):
            filled, there = found, counts.there
            if end is not None:
                filled, there = np.where(there[..., None], found, end), np.ones_like(there)
            by_item = _over_variants(filled, there)
            values = np.array([self._metric.value(self._sum(by_item, mask))[0] for mask in masks])
            ends.append(float(weights @ values))
        low, high = sorted(ends)
        return low, high

    def _interval(
        self, masks: list[Bools], weights: Floats, value: float, n_clusters: int
    ) -> tuple[float, float] | None:
        if n_clusters <= 1:
            return None
        tasks = [np.unique(self.items.task[mask]) for mask in masks]
        drawn = sum(
            weight * self._metric.value(self._resampled[:, codes].sum(axis=1))
            for weight, codes in zip(weights, tasks, strict=True)
        )
        drawn = np.asarray(drawn)
        drawn = drawn[np.isfinite(drawn)]
        if not len(drawn) or np.ptp(drawn) <= _DUST * max(1.0, abs(value)):
            return _without_variation(value, self._metric.highest, n_clusters)
        return percentiles(drawn, value, n_clusters, CONFIDENCE)

    @cached_property
    def _resampled(self) -> Floats:
        """Sums of each task in resamples of clusters, ``float64[resamples, tasks, k]``.

        Clusters stand in the order of their names, so the order of items has no say.
        """
        names = [item.cluster for item in self._answers.items]
        clusters, cluster = np.unique(np.array(names, dtype=object), return_inverse=True)
        n_tasks, k = len(self.items.tasks), self._found.shape[1]
        parts = np.zeros((len(clusters), n_tasks, k))
        np.add.at(parts, (cluster, self.items.task), self._found)
        present = np.zeros((len(clusters), n_tasks), np.bool_)
        present[cluster[self._counted], self.items.task[self._counted]] = True
        _, strata = np.unique(present, axis=0, return_inverse=True)
        rng = seeds.generator(self._answers.run.info.seed, "metrics", "bootstrap")
        sums = resampled_sums(parts.reshape(len(clusters), -1), strata.reshape(-1), rng)
        return sums.reshape(len(sums), n_tasks, k)


def _over_variants(counts: Floats, there: Bools) -> Floats:
    """The mean over variants of what is there, ``float64[items, k]``; 0 where nothing is."""
    n = there.sum(axis=1)
    return np.asarray((counts * there[..., None]).sum(axis=1) / np.maximum(n, 1)[:, None])


def _without_variation(value: float, highest: float | None, n_clusters: int) -> tuple[float, float] | None:
    """Where all clusters are alike resampling shows nothing; Wilson's interval on the scale, a cluster an observation.

    None beyond the end of a proportion, where that has no meaning.
    """
    scale = highest or 1.0
    if not 0 <= value <= scale:
        return None
    low, high = wilson(value / scale, n_clusters, CONFIDENCE)
    return low * scale, high * scale


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
