"""What all parts of an agreement share: who is who, and how intervals are made."""

from __future__ import annotations

import msgspec
import numpy as np

from audiometry import seeds
from audiometry.stats.bootstrap import RESAMPLES, How
from audiometry.stats.quantile import check_confidence

PEOPLE, OTHERS = "people", "the other people"
MOST_PAIRED = 16  # people who are compared two by two; more make more pairs than anybody reads
MOST_MACHINES = 32  # judges and metrics that are looked at
MOST_MODELS = 12  # whose pairs are looked at one by one


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """How agreement is looked at.

    Attributes:
        raters: names by code.
        kinds: by code, ``person``, ``judge`` or ``metric``.
        models: names by code.
        lowered: by code, whether the rater's scores are turned round, lower being better.
        margins: by code, how far apart two scores still count as equal.
        seed: of all streams.
        resamples: of clusters.
        confidence: of all intervals.
    """

    raters: list[str]
    kinds: list[str]
    models: list[str]
    lowered: list[bool]
    margins: list[float]
    seed: int = 0
    resamples: int = RESAMPLES
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_confidence(self.confidence)

    def rng(self, *names: str) -> np.random.Generator:
        """The stream of this name."""
        return seeds.generator(self.seed, "agree", *names)

    def how(self, *names: str) -> How:
        """How the interval of this name is made."""
        return How(rng=self.rng(*names), resamples=self.resamples, confidence=self.confidence)

    def machines(self) -> list[int]:
        """Codes of judges, then metrics; no more than are looked at."""
        ordered = [code for wanted in ("judge", "metric") for code, kind in enumerate(self.kinds) if kind == wanted]
        return ordered[:MOST_MACHINES]

    def is_person(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """``bool[raters]``."""
        return np.array([kind == "person" for kind in self.kinds], np.bool_)
