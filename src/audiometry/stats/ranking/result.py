"""What a ranking says."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
import numpy as np

from audiometry.stats.ranking.connected import Reason
from audiometry.stats.ranking.counts import WinMatrix
from audiometry.stats.ranking.goodness import Fit
from audiometry.stats.ranking.votes import Floats

Limits = tuple[float | None, float | None]  # None: open at that end

ELO: Final = 400 / float(np.log(10))  # points a natural logarithm of odds: 400 are odds of 10 to 1
MEAN: Final = 1000.0  # rating of the average ranked model


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A model's votes as they were given, whoever they were against.

    Attributes:
        model: its name.
        battles: all of its votes.
        wins, losses, ties, both_bad: what they said.
    """

    model: str
    battles: int
    wins: int
    losses: int
    ties: int
    both_bad: int


class Standing(Record, frozen=True, kw_only=True):
    """A ranked model.

    Attributes:
        rating: on the Elo scale.
        interval: of the rating among ratings that average 1000, moved with them where there is an anchor; None of the
            anchor, and where there are no two clusters. An end that is None is open: resamples lost the model's place.
        rank: 1 for the highest rating; equal ratings share it.
        rank_range: best and worst rank, all pairs compared at once.
    """

    rating: float
    interval: Limits | None
    rank: int
    rank_range: tuple[int, int]


class Unplaced(Record, frozen=True, kw_only=True):
    """A model that the votes give no place.

    Attributes:
        reason: why not.
        group: those with which it is connected by chains of votes both ways.
    """

    reason: Reason
    group: tuple[str, ...] = ()


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """What moves votes beside the models' strengths: being shown first, or a covariate.

    Attributes:
        name: of it.
        elo: points gained by being shown first, or by a covariate ``(a - b) / (a + b)`` of its root mean square.
        interval: of these points; None where there are no two clusters.
        p: two-sided, of no effect, by the sandwich; None where there are no two clusters.
        scale: that root mean square; 1 for being shown first.
    """

    name: str
    elo: float
    interval: Limits | None
    p: float | None
    scale: float


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """Models in order of strength, and how far that can be trusted.

    Attributes:
        models: ranked ones, best first.
        unplaced: the others, by name.
        ties: how a tie counts.
        prior: virtual votes of each model against one of average strength; 0: none.
        anchor: the model whose rating was given, if one was.
        confidence: of intervals and rank ranges.
        votes: votes in the fit.
        set_aside: votes with a winner or a tie that are not in it: of unplaced models, or of unknown covariates.
        both_bad: votes that called both bad; they say nothing of who is better and are in no fit.
        both_bad_share: of all votes; None without any vote.
        clusters: what is drawn independently: voters, votes, or both where some voters are not known.
        n_clusters: how many there are.
        kish_clusters: Kish's number of them: so many with equally many votes would tell as much.
        intervals: how they were made.
        resamples: of the bootstrap; 0: none.
        weighted: whether votes count by ``1 / propensity``, to a mean of 1.
        no_propensity: votes of the fit whose propensity is not known: if some are, none is used.
        kish_n: Kish's number of votes: so many of equal weight would tell as much.
        nu: Davidson's v: two equal models tie with chance ``v / (2 + v)``; None with ties as half votes.
        first: being shown first, if asked for.
        side_unknown: votes of the fit of which it is not known who was shown first; they count as if nobody was.
        contrasts: covariates, if asked for.
        fit: whether the votes fit one scale; None if nothing is ranked.
        converged: the search reached the highest likelihood.
        iterations: its steps.
        matrix: votes of every pair as they were given.
        names: ranked models, in the order of `strengths`.
        strengths: ``float64[K]``, natural logarithms, averaging 0.
        covariance: ``float64[K, K]`` of them, by the sandwich; None where there are no two clusters.
    """

    models: tuple[Standing, ...]
    unplaced: tuple[Unplaced, ...]
    ties: Literal["half", "davidson"]
    prior: float
    anchor: str | None
    confidence: float
    votes: int
    set_aside: int
    both_bad: int
    both_bad_share: float | None
    clusters: Literal["voters", "votes", "voters and votes"]
    n_clusters: int
    kish_clusters: float
    intervals: Literal["sandwich", "bootstrap"]
    resamples: int
    weighted: bool
    no_propensity: int
    kish_n: float
    nu: float | None
    first: Term | None
    side_unknown: int
    contrasts: tuple[Term, ...]
    fit: Fit | None
    converged: bool
    iterations: int
    matrix: WinMatrix
    names: tuple[str, ...]
    strengths: Floats
    covariance: Floats | None
