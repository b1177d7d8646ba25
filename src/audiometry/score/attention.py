"""What the listening test says: its evidence, condition by condition, its verdict, and that of a profile's authors."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

CANNOT_TELL: Final = "cannot tell on these items"
Answer: TypeAlias = Literal["listens", "does not listen", "cannot tell on these items"]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One condition against the real clips.

    Attributes:
        n_items, n_clusters, interval, p, p_corrected, difference: those of the condition (`Difference`).
        real, without: the two scores.
        n_lost: items of which one of the two replies is lost; in none of these numbers.
        limits: the interval, from its lower end had these replies been the worst for a model that listens to its upper
            end had they been the best.
        p_least: p in the worst of these cases, corrected as p is; 1 where that is no drop.
        n_unread, n_unread_real: replies that decline or cannot be read, without the clips and with them.
        verdict: ``drops``: `p_least` of a drop is below the level; ``stays``: `limits` lie within the margin; else
            ``cannot tell``.
    """

    n_items: int
    n_clusters: int
    real: float
    without: float
    difference: float
    interval: tuple[float, float]
    p: float
    p_corrected: float
    n_lost: int
    limits: tuple[float, float]
    p_least: float
    n_unread: int
    n_unread_real: int
    verdict: Literal["drops", "stays", "cannot tell"] = "cannot tell"


class Attention(msgspec.Struct, frozen=True, kw_only=True):
    """The attention test of a profile's authors: passed where the score drops under any of its conditions.

    Attributes:
        passes: whether it does; None: not under any that there is a number of, and some have none.
        drops, not_shown, without_number: its conditions, by what is told of each.
    """

    passes: bool | None
    drops: tuple[str, ...]
    not_shown: tuple[str, ...]
    without_number: tuple[str, ...]


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict, and what it rests on.

    Attributes:
        verdict: one of three.
        reason: why, in a sentence.
        score: with the real clips, in the benchmark's own order of options.
        chance: what guessing gives.
        margin: the difference that would be nothing, for this score; 0 if the score is not above chance.
        level: below which ``p_corrected`` of a drop is one.
        conditions: by variant, in the order they are asked.
        n_without_clip: items that name no clip and have no part in this.
        profile: by whose rules replies are right.
        attention: the test that the authors of these rules describe; None: they describe none.
        shots: worked examples before each item.
    """

    verdict: Answer
    reason: str
    score: float
    chance: float
    margin: float
    level: float
    conditions: dict[str, Evidence]
    n_without_clip: int = 0
    profile: str = ""
    attention: Attention | None = None
    shots: int = 0

    @property
    def said(self) -> str:
        """The verdict after the name of a model, which is not who cannot tell."""
        return "may or may not listen; these items cannot tell" if self.verdict == CANNOT_TELL else self.verdict
