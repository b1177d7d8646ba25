"""Two runs of one benchmark compared: every kind of task that both were asked, each by the measure that scores it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audiometry.errors import UsageError, counted, shown
from audiometry.outside import OutsideError
from audiometry.score import profiles as known
from audiometry.score.by_reference import lacking
from audiometry.score.confounds import alike
from audiometry.score.difference import compare as compare_sheets
from audiometry.score.extras import Mode
from audiometry.score.filling import fill_all
from audiometry.score.heard import Changed
from audiometry.score.judge.needed import open_named, rules_open
from audiometry.score.judge.planning import (
    held_in_common,
    planned_aligned,
    planned_open,
    reads_choices,
)
from audiometry.score.judge.stored import Stored, stored
from audiometry.score.judge.stored import in_common as judges_in_common
from audiometry.score.measures.foreign import by_reference
from audiometry.score.opened import OpenedRun, has_open, has_options, open_runs
from audiometry.score.planned import Planned, by_choice, by_measure, without_options
from audiometry.score.readers.judged import Panel
from audiometry.score.result import Comparison
from audiometry.score.sheet import Sheet
from audiometry.score.signature import signed

JUDGED = "judge-score"
_NAMED = 5  # tasks in a message


class By(msgspec.Struct, frozen=True, kw_only=True):
    """By what two runs are compared.

    Attributes:
        profile: whose rules.
        measure: the one that was named; empty: that of each kind of task.
        choices: either has choices; ``which`` judge's reading of them is used, None: the rules'.
        judges: whose verdicts on open answers both hold, a panel if several; none: open answers are left out.
        panel: how the scores of several are put together.
        judged_first: they were asked for by name.
        unjudged: why there are none; None where nobody has to know.
    """

    profile: str
    measure: str = ""
    choices: bool = False
    which: Stored | None = None
    judges: tuple[Stored, ...] = ()
    panel: Panel = "mean"
    judged_first: bool = False
    unjudged: UsageError | None = None


class _Pair(msgspec.Struct, frozen=True):
    """The sheets of both runs under one measure, how these are made, and how many of its items both were asked."""

    a: Sheet
    b: Sheet
    signatures: tuple[str, ...]

    @property
    def n_both(self) -> int:
        return len(np.intersect1d(self.a.items.position, self.b.items.position))


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

    Runs of several kinds of task are compared by each, as they are scored: the first (choices, where there are any)
    has the others in ``also``.

    Args:
        run_a: A, or the path of its folder.
        run_b: B, or the path of its folder.
        profile: whose rules.
        bench: where the benchmark is now, if it moved.
        measure: by which alone the tasks that it fits are compared; empty: every kind by its own.
        align: use the alignment by a judge that both runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug, if they hold several; open questions are compared by the verdicts that both
            hold.
        panel: how the scores of several judges of open questions are put together.

    Raises:
        UsageError: one run is given twice, or the runs are of different benchmarks or have nothing in common that is
            scored.
    """
    a, b = open_runs([run_a, run_b], bench)
    alike(a, b)
    by = By(profile=profile, measure=measure) if measure else by_what((a, b), profile, align, judge, panel)
    clips = [Changed(run) for run in (a, b)]
    pairs, problems = _pairs(a, b, by, clips)
    found: dict[str, Comparison] = {}
    for name, pair in pairs.items():
        if pair.n_both:
            try:
                found[name] = _read_by(compare_sheets(pair.a, pair.b, clips), name, pair.signatures, by)
            except UsageError as problem:
                problems[name] = problem
    if not found:
        raise next(iter(problems.values()), None) or _nothing(a, b, by, pairs)
    notes = [*_left_out(a, b, by, pairs), *(f"not compared by {one}: {why}" for one, why in problems.items())]
    name, first = next(iter(found.items()))
    del found[name]
    return msgspec.structs.replace(first, warnings=(*first.warnings, *notes), also=found)


def by_what(runs: Sequence[OpenedRun], profile: str, align: Mode | None, judge: str, panel: Panel) -> By:
    """By what runs are compared where no measure is named.

    Raises:
        UsageError: a judge is named that has nothing to do, or whose words are not in both folders.
    """
    choices, opened = any(map(has_options, runs)), any(map(has_open, runs))
    reads = reads_choices(runs, profile, align, judge)
    rules = rules_open(runs, profile)
    which = held_in_common(runs, profile, align, judge if reads or rules else "") if choices or rules else None
    judges: tuple[Stored, ...] = ()
    unjudged: UsageError | None = None
    if opened and not rules:
        try:
            open_named([profile])
            folders = {run.folder.path: stored(run.folder.path) for run in runs}
            judges = judges_in_common(folders, "" if reads else judge)
        except UsageError as problem:
            if judge and not reads:
                raise
            unjudged = problem
    return By(
        profile=profile,
        choices=choices,
        which=which,
        judges=judges,
        panel=panel,
        judged_first=bool(judge and not reads),
        unjudged=unjudged,
    )


def plans_of(run: OpenedRun, by: By, lost: dict[str, UsageError]) -> dict[str, Planned]:
    """What a run is compared by, by name; the same for every run of one benchmark. What is broken goes to ``lost``."""
    if by.measure:
        return {by.measure: by_measure(run, by.measure, store=False)}
    plans = {}
    rules = known.PROFILES.named(by.profile)
    if by.which is not None:
        plans[by.profile] = planned_aligned(run, by.profile, by.which)
    elif by.choices and "choice" in rules.readers:
        plans[by.profile] = by_choice(run, rules)
    plans |= {plan.name: plan for plan in without_options(run, [by.profile], [], lost, store=False)}
    judged = {JUDGED: planned_open(run, [by.profile], by.judges, by.panel)[0]} if by.judges else {}
    return judged | plans if by.judged_first else plans | judged


