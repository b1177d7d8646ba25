"""What judges score answers: the mean of both orders, so that no answer gains by its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from audiometry.records import Failure, Item, Task
from audiometry.score.measures.measure import Counted, Floats, ratio
from audiometry.score.readers import KINDS, Outcome

_COLUMNS = ("reference-first", "n-reference-first", "reference-second", "n-reference-second")
_ORDERS = 2


class JudgeScore(msgspec.Struct, frozen=True, kw_only=True):
    """The mean over orders of the means over what was judged; a reply without a score does not count.

    Attributes:
        range: the lowest and the highest score that rules know.
    """

    name: str
    about: str
    range: tuple[float, float]
    version: int = 1
    kinds: KINDS = frozenset({"open"})
    unit: str = "judge's score"
    direction: Literal["up"] = "up"
    takes: Literal["scores"] = "scores"

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  the same for all
        """Of each order the sum of the scores, and how many."""
        return _COLUMNS

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:  # noqa: ARG002  fixed
        """Score and 1 for each order that was judged, 0 and 0 for one that was not."""
        import numpy as np

        none = (np.nan,) * _ORDERS
        scores = np.array([outcome.scores or none for outcome in outcomes], np.float64).reshape(-1, _ORDERS)
        there = ~np.isnan(scores)
        found = np.stack((np.where(there, scores, 0.0), there), axis=-1).reshape(len(outcomes), len(_COLUMNS))
        without = np.flatnonzero(~there.any(axis=1)).tolist()
        return Counted(found, {row: Failure(kind=outcomes[row].how, message="no score") for row in without})

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats]:  # noqa: ARG002  fixed
        """The lowest and the highest score in both orders."""
        import numpy as np

        worst, best = (np.tile((end, 1.0), (len(items), _ORDERS)) for end in self.range)
        return worst, best

    def value(self, sums: Floats) -> Floats:
        """The mean over orders of the mean score; NaN of nothing."""
        import numpy as np

        orders = ratio(sums[..., 0::2], sums[..., 1::2])
        there = ~np.isnan(orders)
        return ratio(np.where(there, orders, 0.0).sum(axis=-1), there.sum(axis=-1))


MEASURE = {
    one.name: one
    for one in (
        JudgeScore(
            name="judge-score",
            about="score from 1 to 10 by judges that see answer and reference in both orders",
            range=(1.0, 10.0),
        ),
        JudgeScore(
            name="judge-score-0",
            about="the same under rules that know a score of 0",
            range=(0.0, 10.0),
        ),
    )
}
