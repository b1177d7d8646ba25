"""What is found about the agreement of raters."""

from __future__ import annotations

from pathlib import PurePath

import msgspec

from audiometry.files.ratings import Unread
from audiometry.stats.bootstrap import Coefficient
from audiometry.stats.estimate import Estimate


class Measure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A number with what it rests on.

    Attributes:
        value: None where it is not defined.
        interval: 95 %; None where the data give none.
        n: pairs of ratings, or ratings.
        n_items: the items they are of, which are taken as independent of each other.
        p: two-sided, of no difference; only for differences.
        why: why there is no value or no interval.
    """

    value: float | None
    interval: tuple[float, float] | None
    n: int
    n_items: int
    p: float | None = None
    why: str = ""


def of_share(found: Estimate, n: int) -> Measure:
    """A share as a measure; ``n``: comparisons."""
    return Measure(value=found.value, interval=found.interval, n=n, n_items=found.n_clusters)


def of_coefficient(found: Coefficient) -> Measure:
    """A coefficient as a measure."""
    interval = None if found.low is None or found.high is None else (found.low, found.high)
    return Measure(value=found.value, interval=interval, n=found.n, n_items=found.n_clusters, why=found.why)


def nothing(why: str) -> Measure:
    """No number, and why."""
    return Measure(value=None, interval=None, n=0, n_items=0, why=why)


class Rater(msgspec.Struct, frozen=True, kw_only=True):
    """A rater and how much they said.

    Attributes:
        name: as in the files.
        kind: ``person``, ``judge`` or ``metric``.
        n_scores, n_choices, n_preferred, n_codes: their ratings that count, repeated ones once.
        lower_is_better: their scores are turned round before they are compared.
    """

    name: str
    kind: str
    n_scores: int
    n_choices: int
    n_preferred: int
    n_codes: int = 0
    lower_is_better: bool = False


class NamedPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two raters who name one of several values: how often the same one, and that beyond chance (Cohen's kappa)."""

    a: str
    b: str
    kind_a: str
    kind_b: str
    share: Measure
    kappa: Measure


class ModelPair(msgspec.Struct, frozen=True, kw_only=True):
    """The preferences between two models only; ``share`` as in what it is part of."""

    model_a: str
    model_b: str
    share: Measure


class NamedPeople(msgspec.Struct, frozen=True, kw_only=True):
    """How far people agree among themselves: the yardstick for a judge.

    Attributes:
        raters: their names.
        share: over all pairs of people who rated the same thing.
        others: each person against the majority of the others.
        alpha: Krippendorff's, nominal.
        untied: as ``share``, where neither of the two said equal; only for preferences.
        models: ``share`` by pair of models; only for preferences.
    """

    raters: list[str]
    share: Measure
    others: Measure
    alpha: Measure
    untied: Measure | None = None
    models: list[ModelPair] = []


class NamedAgainst(msgspec.Struct, frozen=True, kw_only=True):
    """A judge or a metric against people.

    Attributes:
        rater, kind: who.
        share: against each person, all pairs together: to be held against the people's own ``share``.
        majority, majority_kappa: against what more people said than anything else.
        n_no_majority: things it rated on which people were tied.
        alpha: Krippendorff's over people and this rater, nominal, on what it rated.
        untied: as ``share``, where neither said equal; only for preferences.
        models: ``share`` by pair of models; only for preferences.
    """

    rater: str
    kind: str
    share: Measure
    majority: Measure
    majority_kappa: Measure
    n_no_majority: int
    alpha: Measure
    untied: Measure | None = None
    models: list[ModelPair] = []


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement on choices, on preferences, or on what went wrong.

    Attributes:
        n_items: rated items.
        n_units: rated things: the reply of a model to an item, or an item and two models.
        n_two_minds: left out, since the rater said one thing in one order of the replies and another in the other.
        people: among themselves; None with fewer than two.
        against: judges and metrics against people; none without people.
        pairs: every two raters with something in common.
    """

    n_items: int
    n_units: int
    n_two_minds: int
    people: NamedPeople | None
    against: list[NamedAgainst]
    pairs: list[NamedPair]


class ScorePair(msgspec.Struct, frozen=True, kw_only=True):
    """Two raters who give scores to the same replies.

    Attributes:
        a, b, kind_a, kind_b: who.
        tau_b, spearman: whether they put replies in the same order.
        bias: mean of a less b, in points.
        kappa: quadratic, on rounded scores.
        alpha_interval, alpha_ordinal: Krippendorff's, of the two.
    """

    a: str
    b: str
    kind_a: str
    kind_b: str
    tau_b: Measure
    spearman: Measure
    bias: Measure
    kappa: Measure
    alpha_interval: Measure
    alpha_ordinal: Measure


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement on scores.

    Attributes:
        n_items, n_units: rated items, and replies.
        people: names of the people.
        alpha_interval, alpha_ordinal: Krippendorff's over all people; None with fewer than two.
        each_person: each person against the mean of the others; ``b`` is `OTHERS`.
        against: judges and metrics against the mean of the people; ``b`` is `PEOPLE`.
        pairs: every two raters with something in common, but no two metrics.
    """

    n_items: int
    n_units: int
    people: list[str]
    alpha_interval: Measure | None
    alpha_ordinal: Measure | None
    each_person: list[ScorePair]
    against: list[ScorePair]
    pairs: list[ScorePair]


