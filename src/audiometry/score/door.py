"""The one door of scoring: a run goes in, all that can be said of it comes out; free, and as often as one likes.

Whatever the kind of score, it goes one way: readers look at the replies, a measure makes a sheet of their outcomes, and
rows, intervals, conditions, comparisons and stored files are made of sheets.
"""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from audiometry.errors import UsageError
from audiometry.outside import OutsideError
from audiometry.score import profiles as known
from audiometry.score.agenda import agenda
from audiometry.score.attention import Listening
from audiometry.score.by_reference import lacking
from audiometry.score.conditions import conditions, with_fewer_options
from audiometry.score.cut import Cut
from audiometry.score.extras import Extras, Mode
from audiometry.score.filling import Count, fill_all
from audiometry.score.items import Bools
from audiometry.score.judge.needed import nothing_open, open_named
from audiometry.score.judge.planning import (
    Judges,
    loaded,
)
from audiometry.score.kept import keep
from audiometry.score.listening import listening
from audiometry.score.matching import matching, plain_matching
from audiometry.score.measures.references import Watch, unwatched
from audiometry.score.opened import OpenedRun, has_open, has_words, open_run
from audiometry.score.planned import Planned, by_choice, by_measure, refuse_unknown
from audiometry.score.readers.judged import Panel
from audiometry.score.replies import Replies
from audiometry.score.result import Scored, Scores
from audiometry.score.rows import rows
from audiometry.score.sheet import Sheet
from audiometry.score.signature import signed
from audiometry.score.table import cleaned

if TYPE_CHECKING:
    from audiometry.files.ratings import Ratings
    from audiometry.score.judge.judge import Judge
    from audiometry.score.judge.settings import Follow, JudgeSettings


def score(
    run: OpenedRun | Path,
    profiles: Sequence[str] = (),
    *,
    measures: Sequence[str] = (),
    judges: Sequence[Judge | JudgeSettings] = (),
    align: Mode | None = None,
    panel: Panel = "mean",
    injections: int = 0,
    people: Ratings | None = None,
    follow: Follow | None = None,
    by: Sequence[str] = (),
    bench: str = "",
    store: bool = True,
    watch: Watch = unwatched,
    counts: Sequence[Count] = (),
) -> Scores:
    """A run under one or several profiles and measures.

    Args:
        run: the run, or the path of its folder.
        profiles: names; ``all`` for every one; empty for ``strict``.
        measures: names of measures, or programs (``exec/COMMAND``), that replies are to be scored by as well.
        judges: who scores open answers, one or several, or reads choices; they are asked what they have not said yet.
            A `Judge` stays loaded for whoever asks it more.
        align: have the judge read the replies to questions with options: ``judge``: where rules read nothing;
            ``always``: all of them; None: rules alone.
        panel: how the scores of several judges are put together.
        injections: replies that each judge of open answers is tempted with, to see whether it obeys.
        people: ratings of some of the replies, from which the score that people would give is estimated.
        follow: who is told how the asking goes.
        by: tags of items by whose values there are rows.
        bench: where the benchmark is now, if it moved.
        store: write each score to the folder's ``scores/``.
        watch: told how programs get on.
        counts: look at every reply as well, as it is read.

    Raises:
        RunFolderError: not a run folder, or its benchmark has changed.
        UsageError: nothing in it can be scored so.
        UnknownNameError: there is no such profile, or no such judge.
        StoppedError: no judge answers, or the person stopped it; the answers so far are kept.
    """
    opened = open_run(run, bench) if isinstance(run, Path) else run
    with loaded(judges) as asked:
        how = Judges(judges=asked, align=align, panel=panel, injections=injections, people=people, follow=follow)
        plans, broken = agenda(opened, profiles, measures, how, watch, store=store)
    found = scored(opened, plans, by, counts)
    found = msgspec.structs.replace(found, broken=broken | found.broken)
    _refuse_lacking(opened, measures, found)
    for tag in by:
        refuse_unknown(opened, tag, found)
    if found.scores:
        idle = _idle(opened, profiles, found, judged=bool(judges))
        found = msgspec.structs.replace(found, broken=found.broken | idle)
    else:
        raise UsageError(next(iter(found.broken.values()), "") or _why_not(opened, profiles, judged=bool(judges)))
    return keep(opened.folder, found) if store else found


def _idle(run: OpenedRun, names: Sequence[str], found: Scores, *, judged: bool) -> dict[str, str]:
    """The profiles that were named and that nothing was scored by, and why."""
    made = {one.profile for one in found.scores.values()} | {known.EVERY, *found.broken}
    awaits = set() if judged or not has_open(run) else {one.name for one in open_named(names, others=True)}
    return {
        name: "it needs a judge; name one with --judge" if name in awaits else "nothing here goes by its rules"
        for name in names
        if name not in made
    }


def _why_not(run: OpenedRun, profiles: Sequence[str], *, judged: bool) -> str:
    """Why nothing in a run can be scored."""
    path, name = run.folder.path, run.info.benchmark.name
    judges = open_named(profiles, others=True) if profiles and not judged and has_open(run) else []
    if judges:
        named = shlex.join([str(path), "--profile", judges[0].name])
        return f"{path}: profile {judges[0].name} needs a judge; see audiometry score {named} --judge MODEL"
    if why := next(filter(None, (nothing_open(run, one) for one in profiles if one != known.EVERY)), ""):
        return f"{path}: {why}; score it without --profile"
    if profiles and not judged and has_words(run):
        return f"{path}: these profiles do not read what tasks of {name} ask for; score it without --profile"
    if not judged and has_open(run):
        return (
            f"{path}: the questions of {name} are open, no rule can score them; "
            f"see audiometry score {shlex.quote(str(path))} --judge MODEL"
        )
    return f"{path}: no item of {name} has a reference answer to compare with; put one into `answer`"


