"""The agenda of scoring: which scores of a run are to be made, and which cannot be, since a package is broken."""

from __future__ import annotations

from collections.abc import Sequence

from audiometry.errors import UsageError
from audiometry.outside import OutsideError
from audiometry.score.judge.planning import Judges, planned
from audiometry.score.measures.references import Watch
from audiometry.score.opened import OpenedRun
from audiometry.score.planned import Planned, by_measure, without_options

Broken = dict[str, str]
"""By name of the score, how what makes it is broken."""


def agenda(
    run: OpenedRun, profiles: Sequence[str], measures: Sequence[str], how: Judges, watch: Watch, *, store: bool
) -> tuple[list[Planned], Broken]:
    """The scores of a run; judges are asked what they have not said yet.

    Args:
        run: with all its variants.
        profiles: names; ``all`` for every one.
        measures: names of those that the person has asked for.
        how: the judges.
        watch: told how programs get on.
        store: write ratings, and what judges say.

    Raises:
        OutsideError: all is broken.
        UsageError, StoppedError: see `judge.planning.planned`.
    """
    broken: dict[str, OutsideError] = {}
    while True:
        try:
            plans = planned(run, profiles, how, keep=store, without=broken)
            break
        except OutsideError as problem:
            name = problem.profile
            if not name or name in broken:
                raise
            broken[name] = problem
    named: list[Planned] = []
    lost: dict[str, UsageError] = {}
    for name in dict.fromkeys(measures):
        try:
            named.append(by_measure(run, name, watch, store=store))
        except OutsideError as problem:
            lost[name] = problem
    plans += [*without_options(run, profiles, named, lost, without=broken, store=store), *named]
    problems = {**broken, **lost}
    if problems and not plans:
        raise next(iter(problems.values()))
    return plans, {name: str(problem) for name, problem in problems.items()}
