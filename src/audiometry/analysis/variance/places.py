"""How firm the places of several runs are: ranks over items and wordings drawn anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audiometry import seeds
from audiometry.analysis.variance.influence import Sums, sums_of
from audiometry.analysis.variance.result import Place, Places
from audiometry.choices.variant import Asked, asked, asked_names, crossed
from audiometry.errors import UsageError
from audiometry.records import State
from audiometry.score.items import Codes, Floats
from audiometry.score.profiles import DEFAULT
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import MOST_FAILED

DRAWS = 1_000
DRAWN = ("items", "wordings", "both")
_AT_ONCE = 50  # draws, so that their weights stay in memory


def places(sheets: Sequence[Sheet], signatures: Sequence[str] = (), seed: int = 0, draws: int = DRAWS) -> Places | None:
    """The places of runs by one score, the best first; None of fewer than two that can have one.

    Clusters are drawn as one for all runs, as many as there are of each pattern of tasks; of wordings as many as were
    asked, each for all items at once.

    Args:
        sheets: of two runs or more, with the items that each asked in all of its variants; what others were not asked
            is left out.
        signatures: how their scores are made.
        seed: of the draws.
        draws: of each kind.

    Raises:
        UsageError: the runs have no item in common.
    """
    late = [sheet.profile.name == DEFAULT and _failed(sheet) for sheet in sheets]
    unplaced = [str(sheet.run.folder.path) for sheet, failed in zip(sheets, late, strict=True) if failed]
    own = [sheet for sheet, failed in zip(sheets, late, strict=True) if not failed]
    if len(own) < 2:  # noqa: PLR2004  one has no place
        return None
    sheets = _in_common(own)
    sums = [sums_of(sheet) for sheet in sheets]
    up = sheets[0].measure.direction == "up"
    values = np.array([one.values().mean() for one in sums])
    rank = _ranks(values[None], up=up)[0]
    wording = np.array([(asked(name) or Asked()).wording for name in sheets[0].variants])
    kinds = DRAWN if crossed(sheets[0].variants).wording > 1 else DRAWN[:1]
    drawn = {kind: np.concatenate([*_draws(kind, sums, wording, seed, draws)]) for kind in kinds}
    ranks = {kind: _ranks(found, up=up) for kind, found in drawn.items()}
    low, high = np.percentile(ranks[kinds[-1]], [2.5, 97.5], axis=0, method="inverted_cdf").astype(int)
    found = [
        Place(
            run=str(sheet.run.folder.path),
            model=sheet.run.info.called,
            value=float(values[at]),
            rank=int(rank[at]),
            ranks=(int(low[at]), int(high[at])),
            keeps={kind: float((each[:, at] == rank[at]).mean()) for kind, each in ranks.items()},
            first=float((ranks[kinds[-1]][:, at] == 1).mean()),
        )
        for at, sheet in enumerate(sheets)
    ]
    measure, common = sheets[0].measure, crossed(sheets[0].variants)
    return Places(
        measure=measure.name,
        unit=measure.unit,
        direction=measure.direction,
        range=measure.range,
        signatures=tuple(dict.fromkeys(signatures)),
        n_items=len(sheets[0].items),
        wordings=common.wording,
        orders=common.order,
        repeats=common.repeat,
        runs=tuple(sorted(found, key=lambda one: (one.rank, one.run))),
        unplaced=tuple(unplaced),
        cut=tuple(
            str(one.run.folder.path) for one, now in zip(own, sheets, strict=True) if now.state.size < one.state.size
        ),
    )


def _in_common(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The same runs on the items that all were asked, in the variants that all have."""
    variants = [name for name in sheets[0].variants if all(name in one.variants for one in sheets)]
    wording, order, repeat = crossed(variants)
    variants = [name for name in asked_names(order, wording, repeat) if name in variants]
    both = sheets[0].items.position
    for one in sheets[1:]:
        both = np.intersect1d(both, one.items.position)
    if not len(both):
        raise UsageError("these runs have no item in common; run them with the same --task and --limit")
    return [one.of(np.asarray(np.isin(one.items.position, both), np.bool_), variants) for one in sheets]


def _failed(sheet: Sheet) -> bool:
    """Whether more replies failed than a run may have that is ranked."""
    lost = np.isin(sheet.state, [CODE[State.FAILED], CODE[State.UNJUDGED]])
    return bool(lost.mean() > MOST_FAILED)


def _ranks(values: Floats, *, up: bool) -> Codes:
    """Ranks within each row from 1, equal values sharing the best."""
    better = values if up else -values
    rounded = np.round(better, 12)
    return np.asarray(1 + (rounded[:, None, :] > rounded[:, :, None]).sum(axis=2), np.int64)


def _draws(kind: str, sums: Sequence[Sums], wording: Codes, seed: int, draws: int) -> list[Floats]:
    """Scores of each run in each draw, ``float64[draws, runs]``, some at a time."""
    rng = seeds.generator(seed, "places", kind)
    n_wordings, strata = crossed(sums[0].sheet.variants).wording, _strata(sums[0])
    found = []
    for start in range(0, draws, _AT_ONCE):
        n = min(_AT_ONCE, draws - start)
        weights = _weights(strata, n, rng) if kind != "wordings" else None
        picked = np.ones((n, n_wordings))
        if kind != "items":
            picked = rng.multinomial(n_wordings, np.full(n_wordings, 1 / n_wordings), n).astype(np.float64)
        by_variant = picked[:, wording]
        by_variant /= by_variant.sum(axis=1, keepdims=True)
        each = [one.values(weights) for one in sums]  # [n, v], or [v] where all items stay
        found.append(np.stack([(by_variant * values).sum(axis=1) for values in each], axis=1))
    return found


def _strata(sums: Sums) -> list[Codes]:
    """Clusters by the leaves that they take part in, so that no draw loses a whole task."""
    inside = np.zeros((sums.n_clusters, len(sums.leaves)), np.bool_)
    for number, leaf in enumerate(sums.leaves):
        inside[leaf.cluster, number] = True
    _, pattern = np.unique(inside, axis=0, return_inverse=True)
    return [np.flatnonzero(pattern.ravel() == code) for code in range(int(pattern.max()) + 1)]


def _weights(strata: Sequence[Codes], n: int, rng: np.random.Generator) -> Floats:
    """How often each cluster is in each of n draws, ``float64[n, clusters]``."""
    out = np.zeros((n, sum(map(len, strata))))
    for these in strata:
        drawn = rng.integers(0, len(these), (n, len(these)))
        for row in range(n):
            out[row, these] = np.bincount(drawn[row], minlength=len(these))
    return out
