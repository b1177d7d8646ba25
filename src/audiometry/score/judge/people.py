"""People's ratings of a run's open answers, beside the judges'."""

from __future__ import annotations

import numpy as np

from audiometry.files.ratings import Ratings
from audiometry.records import State
from audiometry.score.extras import People
from audiometry.score.items import KINDS, fact_reader
from audiometry.score.judge.places import of_answers, placed
from audiometry.score.opened import OpenedRun
from audiometry.score.people.estimate import JudgeScores, enough
from audiometry.score.people.row import people_row
from audiometry.score.people.said import SCALE, PeopleSaid, people_said
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import Table


def said_of(run: OpenedRun, ratings: Ratings) -> PeopleSaid:
    """What people said of a run's open items with a reference, in their order.

    Raises:
        UsageError: nothing that is of use, or of too few clips.
    """
    items, fact = run.benchmark.items, fact_reader(run, ())
    usable = []
    for position in run.positions:
        kind, *_, reference, _tags = fact(items.at(position))
        if KINDS[kind] == "open" and reference:
            usable.append(position)
    rows = {position: row for row, position in enumerate(usable)}

    def row_of(name: str) -> int | None:
        position = items.position(name)
        return None if position is None else rows.get(position)

    said = people_said(ratings, (run.info.called, run.info.model), row_of, len(rows))
    rated = np.flatnonzero(~np.isnan(said.score))
    clusters = {items.at(usable[row]).cluster for row in rated.tolist()}
    enough(len(clusters), len(rated), len(rows))
    return said


def beside_people(
    sheet: Sheet, said: PeopleSaid | None, *, empty_judged: bool
) -> tuple[People | None, tuple[str, ...]]:
    """The score that people would give under some rules, and what is to be noted of it.

    Args:
        sheet: of judges' scores, with the variants that count in a value.
        said: what people said of its items; None: nothing.
        empty_judged: whether a judge is asked about empty replies.
    """
    table = Table(of_answers(sheet))
    if said is None or table.without_overall:
        return None, ()
    low, high = sheet.measure.range
    low = low or 0.0
    if low > SCALE[0] or (high or 0.0) < SCALE[1]:
        rated = f"{SCALE[0]:g} to {SCALE[1]:g}"
        return None, (f"people's ratings are left out: they are of {rated}, and these rules score {low:g} to {high:g}",)
    model = placed(sheet).model
    there = ~np.isnan(model)
    n = there.sum(axis=2)
    judge = np.where(n > 0, np.where(there, model, 0.0).sum(axis=2) / np.maximum(n, 1), np.nan)
    ruled = [CODE[state] for state in (State.FAILED, *(() if empty_judged else (State.EMPTY,)))]
    judged = JudgeScores(
        judge=judge,
        ruled=np.asarray(np.isin(sheet.state, ruled) & ~np.isnan(judge), np.bool_),
        cluster=sheet.items.cluster,
        task=table.pool,
        tasks=table.pools,
        categories=table.categories,
        low=low,
        high=low + 1.0 if high is None else high,
    )
    people, why = people_row(judged, said, lambda rows: table.row(rows, "categories"))
    return people, (*said.notes, *([why] if why else []))
