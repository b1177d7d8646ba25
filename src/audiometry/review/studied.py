"""A review inside a study: how far each participant is, and what they take back."""

from __future__ import annotations

import asyncio

from audiometry.errors import UsageError, counted
from audiometry.review.desk import Desk
from audiometry.review.page import InStudy
from audiometry.web.study.flow import Done
from audiometry.web.study.study import Study


class Studied:
    """What a study has to know of a review; a participant is a rater under their number.

    Args:
        desk: of the review.
        study: around it.

    Raises:
        UsageError: the study asks of each for more than there is, or for what an arena has.
    """

    def __init__(self, desk: Desk, study: Study) -> None:
        self._desk, self._study = desk, study
        n, units = study.spec.n, len(desk.units)
        if n > units:
            raise UsageError(f"the study asks {n:,} answers of each, of {counted(units, desk.mode.noun)}; set n lower")
        if study.spec.votes_per_pair:
            raise UsageError("votes_per_pair is of an arena; leave it out: --raters says how many judge each")

    async def done(self, participant: str) -> Done:
        """How many answers of a participant are kept."""
        progress = self._desk.progress(participant)
        return Done(progress.mine, more=progress.left > 0)

    async def withdraw(self, participant: str) -> None:
        """Remove what a participant said."""
        self._desk.forget(participant)

    async def standing(self, participant: str) -> InStudy:
        """How far a participant is."""
        done = await self.done(participant)
        _, step = await asyncio.to_thread(self._study.look, participant, done)
        return InStudy(done.n, self._study.spec.n, step != "work")
