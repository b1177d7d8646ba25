"""The score with the clips and with each of the sounds in their place, side by side on the axis of the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiometry.render.bands import banded, reached
from audiometry.render.document import Chart
from audiometry.render.figure import Mark
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.numbers import scale
from audiometry.score.result import Scored


def heard(scored: Sequence[Scored | None], labels: Sequence[str], place: str, signature: str) -> Iterator[Chart]:
    """A band for the clips and each condition, with a mark a run and what guessing gives; nothing without a pair.

    Args:
        scored: of each run; None where it has none.
        labels: what the runs are called.
        place: the id of figure and table.
        signature: how the numbers are made.
    """
    there = {n: one for n, one in enumerate(scored) if one is not None and one.variants}
    clips = list(dict.fromkeys(clip for one in there.values() for clip in one.variants))
    real = {
        n: next((of.difference.score_a for of in one.variants.values() if of.difference is not None), None)
        for n, one in there.items()
    }
    if all(value is None for value in real.values()):
        return
    its = scale(next(iter(there.values())))
    found: dict[tuple[int, int], Estimate] = {
        (0, n): Estimate(value, None) for n, value in real.items() if value is not None
    }
    for n, one in there.items():
        for row, clip in enumerate(clips, 1):
            if (of := one.variants.get(clip)) is not None and of.value is not None:
                found[row, n] = Estimate(of.value, of.interval)
    several = len(labels) > 1
    names = ["with the clip", *(clip.replace("-", " ") for clip in clips)]
    rows: list[tuple[Cell, ...]] = [
        (name, *(found.get((row, n), "not asked") for n in there)) for row, name in enumerate(names)
    ]
    titles = {n: labels[n] if several else "score" for n in there}
    table = Table(
        id=place,
        caption="The score with the clips and with something else in their place",
        signature=signature,
        columns=(
            Column(id="clip", title="clip", kind="name"),
            *(its.column(f"score-{n + 1}", title, series=n if several else None) for n, title in titles.items()),
        ),
        rows=tuple(rows),
        info=tuple(RowInfo(strong=not row, last=not row) for row in range(len(names))),
        series=tuple(labels) if several else (),
    )
    marks = [
        Mark(x=one.value, y=row, interval=one.interval, series=n)
        for (row, n), one in found.items()
        if one.value is not None
    ]
    chances = {one.chance for one in there.values()}
    chance = chances.pop() if len(chances) == 1 else None
    ns = [of.n_items for one in there.values() for of in one.variants.values()]
    axis = its.axis([*reached(marks), *([] if chance is None else [chance])])
    yield banded(table, marks, axis, ns=ns, reference=chance, reference_name="" if chance is None else "chance")
