"""Logistic regression of votes on differences between two systems, with effects of the systems that are random.

``logit P(a is preferred to b) = (x_a - x_b) (effect + v) + u_a - u_b``, with ``u`` a system's own merit that nothing
here explains, normal with standard deviation sigma, and ``v`` how much more than others a voter goes by x, normal with
standard deviation tau. Voters have no level of their own, since the sides of a vote are arbitrary. Votes for one system
are not independent, whoever gave them: without ``u`` the error of the effect shrinks with the number of votes,
although five systems stay five.

Sigma and tau maximise the likelihood restricted to what the fixed effects leave (they are integrated over, flat), by
Laplace's approximation; limits are Student's with as many degrees of freedom as systems beyond the fixed effects and 1.

Sources: Bradley and Terry 1952, Biometrika 39, 324-345; Breslow and Clayton 1993, Journal of the American Statistical
Association 88, 9-25; Nakagawa and Schielzeth 2013, Methods in Ecology and Evolution 4, 133-142 (marginal and
conditional R²).
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np
from scipy import optimize

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import Contests, Floats
from audiometry.stats.preference.modes import Modes, modes
from audiometry.stats.quantile import student_p, student_quantile

LEAST_SPREAD: Final = 1e-3  # of log odds: less is none
MOST_SPREAD: Final = 20.0
_ENDS: Final = (math.log(LEAST_SPREAD), math.log(MOST_SPREAD))
_FIRST_TAU: Final = math.log(0.3)
LOGISTIC: Final = math.pi**2 / 3  # the variance of a vote's own chance, on the scale of log odds


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A fixed effect: log odds of a vote per unit of the difference.

    Attributes:
        value: the effect.
        interval: about it; None where no degree of freedom is left.
        p: two-sided, by Student's t.
    """

    value: float
    interval: tuple[float, float] | None
    p: float | None


class Mixed(msgspec.Struct, frozen=True, kw_only=True):
    """A fit.

    Attributes:
        effects: of each column of x.
        sigma: standard deviation of the systems' own merit, log odds.
        tau: of the voters' own weight of x; None: voters are not in the model.
        merits: ``float64[n_systems]``, the systems' own, mean 0.
        df: degrees of freedom of the effects.
        log_likelihood: restricted, by Laplace's approximation, without constants.
        r2_marginal: share of the variance of a vote, on the scale of log odds, that the fixed effects account for.
        r2_conditional: the same with the systems' own merit; None of ratings, of which that is all.
        converged: whether the last step of every search ended as it should.
    """

    effects: tuple[Effect, ...]
    sigma: float
    tau: float | None
    merits: Floats
    df: int
    log_likelihood: float
    r2_marginal: float
    r2_conditional: float | None
    converged: bool


def fit(votes: Contests, x: Floats, *, by_voter: bool = False, confidence: float = 0.95) -> Mixed:
    """Fit it.

    Args:
        votes: of at least two systems.
        x: ``float64[n_systems, k]``, what is known of the systems; of no column the systems' merits alone are fitted.
        by_voter: whether voters weigh x differently; of one column, where voters are known.
        confidence: two-sided.

    Raises:
        UsageError: no votes, a shape that does not fit, or more columns than the systems can tell apart.
    """
    _check(votes, x)
    own = votes if by_voter and votes.voter is not None and x.shape[1] == 1 else votes.of_pairs
    search = _Search(own, x)
    log_sigma, ended = search.along_sigma()
    log_tau: float | None = None
    if own.voter is not None:
        log_sigma, log_tau, ended = search.along_both(log_sigma)
    likelihood = search.likelihood(log_sigma, log_tau)
    return _told(own, x, search.last, log_sigma, log_tau, likelihood, confidence, ended=ended)


