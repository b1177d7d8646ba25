"""A chart of a table's rows: the one way from rows to a drawing in bands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from audiometry.render.document import Chart
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Table


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
    return Chart(msgspec.structs.replace(figure, **more), table)


def reached(marks: Iterable[Mark]) -> list[float]:
    """All values that marks of bands stand at, and the ends of their intervals."""
    return [end for mark in marks for end in (mark.x, *(mark.interval or ()))]