def measured(run: OpenedRun, measures: Sequence[str], watch: Watch = unwatched) -> Scores:
    """A run under measures alone; also written to the folder's ``scores/``.

    Raises:
        UsageError: a measure fits no item of the run.
        UnknownNameError: there is no such measure.
        RunFolderError: the run folder is damaged.
    """
    found = scored(run, [by_measure(run, name, watch) for name in dict.fromkeys(measures)])
    _refuse_lacking(run, measures, found)
    return keep(run.folder, found)


def _refuse_lacking(run: OpenedRun, measures: Sequence[str], found: Scores) -> None:
    for name in measures:
        if name not in found.scores and name not in found.broken:
            raise lacking(run, name)


def scored(run: OpenedRun, plans: Sequence[Planned], by: Sequence[str] = (), counts: Sequence[Count] = ()) -> Scores:
    """What plans say of a run, as `with_sheets`."""
    return with_sheets(run, plans, by, counts)[0]


def with_sheets(
    run: OpenedRun,
    plans: Sequence[Planned],
    by: Sequence[str] = (),
    counts: Sequence[Count] = (),
    replies: Replies | None = None,
) -> tuple[Scores, dict[str, Sheet]]:
    """What plans say of a run, and the sheet of each score, by name.

    Items and replies are read once, unless a measure or a reader is broken. ``replies`` as in `fill_all`.

    Raises:
        RunFolderError: the run folder is damaged.
        OutsideError: every one is broken.
    """
    try:
        return _scored(run, plans, by, counts, replies)
    except OutsideError as problem:
        others = [plan for plan in plans if not plan.rests_on(problem)]
        if not others or len(others) == len(plans):
            raise
        found, made = with_sheets(run, others, by, counts, replies)
        if not found.scores:
            raise
        broken = {plan.name: str(problem) for plan in plans if plan.rests_on(problem)}
        return msgspec.structs.replace(found, broken=broken | found.broken), made


def _scored(
    run: OpenedRun, plans: Sequence[Planned], by: Sequence[str], counts: Sequence[Count], replies: Replies | None
) -> tuple[Scores, dict[str, Sheet]]:
    cut, letters = Cut(run), matching(run) if any("choice" in plan.wanted.readers for plan in plans) else {}
    more = [wanted for plan in plans for wanted in plan.more]
    tags = [*by, *(one.tag for one in run.benchmark.card.dimension)]
    sheets = fill_all(run, [*(plan.wanted for plan in plans), *more], tags, [cut, *letters.values(), *counts], replies)
    further = iter(sheets[len(plans) :])
    beside = [list(itertools.islice(further, len(plan.more))) for plan in plans]
    start = Extras(plain_matching=plain_matching(letters))
    made = {
        plan.name: (_one(run, plan, (sheet, *others), start, by), sheet)
        for plan, sheet, others in zip(plans, sheets, beside, strict=False)
        if len(sheet.items)
    }
    in_any, silent = (np.zeros(len(run.benchmark), np.bool_) for _ in range(2))
    for _, sheet in made.values():
        in_any[sheet.items.position] = True
        silent[sheet.items.position] = ~sheet.items.clip
    found = Scores(
        run=str(run.folder.path),
        benchmark=run.info.benchmark.name,
        model=run.info.model,
        asked=run.info.called,
        scores={name: one for name, (one, _) in made.items()},
        listening=_heard({name: one for name, (one, _) in made.items()}),
        n_items=len(run.positions),
        n_unscored=len(run.positions) - int(in_any.sum()),
        unscored=_unscored(run, in_any),
        n_without_clip=int(silent.sum()),
        n_published=run.benchmark.of_published[1],
        coverage=run.benchmark.said_of_published(),
        unlike=run.unlike_published,
        n_left_out=run.info.benchmark.left_out,
        n_clips_cut=cut.n,
        left_out=run.benchmark.left_out(run.info.tasks),
    )
    return found, {name: sheet for name, (_, sheet) in made.items()}


def _unscored(run: OpenedRun, in_any: Bools) -> dict[str, int]:
    """Items that are in no score, by the kind of their task."""
    asked = np.asarray(run.positions, np.int64)
    tasks = Counter(map(run.benchmark.items.task_of, asked[~in_any[asked]].tolist()))
    kinds: Counter[str] = Counter()
    for name, n in tasks.items():
        kinds[run.benchmark.card.task_named(name).kind] += n
    return dict(kinds)


def _one(run: OpenedRun, plan: Planned, sheets: Sequence[Sheet], extras: Extras, by: Sequence[str]) -> Scored:
    sheet, *more = sheets
    own = plan.of_rows(sheet)
    made = rows(own, signed(run.info, plan.signed, *plan.others), by, whole_only=plan.whole_only)
    made = msgspec.structs.replace(made, variants=conditions(own), fewer=with_fewer_options(own))
    made = plan.finish(sheet, msgspec.structs.replace(made, extras=extras) if "choice" in made.kinds else made, more)
    aside = {name: cleaned(getattr(made, name)) for name in ("variants", "fewer", "listening")}
    return msgspec.structs.replace(made, extras=cleaned(made.extras), **aside)


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
    return listening(sheet, conditions(sheet), run.info.prompt.shots)


def _heard(made: Mapping[str, Scored]) -> Listening | None:
    """That of ``strict``, else of the first score that has one."""
    first = [made[known.DEFAULT]] if known.DEFAULT in made else []
    return next((one.listening for one in (*first, *made.values()) if one.listening is not None), None)
