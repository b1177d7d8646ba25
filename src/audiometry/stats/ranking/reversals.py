"""Models ranked above one that beat them head to head, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audiometry.stats.ranking.counts import Counts
from audiometry.stats.ranking.fitted import fitted
from audiometry.stats.ranking.newton import Solution
from audiometry.stats.ranking.prepared import Prepared, Ties, prepared
from audiometry.stats.ranking.resamples import refitted
from audiometry.stats.ranking.result import ELO
from audiometry.stats.ranking.votes import Floats, Votes
from audiometry.stats.wilson import wilson

_CELLS = 4_000_000  # numbers of tables held at a time: 32 MB
_MOST = 100  # models up to which each is left out in turn


class Reversal(msgspec.Struct, frozen=True, kw_only=True):
    """A model that is ranked above another to which it lost head to head.

    Attributes:
        above, below: the two, as they are ranked.
        elo: points between them.
        n: votes between them, both-bad ones left out.
        share: of these that the higher ranked model won, ties half; below 1/2.
        interval: Wilson's, of the share, as if votes were independent.
        without: for each other ranked model, by how many points the first leads if that one's votes are left out: less
            than 0 where the order turns, None where one of the two then has no place. The smallest lead first; of
            more than 100 models none.
    """

    above: str
    below: str
    elo: float
    n: int
    share: float
    interval: tuple[float, float]
    without: tuple[tuple[str, float | None], ...]


def reversals(
    votes: Votes,
    *,
    ties: Ties = "half",
    prior: float = 0.0,
    first: bool = False,
    contrasts: Sequence[str] = (),
    confidence: float = 0.95,
) -> tuple[Reversal, ...]:
    """Orders of a ranking that the two models' own votes contradict; those with most votes against them first.

    Args:
        votes: as columns.
        ties: as `bradley_terry` has it, as are the next three.
        prior: virtual votes of each model.
        first: estimate what being shown first is worth.
        contrasts: covariates held constant, by name.
        confidence: of the share's interval.

    Raises:
        UsageError: as `bradley_terry`.
    """
    ready = prepared(votes, ties=ties, prior=prior, first=first, contrasts=contrasts, by_voter=False)
    found = fitted(ready)
    if found is None:
        return ()
    strength, placed = found.strength[0], ready.placing.placed
    wins, drawn = (table[np.ix_(placed, placed)] for table in (ready.matrix.wins, ready.matrix.ties))
    lost = wins.T - wins
    above, below = np.nonzero((strength[:, None] > strength) & (lost > 0))
    lead = _left_out(ready, found, above, below) if len(above) else np.zeros((0, 0))
    out = []
    for i in np.lexsort((below, above, -lost[above, below])).tolist():
        one, other = int(above[i]), int(below[i])
        n = int(wins[one, other] + wins[other, one] + drawn[one, other])
        share = float(wins[one, other] + drawn[one, other] / 2) / n
        out.append(
            Reversal(
                above=ready.names[one],
                below=ready.names[other],
                elo=ELO * float(strength[one] - strength[other]),
                n=n,
                share=share,
                interval=wilson(share, n, confidence),
                without=_named(ready.names, lead[:, i], {one, other}),
            )
        )
    return tuple(out)


def _left_out(ready: Prepared, found: Solution, above: Counts, below: Counts) -> Floats:
    """``float64[K, pairs]``, how far each pair is apart when the votes of one model after the other are left out."""
    design = ready.design
    if design.size > _MOST:
        return np.zeros((0, len(above)))
    tally = design.tally(ready.weight)
    step = max(1, _CELLS // max(tally.size, design.size**2))
    parts = []
    for first in range(0, design.size, step):
        out = np.arange(first, min(first + step, design.size))[:, None]
        kept = ((design.low != out) & (design.high != out))[:, design.pair, None]
        refit = refitted(design, found, tally * kept, prior=ready.prior, davidson=ready.davidson)
        strength = np.where(np.isfinite(refit.strength), refit.strength, np.nan)
        parts.append(strength[:, above] - strength[:, below])
    return np.concatenate(parts)


def _named(names: tuple[str, ...], lead: Floats, own: set[int]) -> tuple[tuple[str, float | None], ...]:
    told = [(names[i], ELO * apart) for i, apart in enumerate(lead.tolist()) if i not in own]
    told.sort(key=lambda one: (np.isnan(one[1]), one[1]))
    return tuple((name, None if np.isnan(apart) else apart) for name, apart in told)
