"""The plain specification of the literature: votes regressed on differences as if each vote were independent.

It stands beside the model with systems' own merits to be compared with what was published, and is too sure: with five
systems there are five of them, however many votes.

Sources: Li et al. 2025, Mind the Gap, arXiv 2502.15919, figure 4; Liang and Zeger 1986, Biometrika 73, 13-22 (errors by
cluster).
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np
from scipy import special

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import Contests, Floats
from audiometry.stats.preference.mixed import Effect, limits

_MANY: Final = 1e9  # degrees of freedom of votes that count as independent
_STEPS: Final = 100
_TOLERANCE: Final = 1e-12


class Plain(msgspec.Struct, frozen=True, kw_only=True):
    """Fits without systems' own merits.

    Attributes:
        by_vote: the effect with each vote taken as independent.
        by_pair: the same effect with errors clustered by pair; None of fewer than three pairs.
    """

    by_vote: Effect
    by_pair: Effect | None


def plain(votes: Contests, x: Floats, *, confidence: float = 0.95) -> Plain:
    """Fit them.

    Args:
        votes: of the systems.
        x: ``float64[n_systems]``, what is known of them.
        confidence: two-sided.

    Raises:
        UsageError: the systems that met do not differ, or one side of the difference won every vote.
    """
    own = votes.of_pairs
    apart = (x[own.pairs[:, 0]] - x[own.pairs[:, 1]])[own.pair]
    n, effect = own.won + own.lost, 0.0
    unit = float(np.abs(apart).max(initial=0.0))
    if not unit:
        raise UsageError("no two systems that met differ, so nothing can be told by it")
    along, against = (
        float(own.won @ (apart > 0) + own.lost @ (apart < 0)),
        float(own.won @ (apart < 0) + own.lost @ (apart > 0)),
    )
    if not along or not against:
        raise UsageError("every vote goes with the difference, or every one against it, so no finite effect is best")
    for _ in range(_STEPS):
        chance = special.expit(apart * effect)
        step = float(apart @ (own.won - n * chance)) / float((n * chance * (1 - chance)) @ apart**2)
        effect += max(-1 / unit, min(1 / unit, step))  # so that no step leaves where chances are above nought
        if abs(step) * unit < _TOLERANCE:
            break
    chance = special.expit(apart * effect)
    info = float((n * chance * (1 - chance)) @ apart**2)
    pairs = len(own.pairs)
    meat = float(((apart * (own.won - n * chance)) ** 2).sum()) * pairs / max(1, pairs - 1)
    clustered = limits(effect, math.sqrt(meat) / info, pairs - 1, confidence) if pairs > 2 else None  # noqa: PLR2004
    return Plain(by_vote=limits(effect, 1 / math.sqrt(info), _MANY, confidence), by_pair=clustered)
