"""What is found of the variance of scores, as plain data."""

from __future__ import annotations

from typing import Literal

import msgspec

from audiometry.score.row import Bounds

Interval = tuple[float, float]
FEWEST = 6  # clusters that tell anything: five, all one way, give p = 1/16


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One source of a score's variance.

    Attributes:
        factors: ``item``, ``wording``, ``order``, or several that act together; none: chance.
        variance: of a single reply, in units of the measure squared; below 0 where there is next to nothing.
        share: of the variance of the score as it was asked, 0 to 1.
        error: what it adds to the standard error of the score as it was asked, in the measure's unit; the squares of
            all sources add up to that of the score.
        alone: the same had the score been asked in one wording, one order and once.
        df: degrees of freedom.
    """

    factors: tuple[str, ...]
    variance: float
    share: float
    error: float
    alone: float
    df: int


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """The score in one wording, or one order; ``number`` from 1."""

    number: int
    value: float
    interval: Interval | None


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """The best and the worst wording (or order), by number from 1.

    Attributes:
        best, worst: numbers.
        difference: of their scores, best less worst; below 0 for error rates.
        interval: of it, 95 %, not corrected for their having been picked.
        p: of the difference, corrected over all pairs (Holm).
        n_pairs: how many these are.
    """

    best: int
    worst: int
    difference: float
    interval: Interval
    p: float
    n_pairs: int


class Consistency(msgspec.Struct, frozen=True, kw_only=True):
    """How far items are right in every wording, order and repeat.

    Attributes:
        n_items: that were asked in all of them.
        always, never: shares of items that are right in all of them, and in none.
        agree: share of pairs of replies to one item that are both right or both not.
    """

    n_items: int
    always: float
    never: float
    agree: float


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """The variance of one run's score by one measure.

    Attributes:
        run, model: whose.
        name: of the score.
        measure, unit, direction, range: of the numbers.
        signature: how they are made.
        n_items, n_clusters: behind them.
        n_of: items of the run that the score is about, those too that were not asked in every way.
        wordings, orders, repeats: in how many items were asked.
        unordered: items without options, of which further orders were repeats; where they are most, all orders count
            as repeats.
        drawn: each item's orders are drawn, the first too: what an order is to one it is not to another, so that orders
            are no source of their own but repeats.
        value: the score.
        bounds: had every lost reply been as bad, and as good, as can be; None where none was lost.
        n_replies, n_lost: replies, and those that failed or have no verdict.
        n_effective: so many clusters of equal weight would be as good (Kish).
        n_alone: tasks of one clip, whose difference from the others counts as one between items.
        n_single: classes of one clip, of which nothing tells how they vary.
        error: its standard error from all sources; None where nothing varies.
        sources: items first.
        by_wording, by_order: scores; none where there is one.
        wording, order: best against worst; None likewise.
        cells: scores by wording and order, ``[wording][order]``.
        tasks: scores by task and wording.
        tasks_p: by task, p of its best against its worst wording, corrected over all pairs of all tasks; of several.
        words: by task, its wordings.
        consistency: None where replies are not right or wrong.
    """

    run: str
    model: str
    name: str
    measure: str
    unit: str
    direction: Literal["up", "down"]
    range: tuple[float | None, float | None]
    signature: str
    n_items: int
    n_of: int
    n_clusters: int
    wordings: int
    orders: int
    repeats: int
    unordered: int = 0
    drawn: bool = False
    value: float
    bounds: Bounds | None = None
    n_replies: int
    n_lost: int = 0
    n_effective: float
    n_alone: int = 0
    n_single: int = 0
    error: float | None
    sources: tuple[Source, ...]
    by_wording: tuple[Level, ...] = ()
    by_order: tuple[Level, ...] = ()
    wording: Contrast | None = None
    order: Contrast | None = None
    cells: tuple[tuple[float, ...], ...] = ()
    tasks: dict[str, tuple[float, ...]] = {}
    tasks_p: dict[str, float] = {}
    words: dict[str, tuple[str, ...]] = {}
    consistency: Consistency | None = None

    @property
    def few(self) -> bool:
        """Whether its clusters are too few to tell how far others would move the score."""
        return self.n_effective < FEWEST


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """How firm the place of one run among several is.

    Attributes:
        run, model: whose.
        value: its score.
        rank: from 1; equal scores share one.
        ranks: the 95 % of ranks in the middle, items and (of several) wordings drawn anew.
        keeps: share of draws in which it has its rank, by what was drawn anew: ``items``, and of several wordings also
            ``wordings`` and ``both``.
        first: share of draws of both, or of items, in which it is first.
    """

    run: str
    model: str
    value: float
    rank: int
    ranks: tuple[int, int]
    keeps: dict[str, float]
    first: float


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """The places of runs by one score.

    Attributes:
        measure, unit, direction, range: of the numbers.
        signatures: how they are made.
        n_items: that all runs were asked.
        wordings, orders, repeats: that they have in common.
        runs: the best first.
        unplaced: paths of those that have none, since more than 1 % of their replies failed.
        cut: paths of those of which items or ways of asking are left out, as other runs were not asked these.
    """

    measure: str
    unit: str
    direction: Literal["up", "down"]
    range: tuple[float | None, float | None]
    signatures: tuple[str, ...]
    n_items: int
    wordings: int
    orders: int
    repeats: int
    runs: tuple[Place, ...]
    unplaced: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()


class Variance(msgspec.Struct, frozen=True, kw_only=True):
    """What the scores of some runs are made of.

    Attributes:
        benchmark: what they were asked.
        splits: one for each run and score; none of a run that was asked one way only.
        places: by score; empty for one run.
        n_draws: of each kind of draw.
        warnings: what is to be minded.
    """

    benchmark: str
    splits: tuple[Split, ...]
    places: dict[str, Places] = {}
    n_draws: int = 0
    warnings: tuple[str, ...] = ()
