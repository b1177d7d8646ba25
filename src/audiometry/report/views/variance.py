"""What a score is made of: items, wordings, orders, chance; and how firm the places of runs are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from audiometry.errors import counted
from audiometry.records import Card
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Folded, Section, line, name, strong
from audiometry.render.figure import Axis, Band, Figure, Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import SHARES, Cell, Column, Table
from audiometry.report.numbers import Scale, scale

if TYPE_CHECKING:
    from audiometry.analysis.variance.result import Contrast, Level, Places, Source, Split, Variance

_CALLED: Final = {
    ("item",): "items",
    ("wording",): "wordings",
    ("order",): "orders of options",
    ("item", "wording"): "wordings of an item",
    ("item", "order"): "orders of an item",
    ("wording", "order"): "orders in a wording",
    ("item", "wording", "order"): "orders of an item in a wording",
    (): "chance",
}
_ABOUT: Final = (
    "How much of the score's uncertainty comes from which items were asked, in which words, in which order of options, "
    "and from chance between two replies to the same prompt. What is asked stands for all that could have been asked."
)
_FIRM: Final = (
    "Each draw takes as many clips, or wordings, as were asked, some of them several times, and ranks the runs anew."
)
_SHARE: Final = Column(id="share", title="of one reply's variance", kind="number", unit="%")


def variance(found: Variance, card: Card) -> Iterator[Block]:
    """The whole answer of ``audiometry variance``.

    Args:
        found: see `analysis.variance`.
        card: of the benchmark.
    """
    several = len({(one.run, one.name) for one in found.splits}) > 1
    for number, one in enumerate(found.splits, 1):
        yield _split(one, card, f"-{number}" if several else "")
    for called, places in found.places.items():
        yield _places(called, places, found.n_draws)
    for warning in found.warnings:
        yield line(f"Note: {warning}.", weight="minded")


def _split(found: Split, card: Card, ending: str) -> Section:
    score, apart = scale(found).column("score", "score"), _error(scale(found))
    asked = ", ".join(
        counted(n, what)
        for n, what in ((found.wordings, "wording"), (found.orders, "order"), (found.repeats, "repeat"))
        if n > 1
    )
    said = line(
        "The score is ",
        strong(f"{score.number(found.value)}{_unit(score)}"),
        f", with a standard error of {apart.number(found.error)}{_unit(apart)} from all sources: "
        f"{counted(found.n_items, 'item')} in {asked}.",
    )
    blocks: list[Block] = [line(_ABOUT, weight="about"), said, _sources(found, apart, ending)]
    blocks += _ways(found, score, ending)
    if found.consistency is not None:
        its, share = found.consistency, _SHARE.number
        blocks.append(
            line(
                f"Of {counted(its.n_items, 'item')} {share(its.always)} % are right in all of these ways and "
                f"{share(its.never)} % in none; two replies to one item are alike right or wrong in "
                f"{share(its.agree)} % of the pairs."
            )
        )
    blocks += _tasks(found, card, score, ending)
    title = f"What the score is made of: {found.name}"
    return Section(id=f"variance{ending}", title=title, of=found.model, blocks=tuple(blocks))


def _error(its: Scale, name: str = "error", title: str = "adds to the error") -> Column:
    """A column of standard errors, which are small: with a place more than the score."""
    column = its.column(name, title, sign=True)
    return Column(id=name, title=title, kind="number", unit=column.unit, decimals=column.decimals + 1)


def _unit(column: Column) -> str:
    return f" {column.unit}" if column.unit else ""


def _sources(found: Split, apart: Column, ending: str) -> Chart:
    """How much each source adds to the standard error, drawn and listed."""
    once = _error(scale(found), "alone", "asked one way")
    rows: list[tuple[Cell, ...]] = [(_called(one, found), one.error, one.alone, one.share) for one in found.sources]
    table = Table(
        id=f"variance-sources{ending}",
        caption="What each source adds to the score's standard error (their squares add up), as it was asked and had "
        "it been asked in one wording, one order and once",
        signature=found.signature,
        columns=(Column(id="source", title="source", kind="name"), apart, once, _SHARE),
        rows=tuple(rows),
    )
    marks = [Mark(x=one.error, y=y) for y, one in enumerate(found.sources)]
    values = [0.0, *(mark.x for mark in marks)]
    x = axis_around(values, title="standard error", unit=apart.unit, decimals=apart.decimals)
    return banded(table, marks, x, ns=(found.n_items,), kind="bars")


def _called(one: Source, found: Split) -> str:
    if not one.factors and found.repeats == 1:
        return "chance, and all of these together"
    return _CALLED[one.factors]


def _ways(found: Split, score: Column, ending: str) -> Iterator[Block]:
    """Wordings and orders, each with its score, and the best against the worst."""
    for way, levels, contrast in (
        ("wording", found.by_wording, found.wording),
        ("order", found.by_order, found.order),
    ):
        if levels:
            yield _levels(found, way, levels, score, ending)
        if contrast is not None:
            yield _contrast(way, contrast, scale(found).column("", "", sign=True))
    if found.wordings > 1 and found.orders > 1:
        yield _cells(found, score, ending)


def _levels(found: Split, way: str, levels: Sequence[Level], score: Column, ending: str) -> Chart:
    table = Table(
        id=f"variance-{way}s{ending}",
        caption=f"The score in each {way}",
        signature=found.signature,
        columns=(
            Column(id=way, title=way, kind="name"),
            score,
            Column(id="interval", title="95 %", kind="interval", unit=score.unit, decimals=score.decimals),
        ),
        rows=tuple((str(one.number), one.value, one.interval) for one in levels),
    )
    marks = [Mark(x=one.value, y=y, interval=one.interval) for y, one in enumerate(levels)]
    x = axis_around(reached(marks), title=score.title, unit=score.unit, decimals=score.decimals)
    return banded(table, marks, x, ns=(found.n_items,), reference=found.value, reference_name="all")


def _contrast(way: str, found: Contrast, apart: Column) -> Block:
    told = "cannot be told from chance" if found.p > _LEVEL else "is more than chance"
    of = "the only pair" if found.n_pairs == 1 else f"p corrected over {found.n_pairs} pairs"
    return line(
        f"The best {way}, {found.best}, and the worst, {found.worst}, are ",
        strong(f"{apart.number(found.difference)}{_unit(apart)}"),
        f" apart (95 %: {apart.span(found.interval)}; p {p_value(found.p, '= ')}, {of}), which {told}.",
    )


_LEVEL: Final = 0.05


def _cells(found: Split, score: Column, ending: str) -> Chart:
    """Wordings by orders, the darker the higher."""
    every = [value for row in found.cells for value in row]
    low, high = min(every), max(every)
    marks = [
        Mark(x=x, y=y, value=value, shade=(value - low) / (high - low) if high > low else 0.0)
        for y, row in enumerate(found.cells)
        for x, value in enumerate(row)
    ]
    names = [f"wording {number}" for number in range(1, found.wordings + 1)]
    orders = [f"order {number}" for number in range(1, found.orders + 1)]
    caption = "The score by wording and order of options"
    ends = f"{score.number(low)} to {score.number(high)}{_unit(score)}"
    figure = Figure(
        id=f"variance-cells{ending}",
        caption=caption,
        signature=found.signature,
        kind="matrix",
        x=Axis(unit=score.unit, decimals=score.decimals, bands=tuple(Band(name=one) for one in orders)),
        y=Axis(bands=tuple(Band(name=one) for one in names)),
        marks=tuple(marks),
        n=found.n_items,
        shade_name=ends,
    )
    columns = [
        Column(id=f"order-{number}", title=title, kind="number", unit=score.unit, decimals=score.decimals)
        for number, title in enumerate(orders, 1)
    ]
    table = Table(
        id=figure.id,
        caption=caption,
        signature=found.signature,
        columns=(Column(id="wording", title="wording", kind="name"), *columns),
        rows=tuple((title, *row) for title, row in zip(names, found.cells, strict=True)),
    )
    return Chart(figure, table)


def _tasks(found: Split, card: Card, score: Column, ending: str) -> Iterator[Block]:
    """Each task in each wording, and what these wordings are."""
    if len(found.tasks) > 1:
        wide = {task: max(values) - min(values) for task, values in found.tasks.items()}
        order = sorted(found.tasks, key=lambda task: -wide[task])
        each = [
            Column(id=f"wording-{at}", title=f"wording {at}", kind="number", unit=score.unit, decimals=score.decimals)
            for at in range(1, found.wordings + 1)
        ]
        unit = "points" if score.unit in SHARES else ""
        spread = Column(id="spread", title="spread", kind="number", unit=unit, decimals=score.decimals)
        yield Table(
            id=f"variance-tasks{ending}",
            caption="Each task in each wording, the widest spread first",
            signature=found.signature,
            columns=(Column(id="task", title="task", kind="name"), *each, spread),
            rows=tuple((card.called(task), *found.tasks[task], wide[task]) for task in order),
        )
    if found.words:
        words = (
            line(name(card.called(task)), f", wording {at}: ", name(text))
            for task, texts in found.words.items()
            for at, text in enumerate(texts, 1)
        )
        yield Folded("The wordings", tuple(words))


def _places(called: str, found: Places, n_draws: int) -> Section:
    share = [
        Column(id=kind, title=f"keeps its place, {said}", kind="number", unit="%")
        for kind, said in (("items", "other items"), ("wordings", "other wordings"), ("both", "both"))
    ]
    kinds = ("items", "wordings", "both") if found.wordings > 1 else ("items",)
    table = Table(
        id=f"places-{called}",
        caption=f"The places of {counted(len(found.runs), 'run')} by {called}, over {n_draws:,} draws",
        signature="; ".join(found.signatures),
        columns=(
            Column(id="run", title="run", kind="name"),
            scale(found).column("score", "score"),
            Column(id="place", title="place", kind="count"),
            Column(id="places", title="places, 95 %", kind="interval", decimals=0),
            *(column for column in share if column.id in kinds),
            Column(id="first", title="is first", kind="number", unit="%"),
        ),
        rows=tuple(
            (one.model, one.value, one.rank, _span(one.ranks), *(one.keeps[kind] for kind in kinds), one.first)
            for one in found.runs
        ),
    )
    marks = [Mark(x=one.rank, y=y, interval=_span(one.ranks)) for y, one in enumerate(found.runs)]
    places = tuple(float(place) for place in range(1, len(found.runs) + 1))
    x = Axis(title="place", low=1.0, high=float(len(found.runs)), ticks=places, decimals=0)
    return Section(
        id=f"places-{called}",
        title=f"How firm the places are: {called}",
        blocks=(line(_FIRM, weight="about"), banded(table, marks, x, ns=(found.n_items,))),
    )


def _span(ranks: tuple[int, int]) -> tuple[float, float]:
    return float(ranks[0]), float(ranks[1])
