"""The one door of scoring: a run goes in, all that can be said of it comes out; free, and as often as one likes.

Whatever the kind of score, it goes one way: readers look at the replies, a measure makes a sheet of their outcomes, and
rows, intervals, conditions, comparisons and stored files are made of sheets.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audiometry.errors import UsageError
from audiometry.score import profiles as known
from audiometry.score.aligning.compare import compare as compare_judged
from audiometry.score.by_reference import lacking
from audiometry.score.chat.stored import by_judge
from audiometry.score.chat.values import Panel
from audiometry.score.conditions import conditions
from audiometry.score.cut import Cut
from audiometry.score.difference import compare as compare_sheets
from audiometry.score.extras import Extras, Mode
from audiometry.score.filling import fill_all
from audiometry.score.kept import keep
from audiometry.score.listening import Listening, listening
from audiometry.score.matching import matching, plain_matching
from audiometry.score.measures.references import Watch, unwatched
from audiometry.score.opened import OpenedRun, open_run
from audiometry.score.planned import Planned, by_choice, by_measure
from audiometry.score.result import Comparison, Scored, Scores
from audiometry.score.sheet import Sheet
from audiometry.score.signature import signed
from audiometry.score.table import rows


def score(
    run: OpenedRun | Path,
    profiles: Sequence[str] = (),
    *,
    measures: Sequence[str] = (),
    by: Sequence[str] = (),
    bench: str = "",
    store: bool = True,
    watch: Watch = unwatched,
) -> Scores:
    """A run under one or several profiles and measures.

    Args:
        run: the run, or the path of its folder.
        profiles: names; ``all`` for every one; empty for ``strict``.
        measures: names of measures, or programs (``exec/COMMAND``), that replies are to be scored by as well.
        by: tags of items by whose values there are rows.
        bench: where the benchmark is now, if it moved.
        store: write each score to the folder's ``scores/``.
        watch: told how programs get on.

    Raises:
        RunFolderError: not a run folder, or its benchmark has changed.
        UsageError: nothing in it can be scored so.
        UnknownNameError: there is no such profile.
    """
    opened = open_run(run, bench) if isinstance(run, Path) else run
    plans = [by_choice(opened, one) for one in known.wanted(profiles).values()]
    plans += [by_measure(opened, name, watch, store=store) for name in dict.fromkeys(measures)]
    found = scored(opened, plans, by)
    for name in measures:
        if name not in found.scores:
            raise lacking(opened, name)
    if not found.scores:
        raise UsageError(
            f"{opened.folder.path}: the questions of {opened.info.benchmark.name} are open, no rule can score them; "
            f"see audiometry score {shlex.quote(str(opened.folder.path))} --judge MODEL"
        )
    if store:
        keep(opened.folder, found)
    return found


def measured(run: OpenedRun, measures: Sequence[str], watch: Watch = unwatched) -> Scores:
    """A run under measures alone; also written to the folder's ``scores/``.

    Raises:
        UsageError: a measure fits no item of the run.
        UnknownNameError: there is no such measure.
        RunFolderError: the run folder is damaged.
    """
    found = scored(run, [by_measure(run, name, watch) for name in dict.fromkeys(measures)])
    for name in measures:
        if name not in found.scores:
            raise lacking(run, name)
    keep(run.folder, found)
    return found


def scored(run: OpenedRun, plans: Sequence[Planned], by: Sequence[str] = ()) -> Scores:
    """What plans say of a run; its items and replies are read once.

    Raises:
        RunFolderError: the run folder is damaged.
    """
    cut = Cut(run)
    extra = matching() if any("choice" in plan.wanted.readers for plan in plans) else {}
    sheets = fill_all(run, [plan.wanted for plan in plans] + list(extra.values()), by, watch=cut.see)
    matched = plain_matching(dict(zip(extra, sheets[len(plans) :], strict=True)))
    start = Extras(plain_matching=matched)
    made = {
        plan.name: (_one(run, plan, sheet, start, by), sheet)
        for plan, sheet in zip(plans, sheets, strict=False)
        if len(sheet.items)
    }
    in_any = np.unique(np.concatenate([sheet.items.position for _, sheet in made.values()] or [np.zeros(0, np.int64)]))
    silent = sum(not run.benchmark.items.has_clip(position) for position in in_any.tolist())
    return Scores(
        run=str(run.folder.path),
        benchmark=run.info.benchmark.name,
        model=run.info.model,
        asked=run.info.called,
        scores={name: one for name, (one, _) in made.items()},
        listening=_heard(made),
        n_items=len(run.positions),
        n_unscored=len(run.positions) - len(in_any),
        n_without_clip=silent,
        n_left_out=run.info.benchmark.left_out,
        n_clips_cut=cut.n,
        left_out=run.benchmark.left_out(run.info.tasks),
    )


def _one(run: OpenedRun, plan: Planned, sheet: Sheet, extras: Extras, by: Sequence[str]) -> Scored:
    made = rows(sheet, signed(run.info, plan.signed, *plan.others), by)
    made = msgspec.structs.replace(made, variants=conditions(sheet))
    return plan.finish(sheet, msgspec.structs.replace(made, extras=extras) if "choice" in made.kinds else made)


def heard(run: OpenedRun) -> Listening:
    """Whether the model of a run listens, by the house's own reading of its choices.

    A run without variants that replace the clip gets the third verdict, and the reason says what to ask.

    Raises:
        UsageError: all of its questions are open.
        RunFolderError: the run folder is damaged.
    """
    plan = by_choice(run, known.PROFILES.named(known.DEFAULT))
    sheet = fill_all(run, [plan.wanted])[0]
    if not len(sheet.items):
        raise UsageError(f"{run.folder.path}: all of its questions are open; whether it listens is told by choices")
    return listening(sheet, conditions(sheet))


def _heard(made: Mapping[str, tuple[Scored, Sheet]]) -> Listening | None:
    """The same where it was asked for it; by the rules of ``strict``, if these are among the profiles."""
    found = made.get(known.DEFAULT)
    if found is None or "choice" not in found[0].kinds or not found[0].variants:
        return None
    return listening(found[1], found[0].variants)


def compare(
    run_a: OpenedRun | Path,
    run_b: OpenedRun | Path,
    profile: str = known.DEFAULT,
    bench: str = "",
    *,
    measure: str = "",
    align: Mode | None = None,
    judge: str = "",
    panel: Panel = "mean",
) -> Comparison:
    """Compare two runs of one benchmark on the items that both were asked: A minus B.

    Args:
        run_a: A, or the path of its folder.
        run_b: B, or the path of its folder.
        profile: whose rules.
        bench: where the benchmark is now, if it moved.
        measure: by which answers in words, or labels, are compared; empty: choices by the profile.
        align: use the alignment by a judge that both runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug, if they hold several; open questions are compared by the verdicts that both
            hold.
        panel: how the scores of several judges of open questions are put together.

    Raises:
        UsageError: one run is given twice, or the runs are of different benchmarks or have no item in common.
    """
    a, b = (open_run(run, bench) if isinstance(run, Path) else run for run in (run_a, run_b))
    alike(a, b)
    if measure:
        sides = [fill_all(run, [by_measure(run, measure, store=False).wanted])[0] for run in (a, b)]
        for run, side in zip((a, b), sides, strict=True):
            if not len(side.items):
                raise lacking(run, measure)
        return compare_sheets(*sides)
    if align or by_judge(a, align, judge):
        return compare_judged(a, b, profile, align=align, judge=judge, panel=panel)
    plan = by_choice(a, known.PROFILES.named(profile))
    first, second = (fill_all(run, [plan.wanted])[0] for run in (a, b))
    return compare_sheets(first, second)


def alike(a: OpenedRun, b: OpenedRun) -> None:
    """Let through only two runs of one benchmark.

    Raises:
        UsageError: they are not, or are one run.
    """
    if a.folder.path.resolve() == b.folder.path.resolve():
        raise UsageError(f"{b.folder.path} is given twice; compare two runs")
    if a.info.benchmark.sha256 != b.info.benchmark.sha256:
        raise UsageError(
            f"{a.folder.path} is a run of {_named(a)}, {b.folder.path} of {_named(b)}; only runs of the same version "
            "can be compared"
        )


def _named(run: OpenedRun) -> str:
    stamp = run.info.benchmark
    return f"{stamp.name} {stamp.version} ({stamp.sha256[:8]})"
