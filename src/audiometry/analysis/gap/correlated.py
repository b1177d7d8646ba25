"""Benchmarks with one another: which of them say the same of systems."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from audiometry.analysis.gap.result import Correlated
from audiometry.analysis.gap.scores import Floats, ScoreTable
from audiometry.stats.concordance import spearman_rho

FEWEST: Final = 4  # systems that two benchmarks have in common
ALIKE: Final = 0.7  # mean correlation within a group


def correlated(scores: ScoreTable) -> Correlated | None:
    """Spearman's rho of each two benchmarks over all systems that have both, alike ones side by side.

    Args:
        scores: the table, all of its systems.

    Returns:
        None of fewer than two benchmarks that vary.
    """
    turned = scores.values * np.where(scores.lower, -1.0, 1.0)
    kept = [at for at in range(len(scores.benchmarks)) if _varies(turned[:, at])]
    if len(kept) < 2:  # noqa: PLR2004  a correlation needs two
        return None
    values = turned[:, kept]
    there = np.isfinite(values)
    n = there.T.astype(np.int64) @ there
    rho = _of_same_systems(values, there)
    for i, j in np.argwhere(np.triu(np.isnan(rho) & (n >= FEWEST), 1)).tolist():
        both = there[:, i] & there[:, j]
        found = spearman_rho(values[both, i], values[both, j], np.arange(n[i, j])).value
        rho[i, j] = rho[j, i] = np.nan if found is None else found
    tree = hierarchy.linkage(squareform(1 - np.nan_to_num(rho), checks=False), "average", optimal_ordering=True)
    order = hierarchy.leaves_list(tree)
    group = hierarchy.fcluster(tree, 1 - ALIKE, "distance")[order]
    number = {code: place for place, code in enumerate(dict.fromkeys(group.tolist()), 1)}
    return Correlated(
        benchmarks=tuple(scores.benchmarks[kept[at]] for at in order),
        rho=tuple(tuple(None if np.isnan(one) else float(one) for one in row) for row in rho[np.ix_(order, order)]),
        n_systems=tuple(tuple(map(int, row)) for row in n[np.ix_(order, order)]),
        groups=tuple(number[code] for code in group.tolist()),
    )


def _of_same_systems(values: Floats, there: NDArray[np.bool_]) -> Floats:
    """Rho of benchmarks that the same systems have, all at once; NaN of others."""
    rho = np.full((values.shape[1],) * 2, np.nan)
    for pattern in np.unique(there, axis=1).T:
        its = np.flatnonzero((there == pattern[:, None]).all(axis=0))
        ranks = stats.rankdata(values[np.ix_(pattern, its)], axis=0)
        rho[np.ix_(its, its)] = np.clip(np.atleast_2d(np.corrcoef(ranks, rowvar=False)), -1.0, 1.0)
    np.fill_diagonal(rho, 1.0)
    return rho


def _varies(column: Floats) -> bool:
    there = column[np.isfinite(column)]
    return len(there) >= FEWEST and bool(np.ptp(there) > 0)
