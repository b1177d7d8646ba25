"""Strengths and terms with their covariance and limits."""

from __future__ import annotations

import msgspec
import numpy as np

from audiometry.stats.quantile import student_quantile
from audiometry.stats.ranking.newton import Solution
from audiometry.stats.ranking.prepared import Prepared
from audiometry.stats.ranking.resamples import limits, resampled
from audiometry.stats.ranking.result import Limits
from audiometry.stats.ranking.sandwich import covariance
from audiometry.stats.ranking.votes import Floats


class Estimates(msgspec.Struct, frozen=True, kw_only=True):
    """What a fit gives, on the scale of natural logarithms.

    Attributes:
        strength: ``float64[K]``, averaging 0.
        terms: ``float64[k]``.
        covariance: ``float64[q, q]`` of strengths, terms and log v, by the sandwich; None of a single cluster.
        of_strengths, of_terms: limits of each; None of a single cluster.
    """

    strength: Floats
    terms: Floats
    covariance: Floats | None
    of_strengths: tuple[Limits | None, ...]
    of_terms: tuple[Limits | None, ...]

    @property
    def strengths_covariance(self) -> Floats | None:
        """``float64[K, K]``."""
        size = len(self.strength)
        return None if self.covariance is None else self.covariance[:size, :size]


def estimated(
    ready: Prepared, found: Solution, bootstrap: int, rng: np.random.Generator, confidence: float
) -> Estimates:
    """Strengths and terms with their limits, by resamples if any are asked for, else by the sandwich.

    Args:
        ready: the votes.
        found: their fit.
        bootstrap: resamples; 0: none.
        rng: of the resamples.
        confidence: of each limit.
    """
    centre = np.concatenate((found.strength[0], found.at.terms[0]))
    size = ready.design.size
    spread: Floats | None = None
    of_all: list[Limits | None] = [None] * len(centre)
    if ready.where.size > 1:
        spread = covariance(ready.design, found, ready.weight, ready.where, ready.prior, davidson=ready.davidson)
        if bootstrap:
            drawn = resampled(
                ready.design,
                found,
                ready.weight,
                ready.where,
                bootstrap,
                rng,
                prior=ready.prior,
                davidson=ready.davidson,
            )
            values = np.concatenate((drawn.strength, drawn.terms), axis=1)
            of_all = [*limits(values, centre, ready.where.size, confidence)]
        else:
            error = np.sqrt(np.maximum(np.diag(spread)[: len(centre)], 0))
            reach = student_quantile(confidence, ready.where.size - 1) * error
            of_all = [*zip((centre - reach).tolist(), (centre + reach).tolist(), strict=True)]
    return Estimates(
        strength=found.strength[0],
        terms=found.at.terms[0],
        covariance=spread,
        of_strengths=tuple(of_all[:size]),
        of_terms=tuple(of_all[size:]),
    )
