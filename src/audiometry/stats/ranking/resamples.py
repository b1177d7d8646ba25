"""The ranking of resampled votes: votes drawn anew, or whole voters.

A resample may lose the votes that tied a model to the others. It is then as far up or down as one can be, or
anywhere, and an interval that reaches such resamples is open at that end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import NormalDist

import msgspec
import numpy as np

from audiometry.stats.ranking.connected import Bools, groups
from audiometry.stats.ranking.design import Design
from audiometry.stats.ranking.likelihood import in_pairs
from audiometry.stats.ranking.newton import Solution, solved
from audiometry.stats.ranking.sandwich import Clusters
from audiometry.stats.ranking.votes import Floats
from audiometry.stats.resampling import widened

_CELLS = 4_000_000  # numbers of resampled tables held at a time: 32 MB


class Refits(msgspec.Struct, frozen=True, kw_only=True):
    """The ranking of R samples.

    Attributes:
        strength: ``float64[R, K]``, on the scale of the whole: models placed in a sample have the mean that they have
            in all votes. Infinite for a model better or worse than any number, NaN for one that could be anywhere.
        terms: ``float64[R, k]``; NaN where there is no fit.
    """

    strength: Floats
    terms: Floats


def resampled(
    design: Design,
    found: Solution,
    weight: Floats | None,
    where: Clusters,
    resamples: int,
    rng: np.random.Generator,
    *,
    prior: float,
    davidson: bool,
) -> Refits:
    """Fit as many resamples, drawn by cluster.

    Args:
        design: the votes.
        found: their fit.
        weight: ``float64[n]``, of the votes of the fit; None: all 1.
        where: their clusters.
        resamples: how many, at least 1.
        rng: a named stream.
        prior: of the fit.
        davidson: of the fit.
    """
    step = max(1, min(resamples, _CELLS // max(3 * len(design.pair), design.size**2)))
    tallies = _drawn(design, weight, where, resamples, rng)
    parts = []
    while some := list(islice(tallies, step)):
        parts.append(refitted(design, found, np.stack(some), prior=prior, davidson=davidson))
    return Refits(
        strength=np.concatenate([part.strength for part in parts]), terms=np.concatenate([part.terms for part in parts])
    )


def refitted(design: Design, found: Solution, tally: Floats, *, prior: float, davidson: bool) -> Refits:
    """The ranking of other tallies of the same rows, ``float64[R, m, 3]``.

    Args:
        design: the rows.
        found: the fit of all votes, from which the search starts.
        tally: votes of each cell.
        prior: of the fit.
        davidson: of the fit.
    """
    place = None if prior else _placed(design, tally)
    out = None if place is None else ~place[0]
    if out is not None:
        tally = tally * ~(out[:, design.low] | out[:, design.high])[:, design.pair, None]
    refit = solved(design, tally, davidson=davidson, prior=prior, start=found.at, out=out)
    strength = refit.strength.copy()
    whole = found.strength
    if place is None:
        strength[~refit.converged] = np.nan
        return Refits(strength=strength, terms=np.where(refit.converged[:, None], refit.at.terms, np.nan))
    placed, above, below = place
    held = placed.sum(axis=1, keepdims=True)
    strength += (placed * whole).sum(axis=1, keepdims=True) / np.maximum(held, 1)
    strength[~placed] = np.nan
    fitted = refit.converged & (held[:, 0] > 1)
    strength[~fitted] = np.nan
    strength[above & fitted[:, None]] = np.inf
    strength[below & fitted[:, None]] = -np.inf
    return Refits(strength=strength, terms=np.where(fitted[:, None], refit.at.terms, np.nan))


def limits(values: Floats, centre: Floats, clusters: int, confidence: float) -> list[tuple[float | None, float | None]]:
    """Percentile intervals of columns, ``float64[R, K]``; None for an open end.

    The percentiles are as far out as Student's quantile with one less degree of freedom than clusters, times
    ``sqrt(G / (G - 1))``, is: those of few clusters are too near to each other (`audiometry.stats.resampling.widened`).

    Args:
        values: of the resamples.
        centre: ``float64[K]``, the estimates, which lie within.
        clusters: that were drawn, at least 2.
        confidence: two-sided, between 0 and 1.
    """
    share = NormalDist().cdf(-widened(clusters, confidence))
    at = max(0, int(share * (len(values) + 1)) - 1)
    low = np.sort(np.where(np.isnan(values), -np.inf, values), axis=0)[at]
    high = np.sort(np.where(np.isnan(values), np.inf, values), axis=0)[len(values) - 1 - at]
    low, high = np.minimum(low, centre), np.maximum(high, centre)
    return [
        (a if np.isfinite(a) else None, b if np.isfinite(b) else None)
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]


def _drawn(
    design: Design, weight: Floats | None, where: Clusters, resamples: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """The tally of each resample, ``float64[m, 3]``."""
    n = len(design.cell)
    shape = (len(design.pair), 3)
    if where.code is None and weight is None:  # votes of a cell are alike: how many of each, at once
        every = design.tally().ravel()
        kinds = np.flatnonzero(every)
        for _ in range(resamples):
            tally = np.zeros(every.size)
            tally[kinds] = rng.multinomial(n, every[kinds] / n)
            yield tally.reshape(shape)
        return
    small = np.uint16 if 3 * shape[0] <= np.iinfo(np.uint16).max else np.int64  # of two bytes numpy sorts by counting
    order = np.argsort(design.cell.astype(small), kind="stable")
    cells, start = np.unique(design.cell[order], return_index=True)
    code = (order if where.code is None else where.code[order]).astype(np.int32)
    times = None if weight is None else weight[order]
    for _ in range(resamples):
        often = np.bincount(rng.integers(0, where.size, where.size), minlength=where.size).astype(np.int32)
        drawn = often[code]
        tally = np.zeros(3 * shape[0])
        tally[cells] = np.add.reduceat(drawn if times is None else drawn * times, start)
        yield tally.reshape(shape)


def _placed(design: Design, tally: Floats) -> tuple[Bools, Bools, Bools] | None:
    """Who is placed, above and below in each sample, ``bool[R, K]``; None if everybody is placed in all."""
    wins, losses, ties = (in_pairs(design, tally[..., said]) for said in range(3))
    beat = np.zeros((len(tally), design.size, design.size), np.bool_)
    beat[:, design.low, design.high] = wins + ties > 0
    beat[:, design.high, design.low] = losses + ties > 0
    ever = design.tally()[None]
    ever_low, ever_high = (in_pairs(design, ever[..., said] + ever[..., 2])[0] > 0 for said in (0, 1))
    lost = (ever_low & ~beat[:, design.low, design.high]) | (ever_high & ~beat[:, design.high, design.low])
    some = np.flatnonzero(lost.any(axis=1))
    if not len(some):
        return None
    placed = np.ones((len(tally), design.size), np.bool_)
    above, below = np.zeros_like(placed), np.zeros_like(placed)
    votes = np.zeros((len(some), design.size, design.size))
    votes[:, design.low, design.high] = (wins + losses + ties)[some]
    found = groups(beat[some], votes.sum(axis=1) + votes.sum(axis=2))
    placed[some], above[some], below[some] = found.placed, found.above, found.below
    return placed, above, below
