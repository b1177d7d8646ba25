"""What choices are right, or the same, in every order of a whole round and in every wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.render.bands import banded
from audiometry.render.document import Chart
from audiometry.render.figure import Mark
from audiometry.render.table import Column, Estimate, Table
from audiometry.report.numbers import Scale
from audiometry.report.views.entries import Runs
from audiometry.score.consistency import ORDERS, WORDINGS
from audiometry.score.extras import Extras

SHARE: Final = Scale(0.0, 1.0, share=True)
WAYS: Final = {ORDERS: "right in every order of a whole round", WORDINGS: "right in every wording"}


def consistency(runs: Runs, place: str = "consistency") -> Iterator[Chart]:
    """A band for each run and way of asking, with what guessing gives; nothing where no item was asked in all of any.

    Args:
        runs: scores of choices.
        place: the id of figure and table.
    """
    extras = [Extras() if one is None else one.extras for one in runs.scored]
    labels = runs.labels if runs.several else ("",) * len(extras)
    every = [
        (f"{label}: {WAYS[way]}" if label else WAYS[way], found)
        for label, one in zip(labels, extras, strict=True)
        for way, found in one.consistency.items()
    ]
    if not every:
        return
    table = Table(
        id=place,
        caption=f"Items that are right, or get the same option, however they are asked{runs.missing}",
        signature=runs.signature,
        columns=(
            Column(id="way", title="items", kind="name"),
            SHARE.column("right", "right"),
            SHARE.column("chance", "chance"),
            SHARE.column("each", "single replies right"),
            SHARE.column("same", "same option in all"),
            Column(id="items", title="items", kind="count"),
        ),
        rows=tuple(
            (
                *(title, Estimate(one.right.value, one.right.interval), one.chance, one.each),
                *(Estimate(one.same.value, one.same.interval), one.right.n),
            )
            for title, one in every
        ),
    )
    marks = [
        Mark(x=one.right.value, y=row, interval=one.right.interval, reference=one.chance)
        for row, (_, one) in enumerate(every)
    ]
    ns = [one.right.n for _, one in every]
    yield banded(table, marks, SHARE.axis([]), ns=ns, reference_name="chance, in all of them")
