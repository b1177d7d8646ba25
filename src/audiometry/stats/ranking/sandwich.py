"""Covariance of estimates whose votes come in clusters: the sandwich.

The likelihood's curvature on both sides of what the clusters' derivatives add up to, so that neither the model's
variance nor independence of one voter's votes is taken on trust.

Sources: Huber 1967, Proceedings of the Fifth Berkeley Symposium 1, 221-233; Liang and Zeger 1986, Biometrika 73, 13-22;
Cameron and Miller 2015, Journal of Human Resources 50, 317-372 (the factor G / (G - 1), Student's t).
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.stats.ranking.counts import Counts
from audiometry.stats.ranking.design import Design
from audiometry.stats.ranking.likelihood import information, squared
from audiometry.stats.ranking.newton import Solution
from audiometry.stats.ranking.votes import Floats

_AT_ONCE = 4_000_000  # numbers of the clusters' sums held at a time: 32 MB


class Clusters(msgspec.Struct, frozen=True, kw_only=True):
    """Which votes are not independent.

    Attributes:
        code: ``int64[n]``, the cluster of each vote of the fit, 0 to G - 1; None: each vote is its own.
        size: G.
        voters: how many of them are voters that are known.
    """

    code: Counts | None
    size: int
    voters: int

    @property
    def kind(self) -> Literal["voters", "votes", "voters and votes"]:
        """What the clusters are."""
        if not self.voters:
            return "votes"
        return "voters" if self.voters == self.size else "voters and votes"


def clusters(design: Design, voter: NDArray[np.int32] | None) -> Clusters:
    """Voters, of the votes that are in the fit; a vote of nobody known is a cluster of its own.

    Args:
        design: the votes.
        voter: ``int32[n]`` of all votes, -1 where not known; None: each vote by itself.
    """
    n = len(design.vote)
    if voter is None:
        return Clusters(code=None, size=n, voters=0)
    own = voter[design.vote]
    unknown = own < 0
    codes = int(own.max(initial=-1)) + 1
    seen = np.bincount(own[~unknown], minlength=codes) > 0
    to = np.cumsum(seen) - 1
    voters, single = int(seen.sum()), int(unknown.sum())
    if not voters:
        return Clusters(code=None, size=n, voters=0)
    code = to[own]  # where -1 takes the last, the next line sets it right
    code[unknown] = voters + np.arange(single)
    return Clusters(code=code, size=voters + single, voters=voters)


def covariance(
    design: Design, found: Solution, weight: Floats | None, where: Clusters, prior: float, *, davidson: bool
) -> Floats:
    """``float64[q, q]`` of centred strengths, terms, and log v if it was estimated.

    Virtual votes of a prior count as votes, each a cluster of its own: of a model that never lost, the prior is all
    that says how strong it may be.

    Args:
        design: the votes.
        found: the fit of one sample.
        weight: ``float64[n]``, of the votes of the fit; None: all 1.
        where: their clusters, at least 2.
        prior: of the fit.
        davidson: whether log v was estimated; not where no vote is a tie.
    """
    n = design.tally(weight).sum(axis=1)[None]
    bread = information(design, n, found.expected, found.at, prior, davidson=davidson)[0]
    own, ties = residuals(found)
    meat = (
        _of_votes(design, weight, own, ties if davidson else None)
        if where.code is None
        else _of_clusters(design, weight, where, own, ties if davidson else None)
    )
    meat *= where.size / (where.size - 1)
    models = design.size
    every = np.arange(models)
    if prior:
        chance = (1 + np.tanh(found.at.strength[0] / 2)) / 2
        meat[every, every] += prior / 2 * (chance**2 + (1 - chance) ** 2)
    else:
        bread[:models, :models] += np.abs(bread).max() / models
    half = np.linalg.solve(bread, meat)
    whole = np.linalg.solve(bread, half.T)
    centre = np.eye(len(whole))
    centre[:models, :models] -= 1 / models
    whole = centre @ whole @ centre.T
    return np.asarray((whole + whole.T) / 2, np.float64)


def residuals(found: Solution) -> tuple[Floats, Floats]:
    """What each cell's votes differ by from what was expected, ``float64[m, 3]``: as a score, and as a tie."""
    score, tie = found.expected.score[0][:, None], found.expected.tie[0][:, None]
    return np.array([1.0, 0.0, 0.5]) - score, np.array([0.0, 0.0, 1.0]) - tie


def _of_votes(design: Design, weight: Floats | None, own: Floats, ties: Floats | None) -> Floats:
    squares = design.tally(None if weight is None else weight**2)
    of_own = (squares * own**2).sum(axis=1)[None]
    if ties is None:
        return np.asarray(squared(design, of_own, None, None)[0], np.float64)
    both, alone = ((squares * ties * one).sum(axis=1)[None] for one in (own, ties))
    return np.asarray(squared(design, of_own, both, alone)[0], np.float64)


def _of_clusters(design: Design, weight: Floats | None, where: Clusters, own: Floats, ties: Floats | None) -> Floats:
    """Sums over clusters of the outer product of what each adds to the derivatives."""
    code, cell = np.asarray(where.code), design.cell
    q = design.size + len(design.terms) + (ties is not None)
    step = max(1, _AT_ONCE // q)
    if where.size > step:  # so many that not all of their sums are held at once: in order
        order = np.argsort(code, kind="stable")
        code, cell = code[order], cell[order]
        weight = None if weight is None else weight[order]
    meat = np.zeros((q, q))
    for first in range(0, where.size, step):
        begin, end = np.searchsorted(code, (first, first + step)) if where.size > step else (0, len(code))
        part = slice(int(begin), int(end))
        sums = _sums(
            design,
            code[part] - first,
            cell[part],
            None if weight is None else weight[part],
            own,
            ties,
            min(step, where.size - first),
        )
        meat += sums.T @ sums
    return meat


def _sums(
    design: Design, code: Counts, cell: Counts, weight: Floats | None, own: Floats, ties: Floats | None, size: int
) -> Floats:
    """``float64[size, q]``, the derivatives of the votes of each cluster added up."""
    models, k = design.size, len(design.terms)
    off = own.ravel()[cell]
    if weight is not None:
        off *= weight
    low, high = (np.repeat(side[design.pair], 3).astype(np.int32)[cell] for side in (design.low, design.high))
    base = code * models
    sums = np.bincount(base + low, off, size * models)
    sums -= np.bincount(base + high, off, size * models)
    columns = [sums.reshape(size, models)]
    columns.extend(np.bincount(code, off * np.repeat(design.x[:, j], 3)[cell], size)[:, None] for j in range(k))
    if ties is not None:
        drawn = ties.ravel()[cell]
        columns.append(np.bincount(code, drawn if weight is None else drawn * weight, size)[:, None])
    return np.asarray(columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1), np.float64)
