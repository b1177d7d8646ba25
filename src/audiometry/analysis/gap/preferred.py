"""What people prefer: systems' ratings with what is uncertain about them, from votes between them or as given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.analysis.gap.result import Rated
from audiometry.analysis.gap.system_ratings import SystemRatings
from audiometry.stats.preference.contests import Contests, contests
from audiometry.stats.preference.fits import Preference
from audiometry.stats.preference.rated import Ratings
from audiometry.stats.quantile import normal_quantile
from audiometry.stats.ranking import Outcome, Votes, bradley_terry, chosen

Floats = NDArray[np.float64]
Ties = Literal["half", "drop"]
_SHARE = np.array([1.0, 0.0, 0.5, np.nan])  # of a vote that goes to a, by outcome


class Preferred(msgspec.Struct, frozen=True, kw_only=True):
    """Systems that people's votes or ratings place.

    Attributes:
        systems: names, in order of name.
        strengths: ``float64[n]``, by votes log odds of mean 0; of ratings, these.
        covariance: ``float64[n, n]``, of these; None where it is not known.
        preference: the votes between them, or the ratings.
        rated: their ratings as they are printed.
        unplaced: systems with votes and no rating, by name, and why.
        named: all systems that votes or ratings name.
        n_ties, n_both_bad: of the votes between them.
        n_voters: people who voted or rated; None where they are not known.
        ties: whether they count half or are left out.
    """

    systems: tuple[str, ...]
    strengths: Floats
    covariance: Floats | None
    preference: Preference
    rated: tuple[Rated, ...]
    unplaced: Mapping[str, str]
    named: tuple[str, ...]
    n_ties: int
    n_both_bad: int
    n_voters: int | None
    ties: Ties


def preferred(votes: Votes | SystemRatings, ties: Ties = "half") -> Preferred:
    """Rank systems by votes, or take their ratings as they are.

    Args:
        votes: all of them; or ratings.
        ties: whether they count half for either side or are left out.

    Raises:
        UsageError: there is no vote, or none that a ranking can be made of.
    """
    return _given(votes, ties) if isinstance(votes, SystemRatings) else by_votes(votes, ties)[0]


def by_votes(votes: Votes, ties: Ties = "half") -> tuple[Preferred, Contests]:
    """Systems ranked by votes, and the votes between those that have a place.

    Args:
        votes: all of them.
        ties: whether they count half for either side or are left out.

    Raises:
        UsageError: there is no vote, or none that a ranking can be made of.
    """
    used = votes if ties == "half" else chosen(votes, votes.outcome != Outcome.TIE)
    ranking = bradley_terry(used)
    code = np.full(max(1, len(votes.models)), -1, np.int64)
    order = np.argsort(np.array(ranking.names, dtype=object)) if ranking.names else np.zeros(0, np.int64)
    names = tuple(ranking.names[at] for at in order)
    for at, name in enumerate(names):
        code[votes.models.index(name)] = at
    a, b = code[votes.a], code[votes.b]
    between = (a >= 0) & (b >= 0)
    tied, bad = between & (votes.outcome == Outcome.TIE), between & (votes.outcome == Outcome.BOTH_BAD)
    rows = between & ~bad & (~tied if ties == "drop" else np.ones(len(a), np.bool_))
    voter = None if votes.voter is None or (votes.voter[rows] < 0).any() else votes.voter[rows].astype(np.int64)
    met = contests(a[rows], b[rows], _SHARE[votes.outcome[rows]], len(names), voter=voter)
    return Preferred(
        systems=names,
        strengths=np.asarray(ranking.strengths, np.float64)[order],
        covariance=None if ranking.covariance is None else ranking.covariance[np.ix_(order, order)],
        preference=met,
        rated=tuple(
            Rated(system=one.model, rating=one.rating, interval=one.interval, battles=one.battles)
            for one in ranking.models
        ),
        unplaced={one.model: one.reason for one in ranking.unplaced},
        named=votes.models,
        n_ties=int(tied.sum()),
        n_both_bad=int(bad.sum()),
        n_voters=None if voter is None else len(np.unique(voter)),
        ties=ties,
    ), met


def _given(ratings: SystemRatings, ties: Ties) -> Preferred:
    order = sorted(range(len(ratings.systems)), key=ratings.systems.__getitem__)
    covariance = None if ratings.covariance is None else ratings.covariance[np.ix_(order, order)]
    values = ratings.values[order]
    reach = None if covariance is None else normal_quantile(0.95) * np.sqrt(np.diag(covariance))
    names = tuple(ratings.systems[at] for at in order)
    return Preferred(
        systems=names,
        strengths=values,
        covariance=covariance,
        preference=Ratings(values=values),
        rated=tuple(
            Rated(
                system=name,
                rating=float(values[at]),
                interval=None if reach is None else (float(values[at] - reach[at]), float(values[at] + reach[at])),
                battles=ratings.n[order[at]] if ratings.n else 0,
            )
            for at, name in enumerate(names)
        ),
        unplaced={},
        named=names,
        n_ties=0,
        n_both_bad=0,
        n_voters=ratings.n_raters,
        ties=ties,
    )
