"""From verdicts to marks: which replies a profile counts, and which of them it counts as right."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices import letter_of
from audiometry.choices.variant import shown_options
from audiometry.records import Verdict
from audiometry.score.judged import CODE, Judged, OpenRun
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.profiles import rules_of

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """A profile's marks for every reply of a run; row i is the i-th planned item, column v the v-th variant.

    Attributes:
        right: ``bool[items, variants]``, by the reply or by a guess; only where it counts.
        counted: ``bool[items, variants]``, in the denominator.
        guessed: ``bool[items, variants]``, a letter was drawn.
    """

    right: Bools
    counted: Bools
    guessed: Bools

    @property
    def item_scores(self) -> Floats:
        """Share of an item's counted replies that are right, ``float64[items]``; 0 where none counts."""
        return shares_right(self.right, self.counted)

    @property
    def item_counts(self) -> Bools:
        """Whether any reply of an item counts, ``bool[items]``."""
        return any_reply(self.counted)


def mark(run: OpenRun, profile: Profile, judged: Judged) -> Marks:
    """Mark a run's replies by a profile's rules.

    Args:
        run: where the items and options are, from which right letters are found where letters are guessed.
        profile: whose rules.
        judged: the verdicts of its reader.
    """
    rules = rules_of(profile)
    marks = plain(judged)
    if rules.denominator == "readable":
        return msgspec.structs.replace(marks, counted=_answered(judged))
    if rules.guess is None:
        return marks
    guessed = ~_answered(judged) & ~judged.missing
    right = marks.right.copy()
    info, variants = run.info, run.info.variants
    for row, column in zip(*(place.tolist() for place in np.nonzero(guessed)), strict=True):
        item = run.benchmark.items.at(run.positions[row])
        if item.answer is None:
            continue
        options = shown_options(item.id, item.options, seed=info.seed, variant=variants[column])
        drawn = rules.guess(info.seed, item.id, variants[column], len(options))
        right[row, column] = drawn == letter_of(options, item.answer)
    return Marks(right=right, counted=marks.counted, guessed=guessed)


def plain(judged: Judged) -> Marks:
    """The house's marks: every reply that was asked for counts, and only correct ones are right."""
    return Marks(
        right=judged.verdict == CODE[Verdict.CORRECT],
        counted=~judged.missing,
        guessed=np.zeros(judged.verdict.shape, dtype=np.bool_),
    )


def shares_right(right: Bools, counted: Bools) -> Floats:
    """For each row the share of the counted that is right, ``float64[n]``; 0 where none counts."""
    return np.asarray(right.sum(axis=1) / np.maximum(counted.sum(axis=1), 1), dtype=np.float64)


def any_reply(counted: Bools) -> Bools:
    """For each row whether any of it is set, ``bool[n]``."""
    return np.asarray(counted.any(axis=1), dtype=np.bool_)


def _answered(judged: Judged) -> Bools:
    return np.isin(judged.verdict, (CODE[Verdict.CORRECT], CODE[Verdict.WRONG]))
