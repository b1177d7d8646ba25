"""Which models stand elsewhere in a part of the votes: their strength there against that in all other votes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from audiometry.stats.multiplicity import holm
from audiometry.stats.quantile import student_p, student_quantile
from audiometry.stats.ranking import Ranking
from audiometry.stats.ranking.result import ELO


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """A model's strength in a part of the votes and in the others, among the models that are ranked in both.

    Attributes:
        model: its name.
        part: name of the part.
        rank, rank_elsewhere: among these models.
        n_models: how many they are.
        difference: of its strength there less elsewhere, Elo points, where these models average the same.
        interval: of that, 95 %, not corrected.
        p: two-sided, of no difference.
        p_corrected: by Holm, over all models and parts of the split.
    """

    model: str
    part: str
    rank: int
    rank_elsewhere: int
    n_models: int
    difference: float
    interval: tuple[float, float]
    p: float
    p_corrected: float = 1.0

    @staticmethod
    def corrected(found: Sequence[Move]) -> tuple[Move, ...]:
        """The same with p corrected over all of them, the surest first."""
        adjusted = holm([one.p for one in found])
        made = [msgspec.structs.replace(one, p_corrected=p) for one, p in zip(found, adjusted, strict=True)]
        return tuple(sorted(made, key=lambda one: (one.p_corrected, one.p)))


def moves(part: str, here: Ranking | None, elsewhere: Ranking | None) -> list[Move]:
    """Each model that is ranked in both; none where fewer than three are, or where either has a single cluster.

    The two sets of votes are taken for independent. Where voters are in both, whom a voter likes in one she likes in
    the other too, so that the true error is smaller and p errs on the side of no difference. Of two models alone a
    difference would be one of both at once, and of their gap only.

    Args:
        part: its name.
        here: the ranking of its votes.
        elsewhere: that of all others.
    """
    if here is None or elsewhere is None or here.covariance is None or elsewhere.covariance is None:
        return []
    common = sorted(set(here.names) & set(elsewhere.names))
    if len(common) < 3:  # noqa: PLR2004  see above
        return []
    centre = np.eye(len(common)) - 1 / len(common)
    values, variances, ranks = [], [], []
    for one in (here, elsewhere):
        assert one.covariance is not None  # noqa: S101  as was asked above
        at = [one.names.index(name) for name in common]
        strength = centre @ one.strengths[at]
        values.append(strength)
        variances.append(np.diag(centre @ one.covariance[np.ix_(at, at)] @ centre))
        ranks.append([1 + int((strength > own + 1e-9).sum()) for own in strength])
    made = []
    for i, model in enumerate(common):
        difference = float(values[0][i] - values[1][i])
        own, other = float(variances[0][i]), float(variances[1][i])
        error = math.sqrt(own + other)
        if error <= 0:
            continue
        freedom = (own + other) ** 2 / (own**2 / (here.n_clusters - 1) + other**2 / (elsewhere.n_clusters - 1))
        reach = student_quantile(0.95, freedom) * error
        made.append(
            Move(
                model=model,
                part=part,
                rank=ranks[0][i],
                rank_elsewhere=ranks[1][i],
                n_models=len(common),
                difference=ELO * difference,
                interval=(ELO * (difference - reach), ELO * (difference + reach)),
                p=student_p(difference / error, freedom),
            )
        )
    return made
