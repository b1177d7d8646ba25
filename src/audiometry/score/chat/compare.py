"""Two runs of open questions, judged by the same judges, compared in pairs on the judges' scale."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.choices.variant import with_clip
from audiometry.errors import UsageError
from audiometry.score.chat.rows import Table
from audiometry.score.chat.rules import MEASURE, UNIT, ChatRules, rules_named
from audiometry.score.chat.sheet import Sheet, State, sheet
from audiometry.score.chat.stored import StoredJudge, again, in_common, stored
from audiometry.score.chat.tree import Groups, Tree, tree
from audiometry.score.chat.values import Panel, Values, joined, values
from audiometry.score.confounds import confounds
from audiometry.score.judged import OpenRun, with_own_clips
from audiometry.score.result import Comparison, Difference
from audiometry.stats.multiplicity import holm
from audiometry.stats.paired import paired

MOST_FAILED = 0.01  # beyond that a run is warned of
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class _Side(msgspec.Struct, frozen=True):
    """One run: its replies, their scores by all judges together, and an item's mean of both orders."""

    sheet: Sheet
    found: Values
    item_scores: Floats


def compare_open(a: OpenRun, b: OpenRun, profile: str, judge: str = "", panel: Panel = "mean") -> Comparison:
    """A minus B on the open items that both were asked, by the verdicts that the run folders hold.

    Args:
        a: a run, with all its variants.
        b: one of the same benchmark.
        profile: whose rules.
        judge: by name or slug; empty: all judges of the runs, which have to be the same.
        panel: how several judges are put together.

    Raises:
        UsageError: the runs were not judged alike, or no item counts in both.
        UnknownNameError: there is no such profile for open answers.
        RunFolderError: a score or a journal is damaged.
    """
    rules = rules_named(profile)
    judges = in_common({run.folder.path: stored(run.folder.path) for run in (a, b)}, judge)
    first, second = (_side(run, rules, judges, panel) for run in (a, b))
    both = np.intersect1d(first.sheet.run.positions, second.sheet.run.positions)
    rows, others = (np.searchsorted(side.sheet.run.positions, both) for side in (first, second))
    counted = ~np.isnan(first.item_scores[rows]) & ~np.isnan(second.item_scores[others])
    if not counted.any():
        raise UsageError(
            f"no item has a score in both {a.folder.path} and {b.folder.path}; run them with the same --task and "
            "--limit, and score them by the same judge"
        )
    where = tree(first.sheet, rules)
    scores = np.full((2, len(first.item_scores)), np.nan)
    scores[0, rows[counted]], scores[1, rows[counted]] = (
        first.item_scores[rows[counted]],
        second.item_scores[others[counted]],
    )
    there = ~np.isnan(scores[0])
    whole = _difference(scores, where, where.of(there), rules, "all")
    items = where.items
    tasks = {
        items.tasks[code]: _difference(
            scores, where, Groups.one(there & (items.task == code)), rules, items.tasks[code]
        )
        for code in np.unique(items.task[there])
    }
    corrected = holm([row.p for row in tasks.values()])
    return Comparison(
        a=str(a.folder.path),
        b=str(b.folder.path),
        tasks={
            name: msgspec.structs.replace(row, p_corrected=p)
            for (name, row), p in zip(tasks.items(), corrected, strict=True)
        },
        warnings=_warnings(first, second, both, int((~counted).sum())),
        judges=tuple(one.words for one in judges),
        panel=panel if len(judges) > 1 else "",
        measure=MEASURE,
        unit=UNIT,
        direction="up",
        range=(rules.lowest, rules.highest),
        profile=rules.name,
        **msgspec.structs.asdict(whole),
    )


def _side(run: OpenRun, rules: ChatRules, judges: Sequence[StoredJudge], panel: Panel) -> _Side:
    found = sheet(run)
    pairs = found.to_judge(empty_too=rules.empty_judged)
    each = [values(found, again(found, one, pairs).verdicts.said, rules) for one in judges]
    together = joined(each, panel)
    own = [run.info.variants.index(name) for name in with_clip(run.info.variants)]
    return _Side(found, together, Table(found, together, rules, tree(found, rules), own).item_scores)


def _difference(scores: Floats, where: Tree, groups: Groups, rules: ChatRules, name: str) -> Difference:
    counted, scale = groups.rows, rules.highest - rules.lowest
    weights = groups.item_weights(counted)
    one, other = ((side[counted] - rules.lowest) / scale for side in scores)
    found = paired(
        one,
        other,
        where.items.cluster[counted],
        weights=weights,
        strata=where.pool[counted],
        rng=seeds.generator(0, "compare", name),
    )
    mean_a, mean_b = (rules.lowest + scale * float(weights @ side) / float(weights.sum()) for side in (one, other))
    return Difference(
        n_items=found.n,
        n_clusters=found.n_clusters,
        score_a=mean_a,
        score_b=mean_b,
        difference=scale * found.difference,
        interval=(scale * found.low, scale * found.high),
        p=found.p,
        detectable=scale * found.detectable,
    )


def _warnings(first: _Side, second: _Side, both: NDArray[np.int64], left_out: int) -> tuple[str, ...]:
    found = []
    for side in (first, second):
        state, path = side.sheet.state, side.sheet.run.folder.path
        failed, unread = float((state == State.FAILED).mean()), float(side.found.unread.mean())
        if failed > MOST_FAILED:
            found.append(f"{path}: {failed:.1%} of the replies failed; run it again before you rank it")
        if unread > MOST_FAILED:
            found.append(f"{path}: the judge failed at {unread:.1%} of the replies; score it again before you rank it")
    found += confounds(with_own_clips(first.sheet.run), with_own_clips(second.sheet.run), len(both))
    if left_out:
        found.append(f"{left_out:,} items have no score in one of the runs and are left out")
    return tuple(found)
