"""Votes made ready for a fit: which models can be ranked, what each vote weighs, who voted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from audiometry.errors import UsageError, shown, suggestion
from audiometry.stats.ranking.connected import Bools, Placing, placing
from audiometry.stats.ranking.counts import WinMatrix, counted, keys, win_matrix
from audiometry.stats.ranking.design import Design, by_pair, by_vote
from audiometry.stats.ranking.sandwich import Clusters, clusters
from audiometry.stats.ranking.votes import Floats, Outcome, Votes

Ties = Literal["half", "davidson"]


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """Votes made ready for a fit.

    Attributes:
        matrix: all votes of each pair.
        placing: who is ranked, and why others are not.
        design: votes of those that are.
        weight: ``float64[n]``, of the votes of the fit, mean 1; None: all 1.
        no_propensity: votes of the fit whose propensity is not known.
        where: clusters of the votes of the fit.
        worth: Kish's number of clusters: so many that voted equally often would tell as much.
        davidson: estimate how often equals tie; not where no vote is a tie.
        prior: virtual votes of each model.
    """

    matrix: WinMatrix
    placing: Placing
    design: Design
    weight: Floats | None
    no_propensity: int
    where: Clusters
    worth: float
    davidson: bool
    prior: float

    @property
    def names(self) -> tuple[str, ...]:
        """Of the ranked models, in the design's order."""
        return tuple(self.matrix.models[code] for code in self.placing.placed.tolist())


def prepared(
    votes: Votes, *, ties: Ties, prior: float, first: bool, contrasts: Sequence[str], by_voter: bool
) -> Prepared:
    """Count, place, weigh and cluster the votes.

    Raises:
        UsageError: there are no votes, a setting is impossible, or a covariate or the side shown first is not known.
    """
    _check(votes, ties, prior, first, contrasts)
    sides = first and not contrasts
    key = keys(votes, sides=sides)
    counts = counted(key, len(votes.models), sides=sides)
    matrix = win_matrix(votes.models, counts)
    kept = np.ones(votes.n, np.bool_)
    in_fit = matrix
    if contrasts:
        kept = _known(votes, contrasts)
        in_fit = win_matrix(votes.models, counted(key[kept], len(votes.models), sides=False))
    places = placing(in_fit.wins, in_fit.ties)
    if prior:
        met = (in_fit.wins + in_fit.wins.T + in_fit.ties).sum(axis=1) > 0
        places = Placing(placed=np.flatnonzero(met), unplaced=tuple(one for one in places.unplaced if not met[one[0]]))
    design = (
        by_vote(votes, kept, places.placed, contrasts, first=first)
        if contrasts and len(places.placed)
        else by_pair(key, counts, places.placed, first=first and not contrasts)
    )
    weight, missing = _weights(votes, design)
    where = clusters(design, votes.voter if by_voter else None)
    tied = in_fit.ties[np.ix_(places.placed, places.placed)].any()
    return Prepared(
        matrix=matrix,
        placing=places,
        design=design,
        weight=weight,
        no_propensity=missing,
        where=where,
        worth=_worth(where, weight),
        davidson=ties == "davidson" and bool(tied),
        prior=prior,
    )


def _worth(where: Clusters, weight: Floats | None) -> float:
    if where.code is not None:
        weight = np.bincount(where.code, weight, where.size).astype(np.float64)
    return float(where.size if weight is None else weight.sum() ** 2 / (weight**2).sum())


def _check(votes: Votes, ties: str, prior: float, first: bool, contrasts: Sequence[str]) -> None:  # noqa: FBT001  private
    if not votes.n:
        raise UsageError("no votes to rank from; a vote names two models and the winner, a tie or both bad")
    if ties not in {"half", "davidson"}:
        raise UsageError(f"ties count as 'half' a vote or by 'davidson', not '{shown(ties)}'")
    if not 0 <= prior < np.inf:
        raise UsageError(f"the prior is a number of virtual votes, 0 or more, got {prior}")
    if first and (votes.first is None or not (votes.first >= 0).any()):
        raise UsageError("no vote says which reply was shown first; leave the first-position term out")
    for name in contrasts:
        if name not in votes.contrasts:
            known = suggestion(name, votes.contrasts) or "these votes have none"
            raise UsageError(f"no vote has the covariate '{shown(name)}'; {known}")


def _known(votes: Votes, contrasts: Sequence[str]) -> Bools:
    """Votes of which all of these covariates are known."""
    kept = np.ones(votes.n, np.bool_)
    for name in contrasts:
        kept &= ~np.isnan(votes.contrasts[name]).any(axis=1)
    if not (kept & (votes.outcome != Outcome.BOTH_BAD)).any():
        raise UsageError(f"no vote has values of {' and '.join(contrasts)} on both sides; leave the term out")
    return kept


def _weights(votes: Votes, design: Design) -> tuple[Floats | None, int]:
    """``1 / propensity`` of the votes of the fit, mean 1, if all are known; how many are not."""
    if votes.propensity is None:
        return None, len(design.vote)
    own = votes.propensity[design.vote]
    missing = int(np.isnan(own).sum())
    if missing or not len(own):
        return None, missing
    weight = 1 / own
    return weight / weight.mean(), 0