def _pairs(
    a: OpenedRun, b: OpenedRun, by: By, clips: Sequence[Changed]
) -> tuple[dict[str, _Pair], dict[str, UsageError]]:
    """The sheets of both by name, of what either was asked; and what measures or readers that are broken say.

    Raises:
        UsageError: a measure that was named fits no item of a run.
        OutsideError: every one is broken.
    """
    problems: dict[str, UsageError] = {}
    plans, sheets = [plans_of(run, by, problems) for run in (a, b)], list[list[Sheet]]()
    if problems and not plans[0]:
        raise next(iter(problems.values()))
    while not sheets:
        try:
            sheets = [
                fill_all(run, [plan.wanted for plan in its.values()], counts=[one])
                for run, its, one in zip((a, b), plans, clips, strict=True)
            ]
        except OutsideError as problem:
            broken = {name for its in plans for name, plan in its.items() if plan.rests_on(problem)}
            if not broken or len(broken) == len(plans[0]):
                raise
            problems |= dict.fromkeys(broken, problem)
            plans = [{name: plan for name, plan in its.items() if name not in broken} for its in plans]
    pairs = {
        name: _Pair(one, other, tuple(dict.fromkeys((signature(a, plans[0][name]), signature(b, plans[1][name])))))
        for name, one, other in zip(plans[0], *sheets, strict=True)
    }
    for run, found in zip((a, b), sheets, strict=True):
        if by.measure and not len(found[0].items):
            raise lacking(run, by.measure)
    return {name: pair for name, pair in pairs.items() if len(pair.a.items) or len(pair.b.items)}, problems


def signature(run: OpenedRun, plan: Planned) -> str:
    """How a score is made, once it is."""
    against = by_reference(plan.wanted.measure)
    return "+".join([signed(run.info, plan.signed, *plan.others), *(() if against is None else against.stamps)])


def _read_by(found: Comparison, name: str, signatures: tuple[str, ...], by: By) -> Comparison:
    """The comparison with how its scores are made, and the judges that have a part in it."""
    found = msgspec.structs.replace(found, signatures=signatures)
    if name == JUDGED and by.judges:
        words, together = tuple(one.words for one in by.judges), by.panel if len(by.judges) > 1 else ""
        return msgspec.structs.replace(found, judges=words, panel=together)
    if name == by.profile and by.which is not None:
        return msgspec.structs.replace(found, aligned_by=by.which.words)
    return found


def _left_out(a: OpenedRun, b: OpenedRun, by: By, pairs: Mapping[str, _Pair]) -> Iterator[str]:
    """Kinds of task that are in no table: those that one run alone was asked, and those that nothing scores."""
    apart = {name: max(len(pair.a.items), len(pair.b.items)) for name, pair in pairs.items() if not pair.n_both}
    if apart:
        each = ", ".join(f"{counted(n, 'item')} by {shown(name, 60)}" for name, n in apart.items())
        yield f"not compared, as the runs were not asked the same: {each}"
    rest = [] if by.measure else _in_no_table(a, b, pairs)
    if rest:
        why = f": {by.unjudged}" if by.unjudged is not None and _all_open(a, rest) else ""
        what = "open questions" if _all_open(a, rest) else "no reference answer, or a kind that these rules do not read"
        yield f"not compared: {counted(len(rest), 'item')} that both were asked ({what}){why}"


def _in_no_table(a: OpenedRun, b: OpenedRun, pairs: Mapping[str, _Pair]) -> list[int]:
    """Places of items that both runs were asked and that nothing here scores."""
    every = [pair.a.items.position for pair in pairs.values()]
    seen = np.concatenate(every) if every else np.zeros(0, np.int64)
    both = np.intersect1d(np.asarray(a.positions, np.int64), np.asarray(b.positions, np.int64))
    return [int(position) for position in np.setdiff1d(both, seen)]


def _all_open(run: OpenedRun, positions: Sequence[int]) -> bool:
    tasks = {run.benchmark.items.task_of(position) for position in positions}
    return all(run.benchmark.card.task_named(name).kind == "open" for name in tasks)


def _nothing(a: OpenedRun, b: OpenedRun, by: By, pairs: Mapping[str, _Pair]) -> UsageError:
    """Why two runs cannot be compared by anything."""
    paths = f"{a.folder.path} and {b.folder.path}"
    both = set(a.positions).intersection(b.positions)
    if not both:
        return UsageError(f"{paths} have no item in common; run them with the same --task and --limit")
    if by.unjudged is not None and _all_open(a, list(both)):
        return by.unjudged
    tasks = dict.fromkeys(a.benchmark.items.task_of(position) for position in sorted(both))
    names = ", ".join(shown(name, 40) for name in list(tasks)[:_NAMED]) + (", …" if len(tasks) > _NAMED else "")
    hint = "compare them without --measure" if by.measure else "compare them by another --profile or --measure"
    scored = " or ".join(shown(name, 60) for name in pairs) or by.profile
    return UsageError(
        f"{paths} have {counted(len(both), 'item')} in common ({names}), and none that is scored by {scored}; {hint}"
    )
