"""From runs to what their scores are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np

from audiometry.analysis.variance.places import DRAWS, places
from audiometry.analysis.variance.result import Places, Split, Variance
from audiometry.analysis.variance.split import split
from audiometry.choices.variant import asked_names, crossed, of_score
from audiometry.errors import UsageError, counted, shown
from audiometry.records import State
from audiometry.score import profiles as known
from audiometry.score.confounds import alike
from audiometry.score.filling import fill_all
from audiometry.score.opened import OpenedRun, open_runs
from audiometry.score.sheet import CODE, UNPLANNED, Sheet
from audiometry.score.table import cleaned
from audiometry.score.two_runs import By, by_what, plans_of, signature

FEW_WORDINGS = 5


def variance(
    runs: Sequence[OpenedRun | Path], profile: str = known.DEFAULT, bench: str = "", *, measure: str = "", seed: int = 0
) -> Variance:
    """Split the scores of runs into items, wordings, orders and chance, and see how firm the runs' places are.

    Args:
        runs: of one benchmark, or the paths of their folders.
        profile: whose rules.
        bench: where the benchmark is now, if it moved.
        measure: by which alone; empty: every kind of task by its own.
        seed: of the draws that ranks rest on.

    Raises:
        UsageError: the runs are of different benchmarks, or nothing in them can be split or ranked.
        RunFolderError: a run folder is damaged.
    """
    opened = open_runs(list(runs), bench)
    for other in opened[1:]:
        alike(opened[0], other)
    by = By(profile=profile, measure=measure) if measure else by_what(opened, profile, None, "", "mean")
    found = _sheets(opened, by)
    splits: list[Split] = []
    ranks: dict[str, Places] = {}
    lost: list[str] = []
    for name, each in found.items():
        there: list[tuple[Sheet, str]] = []
        for sheet, signed in each:
            try:
                own = whole(sheet)
                if (sheet.state == CODE[State.NOT_ASKED]).any():
                    lost.append(f"{sheet.run.folder.path}: {name}: not finished, so it has no place")
                else:
                    there.append((own, signed))
                splits += [split(own, name, signed, len(sheet.items))] if len(own.variants) > 1 else []
            except UsageError as problem:
                lost.append(str(problem))
        try:
            ranked = places([sheet for sheet, _ in there], [signed for _, signed in there], seed)
            ranks |= {} if ranked is None else {name: ranked}
        except UsageError as problem:
            lost.append(f"{name}: {problem}")
    if not splits and not ranks:
        raise UsageError(
            "; ".join(lost)
            or f"{opened[0].folder.path}: every item was asked one way only, so there is nothing to split; ask it with "
            "--wordings, --orders or --repeats, or give several runs to see how firm their places are"
        )
    few = min((one.wordings for one in splits if one.wordings > 1), default=FEW_WORDINGS)
    if few < FEW_WORDINGS:
        lost.append(
            f"{counted(few, 'wording')} say little of all that there could be: read their share as a rough one; and "
            "the score with two standard errors either way holds what many would give in less than 95 %"
        )
    return cast(
        "Variance",
        cleaned(
            Variance(
                benchmark=opened[0].info.benchmark.name,
                splits=tuple(splits),
                places=ranks,
                n_draws=DRAWS if ranks else 0,
                warnings=tuple(lost),
            )
        ),
    )


def _sheets(runs: Sequence[OpenedRun], by: By) -> dict[str, list[tuple[Sheet, str]]]:
    """By score, the sheets of the runs that have it, each with how it is made."""
    found: dict[str, list[tuple[Sheet, str]]] = {}
    for run in runs:
        plans = plans_of(run, by, {})
        for (name, plan), sheet in zip(plans.items(), fill_all(run, [p.wanted for p in plans.values()]), strict=True):
            if len(sheet.items):
                found.setdefault(name, []).append((sheet, signature(run, plan)))
    return found


def whole(sheet: Sheet) -> Sheet:
    """The items that were asked in every wording and order, and these ways alone.

    Raises:
        UsageError: there are none, as the run was stopped.
    """
    path = shown(str(sheet.run.folder.path))
    own = sheet.of(variants=of_score(sheet.variants))
    wording, order, repeat = crossed(own.variants)
    names = [name for name in asked_names(order, wording, repeat) if name in own.variants]
    if len(names) < wording * order * repeat:
        raise UsageError(
            f"{path}: not every order was asked in every wording as often; run it again with "
            f"--wordings {wording} --orders {order} --repeats {repeat} together"
        )
    own = own.of(variants=names)
    late = (own.state == CODE[State.NOT_ASKED]) | (own.state == UNPLANNED) | ~own.counted
    there = ~late.any(axis=1)
    if not there.any():
        raise UsageError(f"{path}: no item counts in every wording and order; finish the run first")
    return own.of(np.asarray(there, np.bool_))
