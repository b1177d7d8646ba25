"""What a score is made of: items, wordings, orders, chance; with the spread over wordings and orders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.bands import banded
from audiometry.render.document import Block, Chart, Folded, Section, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import SHARES, Cell, Column, RowInfo, Table
from audiometry.report.naming import LONGEST as LONGEST_NAME
from audiometry.report.naming import endings
from audiometry.report.numbers import Scale, scale
from audiometry.report.titles import LONGEST, MEASURES
from audiometry.report.views.ranks import firmness
from audiometry.report.views.variance_doubts import doubts, unordered, whose
from audiometry.score.result import LEVEL

if TYPE_CHECKING:
    from audiometry.analysis.variance.result import Contrast, Source, Split, Variance

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
ABOUT: Final = (
    "How much of the score's uncertainty comes from which items were asked, in which words, in which order of options, "
    "and from chance between two replies to the same prompt. What is asked stands for all that could have been asked."
)
_OWN: Final = (
    "Each task has wordings of its own, which have no more than their number in common: what they do to one task "
    "and to another may cancel in these scores. The table of tasks has each."
)
_SHARE: Final = Column(id="share", title="of the score's variance", kind="number", unit="%")


def variance(found: Variance, card: Card, labels: Mapping[str, str]) -> Iterator[Block]:
    """The whole answer of ``audiometry variance``.

    Args:
        found: see `analysis.variance`.
        card: of the benchmark.
        labels: of the runs, by their folders.
    """
    for one, of in zip(found.splits, told_apart(found.splits, labels), strict=True):
        measure = MEASURES.get(one.measure) or shown(one.measure, LONGEST)
        blocks = (line(ABOUT, weight="about"), *spread(one, of), *sources(one, card, of), *wordings([one], card))
        title = f"What the {measure} is made of"
        yield Section(id=f"variance{of.ending}", title=title, of=labels[one.run], blocks=blocks)
    for (called, places), ending in zip(found.places.items(), endings(list(found.places)), strict=True):
        score = MEASURES.get(called, called) if len(found.places) > 1 else ""
        yield firmness(places, labels, found.n_draws, place=f"places{ending}", of=score)
    for warning in found.warnings:
        yield line(f"Note: {warning}.", weight="minded")


class Of(msgspec.Struct, frozen=True):
    """What tells the tables and figures of a split apart.

    Attributes:
        run: that captions name, where there are several; else empty.
        ending: of ids.
        ends: of the axis on which all of a score are drawn.
    """

    run: str
    ending: str
    ends: tuple[float, ...] = ()


def told_apart(splits: Sequence[Split], labels: Mapping[str, str]) -> list[Of]:
    """What captions and ids of each split have of its run and score.

    Args:
        splits: that are shown together.
        labels: of the runs, by their folders.
    """
    runs, scores = list(dict.fromkeys(one.run for one in splits)), list(dict.fromkeys(one.name for one in splits))
    of_run = dict(zip(runs, endings([labels[run] for run in runs]), strict=True)) if runs else {}
    of_score = dict(zip(scores, endings(scores), strict=True)) if scores else {}
    several, ends = len(labels) > 1, dict[str, tuple[float, ...]]()
    for one in splits:
        levels = (*one.by_wording, *one.by_order)
        cells = (value for row in one.cells for value in row)
        mine = (end for level in levels for end in (level.value, *(level.interval or ())))
        ends[one.name] = (*ends.get(one.name, ()), *mine, *cells)
    return [
        Of(
            f": {shown(labels[one.run], LONGEST_NAME)}" if several else "",
            f"{of_score[one.name]}{of_run[one.run]}",
            ends[one.name],
        )
        for one in splits
    ]


def spread(found: Split, of: Of) -> Iterator[Block]:
    """The score, and in each wording and order, with how far the best of these are from the worst.

    Args:
        found: of a score.
        of: see `told_apart`.
    """
    score, apart = scale(found).column("score", "score"), _error(scale(found))
    asked = ", ".join(
        counted(n, what)
        for n, what in ((found.wordings, "wording"), (found.orders, "order"), (found.repeats, "repeat"))
        if n > 1
    )
    error = "no standard error, as nothing varies between items, ways and repeats"
    if found.error is not None:
        error = f"a standard error of {apart.number(found.error)}{_unit(apart)} from all sources"
    yield line(
        f"{whose(found)} is ",
        strong(f"{score.number(found.value)}{_unit(score)}"),
        f", with {error}: {counted(found.n_items, 'item')} in {asked}.{unordered(found)}",
    )
    yield from (line(text, weight="minded") for text in doubts(found, score))
    if found.by_wording or found.by_order:
        yield _ways(found, score, of)
    for way, contrast in (("wording", found.wording), ("order", found.order)):
        if contrast is not None:
            yield _contrast(way, contrast, found)
    if found.wording is not None and len(set(found.words.values())) > 1:
        yield line(_OWN, weight="dim")


def sources(found: Split, card: Card, of: Of) -> Iterator[Block]:
    """What each source adds to the score's error, how far items are right in every way, and each task's wordings.

    Args:
        found: of a score.
        card: of the benchmark.
        of: see `told_apart`.
    """
    yield _sources(found, _error(scale(found)), of)
    if found.consistency is not None:
        its, share = found.consistency, _SHARE.number
        yield line(
            f"Of {counted(its.n_items, 'item')} {share(its.always)} % are right in all of these ways and "
            f"{share(its.never)} % in none; two replies to one item are alike right or wrong in "
            f"{share(its.agree)} % of the pairs."
        )
    yield from _tasks(found, card, scale(found).column("score", "score"), of)


def _error(its: Scale, name: str = "error", title: str = "adds to the error") -> Column:
    """A column of standard errors, which are small: with a place more than the score."""
    column = its.column(name, title, sign=True)
    return Column(id=name, title=title, kind="number", unit=column.unit, decimals=column.decimals + 1)


def _unit(column: Column) -> str:
    return f" {column.unit}" if column.unit else ""


def _sources(found: Split, apart: Column, of: Of) -> Chart:
    """How much each source adds to the standard error, drawn and listed."""
    once = _error(scale(found), "alone", "asked one way")
    rows: list[tuple[Cell, ...]] = [(_called(one, found), one.error, one.alone, one.share) for one in found.sources]
    table = Table(
        id=f"variance-sources{of.ending}",
        caption="What each source adds to the score's standard error (their squares add up), as it was asked and had "
        f"it been asked in one wording, one order and once{of.run}",
        signature=found.signature,
        columns=(Column(id="source", title="source", kind="name"), apart, once, _SHARE),
        rows=tuple(rows),
    )
    marks = [Mark(x=one.error, y=y) for y, one in enumerate(found.sources)]
    values = [0.0, *(mark.x for mark in marks)]
    x = axis_around(values, title="standard error", unit=apart.unit, decimals=apart.decimals)
    return banded(table, marks, x, ns=(found.n_items,), kind="bars")


def _called(one: Source, found: Split) -> str:
    if not one.factors and found.drawn:
        return "orders of an item, and chance"
    if not one.factors and found.repeats == 1:
        return "chance, and all of these together"
    return _CALLED[one.factors]


def _ways(found: Split, score: Column, of: Of) -> Chart:
    """A row each wording and order with its score, and in those of wordings the score in each order of these too."""
    levels = [
        *((f"wording {one.number}", one, found.cells[one.number - 1]) for one in found.by_wording),
        *((f"order {one.number}", one, ()) for one in found.by_order),
    ]
    both = [f"order {number}" for number in range(1, found.orders + 1)] if found.by_wording and found.by_order else []
    ways = " and ".join(way for way, there in (("wording", found.by_wording), ("order", found.by_order)) if there)
    rows: list[tuple[Cell, ...]] = [
        (title, one.value, one.interval, *(cells if cells and both else [None] * len(both)))
        for title, one, cells in levels
    ]
    marks = [Mark(x=one.value, y=y, interval=one.interval) for y, (_, one, _) in enumerate(levels)]
    marks += [
        Mark(x=value, y=y, series=series)
        for y, (_, _, cells) in enumerate(levels)
        for series, value in enumerate(cells if both else (), 1)
    ]
    table = Table(
        id=f"variance-ways{of.ending}",
        caption=f"The score in each {ways} of options{', and in each order of a wording' * bool(both)}{of.run}"
        if found.by_order
        else f"The score in each {ways}{of.run}",
        signature=found.signature,
        columns=(
            Column(id="way", title="asked in", kind="name"),
            score,
            Column(id="interval", title="95 %", kind="interval", unit=score.unit, decimals=score.decimals),
            *(
                msgspec.structs.replace(score, id=f"order-{n}", title=title, series=n)
                for n, title in enumerate(both, 1)
            ),
        ),
        rows=tuple(rows),
        info=tuple(RowInfo(last=at + 1 == len(found.by_wording)) for at in range(len(levels))),
        series=("mean", *both) if both else (),
    )
    x = axis_around(of.ends, title=score.title, unit=score.unit, decimals=score.decimals)
    return banded(table, marks, x, ns=(found.n_items,), reference=found.value, reference_name="the score")


def _contrast(way: str, found: Contrast, split: Split) -> Block:
    its = scale(split)
    score, apart = its.column("", ""), its.column("", "", sign=True)
    levels = split.by_wording if way == "wording" else split.by_order
    best, worst = (next(one.value for one in levels if one.number == n) for n in (found.best, found.worst))
    told = "cannot be told from chance" if found.p >= LEVEL else "is more than chance"
    of = "the only pair" if found.n_pairs == 1 else f"corrected over {counted(found.n_pairs, 'pair')} (Holm)"
    return line(
        f"The best {way}, {found.best}, and the worst, {found.worst}: {score.number(best)} and "
        f"{score.number(worst)}{_unit(score)}, a difference of ",
        strong(f"{apart.number(found.difference)}{_unit(apart)}"),
        f" (95 %: {apart.span(found.interval)}; p {p_value(found.p, '= ')}, {of}), which {told}.",
    )


def _tasks(found: Split, card: Card, score: Column, of: Of) -> Iterator[Block]:
    """Each task in each wording."""
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
            id=f"variance-tasks{of.ending}",
            caption=f"Each task in each wording, the widest spread first{of.run}",
            signature=found.signature,
            columns=(Column(id="task", title="task", kind="name"), *each, spread, Column(id="p", title="p", kind="p")),
            rows=tuple(
                (card.title_of(task), *found.tasks[task], wide[task], found.tasks_p.get(task)) for task in order
            ),
        )
        told = "p: a task's best wording against its worst, corrected over all pairs of all tasks (Holm)."
        yield line(told, weight="dim")


def wordings(found: Sequence[Split], card: Card) -> Iterator[Block]:
    """In which words the tasks of one score were asked, once for all runs.

    Args:
        found: of each run.
        card: of the benchmark.
    """
    every = {task: texts for one in sorted(found, key=lambda one: one.wordings) for task, texts in one.words.items()}
    words = [
        line(name(card.title_of(task)), f", wording {at}: ", name(text))
        for task, texts in every.items()
        for at, text in enumerate(texts, 1)
    ]
    yield from [Folded("The wordings", tuple(words))] if words else []
