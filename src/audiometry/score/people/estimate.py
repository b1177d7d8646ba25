"""The score that people would give a run: a judge of all items set right by people's scores of some.

That holds only where the rated items are a random sample, or where it is known how likely each was to be rated. Numbers
cannot prove it; what plainly speaks against it is looked for, and then there is no estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError, counted
from audiometry.score.averages import shares
from audiometry.stats.balance import Balance, balance
from audiometry.stats.prediction_powered import prediction_powered, sample

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.int64]
Interval: TypeAlias = tuple[float, float]

FEWEST = 30  # clusters with ratings: fewer say too little of how far the judge is off


class JudgeScores(msgspec.Struct, frozen=True, kw_only=True):
    """A run's items as a judge scored them.

    Attributes:
        judge: ``float64[n, v]``, the score of each reply, of each variant; NaN where there is none.
        ruled: ``bool[n, v]``, the score is the rules' (the lowest, for a reply that did not come or is empty): people
            have nothing to rate there, and it stands.
        cluster: ``int64[n]``, equal where items share a clip or a group.
        task: ``int64[n]``, what has a mean of its own, a task or a pool of tasks: codes of ``tasks``.
        tasks, categories: names, and the category of each; a category empty for none.
        low, high: ends of the scale.
    """

    judge: Floats
    ruled: Bools
    cluster: Codes
    task: Codes
    tasks: Sequence[str]
    categories: Sequence[str]
    low: float = 1.0
    high: float = 10.0


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """The score that people would give.

    Attributes:
        value: the estimate; interval: of it, 95 %.
        people: the score by the people's ratings alone, and ``people_interval``: of it, 95 %.
        judge: the score by the judge alone, over the same tasks; what it is off by is no part of its own interval.
        tuning: how much the judge counts: 0 not at all, 1 in full.
        n_rated, n_clusters_rated: items with ratings, and groups of those that are not independent.
        left_out: tasks that nobody rated, which are in none of these numbers.
        rows: ``bool[n]``, the items that the numbers are about.
    """

    value: float
    interval: Interval
    people: float
    people_interval: Interval
    judge: float
    tuning: float
    n_rated: int
    n_clusters_rated: int
    left_out: tuple[str, ...]
    rows: Bools


def estimated(scores: JudgeScores, people: Floats, propensity: Floats | None = None) -> Estimated:
    """The score that people would give.

    Args:
        scores: the judge's.
        people: ``float64[n]``, people's score of each item; NaN where there is none.
        propensity: ``float64[n]``, above 0 to 1, how likely each item was to be rated; NaN where nobody rated it. None:
            within a task all alike.

    Raises:
        UsageError: fewer than 30 clusters with ratings, or the rated items were plainly not drawn alike.
    """
    there = ~np.isnan(scores.judge)
    judge = np.where(there, scores.judge, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    ruled: Bools = np.asarray((scores.ruled | ~there).all(axis=1) & there.any(axis=1), np.bool_)
    judged: Bools = np.asarray(there.any(axis=1) & ~ruled, np.bool_)
    rated = judged & ~np.isnan(people)
    enough(len(np.unique(scores.cluster[rated])), int(rated.sum()), int(judged.sum()))
    unrated = set(scores.task[judged].tolist()) - set(scores.task[rated].tolist())
    kept = [code for code in np.unique(scores.task[judged | ruled]).tolist() if code not in unrated]
    rows: Bools = np.asarray((judged | ruled) & np.isin(scores.task, kept), np.bool_)
    weights = np.array([float(share) for share in shares([scores.categories[int(code)] for code in kept])])
    odds = propensity if not (ruled & rows).any() else _odds(scores.task, judged, rated, propensity)
    _drawn_alike(scores, judge, judged & rows, rated, propensity)
    task = np.searchsorted(kept, scores.task[rows])
    known = (rated | ruled)[rows]
    of = sample(known, scores.cluster[rows], task, weights, None if odds is None else np.where(ruled, 1.0, odds)[rows])
    labels = np.where(ruled, judge, people)[rows][known]
    scale = (scores.low, scores.high)
    found, alone = (prediction_powered(judge[rows], labels, of, scale=scale, tuning=t) for t in (None, 0.0))
    return Estimated(
        value=found.value,
        interval=(found.low, found.high),
        people=alone.value,
        people_interval=(alone.low, alone.high),
        judge=of.mean(judge[rows], np.zeros(len(labels))),
        tuning=found.tuning,
        n_rated=int(rated.sum()),
        n_clusters_rated=len(np.unique(scores.cluster[rated])),
        left_out=tuple(scores.tasks[int(code)] for code in sorted(unrated)),
        rows=rows,
    )


def enough(n_clusters: int, n_rated: int, n_judged: int) -> None:
    """Let through only ratings of so many clusters that they say how far the judge is off.

    Raises:
        UsageError: they are fewer than 30.
    """
    if n_clusters < FEWEST:
        raise UsageError(
            f"people rated {counted(n_rated, 'item')} of {n_judged:,} that are judged, of {n_clusters} different "
            f"clips: {FEWEST} at least are needed to say what people would give; have a random sample of items rated"
        )


def _odds(task: Codes, judged: Bools, rated: Bools, propensity: Floats | None) -> Floats:
    """How likely each judged item was to be rated: as stated, or the share of its task that was."""
    if propensity is not None:
        return propensity
    n_rated, n_judged = (np.bincount(task[rows], minlength=int(task.max()) + 1) for rows in (rated, judged))
    share = n_rated / np.maximum(1, n_judged)
    return np.asarray(share[task], np.float64)


def _drawn_alike(scores: JudgeScores, judge: Floats, judged: Bools, rated: Bools, propensity: Floats | None) -> None:
    """Refuse what was plainly not drawn at random: by the place in the benchmark, or by what the judge says."""
    task = np.unique(scores.task[judged], return_inverse=True)[1]
    of = sample(
        rated[judged],
        scores.cluster[judged],
        task,
        np.bincount(task).astype(np.float64),
        None if propensity is None else propensity[judged],
    )
    place = np.empty(len(task))
    for code in range(int(task.max()) + 1):
        here = task == code
        place[here] = (np.arange(int(here.sum())) + 0.5) / here.sum()
    _refuse(balance(place, of), "stand {} in the benchmark than the others", ("earlier", "later"), scale=100, unit=" %")
    _refuse(
        balance(np.abs(place - 0.5), of),
        "stand {} in the benchmark than the others",
        ("closer together", "further apart"),
    )
    _refuse(balance(judge[judged], of), "have {} scores by the judge than the others", ("lower", "higher"))


def _refuse(found: Balance, words: str, sides: tuple[str, str], *, scale: float = 1, unit: str = "") -> None:
    if found.differ:
        side = sides[found.labelled > found.everything]
        means = f"{scale * found.labelled:.2g}{unit} against {scale * found.everything:.2g}{unit} on average"
        raise UsageError(
            f"the items that people rated were not drawn at random: they {words.format(side)} ({means}, which chance "
            "does less than once in a thousand times); have a random sample rated, or say in a column `propensity` how "
            "likely each was to be rated"
        )
