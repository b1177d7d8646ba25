"""What a metric says of a run, as it is printed, stored and exchanged."""

from __future__ import annotations

import msgspec


class MetricRow(msgspec.Struct, frozen=True, kw_only=True):
    """One number and what it rests on.

    Attributes:
        value: the metric; a failed reply counts as an empty one. None if nothing counts.
        interval: 95 %, items that share a clip or group resampled together; None if they are all one cluster.
        bounds: the value with every failed reply as an empty one, and as the reference, the lower number first; with
            unscored replies at both ends of the scale. None if nothing failed, or the scale is not known.
        n_items, n_clusters: items, and groups of those that are not independent.
        n_replies: one an item and variant.
        n_scored: replies that came and were measured.
        n_failed: replies that did not come.
        n_refused, n_empty: of those measured, how many decline, and have no word in them.
        n_unscored: replies that came and for which a metric program gave no score.
    """

    value: float | None
    interval: tuple[float, float] | None
    bounds: tuple[float, float] | None = None
    n_items: int
    n_clusters: int
    n_replies: int
    n_scored: int
    n_failed: int
    n_refused: int
    n_empty: int
    n_unscored: int = 0


class Measured(MetricRow, frozen=True, kw_only=True):
    """A run under one metric: the row over everything, and what it is made of.

    Attributes:
        signature: how the number was made, library versions included.
        unit: what the number counts.
        higher_is_better: its direction.
        highest: the upper end of its scale; None if it has none.
        average: what the value is a mean of, ``categories`` or ``tasks``, each task being a corpus of its own;
            ``corpus`` if there is one task.
        pooled: the value over all items as one corpus.
        complete: nothing failed or is unscored.
        rankable: at most 1 % failed or unscored; otherwise the number is not to be ranked.
        failures: failed replies by kind.
        unscored: replies without a score by reason.
        n_cut: replies longer than is read of one.
        n_with_options, n_without_reference: items that were left out, and why.
        ratings: path of the score of every item, relative to the run folder.
        notes: what a reader of the number has to know, a line each.
        categories, tasks: rows by name.
        left_out: tasks without a number, which are in no average.
    """

    signature: str
    unit: str
    higher_is_better: bool
    highest: float | None
    average: str
    pooled: float | None
    complete: bool
    rankable: bool
    failures: dict[str, int]
    unscored: dict[str, int]
    n_cut: int
    n_with_options: int
    n_without_reference: int
    ratings: str
    notes: tuple[str, ...] = ()
    categories: dict[str, MetricRow]
    tasks: dict[str, MetricRow]
    left_out: tuple[str, ...] = ()
