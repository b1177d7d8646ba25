"""How firm the places of several runs are: ranks over items and wordings drawn anew."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from audiometry import seeds
from audiometry.analysis.variance.influence import Sums, sums_of
from audiometry.analysis.variance.result import FEWEST, Place, Places
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
_DUST = 1e-9


def places(sheets: Sequence[Sheet], signatures: Sequence[str] = (), seed: int = 0, draws: int = DRAWS) -> Places | None:
    """The places of runs by one score, the best first; None of fewer than two that can have one.

    Clusters are drawn as one for all runs, and wordings for all items at once: scores move by what these differ by
    (the multiplier bootstrap), the further the fewer there are (Student's t).

    Args:
        sheets: of two runs or more, with the items that each asked in all of its variants; what others were not asked
            is left out.
        signatures: how their scores are made.
        seed: of the draws.
        draws: of each kind.

    Raises:
        UsageError: the runs have no item in common, or so few clusters that nothing tells how firm places are.

    Source: van der Vaart and Wellner 1996, Weak Convergence and Empirical Processes, section 2.9.
    """
    late = [sheet.profile.name == DEFAULT and _failed(sheet) for sheet in sheets]
    unplaced = [str(sheet.run.folder.path) for sheet, failed in zip(sheets, late, strict=True) if failed]
    own = [sheet for sheet, failed in zip(sheets, late, strict=True) if not failed]
    if len(own) < 2:  # noqa: PLR2004  one has no place
        return None
    sheets = _in_common(own)
    sums = [sums_of(sheet) for sheet in sheets]
    if sums[0].effective < FEWEST - _DUST:
        n, worth = sums[0].n_clusters, sums[0].effective
        of = "" if n - worth < _DUST else f", which weigh as {worth:.1f} of one weight,"
        raise UsageError(f"too few clips to tell how firm places are: {n}{of} where {FEWEST} are the fewest that can")
    up = sheets[0].measure.direction == "up"
    values = np.array([one.values().mean() for one in sums])
    rank = _ranks(values[None], up=up)[0]
    kinds = DRAWN if crossed(sheets[0].variants).wording > 1 else DRAWN[:1]
    drawn = {kind: drawn_anew(kind, sums, seed, draws) for kind in kinds}
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
    cut = [str(one.run.folder.path) for one, now in zip(own, sheets, strict=True) if now.state.size < one.state.size]
    made = [_signed(one, common, len(sheets[0].items)) for one in signatures] if cut else signatures
    return Places(
        measure=measure.name,
        unit=measure.unit,
        direction=measure.direction,
        range=measure.range,
        signatures=tuple(dict.fromkeys(made)),
        n_items=len(sheets[0].items),
        wordings=common.wording,
        orders=common.order,
        repeats=common.repeat,
        runs=tuple(sorted(found, key=lambda one: (one.rank, one.run))),
        unplaced=tuple(unplaced),
        cut=tuple(cut),
    )


def _signed(signature: str, common: Asked, n_items: int) -> str:
    """How the scores are made of what all runs were asked."""
    ways = {f"{way}s": n for way, n in common._asdict().items()}
    kept = [part for part in signature.split("+") if part.partition("-")[0] not in ways]
    return "+".join([*kept, *(f"{way}-{n}" for way, n in ways.items()), f"common-items-{n_items}"])


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


def drawn_anew(kind: str, sums: Sequence[Sums], seed: int = 0, draws: int = DRAWS) -> Floats:
    """Scores of each run in each draw, ``float64[draws, runs]``.

    Args:
        kind: of `DRAWN`.
        sums: of the runs, of the same clusters in the same variants.
        seed: of the draws.
        draws: how many.
    """
    rng = seeds.generator(seed, "places", kind)
    values = np.stack([one.values() for one in sums], axis=1)
    found = np.tile(values.mean(axis=0), (draws, 1))
    if kind != "wordings":
        clusters = np.stack([one.pseudo_values().mean(axis=1) for one in sums], axis=1)
        found += _moved(clusters, sums[0].effective, draws, rng)
    if kind != "items":
        wording = np.array([(asked(name) or Asked()).wording for name in sums[0].sheet.variants])
        each = np.stack([values[wording == number].mean(axis=0) for number in np.unique(wording)])
        found += _moved(each, len(each), draws, rng)
    return found


def _moved(levels: Floats, effective: float, draws: int, rng: np.random.Generator) -> Floats:
    """How far means over clusters, or wordings, move where these are drawn anew, ``float64[draws, runs]``.

    What they differ by with random signs and sizes, which has the variance that it says of the mean; and Student's t of
    as many degrees of freedom, since few of them say little of that variance.

    Args:
        levels: ``float64[levels, runs]``.
        effective: as many levels of equal weight would be as good.
        draws: how many.
        rng: what draws.
    """
    apart = (levels - levels.mean(axis=0)) / math.sqrt(len(levels) * (len(levels) - 1))
    moved = [rng.normal(size=(min(_AT_ONCE, draws - at), len(levels))) @ apart for at in range(0, draws, _AT_ONCE)]
    return np.concatenate(moved) * np.sqrt((effective - 1) / rng.chisquare(effective - 1, (draws, 1)))
