"""What a run scores when its items come without their own clips, each such variant a condition of its own."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.choices.variant import PLAIN, without_clip
from audiometry.score import aggregate
from audiometry.score.aggregate import ItemTable
from audiometry.score.judge_all import judge_all
from audiometry.score.judged import Judged, OpenRun, only, with_clips
from audiometry.score.marks import Marks, mark
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.profiles import Rules, rules_of
from audiometry.score.result import Condition, Difference
from audiometry.stats.multiplicity import holm
from audiometry.stats.paired import paired


class Column(msgspec.Struct, frozen=True):
    """One variant of a run under one profile."""

    judged: Judged
    marks: Marks


def asked(run: OpenRun) -> tuple[str, ...]:
    """The variants of a run in which items come without their own clip; none if no item has one."""
    if not with_clips(run).positions:
        return ()
    return without_clip(run.info.variants)


def columns(run: OpenRun, profiles: Mapping[str, Profile]) -> dict[str, dict[str, Column]]:
    """``plain`` and each variant without the clip on its own, by profile and variant, in one pass over the replies.

    Only ``plain`` stands for the real clip: it shows the options in the order that the others show them, so that
    nothing but the sound is different. Items that name no clip are left out.
    """
    run = only(with_clips(run), (PLAIN, *asked(run)))
    found = zip(profiles.items(), judge_all(run, list(profiles.values())), strict=True)
    return {
        name: {
            variant: _column(judged, mark(run, profile, judged), number)
            for number, variant in enumerate(run.info.variants)
        }
        for (name, profile), judged in found
    }


def conditions(run: OpenRun, profiles: Mapping[str, Profile], items: ItemTable) -> dict[str, dict[str, Condition]]:
    """What a run scores in each variant without the clip, and how much less that is, by profile and variant.

    Args:
        run: the run.
        profiles: whose rules, by name.
        items: its planned items; those that name no clip have no part in this.
    """
    if not asked(run):
        return {name: {} for name in profiles}
    heard = with_clips(run)
    items = items if heard is run else aggregate.table(heard)
    return {name: _conditions(found, items, rules_of(profiles[name])) for name, found in columns(run, profiles).items()}


def _conditions(found: Mapping[str, Column], items: ItemTable, rules: Rules) -> dict[str, Condition]:
    drops = {name: _drop(name, found[PLAIN], column, items, rules) for name, column in found.items() if name != PLAIN}
    known = {name: drop for name, drop in drops.items() if drop is not None}
    corrected = dict(zip(known, holm([drop.p for drop in known.values()]), strict=True))
    return {
        name: Condition(
            **msgspec.structs.asdict(aggregate.whole(items, found[name].judged, found[name].marks, rules)),
            difference=None if drop is None else msgspec.structs.replace(drop, p_corrected=corrected[name]),
        )
        for name, drop in drops.items()
    }


def _drop(name: str, plain: Column, other: Column, items: ItemTable, rules: Rules) -> Difference | None:
    counts = plain.marks.item_counts & other.marks.item_counts
    if not counts.any():
        return None
    real, without = plain.marks.item_scores[counts], other.marks.item_scores[counts]
    weights = aggregate.item_weights(items, counts, by_items=rules.average == "items")
    found = paired(
        real,
        without,
        items.cluster[counts],
        weights=weights,
        strata=items.task[counts],
        rng=seeds.generator(0, "conditions", name),
    )
    return Difference(
        n_items=found.n,
        n_clusters=found.n_clusters,
        score_a=_mean(weights, real),
        score_b=_mean(weights, without),
        difference=found.difference,
        interval=(found.low, found.high),
        p=found.p,
        detectable=found.detectable,
    )


def _mean(weights: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    return float((weights * scores).sum() / weights.sum())


def _column(judged: Judged, marks: Marks, number: int) -> Column:
    """One column of each; kinds of failures are not told apart by variant."""
    one = slice(number, number + 1)
    return Column(
        Judged(
            judged.verdict[:, one],
            judged.chosen[:, one],
            judged.gold[:, one],
            judged.empty[:, one],
            judged.missing[:, one],
            {},
        ),
        Marks(right=marks.right[:, one], counted=marks.counted[:, one], guessed=marks.guessed[:, one]),
    )
