"""A judge with itself in the other order: the same answer in first and in second place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from audiometry.analysis.agreement.result import Measure, Position
from audiometry.errors import counted, shown
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Folded, Section, line, strong
from audiometry.render.figure import Axis, Band, Figure, Mark, axis_around
from audiometry.render.numbers import half_up, p_value
from audiometry.render.table import Cell, Column, Table
from audiometry.report.naming import LONGEST, endings
from audiometry.report.numbers import Scale

MOST_VALUES: Final = 21  # bars of values, with those that no reply has; of more, values are put together
_STEPS: Final = (1.0, 0.5, 0.25, 0.1)  # between values, the widest that all of them are on
_WIDER: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # times a power of ten
_POINTS: Final = Column(id="points", title="points", kind="number", decimals=2)
_APART: Final = Column(id="apart", title="difference", kind="number", decimals=2, sign=True)
_SHARE: Final = Column(id="share", title="share", kind="number", unit="%")
_JUDGES: Final = Scale(1.0, 10.0)
_SIGNIFICANT: Final = 0.05
_NOISE: Final = 1e-6

Bins = list[tuple[float, tuple[int, ...]]]
"""Values, and how many replies have each in each place."""


def places(found: Sequence[Position], signature: str) -> Section:
    """Judges that scored in both orders.

    Args:
        found: of each judge.
        signature: how the numbers were made.
    """
    about = line(
        "The score of the same answer where it stands first, before the reference, and where it stands second. A judge "
        "without a bias to a place gives both the same.",
        weight="about",
    )
    names = endings([one.rater for one in found])
    parts = (_judge(one, f"order{ending}", signature) for one, ending in zip(found, names, strict=True))
    title = "A judge with itself in the other order"
    return Section(id="order", title=title, short="Order", blocks=(about, *parts))


def _judge(found: Position, name: str, signature: str) -> Section:
    mean = found.difference
    p = "" if mean.p is None else f"p {p_value(mean.p, '= ')}"
    interval = "" if mean.interval is None else f"95 % interval {_APART.span(mean.interval)}"
    rests = ", ".join(filter(None, (interval, p)))
    against = (
        f" points compared with second place{f' ({rests})' if rests else ''}: {_POINTS.number(found.first)} against "
        f"{_POINTS.number(found.second)}, {counted(mean.n, 'reply')} of {counted(mean.n_items, 'item')}. "
        f"The same score in both places: {_percent(found.same)}."
    )
    if found.flips.value is not None:
        against += (
            f" Of {counted(found.flips.n, 'pair')} of models' replies {_percent(found.flips)} compare otherwise in the "
            f"other place, {_percent(found.reversed)} the other way round."
        )
    words = ("In first place an answer gets ", strong(_APART.number(mean.value)), against)
    told = mean.p is not None and mean.p < _SIGNIFICANT
    apart = binned([(points, (n,)) for points, n in found.histogram])
    scores = binned([(score, (first, second)) for score, first, second in found.scores])
    by = f"judged by {shown(found.rater, LONGEST)}"
    differences = _bars(
        f"{name}-differences", f"Differences, first less second place, {by}", ("replies",), apart, signature
    )
    both = _bars(f"{name}-scores", f"Scores in both places, {by}", ("first place", "second place"), scores, signature)
    blocks: tuple[Block, ...] = (
        line(*words, weight="minded" if told else "plain"),
        *(block for pair in (differences, both) for block in pair),
        Section(id=f"{name}-models", title="By model", blocks=(_models(found, name, signature),)),
    )
    return Section(id=f"{name}-judge", title="", of=found.rater, blocks=blocks)


def _percent(measure: Measure) -> str:
    """A share with its interval."""
    interval = "" if measure.interval is None else f" ({_SHARE.span(measure.interval)} %)"
    return f"{_SHARE.number(measure.value) or 'none'} %{interval}"


def _models(found: Position, name: str, signature: str) -> Chart:
    """Each model's mean in both places."""
    table = Table(
        id=f"{name}-by-model",
        caption=f"Mean score in first and in second place by model, judged by {shown(found.rater, LONGEST)}",
        signature=signature,
        columns=(
            Column(id="model", title="model", kind="name"),
            Column(id="first", title="first", kind="number", decimals=2, series=0),
            Column(id="second", title="second", kind="number", decimals=2, series=1),
            _APART,
            Column(id="replies", title="replies", kind="count"),
        ),
        rows=tuple(
            (one.model or "model", one.first, one.second, one.first - one.second, one.n) for one in found.models
        ),
    )
    marks = [
        Mark(x=mean, y=at, series=place)
        for at, one in enumerate(found.models)
        for place, mean in enumerate((one.first, one.second))
    ]
    given = [*(score for score, _, _ in found.scores), *reached(marks)]
    within = min(given) >= 1.0 and max(given) <= 10.0  # noqa: PLR2004  the ends of that scale
    axis = _JUDGES.axis(given) if within else axis_around(given, decimals=2)
    return banded(
        table,
        marks,
        msgspec.structs.replace(axis, title="mean score"),
        ns=[found.difference.n_items],
        series=("first place", "second place"),
        unheld="the places are held against each other",
    )


