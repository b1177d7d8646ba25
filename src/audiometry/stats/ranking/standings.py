"""The lines of a board: ranked models, models without a place, terms."""

from __future__ import annotations

import math

import numpy as np

from audiometry.stats.quantile import student_p
from audiometry.stats.ranking.counts import WinMatrix
from audiometry.stats.ranking.estimates import Estimates
from audiometry.stats.ranking.prepared import Prepared
from audiometry.stats.ranking.ranges import rank_ranges
from audiometry.stats.ranking.result import ELO, MEAN, Limits, Standing, Term, Unplaced

_EQUAL = 1e-9  # of natural logarithms: strengths nearer than it share a rank


def standings(
    ready: Prepared, made: Estimates, anchor: tuple[str, float] | None, confidence: float
) -> tuple[Standing, ...]:
    """Ranked models, best first; of equal ones, by name.

    Args:
        ready: the votes.
        made: the strengths.
        anchor: a ranked model and its rating; None: they average 1000.
        confidence: of all rank ranges together.
    """
    names, strength = ready.names, made.strength
    middle = MEAN if anchor is None else anchor[1] - ELO * float(strength[names.index(anchor[0])])
    spread = made.strengths_covariance
    ranges = [[1, len(names)]] * len(names)
    if spread is not None:
        ranges = rank_ranges(strength, spread, max(1, int(ready.worth) - 1), confidence).tolist()
    out = []
    for i in np.argsort(-np.round(strength / _EQUAL), kind="stable").tolist():
        anchored = anchor is not None and names[i] == anchor[0]
        out.append(
            Standing(
                **_record(ready.matrix, int(ready.placing.placed[i])),
                model=names[i],
                rating=middle + ELO * float(strength[i]),
                interval=None if anchored else _scaled(made.of_strengths[i], middle),
                rank=1 + int((strength > strength[i] + _EQUAL).sum()),
                rank_range=(ranges[i][0], ranges[i][1]),
            )
        )
    return tuple(out)


def records(ready: Prepared) -> tuple[Unplaced, ...]:
    """Models without a place, by name."""
    names = ready.matrix.models
    return tuple(
        Unplaced(
            **_record(ready.matrix, code), model=names[code], reason=reason, group=tuple(names[one] for one in group)
        )
        for code, reason, group in ready.placing.unplaced
    )


def terms(ready: Prepared, made: Estimates) -> list[Term]:
    """What moves votes beside strengths, in Elo points."""
    size = len(made.strength)
    out = []
    for j, name in enumerate(ready.design.terms):
        value = float(made.terms[j])
        error = None if made.covariance is None else math.sqrt(max(made.covariance[size + j, size + j], 0.0))
        out.append(
            Term(
                name=name,
                elo=ELO * value,
                interval=_scaled(made.of_terms[j], 0.0),
                p=student_p(value / error, ready.where.size - 1) if error else None,
                scale=float(ready.design.scale[j]),
            )
        )
    return out


def _scaled(limits: Limits | None, middle: float) -> Limits | None:
    if limits is None:
        return None
    low, high = (None if one is None else middle + ELO * one for one in limits)
    return low, high


def _record(matrix: WinMatrix, code: int) -> dict[str, int]:
    wins, losses, ties, bad = (
        int(table[code].sum()) for table in (matrix.wins, matrix.wins.T, matrix.ties, matrix.both_bad)
    )
    return {"battles": wins + losses + ties + bad, "wins": wins, "losses": losses, "ties": ties, "both_bad": bad}
