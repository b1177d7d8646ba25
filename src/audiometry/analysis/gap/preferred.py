"""What votes say of systems: their ratings with what is uncertain about them, and the votes between them as counts."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.stats.preference.contests import Contests, contests
from audiometry.stats.ranking import Outcome, Ranking, Votes, bradley_terry, chosen

Floats = NDArray[np.float64]
Ties = Literal["half", "drop"]
_SHARE = np.array([1.0, 0.0, 0.5, np.nan])  # of a vote that goes to a, by outcome


class Preferred(msgspec.Struct, frozen=True, kw_only=True):
    """Systems that votes place.

    Attributes:
        systems: names, in order of name.
        strengths: ``float64[n]``, log odds, mean 0.
        covariance: ``float64[n, n]``, of these; None where there are no two clusters.
        votes: between them.
        ranking: all that the votes say.
        n_ties, n_both_bad: of the votes between them.
        n_voters: None where they are not known.
        ties: whether they count half or are left out.
    """

    systems: tuple[str, ...]
    strengths: Floats
    covariance: Floats | None
    votes: Contests
    ranking: Ranking
    n_ties: int
    n_both_bad: int
    n_voters: int | None
    ties: Ties


def preferred(votes: Votes, ties: Ties = "half") -> Preferred:
    """Rank systems by votes.

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
    return Preferred(
        systems=names,
        strengths=np.asarray(ranking.strengths, np.float64)[order],
        covariance=None if ranking.covariance is None else ranking.covariance[np.ix_(order, order)],
        votes=contests(a[rows], b[rows], _SHARE[votes.outcome[rows]], len(names), voter=voter),
        ranking=ranking,
        n_ties=int(tied.sum()),
        n_both_bad=int(bad.sum()),
        n_voters=None if voter is None else len(np.unique(voter)),
        ties=ties,
    )
