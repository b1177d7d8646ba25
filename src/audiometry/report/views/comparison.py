"""Two runs on the same items: the difference by task around nothing, how sure it is, and what could have been found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Chart, Facts, Folded, Line, Section, line, name, names_of, strong
from audiometry.render.figure import Axis, Band, Mark, axis_around
from audiometry.render.numbers import p_value
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import FEW, LONGEST, endings
from audiometry.report.numbers import Scale, counts, scale
from audiometry.score.result import Comparison, Difference

HOW = (
    "p is the larger of two: by swapping the two runs' replies to whole clusters of items that share a clip, and the "
    "smallest level at which the interval leaves out 0. p of the tasks is corrected over tasks, of the categories over "
    "categories (Holm). Detectable is the true difference that so many items would find four times in five, where p is "
    "corrected over several at Holm's first level, 0.05 over their number; never where so few clusters show no "
    "difference, and unclear where one has more than a fifteenth of the weight or errors."
)
UNABLE = {
    "never": " So few items cannot show a difference, however large.",
    "unclear": " What difference would be found cannot be said: one clip has over a fifteenth of weight or errors.",
}


_Row: TypeAlias = tuple[str, Difference, RowInfo]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs that are compared, or why they are not.

    Attributes:
        a, b: what they are called.
        found: A minus B.
        places: their numbers among the runs of a page.
    """

    a: str
    b: str
    found: Comparison | str
    places: tuple[int | None, int | None] = (None, None)


def comparison(
    pairs: Sequence[Pair], card: Card, *, place: str = "comparison", of: str = "", read: str = ""
) -> Section:
    """One run against others by one measure.

    Args:
        pairs: the same first run in each.
        card: of the benchmark.
        place: the section's id.
        of: which score it is, where there are several.
        read: by whom replies were read, where not by rules alone.
    """
    blocks: list[Block] = [line(read, weight="dim")] if read else []
    blocks += [
        line(name(pair.a), " is not compared with ", name(pair.b), f": {pair.found}.", weight="minded")
        for pair in pairs
        if isinstance(pair.found, str)
    ]
    told = [(pair, pair.found) for pair in pairs if isinstance(pair.found, Comparison)]
    if len(told) > 1:  # what is to be minded stands before all that is folded up
        notes = dict.fromkeys(warning for _, found in told for warning in found.warnings)
        blocks += [Facts((("A", (name(told[0][0].a),)),)), _overview(told, place)]
        blocks += [_noted(warning, [pair.b for pair, found in told if warning in found.warnings]) for warning in notes]
    folded, names = [], endings([pair.b for pair, _ in told])
    for (pair, found), ending in zip(told, names, strict=True):
        own = f"{place}-with{ending}" if ending else place
        inner = (_runs(pair), *_told(pair, found, card, own, drawn=len(told) <= FEW))
        if len(told) == 1:
            blocks += (*inner, *(line(f"Note: {warning}.", weight="minded") for warning in found.warnings))
        else:
            folded.append(Folded(f"By task, against {pair.b}", inner))
    many = Folded(f"By task, against each of {len(folded)} others", tuple(folded))
    blocks += folded if len(folded) <= FEW else [many]
    blocks += [line(HOW, weight="about")] if told else []
    return Section(id=place, title="Comparison in pairs", of=of, blocks=tuple(blocks), short="Comparison")


def _noted(warning: str, others: Sequence[str]) -> Line:
    """What is to be minded of the comparison with these, each of them named."""
    return line("Note, against ", *names_of(others), f": {warning}.", weight="minded")


def both(found: Comparison, card: Card, labels: Sequence[str]) -> Iterator[Block]:
    """Two runs by every measure that both have; what is said of several is said once.

    Args:
        found: with all of them.
        card: of the benchmark.
        labels: what the runs are called where a table stands alone.
    """
    pair = Pair(a=labels[0], b=labels[1], found=found)
    sides = (("A", found.a, pair.a), ("B", found.b, pair.b))
    yield Facts(tuple((side, (name(path), ", ", name(label))) for side, path, label in sides))
    said: set[str] = set()
    every = (found, *found.also.values())
    for one, ending in zip(every, endings([one.measure for one in every]), strict=True):
        own = f"comparison{ending}"
        read = [line(by)] if (by := _read_by(one)) else []
        notes = [line(f"Note: {warning}.", weight="minded") for warning in one.warnings if warning not in said]
        said |= set(one.warnings)
        yield line()
        yield Section(id=own, title="", blocks=(*read, *_told(pair, one, card, own), *notes))


def _runs(pair: Pair) -> Facts:
    return Facts((("A", (name(pair.a),)), ("B", (name(pair.b),))))


def _read_by(found: Comparison) -> str:
    if found.judges:
        panel = f", {found.panel} of the panel" if found.panel else ""
        return f"judged by {', '.join(found.judges)}{panel}"
    return f"read by {found.aligned_by}" if found.aligned_by else ""


def _told(pair: Pair, found: Comparison, card: Card, place: str, *, drawn: bool = True) -> Iterator[Block]:
    its = scale(found)
    better = "higher" if found.direction == "up" else "lower"
    yield line(strong(found.measure), f": {counts(found)}, {better} is better.")
    chart = _chart(pair, found, card, place)
    yield chart if drawn else chart.table
    yield _verdict(found, its)


