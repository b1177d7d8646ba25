"""The likelihood of votes given strengths, and its derivatives, for many samples of the same votes at once.

A row's linear predictor is ``e = s(low) - s(high) + x · terms``, its chances are in the ratio
``exp(e/2) : exp(-e/2) : v`` for the lower model, the higher one and a tie. With v = 0 a tie is half a vote for each
(Bradley and Terry 1952, Biometrika 39, 324-345), with v estimated it is Davidson's model (1970, Journal of the
American Statistical Association 65, 317-328).
"""

from __future__ import annotations

import msgspec
import numpy as np

from audiometry.stats.ranking.design import Design
from audiometry.stats.ranking.votes import Floats


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters, for each of R samples.

    Attributes:
        strength: ``float64[R, K]``, natural logarithms.
        terms: ``float64[R, k]``.
        log_nu: ``float64[R]``; -inf where a tie is half a vote for each.
    """

    strength: Floats
    terms: Floats
    log_nu: Floats

    def moved(self, step: Floats, *, davidson: bool) -> Point:
        """This point and a step, ``float64[R, q]``: strengths, terms, and log v with Davidson's ties."""
        models, k = self.strength.shape[1], self.terms.shape[1]
        return Point(
            strength=self.strength + step[:, :models],
            terms=self.terms + step[:, models : models + k],
            log_nu=self.log_nu + step[:, -1] if davidson else self.log_nu,
        )


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What a vote of each row is expected to say.

    Attributes:
        low, high, tie: ``float64[R, m]``, chances.
        bend: ``float64[R, m]``, log of the chances' common denominator.
        predictor: ``float64[R, m]``.
    """

    low: Floats
    high: Floats
    tie: Floats
    bend: Floats
    predictor: Floats

    @property
    def score(self) -> Floats:
        """``float64[R, m]``, expected for the lower model: 1 a win, 1/2 a tie."""
        return self.low + self.tie / 2


def expected(design: Design, at: Point) -> Expected:
    """The chances of each row."""
    predictor = at.strength[:, design.low] - at.strength[:, design.high]
    if len(design.pair) > len(design.low) or design.terms:
        predictor = predictor[:, design.pair] + at.terms @ design.x.T
    half = np.abs(predictor) / 2
    less, nu = np.exp(-2 * half), np.exp(at.log_nu)[:, None]
    tie = nu * np.exp(-half)
    whole = 1 + less + tie
    likely, unlikely, tie = 1 / whole, less / whole, tie / whole
    ahead = predictor > 0
    return Expected(
        low=np.where(ahead, likely, unlikely),
        high=np.where(ahead, unlikely, likely),
        tie=tie,
        bend=half + np.log(whole),
        predictor=predictor,
    )


def log_likelihood(tally: Floats, found: Expected, at: Point, prior: float) -> Floats:
    """``float64[R]``, of the votes and of the prior's virtual ones."""
    wins, losses, ties = tally[..., 0], tally[..., 1], tally[..., 2]
    value = ((wins - losses) * found.predictor / 2 - (wins + losses + ties) * found.bend).sum(axis=-1)
    drawn = ties.sum(axis=-1)
    value += drawn * np.where(np.isfinite(at.log_nu), at.log_nu, 0)
    if prior:
        half = np.abs(at.strength) / 2
        value -= prior * (half + np.log1p(np.exp(-2 * half))).sum(axis=1)
    return np.asarray(value, np.float64)


def gradient(design: Design, tally: Floats, found: Expected, at: Point, prior: float, *, davidson: bool) -> Floats:
    """``float64[R, q]``, derivatives of the log likelihood by strengths, terms, and log v."""
    n = tally.sum(axis=-1)
    off = tally[..., 0] + tally[..., 2] / 2 - n * found.score
    columns = [of_models(design, off), off @ design.x]
    columns[0] -= prior / 2 * np.tanh(at.strength / 2)
    if davidson:
        columns.append((tally[..., 2] - n * found.tie).sum(axis=1, keepdims=True))
    return np.concatenate(columns, axis=1)


def information(design: Design, n: Floats, found: Expected, at: Point, prior: float, *, davidson: bool) -> Floats:
    """``float64[R, q, q]``, minus the second derivatives, of n votes in each row (``float64[R, m]``)."""
    decided = 1 - found.tie
    own = n * (found.low * found.high + decided * found.tie / 4)
    both = n * found.tie * (0.5 - found.score) if davidson else None
    ties = n * found.tie * decided if davidson else None
    matrix = squared(design, own, both, ties)
    if prior:
        every = np.arange(design.size)
        matrix[:, every, every] += prior / 4 / np.cosh(at.strength / 2) ** 2
    return matrix


def squared(design: Design, own: Floats, both: Floats | None, ties: Floats | None) -> Floats:
    """The sum over rows of the outer product of their derivatives, ``float64[R, q, q]``.

    Args:
        design: the rows.
        own: ``float64[R, m]``, the weight of the predictor's part with itself.
        both: of the predictor's part with that of log v; None where v is not estimated.
        ties: of the latter with itself.
    """
    models, k = design.size, len(design.terms)
    matrix = np.zeros((len(own), models + k + (ties is not None), models + k + (ties is not None)))
    pairs = in_pairs(design, own)
    matrix[:, design.low, design.high] = matrix[:, design.high, design.low] = -pairs
    every = np.arange(models)
    matrix[:, every, every] = -matrix[:, :models, :models].sum(axis=2)
    crossed = [(models + j, own * design.x[:, j]) for j in range(k)]
    if both is not None:
        crossed.append((models + k, both))
    for column, weight in crossed:
        matrix[:, :models, column] = matrix[:, column, :models] = of_models(design, weight)
    if k:
        products = (design.x[:, :, None] * design.x[:, None, :]).reshape(-1, k * k)
        matrix[:, models : models + k, models : models + k] = (own @ products).reshape(-1, k, k)
    if both is not None and ties is not None:
        matrix[:, models : models + k, -1] = matrix[:, -1, models : models + k] = both @ design.x
        matrix[:, -1, -1] = ties.sum(axis=1)
    return matrix


def in_pairs(design: Design, rows: Floats) -> Floats:
    """Sums over the rows of each pair, ``float64[R, P]``."""
    if len(design.pair) == len(design.low):
        return rows
    return np.add.reduceat(rows, design.start, axis=1)


def of_models(design: Design, rows: Floats) -> Floats:
    """Sums over the rows of each model, ``float64[R, K]``: with plus where it is the lower one, else minus."""
    table = np.zeros((len(rows), design.size, design.size))
    table[:, design.low, design.high] = in_pairs(design, rows)
    return np.asarray(table.sum(axis=2) - table.sum(axis=1), np.float64)
