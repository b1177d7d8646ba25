"""How well votes on a system are foretold by what is known of it, from votes between the others alone.

Each system in turn is left out with all its votes. On the others everything is done anew, also the choice of what to
foretell by: chosen on all systems, the best of many columns looks good whatever they hold. Then the merit of the system
that was left out is foretold, and its votes.

Source: Stone 1974, Journal of the Royal Statistical Society B 36, 111-147 (cross-validatory choice and assessment).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
from scipy import special

from audiometry import seeds
from audiometry.errors import UsageError
from audiometry.stats.permuted import p_of
from audiometry.stats.preference.contests import Contests, Floats
from audiometry.stats.preference.fits import Preference, fit
from audiometry.stats.preference.together import standardised

FEWEST: Final = 8
Foretell = Callable[[Floats, Floats], tuple[Callable[[Floats], float], str]]
"""From x of the systems that are known, ``[n - 1, k]``, and their merits to what foretells another's, and its name."""


class Foretold(msgspec.Struct, frozen=True, kw_only=True):
    """Merits and votes foretold with each system left out in turn.

    Attributes:
        n_systems: how many.
        predicted, actual: ``float64[n]``, log odds (of ratings, their unit) against the mean of the other systems.
        by: what each was foretold by.
        q2: 1 less the squared errors over those of foretelling that each system is like the mean of the others: 1 is
            perfect, 0 no better than knowing nothing, below 0 worse.
        log_loss: mean over the votes on systems left out, of what was foretold; None of ratings.
        log_loss_of_none: the same of foretelling that each is like the mean of the others; of knowing nothing at all it
            is log 2, .693.
    """

    n_systems: int
    predicted: Floats
    actual: Floats
    by: tuple[str, ...]
    q2: float
    log_loss: float | None
    log_loss_of_none: float | None


class LeftOut:
    """Votes with each system left out in turn; the merits of the others are fitted once, however much is foretold.

    Args:
        votes: of the systems, or their ratings.

    Raises:
        UsageError: fewer than 8 systems, or without one of them no votes are left.
    """

    def __init__(self, votes: Preference) -> None:
        n, self.votes = votes.n_systems, votes.of_pairs if isinstance(votes, Contests) else votes
        if n < FEWEST:
            raise UsageError(f"{n} systems are too few to leave each out in turn and foretell it; from {FEWEST} on")
        self.merits: Floats = _merits(self.votes)
        self.actual: Floats = self.merits * n / (n - 1)  # of mean 0, so that the others' mean lies opposite
        self._others = [_merits(self.votes.among(np.delete(np.arange(n), out))) for out in range(n)]

    def foretell(self, x: Floats, how: Foretell) -> Foretold:
        """Foretell each system by the others.

        Args:
            x: ``float64[n_systems, k]``, what is known of them.
            how: to foretell; is given nothing of the system that is left out.
        """
        predicted, by = self._predicted(x, how)
        return Foretold(
            n_systems=len(predicted),
            predicted=predicted,
            actual=self.actual,
            by=by,
            q2=self._q2(predicted),
            log_loss=self._log_loss(predicted),
            log_loss_of_none=self._log_loss(np.zeros(len(predicted))),
        )

    def _log_loss(self, merits: Floats) -> float | None:
        if not isinstance(self.votes, Contests):
            return None
        losses = [_loss(self.votes, out, merit, self._others[out]) for out, merit in enumerate(merits.tolist())]
        return sum(losses) / (2 * self.votes.n_votes)  # each vote is foretold twice, once for either side

    def p(self, x: Floats, how: Foretell, draws: int, seed: int) -> float:
        """How often what is known of systems foretells as well when the systems' labels change places.

        Args:
            x: as above.
            how: as above.
            draws: random orders of the labels, beside the observed one, which counts.
            seed: of the draws.
        """
        rng = seeds.generator(seed, "systems left out")
        places = [np.arange(len(x)), *(rng.permutation(len(x)) for _ in range(draws))]
        return p_of(np.array([self._q2(self._predicted(x[order], how)[0]) for order in places]))

    def _predicted(self, x: Floats, how: Foretell) -> tuple[Floats, tuple[str, ...]]:
        predicted, by = np.zeros(len(x)), list[str]()
        for out, merits in enumerate(self._others):
            predict, name = how(np.delete(x, out, axis=0), merits)
            predicted[out] = predict(x[out])
            by.append(name)
        return predicted, tuple(by)

    def _q2(self, predicted: Floats) -> float:
        whole = float((self.actual**2).sum())
        return 1 - float(((predicted - self.actual) ** 2).sum()) / whole if whole else 0.0


