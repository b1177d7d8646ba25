"""Measures whose value for a corpus is the plain mean of a score that every pair has by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from audiometry.score.measures.measure import Counted, Floats, ratio
from audiometry.score.measures.references import Pair


def no_stamps(pairs: Sequence[Pair]) -> tuple[str, ...]:  # noqa: ARG001  the signature of `MeanOfPairs.stamps`
    """For counts whose signature has nothing to add to its name."""
    return ()


class MeanOfPairs(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a score.

    Attributes:
        name, about, unit, higher_is_better, highest: see `references.Counts`.
        score: of one pair, from 0 to ``highest``.
        stamps: what the signature says; see `references.Counts`.
    """

    name: str
    about: str
    unit: str
    score: Callable[[Pair], float]
    columns: tuple[str, ...] = ("score", "pairs")
    higher_is_better: bool = True
    highest: float | None = 1.0
    stamps: Callable[[Sequence[Pair]], tuple[str, ...]] = no_stamps

    def count(self, pairs: Sequence[Pair]) -> Counted:
        """Scores, and 1 for each pair."""
        import numpy as np

        return Counted(np.array([(self.score(pair), 1.0) for pair in pairs], dtype=np.float64).reshape(-1, 2))

    def value(self, totals: Floats) -> Floats:
        """The mean; NaN of nothing."""
        return mean(totals)

    def each(self, counts: Floats) -> Floats:
        """The scores."""
        import numpy as np

        return np.asarray(counts[:, 0])

    def made_with(self, pairs: Sequence[Pair]) -> tuple[str, ...]:
        """As ``stamps`` says."""
        return self.stamps(pairs)


def mean(totals: Floats) -> Floats:
    """Sums over numbers of pairs, ``float64[..., 2]`` → ``float64[...]``; NaN of nothing."""
    return ratio(totals[..., 0], totals[..., 1])
