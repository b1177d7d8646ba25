"""One number and all that it rests on, whatever the measure; and two of them compared."""

from __future__ import annotations

import msgspec

Interval = tuple[float, float]
Bounds = tuple[float, float | None]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One number and what it rests on.

    Attributes:
        value: the measure; shares and F1 from 0 to 1, error rates from 0, judges' scores from 1 (0 under some rules) to
            10, BLEU and chrF from 0 to 100. None if nothing counts, where replies were not asked for (a stopped run),
            and where none came (``n_failed`` is ``n_replies``); in averages its failures count all the same.
        interval: 95 %, items that share a clip or group counted as one cluster; None without a value.
        bounds: the value had every reply that failed, was not asked for or not judged been as bad, and as good, as it
            can be; the lower number first, the upper one None where nothing bounds it (a reply may hold any number of
            errors). None if there is none, or the measure has no such ends.
        n_items: items; each may have several replies (variants).
        n_clusters: groups of items that are not independent, of those that count.
        n_replies: one an item and variant: the sum of the seven counts after it.
        n_answered, n_unanswered, n_refused, n_empty, n_failed, n_not_asked, n_unjudged: what became of them.
        refusal_rate: share of the replies that declined; None without a reply.
        n_counted: replies in the value's denominator.
        n_guessed, n_guessed_right: replies for which a letter was drawn, and drawn right; never answered ones.
        over_answered: the value over the answered replies alone; None if none was, or it has no meaning.
        chance: what guessing gives; None where nothing is guessed.
        rests_on: of an error rate, how many clusters hold half of the errors, where they are so few that the interval
            holds for runs that met such clips alone; None where they are more.
    """

    value: float | None
    interval: Interval | None
    bounds: Bounds | None = None
    n_items: int
    n_clusters: int
    n_replies: int
    n_answered: int
    n_unanswered: int
    n_refused: int
    n_empty: int
    n_failed: int
    n_not_asked: int
    n_unjudged: int
    n_counted: int
    n_guessed: int = 0
    n_guessed_right: int = 0
    over_answered: float | None = None
    chance: float | None = None
    rests_on: int | None = None
    refusal_rate: float | None = None

    @property
    def n_lost(self) -> int:
        """Replies of which nobody knows what they are worth: failed, not asked for or not judged."""
        return self.n_failed + self.n_not_asked + self.n_unjudged

    @property
    def replied(self) -> bool:
        """Whether any reply came: without one there is no number, whatever rules make of failures."""
        return self.n_failed + self.n_not_asked < self.n_replies


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A minus B on the same items.

    Attributes:
        n_items, n_clusters: items that count on both sides, and groups of those that are not independent.
        score_a, score_b: the two values, over these items.
        difference: A minus B; ``interval``: of it, 95 %.
        p: two-sided, the larger of that by swapping clusters and the smallest level at which the interval leaves
            out 0.
        p_corrected: over the tasks of a comparison, or the conditions of a run that replace the sound (Holm), p itself
            where there is one alone, as text alone always is; None where it is of no such family.
        detectable: the true difference that so many items would find four times in five; where p is corrected, at the
            first level of Holm's, 0.05 over the number of tests.
        undetectable: the word in its place where it is None: ``never`` where so few clusters show no difference however
            large, ``unclear`` where one has more than a fifteenth of the weight or errors.
        n_effective: how many equal clusters those that differ are worth (Kish); below 100 skew may mislead.
    """

    n_items: int
    n_clusters: int
    score_a: float
    score_b: float
    difference: float
    interval: Interval
    p: float
    p_corrected: float | None = None
    detectable: float | None
    undetectable: str = ""
    n_effective: float = 0.0

    @property
    def would_be_found(self) -> float | str | None:
        """`detectable`, or the word in its place."""
        return self.undetectable or self.detectable


class Condition(Row, frozen=True, kw_only=True):
    """A variant by itself; ``difference``: plain (A) minus it (B), None if no item counts on both sides."""

    difference: Difference | None


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the mixed items."""

    value: float | None
    interval: Interval | None
    n_items: int


class Mixed(msgspec.Struct, frozen=True, kw_only=True):
    """Mixed audio looked at closer.

    Attributes:
        by: rows by what the items' tags say: ``louder``, ``ahead``, ``level_difference`` (dB), ``offset_s`` (s).
        mixed, single: means over items with several sources at a time, and with one.
        difference: mixed minus single: below 0 the model is worse where sources overlap.
        interval: of the difference, 95 %; the two are different items, so tasks differ as well.
    """

    by: dict[str, dict[str, Slice]]
    mixed: float | None
    single: float | None
    difference: float | None
    interval: Interval | None