class ModelPosition(msgspec.Struct, frozen=True, kw_only=True):
    """One model's mean score in both places; ``n`` replies."""

    model: str
    n: int
    first: float
    second: float


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A judge against itself with the two answers in the other order.

    Attributes:
        rater: the judge.
        first, second: mean score of the model's answer where it stands first (the reference second), and second.
        difference: first less second, in points, with p.
        same: share of replies with the same score in both places.
        flips: share of pairs of models' replies to an item whose order changes with the place: from one being better to
            the other, or to or from equal; with an interval by items.
        reversed: the part of those that go from one better to the other.
        models: by model.
        histogram: differences, each with how many replies have it.
        scores: scores, each with how many replies have it in the first and in the second place.
    """

    rater: str
    first: float
    second: float
    difference: Measure
    same: Measure
    flips: Measure
    reversed: Measure
    models: list[ModelPosition]
    histogram: list[tuple[float, int]]
    scores: list[tuple[float, int, int]]


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A file: its ratings, the lines that cannot be used, and the first few of those."""

    path: str
    n_ratings: int
    n_unread: int
    unread: list[Unread]

    @property
    def called(self) -> str:
        """Its name, for who has not its folders; of a run's own ratings the run's.

        >>> paths = ("a/b.csv", "r/ratings/j.jsonl")
        >>> [SourceLine(path=path, n_ratings=1, n_unread=0, unread=[]).called for path in paths]
        ['b.csv', 'r']
        """
        path = PurePath(self.path)
        return (path.parent.parent if path.parent.name == "ratings" else path).name or path.name


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """All that a set of rating files says of how far raters agree.

    Attributes:
        files: what was read.
        raters: who said how much.
        n_repeated: ratings that a later one of the same rater, thing and order replaces.
        choices, scores, preferences, codes: None where there are no such ratings.
        positions: judges that scored in both orders.
        warnings: what stands in the way of a claim, a sentence each.
        confidence, resamples, seed: how intervals were made.
        tie_margin: scores no further apart than this count as equal.
    """

    files: list[SourceLine]
    raters: list[Rater]
    n_repeated: int
    choices: Named | None
    scores: Scores | None
    preferences: Named | None
    codes: Named | None
    positions: list[Position]
    warnings: list[str]
    confidence: float
    resamples: int
    seed: int
    tie_margin: float

    @property
    def named(self) -> dict[str, Named]:
        """What raters agree on who name one of several values; those that there are, by what they name."""
        parts = {"choices": self.choices, "preferences": self.preferences, "codes": self.codes}
        return {title: part for title, part in parts.items() if part is not None}

    @property
    def parts(self) -> dict[str, Named | Scores]:
        """All that raters agree on."""
        return {**self.named, **({} if self.scores is None else {"scores": self.scores})}

    @property
    def n_unread(self) -> int:
        """Lines of all files that could not be used."""
        return sum(source.n_unread for source in self.files)
