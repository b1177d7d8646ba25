"""One benchmark against votes: whether its order is theirs, and how far a difference of scores moves a vote."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.analysis.gap.preferred import Preferred
from audiometry.analysis.gap.result import BenchmarkGap, Interval, Plainly
from audiometry.analysis.gap.scores import ScoreTable
from audiometry.errors import UsageError, counted
from audiometry.stats.few_orders import agreement, taus
from audiometry.stats.permuted import correlation_p, least_p, orders
from audiometry.stats.preference.contests import Contests
from audiometry.stats.preference.fits import Preference, fit
from audiometry.stats.preference.mixed import Mixed
from audiometry.stats.preference.plain import plain

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

DRAWS: Final = 2_000
FEWEST: Final = 3  # systems for an effect: of two, one contrast, nothing is left to tell chance by
_ENDS: Final = (2.5, 97.5)


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """Systems that have scores and ratings.

    Attributes:
        systems: names, in the order of the ratings.
        at: ``int64[n]``, their places among the rated ones.
        values, errors: ``float64[n, benchmarks]``, of the scores; signs turned where less is better.
    """

    systems: tuple[str, ...]
    at: Codes
    values: Floats
    errors: Floats


class Nulls:
    """Fits of the systems' merits alone; benchmarks that have the same systems share one."""

    def __init__(self, votes: Preference) -> None:
        self._votes, self._kept = votes, dict[bytes, tuple[Preference, Mixed]]()

    def among(self, systems: Codes) -> tuple[Preference, Mixed]:
        """The votes between some of the rated systems (or their ratings), and their merits, both in the order given.

        Args:
            systems: ``int64[m]``, places among the rated ones.

        Raises:
            UsageError: there is no vote between them, or they are fewer than two.
        """
        key = systems.tobytes()
        if key not in self._kept:
            votes = self._votes.among(systems)
            self._kept[key] = votes, fit(votes, np.zeros((votes.n_systems, 0)))
        return self._kept[key]


def one(scores: ScoreTable, at: int, columns: Columns, said: Preferred, nulls: Nulls, seed: int) -> BenchmarkGap:
    """All that is said of one benchmark.

    Args:
        scores: the table.
        at: number of the benchmark.
        columns: systems that have scores and ratings.
        said: the ratings.
        nulls: fits without any score.
        seed: of draws.
    """
    there = np.isfinite(columns.values[:, at])
    rows, x, errors = columns.at[there], columns.values[there, at], columns.errors[there, at]
    known = bool(len(errors)) and bool(np.isfinite(errors).all())
    found = BenchmarkGap(
        n_systems=len(x),
        systems=tuple(name for name, is_there in zip(columns.systems, there, strict=True) if is_there),
        scores=tuple(map(float, -x if scores.lower[at] else x)),
        errors=tuple(None if np.isnan(error) else float(error) for error in errors),
        n_items=scores.n_items[at],
        category=scores.category[at],
        lower_is_better=scores.lower[at],
    )
    if len(x) < 2 or np.ptp(x) == 0:  # noqa: PLR2004  an order needs two
        none = "no system has" if not len(x) else f"only {found.systems[0]} has" if len(x) == 1 else ""
        why = f"{none} both a score and a rating" if none else f"all {counted(len(x), 'system')} have the same score"
        return msgspec.structs.replace(found, why=why)
    seeded = (seed, "gap", scores.benchmarks[at])
    found = _ordered(found, x, errors if known else None, rows, said, seeded)
    if known:
        noise = float((errors**2).mean()) / float(x.var(ddof=1))
        found = msgspec.structs.replace(found, reliability=max(0.0, 1 - noise))
    if len(x) < FEWEST:
        return msgspec.structs.replace(
            found, why=f"{counted(len(x), 'system')} give one contrast, so chance has no size; give {FEWEST} or more"
        )
    try:
        return _effect(found, x, *nulls.among(rows), seed)
    except UsageError as problem:
        return msgspec.structs.replace(found, why=str(problem))


def _ordered(
    found: BenchmarkGap,
    x: Floats,
    errors: Floats | None,
    rows: Codes,
    said: Preferred,
    seeded: tuple[int, str, str],
) -> BenchmarkGap:
    """With how far the order of the scores is that of the ratings."""
    rated = said.strengths[rows]
    if np.ptp(rated) == 0:
        return msgspec.structs.replace(found, why="all of its systems have the same rating")
    held = agreement(rated, x, orders(len(x), seeded[0]))
    interval = rho_interval = None
    if said.covariance is not None:
        rng = seeds.generator(seeded[0], *seeded[1:])
        spread = said.covariance[np.ix_(rows, rows)]
        drawn = rng.multivariate_normal(rated, spread, DRAWS, method="eigh", check_valid="ignore")
        noisy = np.tile(x, (DRAWS, 1)) + (0 if errors is None else rng.normal(size=(DRAWS, len(x))) * errors)
        interval = _around(held.tau_b, taus(drawn, noisy))
        rho_interval = _around(held.rho, _rhos(drawn, noisy))
    return msgspec.structs.replace(
        found,
        tau_b=held.tau_b,
        p_exact=held.tau_p,
        exact=held.exact,
        interval=interval,
        rho=held.rho,
        rho_p=held.rho_p,
        rho_interval=rho_interval,
        top_distance=held.distance,
        top_p=held.distance_p,
    )


def _rhos(a: Floats, b: Floats) -> Floats:
    """Spearman's of pairs of draws; 0 where all of one are tied."""
    from scipy.stats import rankdata

    u, v = (rankdata(each, axis=1) - (a.shape[1] + 1) / 2 for each in (a, b))
    size = np.sqrt((u * u).sum(axis=1) * (v * v).sum(axis=1))
    return np.asarray((u * v).sum(axis=1) / np.maximum(size, 1e-12), np.float64)


def _around(value: float, drawn: Floats) -> Interval:
    """The middle 95 % of draws, and the value."""
    low, high = np.percentile(drawn, _ENDS)
    return min(value, float(low)), max(value, float(high))


def _effect(found: BenchmarkGap, x: Floats, votes: Preference, null: Mixed, seed: int) -> BenchmarkGap:
    """With how far a difference of scores moves a vote."""
    n, sd = len(x), float(x.std(ddof=1))
    own = (x - x.mean()) / sd
    mixed = fit(votes, own[:, None], by_voter=True)
    effect = mixed.effects[0]
    return msgspec.structs.replace(
        found,
        sd=sd,
        effect=effect.value,
        effect_interval=effect.interval,
        effect_p=effect.p,
        effect_per_unit=effect.value / sd,
        p_permutation=correlation_p(own, null.merits, orders(n, seed)),
        least_p=least_p(n, mirrored=False),
        sigma=mixed.sigma,
        tau_voters=mixed.tau,
        r2_marginal=mixed.r2_marginal,
        r2_conditional=mixed.r2_conditional,
        plain=_plainly(votes, own) if isinstance(votes, Contests) else None,
        converged=mixed.converged and null.converged,
    )


def _plainly(votes: Contests, own: Floats) -> Plainly | None:
    try:
        beside = plain(votes, own)
    except UsageError:  # every vote goes with the score: no finite effect is best
        return None
    return Plainly(
        effect=beside.by_vote.value,
        interval=beside.by_vote.interval or (beside.by_vote.value, beside.by_vote.value),
        p=1.0 if beside.by_vote.p is None else beside.by_vote.p,
        p_by_pair=None if beside.by_pair is None else beside.by_pair.p,
    )
