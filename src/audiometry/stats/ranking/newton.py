"""Newton's method with a line search, for many samples of the same votes at once."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.stats.ranking.design import Design
from audiometry.stats.ranking.likelihood import Expected, Point, expected, gradient, information, log_likelihood
from audiometry.stats.ranking.votes import Floats

Bools = NDArray[np.bool_]

_MOST_STEPS = 100
_HALVINGS = 40
_NEAR = 1e-9  # a step below which the next one is rounding: Newton's steps square
_ENDLESS = 20.0  # a term or log v beyond it has no best value: one side of it explains every vote
_SLACK = 1e-12  # of the likelihood: rounding
_RIDGE = 1e-13  # of the largest curvature: what keeps a flat direction solvable


class Solution(msgspec.Struct, frozen=True, kw_only=True):
    """Where the likelihood is highest, for each of R samples.

    Attributes:
        at: the parameters, strengths wherever the search left them.
        strength: ``float64[R, K]``, those of the models that take part average 0.
        expected: chances there.
        converged: ``bool[R]``.
        steps: taken.
    """

    at: Point
    strength: Floats
    expected: Expected
    converged: Bools
    steps: int


def solved(
    design: Design,
    tally: Floats,
    *,
    davidson: bool,
    prior: float = 0.0,
    start: Point | None = None,
    out: Bools | None = None,
) -> Solution:
    """Maximise the likelihood.

    Args:
        design: the rows.
        tally: ``float64[R, m, 3]``, votes of each cell, or their weights.
        davidson: estimate v; else a tie is half a vote for each.
        prior: virtual votes of each model against one of strength 0, half won, half lost.
        start: ``R`` or 1 points to start from; None: all models alike.
        out: ``bool[R, K]``, models that take no part; none of their votes may be in the tally.
    """
    at = _start(design, tally, davidson=davidson) if start is None else _repeated(start, len(tally))
    if davidson:  # without a tie v is 0, and stays so
        at = msgspec.structs.replace(at, log_nu=np.where(tally[..., 2].sum(axis=1) > 0, at.log_nu, -np.inf))
    n = tally.sum(axis=-1)
    found = expected(design, at)
    value = log_likelihood(tally, found, at, prior)
    converged = endless = np.zeros(len(tally), np.bool_)
    steps = 0
    while steps < _MOST_STEPS and not (converged | endless).all():
        slope = gradient(design, tally, found, at, prior, davidson=davidson)
        curve = _solvable(
            information(design, n, found, at, prior, davidson=davidson), design.size, at, prior, out, davidson=davidson
        )
        step = np.asarray(np.linalg.solve(curve, slope[..., None])[..., 0], np.float64)
        at, found, value, size = _searched(design, tally, at, step, value, prior, davidson=davidson)
        endless = _endless(at)
        converged = (size < _NEAR) & ~endless
        steps += 1
    return Solution(at=at, strength=_centred(at.strength, out), expected=found, converged=converged, steps=steps)


def _start(design: Design, tally: Floats, *, davidson: bool) -> Point:
    ties = tally[..., 2].sum(axis=1)
    decided = tally[..., :2].sum(axis=(1, 2))
    with np.errstate(divide="ignore"):
        log_nu = np.log(2 * ties / np.maximum(decided, 1)) if davidson else np.full(len(tally), -np.inf)
    return Point(
        strength=np.zeros((len(tally), design.size)), terms=np.zeros((len(tally), len(design.terms))), log_nu=log_nu
    )


def _repeated(start: Point, samples: int) -> Point:
    columns = (start.strength, start.terms, start.log_nu)
    strength, terms, log_nu = (np.broadcast_to(one, (samples, *one.shape[1:])) for one in columns)
    return Point(strength=strength, terms=terms, log_nu=log_nu)


def _solvable(curve: Floats, models: int, at: Point, prior: float, out: Bools | None, *, davidson: bool) -> Floats:
    """The curvature with what votes leave open held: where all strengths lie, who takes no part, v without ties."""
    every = np.arange(models)
    size = np.abs(curve).max(axis=(1, 2))
    if not prior:
        curve[:, :models, :models] += (size / models)[:, None, None]
    if out is not None:
        curve[:, every, every] += out * size[:, None]
    if davidson:
        curve[:, -1, -1] += ~np.isfinite(at.log_nu)
    diagonal = np.arange(curve.shape[1])
    curve[:, diagonal, diagonal] += (_RIDGE * size + np.finfo(np.float64).tiny)[:, None]
    return curve


def _searched(
    design: Design, tally: Floats, at: Point, step: Floats, value: Floats, prior: float, *, davidson: bool
) -> tuple[Point, Expected, Floats, Floats]:
    """The step, halved where it would lower the likelihood; what it leads to, and how long it was."""
    least = value - _SLACK * np.abs(value)
    length = np.ones(len(step))
    halvings = 0
    while True:
        there = at.moved(length[:, None] * step, davidson=davidson)
        found = expected(design, there)
        reached = log_likelihood(tally, found, there, prior)
        lower = ~(reached >= least)
        if halvings == _HALVINGS or not lower.any():
            return there, found, reached, np.abs(step).max(axis=1)
        length[lower] /= 2
        halvings += 1


def _endless(at: Point) -> Bools:
    beyond = np.isfinite(at.log_nu) & (np.abs(at.log_nu) > _ENDLESS)
    return np.asarray(beyond | (np.abs(at.terms) > _ENDLESS).any(axis=1), np.bool_)


def _centred(strength: Floats, out: Bools | None) -> Floats:
    part = np.ones_like(strength) if out is None else (~out).astype(np.float64)
    mean = (strength * part).sum(axis=1, keepdims=True) / np.maximum(part.sum(axis=1, keepdims=True), 1)
    return np.asarray(strength - mean, np.float64)