def _verdict(found: Comparison, its: Scale) -> Line:
    unit = " points" if its.share else ""
    p, corrected = f"p {p_value(found.p, '= ')}", ""
    if found.p_corrected is not None:
        corrected = f", corrected over the comparisons {p_value(found.p_corrected)}"
    runs = found.verdict(found.p if found.p_corrected is None else found.p_corrected)
    able = UNABLE.get(found.undetectable, "") if found.detectable is None else (
        f" A true difference of {its.number(found.detectable)}{unit} would be found four times in five."
    )  # fmt: skip
    return line(
        "The difference is ",
        strong(f"{its.change(found.difference)}{unit}"),
        f" (95 %: {its.changes(found.interval)}; {p}{corrected}): A and B {runs}.{able}",
    )


def _overview(told: Sequence[tuple[Pair, Comparison]], place: str) -> Chart:
    """The first run less each other, over everything; p is corrected over them."""
    first = told[0][1]
    ranked = sorted(told, key=lambda one: -one[1].difference)
    rows = [(pair.b, one, RowInfo(series=pair.places[1])) for pair, one in ranked]
    caption = f"A ({shown(told[0][0].a, LONGEST)}) minus each other run (B), {counts(first)}"
    caption += "".join(_caveat(one).replace("; ", f"; {shown(pair.b, LONGEST)}: ") for pair, one in told)
    made = _made([one for _, one in told])
    return _drawn(rows, first, place, (caption, made), "run", (told[0][0].places[0], None))


def _chart(pair: Pair, found: Comparison, card: Card, place: str) -> Chart:
    tasks = sorted(found.tasks.items(), key=lambda one: -one[1].difference)
    rows: list[_Row] = [
        (card.called(task, asked=one.n_items), one, RowInfo(last=n == len(tasks)))
        for n, (task, one) in enumerate(tasks, 1)
    ]
    if len(found.categories) > 1:
        names = list(found.categories)
        rows += [(f"all of {of}", one, RowInfo(last=of == names[-1])) for of, one in found.categories.items()]
    rows.append(("all", found, RowInfo(strong=True)))
    runs = f"A ({shown(pair.a, LONGEST)}) minus B ({shown(pair.b, LONGEST)})"
    caption = f"Difference by task, {runs}, {counts(found)}{_caveat(found)}"
    return _drawn(rows, found, place, (caption, _made([found])), "task", pair.places)


def _caveat(found: Comparison) -> str:
    """What a caption adds where replies are not all there."""
    n, late = found.n_items - found.n_came, counted(found.n_waiting, "reply" if found.in_pairs else "item")
    failed = f"; incomplete, a reply to {n:,} of {counted(found.n_items, 'item')} failed" if n else ""
    return failed + (f"; incomplete, {late} left out that one run has not been asked" if found.n_waiting else "")


def _made(found: Sequence[Comparison]) -> str:
    """How the scores that are compared are made, each way once, and how they are compared."""
    signatures = dict.fromkeys(one for each in found for one in each.signatures)
    how = " against ".join(signatures) or f"{found[0].measure}, rules of {found[0].profile}"
    means = "" if all(each.in_pairs for each in found) else " of items, each run's mean over its own variants"
    return f"{how}; in pairs{means}, by swapping whole clusters"


def _drawn(
    rows: Sequence[_Row],
    found: Comparison,
    place: str,
    of: tuple[str, str],
    corner: str,
    places: tuple[int | None, int | None],
) -> Chart:
    """Differences around nothing.

    Args:
        rows: names, differences, and what the rows are.
        found: of which the measure and the rules are.
        place: id of figure and table.
        of: caption and signature of both.
        corner: of what the names are; over these p is corrected.
        places: numbers of the runs among those of a page.
    """
    its, (caption, made) = scale(found), of
    n = [one.n_items for _, one, _ in rows]
    columns = (
        Column(id="task", title="B" if corner == "run" else corner, kind="name"),
        Column(id="items", title="items", kind="count"),
        its.column("a", "A", series=places[0]),
        its.column("b", "B", series=places[1]),
        its.column("difference", "A - B", sign=True),
        Column(id="p", title="p", kind="p"),
        Column(id="p-corrected", title="p corrected", kind="p"),
        msgspec.structs.replace(its.column("detectable", "detectable", sign=True), sign=False),
    )
    reach = [None if one.detectable is None else (-one.detectable, one.detectable) for _, one, _ in rows]
    ends = [0.0, *(end for shade in reach if shade for end in shade)]
    marks = [
        Mark(x=one.difference, y=n, interval=one.interval, series=info.series or 0)
        for n, (_, one, info) in enumerate(rows)
    ]
    bands = (
        Band(name=title, shade=shade, strong=info.strong, last=info.last)
        for (title, _, info), shade in zip(rows, reach, strict=True)
    )
    cells = tuple((title, *_cells(one)) for title, one, _ in rows)
    infos = tuple(info for _, _, info in rows)
    of_those = ", those of categories over categories" if corner == "task" and len(found.categories) > 1 else ""
    of_those += ", those of all over runs" if corner == "task" and found.p_corrected is not None else ""
    told = f"{caption}; p and detectable corrected over {corner}s{of_those} (Holm)"
    title = "A better → · A \u2212 B" if found.direction == "up" else "← A better · A \u2212 B"
    return banded(
        Table(id=place, caption=told, signature=made, columns=columns, rows=cells, info=infos),
        marks,
        axis_around(
            [*ends, *reached(marks)], title=title, unit="points" if its.share else "", sign=True, decimals=its.decimals
        ),
        ns=n if corner == "run" else [max(n)],
        caption=caption,
        y=Axis(bands=tuple(bands)),
        reference=0.0,
        reference_name="no difference",
        shade_name="true differences found less than four times in five, by row" if any(reach) else "",
    )


def _cells(row: Difference) -> tuple[Cell, ...]:
    difference = Estimate(row.difference, row.interval)
    return row.n_items, row.score_a, row.score_b, difference, row.p, row.p_corrected, row.would_be_found
