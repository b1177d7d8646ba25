"""Whether the votes fit one scale: each pair's votes against what the strengths say of it."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from audiometry.stats.ranking.design import Design
from audiometry.stats.ranking.likelihood import in_pairs
from audiometry.stats.ranking.newton import Solution
from audiometry.stats.ranking.prepared import Prepared
from audiometry.stats.ranking.sandwich import residuals
from audiometry.stats.ranking.votes import Floats

FEW: Final = (
    20  # votes of a pair, below which its part is not yet a chi-square: at 10 a pair p < .05 comes in 1 % of samples
)

RARE: Final = 10  # votes expected for the weaker one of a pair, below which what they show of their spread is chance


class PairFit(msgspec.Struct, frozen=True, kw_only=True):
    """One pair's votes and what the ranking expects of them.

    Attributes:
        a, b: the models.
        n: votes in the fit.
        observed: share that a won, ties half, by the votes' weights.
        expected: the same by the ranking.
        chi2: its part of the whole.
    """

    a: str
    b: str
    n: int
    observed: float
    expected: float
    chi2: float


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """How well one scale holds the votes of all pairs.

    Attributes:
        chi2: sum over pairs.
        df: degrees of freedom; 0 where there are no more pairs than strengths.
        p: of a chi-square as large; None without degrees of freedom.
        thin: pairs of fewer than 20 votes; many of them make p rough, with halved ties too large.
        pairs: the worst first.
    """

    chi2: float
    df: int
    p: float | None
    thin: int
    pairs: tuple[PairFit, ...]


def goodness(ready: Prepared, found: Solution) -> Fit:
    """Chi-square by pair.

    Ties as half votes: ``(y - n p)²`` over the sum of ``(o - p)²``, the spread that the votes show. The binomial
    ``n p (1 - p)`` in its place, which a half vote does not have, is too large: it would reject 1.1 % at 5 %. Where
    fewer than 10 votes of a pair are expected for the weaker model the larger of the two counts: of votes that all went
    one way the spread shown is next to nothing, and a chi-square of it as large as their number.
    Davidson's ties: Pearson's over win, tie and loss, n of a pair being Kish's where votes are weighted.

    Args:
        ready: the votes.
        found: their fit.
    """
    design, weight, models, davidson = ready.design, ready.weight, ready.names, ready.davidson
    n = in_pairs(design, design.tally().sum(axis=1)[None])[0]
    tally = design.tally(weight)
    total = in_pairs(design, tally.sum(axis=1)[None])[0]
    observed = np.stack([in_pairs(design, tally[None, :, said])[0] for said in range(3)])
    chances = (found.expected.low, found.expected.high, found.expected.tie)
    rows = tally.sum(axis=1)[None]
    wanted = np.stack([in_pairs(design, rows * chance)[0] for chance in chances])
    if davidson:
        worth = total / in_pairs(design, design.tally(None if weight is None else weight**2).sum(axis=1)[None])[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = np.where(wanted > 0, (observed - wanted) ** 2 / wanted, 0).sum(axis=0) * worth
    else:
        parts = _by_spread(design, found, weight, observed, wanted)
    df = max((2 if davidson else 1) * len(n) - (design.size - 1) - davidson, 0)
    chi2 = float(parts.sum())
    share, hoped = ((one[0] + one[2] / 2) / total for one in (observed, wanted))
    order = np.lexsort((design.high, design.low, -parts))
    pairs = tuple(
        PairFit(
            a=models[design.low[i]],
            b=models[design.high[i]],
            n=int(n[i]),
            observed=float(share[i]),
            expected=float(hoped[i]),
            chi2=float(parts[i]),
        )
        for i in order.tolist()
    )
    return Fit(chi2=chi2, df=df, p=_p(chi2, df), thin=int((n < FEW).sum()), pairs=pairs)


def _by_spread(design: Design, found: Solution, weight: Floats | None, observed: Floats, wanted: Floats) -> Floats:
    squares = design.tally(None if weight is None else weight**2)
    off = residuals(found)[0]
    spread = in_pairs(design, (squares * off**2).sum(axis=1)[None])[0]
    score = found.expected.score[0]
    binomial, upsets = (
        in_pairs(design, (tally.sum(axis=1) * each)[None])[0]
        for tally, each in ((squares, score * (1 - score)), (design.tally(), np.minimum(score, 1 - score)))
    )
    spread = np.where(upsets < RARE, np.maximum(spread, binomial), spread)
    apart = (observed - wanted)[0] + (observed - wanted)[2] / 2
    return np.asarray(apart**2 / np.where(spread > 0, spread, 1), np.float64)


def _p(chi2: float, df: int) -> float | None:
    if not df:
        return None
    from scipy.special import chdtrc

    return float(chdtrc(df, chi2))
