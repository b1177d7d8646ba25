"""Where the penalised likelihood of votes is highest, for given spreads of systems and voters.

Newton with halved steps. The voters' weights are many, but no vote has two of them: they are solved for one by one (a
Schur complement), so that a step costs one pass over the votes and a matrix as wide as there are systems.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np
from scipy import sparse, special

from audiometry.stats.preference.contests import Contests, Floats

_STEPS: Final = 60
_SHORTEST: Final = 1e-9  # of a step
_TOLERANCE: Final = 1e-9  # of the decrement, in log likelihood


class Modes(msgspec.Struct, frozen=True, kw_only=True):
    """The highest point, and how sharp it is.

    Attributes:
        dense: ``float64[k + n]``, the fixed effects, then the systems' merits.
        weights: ``float64[voters]``, the voters' own weights of x; none where they are not in the model.
        penalised: the log likelihood there with its penalties.
        half_log_det: half the logarithm of the determinant of the information of all of them.
        covariance: ``float64[k, k]``, of the fixed effects.
        converged: whether Newton's decrement fell below 1e-9.
    """

    dense: Floats
    weights: Floats
    penalised: float
    half_log_det: float
    covariance: Floats
    converged: bool


class _Point(msgspec.Struct, frozen=True):
    dense: Floats
    weights: Floats
    value: float
    eta: Floats


def modes(votes: Contests, x: Floats, sigma: float, tau: float | None, start: Modes | None = None) -> Modes:
    """The highest point.

    Args:
        votes: of the systems.
        x: ``float64[n_systems, k]``; with ``tau`` of one column.
        sigma: spread of the systems' merits, above 0.
        tau: spread of the voters' weights; None: they are not in the model.
        start: from where to look; None: from 0.
    """
    problem = _Problem(votes, x, sigma, tau)
    at = problem.at(*(problem.nought if start is None else problem.from_(start)))
    ended = False
    for _ in range(_STEPS):
        step = problem.step(at)
        if ended := step.decrement < _TOLERANCE:
            break
        share, moved = 1.0, problem.at(at.dense + step.dense, at.weights + step.weights)
        while moved.value < at.value and share > _SHORTEST:
            share /= 2
            moved = problem.at(at.dense + share * step.dense, at.weights + share * step.weights)
        at = moved
    last = problem.step(at)
    k = x.shape[1]
    return Modes(
        dense=at.dense,
        weights=at.weights,
        penalised=at.value,
        half_log_det=last.half_log_det,
        covariance=np.asarray(np.linalg.inv(last.schur)[:k, :k], np.float64),
        converged=ended,
    )


class _Step(msgspec.Struct, frozen=True):
    dense: Floats
    weights: Floats
    decrement: float
    schur: Floats
    half_log_det: float


class _Problem:
    def __init__(self, votes: Contests, x: Floats, sigma: float, tau: float | None) -> None:
        self._votes, self._k, n, p = votes, x.shape[1], votes.n_systems, len(votes.pairs)
        self._apart = x[votes.pairs[:, 0]] - x[votes.pairs[:, 1]]
        who = np.zeros((p, n))
        who[np.arange(p), votes.pairs[:, 0]], who[np.arange(p), votes.pairs[:, 1]] = 1, -1
        self._design = np.hstack([self._apart, who])
        self._penalty = np.r_[np.zeros(self._k), np.full(n, 1 / sigma**2)]
        self._tau = tau
        self._voter = votes.voter if tau is not None else None
        self._voters = 0 if self._voter is None else int(self._voter.max()) + 1
        self._n = votes.won + votes.lost

    @property
    def nought(self) -> tuple[Floats, Floats]:
        return np.zeros(self._design.shape[1]), np.zeros(self._voters)

    def from_(self, start: Modes) -> tuple[Floats, Floats]:
        return start.dense, start.weights if len(start.weights) == self._voters else np.zeros(self._voters)

    def at(self, dense: Floats, weights: Floats) -> _Point:
        votes = self._votes
        eta = (self._design @ dense)[votes.pair]
        if self._voter is not None:
            eta = eta + self._apart[votes.pair, 0] * weights[self._voter]
        value = float(votes.won @ special.log_expit(eta) + votes.lost @ special.log_expit(-eta))
        value -= float(self._penalty @ dense**2) / 2
        value -= 0.0 if self._tau is None else float(weights @ weights) / (2 * self._tau**2)
        return _Point(dense, weights, value, eta)

    def step(self, at: _Point) -> _Step:
        votes, p = self._votes, len(self._design)
        chance = special.expit(at.eta)
        left, info = votes.won - self._n * chance, self._n * chance * (1 - chance)
        gradient = self._design.T @ np.bincount(votes.pair, left, p) - self._penalty * at.dense
        schur = (self._design.T * np.bincount(votes.pair, info, p)) @ self._design + np.diag(self._penalty)
        if self._voter is None or self._tau is None:
            dense = np.linalg.solve(schur, gradient)
            return _Step(dense, at.weights, float(gradient @ dense), schur, _half_log_det(schur))
        apart = self._apart[votes.pair, 0]
        own = np.bincount(self._voter, left * apart, self._voters) - at.weights / self._tau**2
        sharp = np.bincount(self._voter, info * apart**2, self._voters) + 1 / self._tau**2
        cells = sparse.csr_array((info * apart, (self._voter, votes.pair)), shape=(self._voters, p))
        beside = np.asarray(cells @ self._design)
        schur = schur - (beside.T / sharp) @ beside
        dense = np.linalg.solve(schur, gradient - beside.T @ (own / sharp))
        weights = (own - beside @ dense) / sharp
        decrement = float(gradient @ dense + own @ weights)
        return _Step(dense, weights, decrement, schur, _half_log_det(schur) + float(np.log(sharp).sum()) / 2)


def _half_log_det(matrix: Floats) -> float:
    sign, size = np.linalg.slogdet(matrix)
    return float(size) / 2 if sign > 0 else math.inf