class _Search:
    """The likelihood of two spreads; each mode is looked for from the last one."""

    def __init__(self, votes: Contests, x: Floats) -> None:
        self._votes, self._x = votes, x
        self.last = modes(votes, x, 1.0, None)

    def likelihood(self, log_sigma: float, log_tau: float | None) -> float:
        sigma, tau = math.exp(log_sigma), None if log_tau is None else math.exp(log_tau)
        self.last = found = modes(self._votes, self._x, sigma, tau, self.last)
        spread = self._votes.n_systems * log_sigma + (0.0 if log_tau is None else len(found.weights) * log_tau)
        return found.penalised - spread - found.half_log_det

    def along_sigma(self) -> tuple[float, bool]:
        """Where it is highest without voters, and whether the search ended."""
        found: Any = optimize.minimize_scalar(
            lambda at: -self.likelihood(float(at), None), bounds=_ENDS, method="bounded", options={"xatol": 1e-4}
        )
        return float(found.x), bool(found.success)

    def along_both(self, log_sigma: float) -> tuple[float, float, bool]:
        """Where it is highest of both spreads, and whether the search ended."""
        found: Any = optimize.minimize(
            lambda at: -self.likelihood(float(at[0]), float(at[1])),
            x0=np.array([log_sigma, _FIRST_TAU]),
            method="Nelder-Mead",
            bounds=[_ENDS] * 2,
            options={"xatol": 1e-3, "fatol": 1e-6, "maxiter": 400},
        )
        return float(found.x[0]), float(found.x[1]), bool(found.success)


def _check(votes: Contests, x: Floats) -> None:
    if not votes.n_votes:
        raise UsageError("no vote between these systems, so nothing to explain")
    identified(votes.n_systems, x)


def identified(n: int, x: Floats) -> None:
    """Let through only what so many systems can tell apart.

    Args:
        n: systems.
        x: ``float64[n, k]``, what is known of them.

    Raises:
        UsageError: a shape that does not fit, columns that say the same, or too many; says the rank.
    """
    if x.ndim != 2 or len(x) != n or not np.isfinite(x).all():  # noqa: PLR2004  systems by columns
        raise UsageError(f"values of shape {x.shape} for {n} systems; give a finite row a system")
    rank = int(np.linalg.matrix_rank(x - x.mean(axis=0))) if x.shape[1] else 0
    if rank < x.shape[1]:
        raise UsageError(
            f"{x.shape[1]} columns of rank {rank}: {n} systems give {n - 1} contrasts; drop or merge columns"
        )
    if x.shape[1] > n - 2:
        raise UsageError(
            f"{x.shape[1]} effects of {n} systems leave no contrast to tell chance by; give {x.shape[1] + 2} systems"
        )


def _told(
    votes: Contests,
    x: Floats,
    found: Modes,
    log_sigma: float,
    log_tau: float | None,
    likelihood: float,
    confidence: float,
    *,
    ended: bool,
) -> Mixed:
    k, df = x.shape[1], votes.n_systems - 1 - x.shape[1]
    sigma, tau = math.exp(log_sigma), None if log_tau is None else math.exp(log_tau)
    square = mean_square(votes, x, found.dense[:k])
    whole = square + 2 * sigma**2 + LOGISTIC
    return Mixed(
        effects=tuple(
            limits(float(found.dense[i]), math.sqrt(found.covariance[i, i]), df, confidence) for i in range(k)
        ),
        sigma=sigma,
        tau=tau,
        merits=found.dense[k:] - found.dense[k:].mean(),
        df=df,
        log_likelihood=likelihood,
        r2_marginal=square / whole,
        r2_conditional=(square + 2 * sigma**2) / whole,
        converged=ended and found.converged,
    )


def mean_square(votes: Contests, x: Floats, effects: Floats) -> float:
    """The mean square, over votes, of what fixed effects say of them; about zero, since sides are arbitrary."""
    each = ((x[votes.pairs[:, 0]] - x[votes.pairs[:, 1]]) @ effects) ** 2
    return float((votes.won + votes.lost) @ each[votes.pair] / votes.n_votes)


def limits(value: float, error: float, df: float, confidence: float = 0.95) -> Effect:
    """An effect with its limits and p, of a standard error with so many degrees of freedom."""
    reach = student_quantile(confidence, df) * error
    p = student_p(value / error, df) if error else None
    return Effect(value=value, interval=(value - reach, value + reach), p=p)
