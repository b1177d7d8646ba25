"""A chart of a table's rows: the one way from rows to a drawing in bands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from audiometry.render.document import Chart
from audiometry.render.figure import Axis, Band, Figure, Mark, ticks
from audiometry.render.table import Table

CROWD: Final = 8  # series that have their marks in one band


def banded(table: Table, marks: Iterable[Mark], x: Axis, *, ns: Sequence[int] = (), **more: Any) -> Chart:
    """A table with a drawing of it in bands, one a row, of the same caption and made in the same way.

    Args:
        table: whose rows the bands are.
        marks: of which ``y`` is the number of the row.
        x: the axis of their values.
        ns: items of each of its series, as far as that is known.
        more: of the figure, where it is something else; see `Figure`.
    """
    named = zip(table.rows, map(table.about, range(len(table.rows))), strict=True)
    bands = tuple(Band(name=str(row[0]), strong=info.strong, last=info.last) for row, info in named)
    figure = Figure(
        id=table.id,
        caption=table.caption,
        signature=table.signature,
        kind="bands",
        x=x,
        y=Axis(bands=bands),
        marks=tuple(marks),
        n=max(ns, default=0),
        n_least=min(ns, default=0),
        series=table.series,
    )
    return Chart(fitted(msgspec.structs.replace(figure, **more)), table)


def fitted(
    figure: Figure, *, down: bool | None = None, caption: str = "", most: int = CROWD, against: int | None = None
) -> Figure:
    """A figure of bands as it is; with marks of more series than have room in one, as a matrix without intervals.

    Args:
        figure: of bands; the matrix has a row a series and a column a band, the darker the farther along.
        down: whether rows begin with the series that is lowest in the first band, False: highest; None: as they are.
        caption: of the matrix; empty: the same.
        most: series that have room in a band.
        against: number of the series that the signs of others are about, whose cells are framed.
    """
    if figure.kind != "bands" or max(Counter(mark.y for mark in figure.marks).values(), default=0) <= most:
        return figure
    axis, widest = figure.x, max((abs(mark.x) for mark in figure.marks), default=0.0)
    far = ticks(-widest, widest)[-1]
    first = {mark.series: mark.x for mark in figure.marks if mark.y == 0}
    sign = 1 if down else -1
    order = sorted(range(len(figure.series)), key=lambda at: (at not in first, sign * first.get(at, 0.0)))
    held = [(column, band.reference) for column, band in enumerate(figure.y.bands) if band.reference is not None]
    rows = {series: row for row, series in enumerate(range(len(order)) if down is None else order, bool(held))}
    marks = [
        msgspec.structs.replace(
            mark,
            x=mark.y,
            y=rows[mark.series],
            value=mark.x,
            shade=axis.at(mark.x) if not axis.sign else 0.0 if _open(mark) else mark.x / far,
            framed=mark.series == against,
        )
        for mark in figure.marks
    ]
    names = [figure.series[series] for series in rows]
    own = any(mark.reference is not None for mark in figure.marks)
    if held:  # above what is held against it, however many rows that has
        marks += (Mark(x=column, y=0, value=value) for column, value in held)
        names.insert(0, figure.reference_name)
    ends = " to ".join(
        axis.tick(end).replace("-", "\u2212") for end in ((-far, far) if axis.sign else (axis.low, axis.high))
    )
    return msgspec.structs.replace(
        figure,
        caption=caption or figure.caption,
        kind="matrix",
        x=msgspec.structs.replace(axis, title="", bands=figure.y.bands),
        y=Axis(bands=tuple(Band(name=name) for name in names)),
        marks=tuple(msgspec.structs.replace(mark, interval=None, reference=None, series=0) for mark in marks),
        reference=None,
        reference_name="" if against is None else "the run that others are compared with",
        unheld="each has another" if own else figure.unheld,
        series=(),
        shade_name=" ".join(filter(None, (f"{axis.title}," * bool(axis.title), ends, axis.unit)))
        + "; none where the 95 % interval holds 0" * (axis.sign and any(map(_open, figure.marks))),
    )


def _open(mark: Mark) -> bool:
    """Whether a difference may be nothing: a picture without intervals is not to show it as one."""
    return mark.interval is not None and mark.interval[0] <= 0 <= mark.interval[1]


def reached(marks: Iterable[Mark]) -> list[float]:
    """All values that marks of bands stand at, and the ends of their intervals."""
    return [end for mark in marks for end in (mark.x, *(mark.interval or ()))]
