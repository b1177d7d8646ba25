"""Two runs on the same items, compared in pairs."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.errors import UsageError
from audiometry.files.run_folder import RunInfo
from audiometry.records import Verdict
from audiometry.score import aggregate
from audiometry.score.align import reread
from audiometry.score.aligning.stored import Stored, in_common, stored_in
from audiometry.score.chat.compare import compare_open
from audiometry.score.chat.stored import by_judge
from audiometry.score.chat.values import Panel
from audiometry.score.confounds import confounds
from audiometry.score.extras import Mode
from audiometry.score.judged import CODE, OpenRun, with_options, with_own_clips
from audiometry.score.judged import judge as read
from audiometry.score.marks import mark
from audiometry.score.profiles import DEFAULT, named, rules_of
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.result import Comparison, Difference
from audiometry.stats.paired import Paired, holm, paired

Floats = NDArray[np.float64]


def compare(
    a: OpenRun,
    b: OpenRun,
    profile: str = DEFAULT,
    *,
    align: Mode | None = None,
    judge: str = "",
    panel: Panel = "mean",
) -> Comparison:
    """Compare two runs of one benchmark on the items that both were asked.

    Args:
        a: run A.
        b: run B.
        profile: whose rules.
        align: use the alignment by a judge that both runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug, if they hold several. Open questions are compared by the verdicts that both
            hold; with questions of both kinds, where a judge is named and ``align`` is None.
        panel: how the scores of several judges of open questions are put together.

    Raises:
        UsageError: one run is given twice, or the runs are of different benchmarks, have no item in common, or were not
            judged or aligned alike.
    """
    if by_judge(a, align, judge):
        return compare_open(a, b, profile, judge, panel)
    a, b = (with_own_clips(with_options(run)) for run in (a, b))
    both = np.intersect1d(a.positions, b.positions)
    if not len(both):
        raise UsageError(
            f"{a.folder.path} and {b.folder.path} have no item in common; run them with the same --task and --limit"
        )
    which = in_common(stored_in([a, b], profile), align, judge) if align else None
    readers = [_reader(run, profile, which) for run in (a, b)]
    (scores_a, counts_a, failed_a), (scores_b, counts_b, failed_b) = (
        _scores(run, both, reader) for run, (reader, _) in zip((a, b), readers, strict=True)
    )
    counts = counts_a & counts_b
    if not counts.any():
        raise UsageError(
            f"no item counts in both {a.folder.path} and {b.folder.path} under the rules of {profile}; compare by "
            "others"
        )
    scores_a, scores_b = scores_a[counts], scores_b[counts]
    common = msgspec.structs.replace(a, positions=[int(p) for p in both[counts]], info=_all_tasks(a))
    items = aggregate.table(common)
    weights = aggregate.item_weights(items, by_items=rules_of(named(profile)).average == "items")
    whole = _difference(items, scores_a, scores_b, weights, slice(None), "all")
    tasks = {
        items.tasks[code]: _difference(items, scores_a, scores_b, None, items.task == code, items.tasks[code])
        for code in np.unique(items.task)
    }
    corrected = holm([row.p for row in tasks.values()])
    tasks = {
        name: msgspec.structs.replace(row, p_corrected=p)
        for (name, row), p in zip(tasks.items(), corrected, strict=True)
    }
    warnings = _failures(a, b, (failed_a, failed_b)) + confounds(a, b, len(both))
    if not counts.all():
        left = int((~counts).sum())
        warnings += (f"{left:,} items do not count in both runs under the rules of {profile} and are left out",)
    warnings += tuple(
        f"{run.folder.path}: the judge has no readable answer on {n:,} replies, which count as unanswered"
        for run, (_, n) in zip((a, b), readers, strict=True)
        if n
    )
    return Comparison(
        a=str(a.folder.path),
        b=str(b.folder.path),
        measure=aggregate.MEASURE,
        unit=aggregate.UNIT,
        direction="up",
        range=(0.0, 1.0),
        profile=profile,
        tasks=tasks,
        warnings=warnings,
        aligned_by=which.words if which else "",
        **msgspec.structs.asdict(whole),
    )


def _reader(run: OpenRun, profile: str, which: Stored | None) -> tuple[Profile, int]:
    """Who reads a run's replies, and at how many the judge failed."""
    if which is None:
        return named(profile), 0
    found = reread(run, profile, which)
    return found.reader, found.n_failed


def _scores(run: OpenRun, both: NDArray[np.int64], reader: Profile) -> tuple[Floats, NDArray[np.bool_], float]:
    """Of the items in both runs: their scores, whether they count, and the share of replies that failed."""
    judged = read(run, reader)
    rows = np.searchsorted(np.asarray(run.positions), both)
    failed = float(((judged.verdict == CODE[Verdict.FAILED]) & ~judged.missing)[rows].mean())
    marks = mark(run, reader, judged)
    return marks.item_scores[rows], marks.item_counts[rows], failed


def _difference(
    items: aggregate.ItemTable,
    a: Floats,
    b: Floats,
    weights: Floats | None,
    rows: NDArray[np.bool_] | slice,
    name: str,
) -> Difference:
    found: Paired = paired(
        a[rows],
        b[rows],
        items.cluster[rows],
        weights=weights,
        strata=items.task[rows],
        rng=seeds.generator(0, "compare", name),
    )
    w = np.full(len(a[rows]), 1 / len(a[rows])) if weights is None else weights
    return Difference(
        n_items=found.n,
        n_clusters=found.n_clusters,
        score_a=float(w @ a[rows]),
        score_b=float(w @ b[rows]),
        difference=found.difference,
        interval=(found.low, found.high),
        p=found.p,
        detectable=found.detectable,
    )


def _failures(a: OpenRun, b: OpenRun, failed: tuple[float, float]) -> tuple[str, ...]:
    return tuple(
        f"{run.folder.path}: {share:.1%} of the replies failed and count as wrong; run it again before you rank it"
        for run, share in zip((a, b), failed, strict=True)
        if share > aggregate.MOST_FAILED
    )


def _all_tasks(run: OpenRun) -> RunInfo:
    return msgspec.structs.replace(run.info, tasks=())


def _named(run: OpenRun) -> str:
    stamp = run.info.benchmark
    return f"{stamp.name} {stamp.version} ({stamp.sha256[:8]})"
