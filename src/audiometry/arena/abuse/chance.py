"""Voters who disagree with everyone: their choices, against those of all others between the same two models.

An honest voter prefers one of two models as often as others do; a coin, half of the time. Whoever's choices come to
say twenty times better that a coin made them is set apart, at whatever vote that is, unless others of these foretell
them (`minority`). Ties are everybody's own habit and say nothing here.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.arena.abuse.minority import agreed
from audiometry.records.votes import Outcome, Votes
from audiometry.stats.sequential import ends, tops, walks

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

LEVEL: Final = 0.05
"""Share of honest voters that may be set apart, however often one looks."""
SURE: Final = math.log(1 / LEVEL)

_ROUNDS: Final = 10  # of leaving found voters out of whom others are held against
_ALIKE: Final = 2.0 ** np.arange(13)  # how alike models may be: the prior Beta(s, s) of a pair's chance, flat to firm


class Chance(msgspec.Struct, frozen=True, kw_only=True):
    """What the votes say of each voter.

    Attributes:
        at_random: ``bool[V]``, set apart: as a coin votes, or worse.
        of_their_own: ``bool[V]``, not as others choose, but as one another does: they are not set apart.
        like_others: ``bool[V]``, as others do. Of all others it cannot be told yet.
        evidence: ``float64[V]``, how many times better a coin says the choices than others do, its logarithm; now.
        choices: ``int64[V]``, votes that prefer a model.
        needed: choices after which a coin would be told, on average; None: never, since all models are alike.
    """

    at_random: NDArray[np.bool_]
    of_their_own: NDArray[np.bool_]
    like_others: NDArray[np.bool_]
    evidence: Floats
    choices: Rows
    needed: int | None


def chance(votes: Votes) -> Chance:
    """Hold each voter against all others.

    What others prefer is known from their votes alone, those of voters who are found left out, and from the voter's
    own earlier votes on the same two models: where few have voted, or all pairs are about even, it is near one half,
    and nobody can be told from a coin.

    Args:
        votes: in the order of time, or any that does not hang on outcomes; those of unknown voters are others'.
    """
    voter = np.full(votes.n, -1, np.int64) if votes.voter is None else votes.voter.astype(np.int64)
    size = int(voter.max(initial=-1)) + 1
    chose = np.flatnonzero(votes.outcome < Outcome.TIE)
    who = np.where(voter[chose] < 0, size, voter[chose])  # nobody known is the last one, and never found
    order = np.argsort(who, kind="stable")  # what is in order is soon put in order
    chose, who = chose[order], who[order]
    pair, won = _pairs(votes, chose)
    own = _Own.of(who, pair, won)
    found = np.zeros(size + 1, np.bool_)
    rounds = 0
    while True:
        honest = ~found[who]
        likely = own.expected(pair, won, honest)
        walked = walks(np.where(who < size, math.log(0.5) - np.log(likely), 0.0), who)
        now = ends(walked, who, size + 1)
        before, found = found, (tops(walked, who, size + 1) >= SURE) & (now > 0)
        rounds += 1
        if (found == before).all() or rounds == _ROUNDS:
            break
    agrees = (tops(-walked, who, size + 1) >= SURE) & ~found
    apart = agreed(found, who, likely, lambda some: own.expected(pair, won, some[who]), SURE)
    return Chance(
        at_random=(found & ~apart)[:size],
        of_their_own=apart[:size],
        like_others=agrees[:size],
        evidence=now[:size],
        choices=np.bincount(who, minlength=size + 1)[:size],
        needed=_needed(pair, won, honest),
    )


def _pairs(votes: Votes, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The pair of each vote, as a number, and whether its first model by code was preferred."""
    a, b = votes.a[rows].astype(np.int64), votes.b[rows].astype(np.int64)
    _, pair = np.unique(np.minimum(a, b) * len(votes.models) + np.maximum(a, b), return_inverse=True)
    return pair.astype(np.int64), (votes.outcome[rows] == Outcome.A) == (a < b)


class _Own(msgspec.Struct, frozen=True):
    """Each vote's voter on its pair: all votes and wins, and those before it."""

    votes: Floats
    wins: Floats
    votes_before: Floats
    wins_before: Floats

    @classmethod
    def of(cls, who: Rows, pair: Rows, won: NDArray[np.bool_]) -> _Own:
        n_pairs = int(pair.max(initial=-1)) + 1
        key = np.unique((who + 1) * n_pairs + pair, return_inverse=True)[1]
        ones, wins = np.ones(len(key)), won.astype(np.float64)
        all_votes, all_wins = (np.bincount(key, one, len(key)).astype(np.float64)[key] for one in (ones, wins))
        return cls(all_votes, all_wins, walks(ones, key) - ones, walks(wins, key) - wins)

    def expected(self, pair: Rows, won: NDArray[np.bool_], honest: NDArray[np.bool_]) -> Floats:
        """How likely each choice was: a rule of succession on the votes of honest others and one's own before.

        A voter who is left out has none among the others' to be taken away.
        """
        prior = _prior(np.bincount(pair, honest), np.bincount(pair, honest & won))
        n = np.bincount(pair, honest)[pair] - honest * self.votes + self.votes_before
        wins = np.bincount(pair, honest & won)[pair] - honest * self.wins + self.wins_before
        likely = (wins + prior) / (n + 2 * prior)
        return np.where(won, likely, 1 - likely)


def _prior(n: Rows, wins: Rows) -> float:
    """By how many virtual wins of each side a pair's chance is drawn to one half, at least Laplace's 1.

    The s under which all pairs' counts are most probable, their chances being drawn from Beta(s, s). Under Laplace's
    alone what few votes say by chance of models that are alike would be taken for others' opinion, and whoever does
    not share it for a coin.
    """
    from scipy.special import betaln

    s = _ALIKE[:, None]
    return float(_ALIKE[np.argmax((betaln(wins + s, n - wins + s) - betaln(s, s)).sum(axis=1))])


def _needed(pair: Rows, won: NDArray[np.bool_], honest: NDArray[np.bool_]) -> int | None:
    """Choices of a coin until it is told, by the mean information in one, as pairs are met."""
    n = np.bincount(pair, honest)
    wins = np.bincount(pair, honest & won)
    prior = _prior(n, wins)
    likely = (wins + prior) / (n + 2 * prior)
    each = -0.5 * np.log(4 * likely * (1 - likely))  # of a coin against that chance, in natural logarithms
    mean = float(n @ each / n.sum()) if n.sum() else 0.0
    needed = SURE / mean if mean > 0 else math.inf
    return math.ceil(needed) if needed < 1e6 else None  # noqa: PLR2004  nobody votes a million times
