"""The fit of votes that were made ready, refused where it has no answer."""

from __future__ import annotations

import numpy as np

from audiometry.errors import UsageError
from audiometry.stats.ranking.likelihood import information
from audiometry.stats.ranking.newton import Solution, solved
from audiometry.stats.ranking.prepared import Prepared
from audiometry.stats.ranking.votes import Floats

_APART = 1e-8  # share of a term's curvature that is its own, below which it is a mixture of the others


def fitted(ready: Prepared) -> Solution | None:
    """The fit; None where there are no two models to rank.

    Raises:
        UsageError: a term has no value that the votes agree with best.
    """
    design = ready.design
    if design.size < 2:  # noqa: PLR2004  a ranking has two
        return None
    tally = design.tally(ready.weight)[None]
    found = solved(design, tally, davidson=ready.davidson, prior=ready.prior)
    for name, size in zip(design.terms, found.at.terms[0].tolist(), strict=True):
        if not found.converged[0] and abs(size) > 1:
            raise UsageError(f"'{name}' alone explains every vote it could, so it has no size; leave that term out")
    if not found.converged[0] and ready.davidson:
        raise UsageError(
            "Davidson's ties have no answer here: hardly any two models beat each other; count ties as half votes"
        )
    if design.terms:
        _told_apart(ready, found, tally.sum(axis=-1))
    return found


def _told_apart(ready: Prepared, found: Solution, n: Floats) -> None:
    """Let through only terms that are more than a mixture of the models' strengths and each other."""
    curve = information(ready.design, n, found.expected, found.at, ready.prior, davidson=ready.davidson)[0]
    size = ready.design.size
    curve[:size, :size] += np.abs(curve).max() / size
    curve[np.diag_indices(len(curve))] *= 1 + 1e-12
    own = 1 / np.diag(np.linalg.inv(curve)) / np.diag(curve)
    for name, share in zip(ready.design.terms, own[size:].tolist(), strict=False):
        if share < _APART:
            raise UsageError(
                f"'{name}' differs between models and not between their votes, so it can not be told apart from their "
                "strengths; leave that term out"
            )
