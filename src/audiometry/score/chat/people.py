"""People's ratings of a run's open answers, beside the judge's."""

from __future__ import annotations

import numpy as np

from audiometry.files.ratings import Ratings
from audiometry.score.chat.rows import Table, over_orders
from audiometry.score.chat.rules import ChatRules
from audiometry.score.chat.sheet import Sheet, State
from audiometry.score.chat.tree import Tree
from audiometry.score.chat.values import Values
from audiometry.score.extras import People
from audiometry.score.people.estimate import JudgeScores, enough
from audiometry.score.people.row import people_row
from audiometry.score.people.said import PeopleSaid, people_said


def said_of(found: Sheet, ratings: Ratings) -> PeopleSaid:
    """What people said of a sheet's items.

    Raises:
        UsageError: nothing that is of use, or of too few clips.
    """
    run = found.run
    rows = {position: row for row, position in enumerate(run.positions)}
    items = run.benchmark.items

    def row_of(name: str) -> int | None:
        position = items.position(name)
        return None if position is None else rows.get(position)

    info = run.info
    said = people_said(ratings, (info.called, info.model), row_of, len(rows))
    rated = np.flatnonzero(~np.isnan(said.score))
    clusters = {items.at(run.positions[row]).cluster for row in rated.tolist()}
    enough(len(clusters), len(rated), len(rows))
    return said


def beside_people(
    found: Sheet, scores: Values, rules: ChatRules, table: Table, where: Tree, said: PeopleSaid | None
) -> tuple[People | None, tuple[str, ...]]:
    """The score that people would give under some rules, and what is to be noted of it."""
    if said is None:
        return None, ()
    own = table.columns
    judge = over_orders(scores.model[:, own])
    state = found.state[:, own]
    unasked = np.isin(state, (State.FAILED, *(() if rules.empty_judged else (State.EMPTY,))))
    judged = JudgeScores(
        judge=judge,
        ruled=np.asarray(unasked & ~np.isnan(judge), np.bool_),
        cluster=where.items.cluster,
        task=where.pool,
        tasks=where.pools,
        categories=where.categories,
        low=rules.lowest,
        high=rules.highest,
    )
    people, why = people_row(judged, said, lambda rows: table.row(where.of(rows)))
    return people, (*said.notes, *([why] if why else []))