def binned(rows: Bins) -> Bins:
    """Counts at even distances, those of values that no reply has too; many are put together, to both sides alike.

    >>> binned([(0.5, (1,)), (2.0, (3,))])
    [(0.5, (1,)), (1.0, (0,)), (1.5, (0,)), (2.0, (3,))]
    """
    values = [value for value, _ in rows]
    if len(values) < 2:  # noqa: PLR2004  one bar, or none
        return rows
    span = max(values) - min(values)
    on = (one for one in _STEPS if all(abs(value / one - round(value / one)) < _NOISE for value in values))
    step = next(on, 0.0)
    if not step or span / step >= MOST_VALUES:
        power = 10.0 ** math.floor(math.log10(span))
        step = next(one * power for one in _WIDER if span / (one * power) < MOST_VALUES - 1)
    counted_at: dict[int, list[int]] = {}
    for value, counts in rows:
        kept = counted_at.setdefault(int(half_up(value / step, 0)), [0] * len(counts))
        kept[:] = [a + b for a, b in zip(kept, counts, strict=True)]
    none = [0] * len(rows[0][1])
    return [
        (round(at * step, 9), tuple(counted_at.get(at, none))) for at in range(min(counted_at), max(counted_at) + 1)
    ]


def _bars(name: str, title: str, series: tuple[str, ...], rows: Bins, signature: str) -> tuple[Figure, Folded]:
    """How many replies have each value, drawn, with the numbers folded up."""
    sign = "+" if len(series) == 1 else ""
    labels = [f"{value:{sign if value else ''}g}" for value, _ in rows]
    most = max((n for _, counts in rows for n in counts), default=0) or 1
    figure = Figure(
        id=name,
        caption=title,
        signature=signature,
        kind="bars",
        x=axis_around([0.0, float(most)], title="replies", decimals=0),
        y=Axis(
            title="difference" if sign else "score",
            bands=tuple(Band(name=one.replace("-", "\u2212"), strong=bool(sign) and one == "0") for one in labels),
        ),
        marks=tuple(
            Mark(x=float(n), y=at, series=place)
            for at, (_, counts) in enumerate(rows)
            for place, n in enumerate(counts)
        ),
        n=sum(counts[0] for _, counts in rows),
        n_of="reply",
        series=series if len(series) > 1 else (),
    )
    columns = (
        Column(id="points", title="points", kind="name"),
        *(Column(id=one.replace(" ", "-"), title=one, kind="count") for one in series),
    )
    cells: tuple[tuple[Cell, ...], ...] = tuple(
        (label, *counts) for label, (_, counts) in zip(labels, rows, strict=True)
    )
    table = Table(id=f"{name}-numbers", caption=title, signature=signature, columns=columns, rows=cells)
    return figure, Folded(f"{title}: the numbers", (table,))
