"""The row of the score that people would give, or the note that says why there is none."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from audiometry.errors import UsageError, counted
from audiometry.score.extras import People
from audiometry.score.people.estimate import Bools, JudgeScores, estimated
from audiometry.score.people.said import PeopleSaid
from audiometry.score.row import Row


def people_row(scores: JudgeScores, said: PeopleSaid, row: Callable[[Bools], Row]) -> tuple[People | None, str]:
    """The row of the score that people would give, and what is to be said of it, or why there is none.

    Args:
        scores: the judge's, under one profile.
        said: what people said of the same items.
        row: gives the row of some of the items, ``bool[n]``.
    """
    if row(np.ones(len(said.score), np.bool_)).n_not_asked:
        return None, "no score that people would give: the run is not finished"
    try:
        found = estimated(scores, said.score, said.propensity)
    except UsageError as problem:
        return None, f"no score that people would give: {problem}"
    about = msgspec.structs.asdict(row(found.rows))
    n_idle = int((~np.isnan(said.score)).sum()) - found.n_rated
    idle = (
        ""
        if not n_idle
        else (
            f"{counted(n_idle, 'item')} that people rated {'has' if n_idle == 1 else 'have'} no score by the judge to "
            "set right (the reply is empty or failed, or its judge did): left out of the rated ones"
        )
    )
    made = {"value": found.value, "interval": found.interval, "bounds": None, "over_answered": None}
    return People(
        **about | made,
        judge=found.judge,
        people=found.people,
        people_interval=found.people_interval,
        tuning=found.tuning,
        n_rated=found.n_rated,
        n_clusters_rated=found.n_clusters_rated,
        n_ratings=said.n_ratings,
        n_raters=said.raters,
        left_out=found.left_out,
    ), idle
