"""What a comparison of two runs says, as it is printed and exchanged."""

from __future__ import annotations

import msgspec


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A minus B on one group of items; ``detectable``: the smallest difference that this n could show.

    Shares lie between 0 and 1; scores of open answers, and their differences, are on the judge's scale.
    """

    n_items: int
    n_clusters: int
    score_a: float
    score_b: float
    difference: float
    interval: tuple[float, float]
    p: float
    detectable: float
    p_corrected: float | None = None


class Comparison(Difference, frozen=True, kw_only=True):
    """``compare --json``: A minus B over all items, and by task with p corrected over tasks (Holm).

    Attributes:
        a, b: the run folders.
        tasks: by name.
        warnings: what keeps the difference from being one of the models alone.
        aligned_by: the judge that read what the rules could not, or every reply; empty: rules alone.
        judges: who scored the answers, where the questions are open; several are a ``panel``.
        scale: the lowest and the highest score that can be.
    """

    a: str
    b: str
    tasks: dict[str, Difference]
    warnings: tuple[str, ...] = ()
    aligned_by: str = ""
    judges: tuple[str, ...] = ()
    panel: str = ""
    scale: tuple[float, float] = (0.0, 1.0)
