"""How few votes, or voters, would change who leads: a ranking as firm as the fewest whose absence turns it.

The votes whose absence moves the lead most are found from the likelihood's curvature, taken out, and the ranking is
fitted anew, until the order turns: the number is of votes without which another model really leads. That fewer would
do is not excluded.

Sources: Broderick, Giordano and Meager 2020, arXiv 2011.14999 (influence of dropped data); Huang et al. 2025, arXiv
2508.11847 (two of 57,477 votes change the first place of an arena).
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from audiometry.stats.ranking.connected import placing
from audiometry.stats.ranking.counts import Counts
from audiometry.stats.ranking.fitted import fitted
from audiometry.stats.ranking.likelihood import information
from audiometry.stats.ranking.newton import Solution, solved
from audiometry.stats.ranking.prepared import Prepared, Ties, prepared
from audiometry.stats.ranking.sandwich import residuals
from audiometry.stats.ranking.votes import Floats, Votes

_MOST_CHALLENGERS = 10  # the next in rank; one further down needs more votes than those before it
_ROUNDING = 1e-9  # of a strength: two models that votes hold equal


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """The fewest that were found without which another model leads.

    Attributes:
        leader: who leads with all votes.
        challenger: who leads without them.
        unit: what is left out, ``votes`` or ``voters``.
        n: how many.
        of: of how many in the fit.
        votes: how many votes these are.
    """

    leader: str
    challenger: str
    unit: Literal["votes", "voters"]
    n: int
    of: int
    votes: int


def fewest(
    votes: Votes,
    *,
    ties: Ties = "half",
    prior: float = 0.0,
    by_voter: bool = False,
) -> Dropped | None:
    """The fewest votes, or voters, found whose absence changes the leader.

    Votes count alike: not by propensity, and with no term beside strengths.

    Args:
        votes: as columns.
        ties: as `bradley_terry` has it.
        prior: virtual votes of each model.
        by_voter: leave out whole voters; a vote of nobody known is never left out then.

    Returns:
        None where nothing is ranked, no voter is known, or no order was turned.

    Raises:
        UsageError: as `bradley_terry`.
    """
    bare = msgspec.structs.replace(votes, propensity=None)
    ready = prepared(bare, ties=ties, prior=prior, first=False, contrasts=(), by_voter=by_voter)
    found = fitted(ready)
    if found is None or not found.converged[0] or (by_voter and not ready.where.voters):
        return None
    order = np.argsort(-found.strength[0], kind="stable")
    best: Dropped | None = None
    for challenger in order[1 : 1 + _MOST_CHALLENGERS].tolist():
        most = len(ready.design.cell) if best is None else best.n
        gone = _Search(ready, found, int(order[0]), challenger, by_voter=by_voter).run(most)
        if gone is not None:
            names = ready.names
            best = Dropped(
                leader=names[int(order[0])],
                challenger=names[challenger],
                unit="voters" if by_voter else "votes",
                n=gone[0],
                of=ready.where.voters if by_voter else len(ready.design.cell),
                votes=gone[1],
            )
    return best


class _Search:
    """Leaves out what holds one model ahead of another, the most first, until it does not.

    A unit is a voter, or a kind of vote, of which there are as many as its cell holds.
    """

    def __init__(self, ready: Prepared, found: Solution, ahead: int, behind: int, *, by_voter: bool) -> None:
        self._ready, self._found, self._ahead, self._behind = ready, found, ahead, behind
        design, where = ready.design, ready.where
        self._unit = self._cell = np.arange(3 * len(design.pair))
        self._left = design.tally().ravel().astype(np.int64)
        if by_voter and where.code is not None:
            known = where.code < where.voters
            self._unit, self._cell = where.code[known], design.cell[known]
            self._left = np.ones(where.voters, np.int64)

    def run(self, fewer_than: int) -> tuple[int, int] | None:
        """How many are left out and how many votes these are; None if that turns no order, or takes as many."""
        design, at = self._ready.design, self._found
        tally, out = design.tally().copy(), 0
        while out < fewer_than:
            lead = float(at.strength[0][self._ahead] - at.strength[0][self._behind])
            if lead < -_ROUNDING:
                return (out, int(design.tally().sum() - tally.sum())) if self._placed(tally) else None
            taken = self._taken(self._gains(at, tally), lead)
            if not taken.any():
                return None
            out += int(taken.sum())
            self._left -= taken
            tally -= self._tally(taken).reshape(tally.shape)
            at = solved(design, tally[None], davidson=self._ready.davidson, prior=self._ready.prior, start=at.at)
            if not at.converged[0]:
                return None  # some strength has no end
        return None

    def _placed(self, tally: Floats) -> bool:
        """Whether both still have a place: one of whom votes no longer decide anything was not overtaken."""
        design = self._ready.design  # a row a pair, as no term stands beside strengths
        wins, ties = (np.zeros((design.size, design.size), np.int64) for _ in range(2))
        wins[design.low, design.high], wins[design.high, design.low] = tally[:, 0], tally[:, 1]
        ties[design.low, design.high] = ties[design.high, design.low] = tally[:, 2]
        placed = placing(wins, ties).placed
        return self._ready.prior > 0 or (self._ahead in placed and self._behind in placed)

    def _gains(self, at: Solution, tally: Floats) -> Floats:
        """``float64[units]``, by how much the lead shrinks without one of each, to first order."""
        design, davidson = self._ready.design, self._ready.davidson
        n = tally.sum(axis=1)[None]
        curve = information(design, n, at.expected, at.at, self._ready.prior, davidson=davidson)[0]
        lead = np.zeros(len(curve))
        lead[[self._ahead, self._behind]] = 1, -1
        pull = np.linalg.lstsq(curve, lead, rcond=None)[0]  # a model may have lost all of its votes
        own, ties = residuals(at)
        gain = (pull[design.low] - pull[design.high])[design.pair, None] * own
        if davidson:
            gain = gain + pull[-1] * ties
        return np.bincount(self._unit, gain.ravel()[self._cell], len(self._left)).astype(np.float64)

    def _taken(self, gain: Floats, lead: float) -> Counts:
        """``int64[units]``, how many of each to leave out next: those that gain most, up to half of the way."""
        taken = np.zeros_like(self._left)
        order = np.argsort(-gain, kind="stable")
        order = order[(gain[order] > 0) & (self._left[order] > 0)]
        if not len(order):
            return taken
        whole = np.cumsum(gain[order] * self._left[order])
        done = int(np.searchsorted(whole, lead / 2, side="right"))
        taken[order[:done]] = self._left[order[:done]]
        if done < len(order):
            rest = lead / 2 - (whole[done - 1] if done else 0.0)
            taken[order[done]] = int(rest / gain[order[done]])
        if not taken.any():
            taken[order[0]] = 1
        return taken

    def _tally(self, taken: Counts) -> Floats:
        """``float64[cells]``, the votes of what is taken."""
        return np.bincount(self._cell, taken[self._unit], 3 * len(self._ready.design.pair)).astype(np.float64)