def foretold(votes: Preference, x: Floats, how: Foretell) -> Foretold:
    """Leave each system out in turn; see `LeftOut.foretell`.

    Raises:
        UsageError: fewer than 8 systems, or without one of them no votes are left.
    """
    return LeftOut(votes).foretell(x, how)


def _merits(votes: Preference) -> Floats:
    return fit(votes, np.zeros((votes.n_systems, 0))).merits


def _loss(votes: Contests, out: int, merit: float, others: Floats) -> float:
    """Minus the log of what was said of the votes on a system, whose merit is held against those of the others."""
    total = 0.0
    for (a, b), won, lost in zip(votes.pairs.tolist(), votes.won, votes.lost, strict=True):
        if out in {a, b}:
            other = b if a == out else a
            ahead = (merit - others[other - (other > out)]) * (1 if a == out else -1)
            total -= float(won * special.log_expit(ahead) + lost * special.log_expit(-ahead))
    return total


def by_the_best(names: Sequence[str]) -> Foretell:
    """Foretelling by the one column that goes along best with the merits of the systems that are known."""

    def how(x: Floats, merits: Floats) -> tuple[Callable[[Floats], float], str]:
        own = standardised(x)
        along = np.abs(own.T @ merits)
        best = int(along.argmax())
        return _line(x[:, best], merits, best), names[best]

    return how


def by_one(at: int, name: str) -> Foretell:
    """Foretelling by one column, whatever the votes say."""
    return lambda x, merits: (_line(x[:, at], merits, at), name)


def by_weights(names: Sequence[str]) -> Foretell:
    """Foretelling by a weighting of all columns: ridge regression, its penalty chosen by leaving out once more."""

    def how(x: Floats, merits: Floats) -> tuple[Callable[[Floats], float], str]:
        weights, centre = ridge(x, merits)
        return lambda one: float((one - centre) @ weights), f"{len(names)} columns"

    return how


def _line(x: Floats, merits: Floats, at: int) -> Callable[[Floats], float]:
    """Least squares on one column; a constant one says nothing."""
    apart = x - x.mean()
    slope = float(apart @ merits) / float(apart @ apart) if apart.any() else 0.0
    centre = float(x.mean())
    return lambda one: slope * (float(one[at]) - centre)


def ridge(x: Floats, merits: Floats) -> tuple[Floats, Floats]:
    """Weights of columns, and the columns' means, by ridge regression of merits of mean 0 on standardised columns.

    The penalty is that whose errors are least with each system left out (in closed form, by the hat matrix).

    Args:
        x: ``float64[n, k]``.
        merits: ``float64[n]``, of mean 0.

    Source: Hoerl and Kennard 1970, Technometrics 12, 55-67; Golub, Heath and Wahba 1979, Technometrics 21, 215-223.
    """
    own, n = standardised(x), len(x)
    gram = own @ own.T
    scale = max(float(np.trace(gram)) / n, 1e-12)
    best, chosen = math.inf, np.zeros(n)
    for penalty in scale * np.logspace(-3, 4, 29):
        inverse = np.linalg.inv(gram + penalty * np.eye(n))
        hat = gram @ inverse + 1 / n
        left = (merits - (gram @ inverse) @ merits) / np.maximum(1 - np.diag(hat), 1e-9)
        if (error := float((left**2).sum())) < best:
            best, chosen = error, inverse @ merits
    spread = x.std(axis=0, ddof=1)
    weights = np.divide(own.T @ chosen, spread, out=np.zeros(x.shape[1]), where=np.ptp(x, axis=0) > 0)
    return np.asarray(weights, np.float64), np.asarray(x.mean(axis=0), np.float64)
