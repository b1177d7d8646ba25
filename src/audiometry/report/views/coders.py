"""Coders of texts by a code book: how far they agree with a labelled sample and with each other, and the book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audiometry.analysis.coding.labelled import SAMPLE, Agreed, Agreement
from audiometry.analysis.reasons.result import BookCode, Reasons
from audiometry.errors import counted, shown
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Folded, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import LONGEST, endings

_KAPPA = Column(id="kappa", title="kappa", kind="number", decimals=2)


def agreement(found: Sequence[Agreement], signature: str, titles: Mapping[str, str]) -> Iterator[Block]:
    """How far coders agree, all codes together and each.

    Args:
        found: with the sample first.
        signature: how the numbers were made.
        titles: of codes.
    """
    if not found:
        yield line(
            "The code book is no house's: there is no labelled sample to hold its coders against.", weight="minded"
        )
    if any(one.against == SAMPLE for one in found):
        yield line(
            "The sample: comments that were labelled before any rule was written. Rules were written from one half of "
            "them; this is the other, in the words that most people use. Comments in roundabout words were written "
            "afterwards, to show what rules cannot do: they leave most of these uncoded.",
            weight="about",
        )
    for one, ending in zip(found, endings([f"{each.coder} {each.against}" for each in found]), strict=True):
        whole = one.whole
        kappa = "not defined" if whole.kappa is None else _KAPPA.number(whole.kappa)
        span = "" if whole.interval is None else f" (95 %: {_KAPPA.span(whole.interval)})"
        ways = f"; praise or complaint as there in {one.right_ways:,} of {one.n_ways:,}" if one.n_ways else ""
        yield line(
            name(shown(one.coder, LONGEST)),
            f" against {shown(one.against, LONGEST)}, {counted(one.n, 'text')}: ",
            strong(f"kappa {kappa}"),
            f"{span}{ways}.",
        )
        yield Folded(
            f"Each code: {shown(one.coder, LONGEST)} against {shown(one.against, LONGEST)}",
            (_codes(one, f"coder-agreement{ending}", signature, titles),),
            printed=one is found[0],
        )


def _codes(one: Agreement, place: str, signature: str, titles: Mapping[str, str]) -> Block:
    there = [(titles.get(each.code, each.code), each) for each in one.codes if each.n_labelled or each.n_given]
    every = [("all codes", one.whole), *there]
    table = Table(
        id=place,
        caption=f"Cohen's kappa of {shown(one.coder, LONGEST)} with {shown(one.against, LONGEST)}, with 95 % "
        "intervals; precision and recall of its codes",
        signature=signature,
        columns=(
            Column(id="code", title="code", kind="name"),
            _KAPPA,
            Column(id="precision", title="precision", kind="number", unit="%", decimals=0, drop=1),
            Column(id="recall", title="recall", kind="number", unit="%", decimals=0, drop=1),
            Column(id="labelled", title="labelled" if one.n_ways else "by the other", kind="count"),
            Column(id="given", title="given", kind="count"),
            Column(id="both", title="both", kind="count", drop=2),
        ),
        rows=tuple(_row(title, each) for title, each in every),
        info=(RowInfo(strong=True, last=True), *(RowInfo() for _ in there)),
    )
    marks = [
        Mark(x=each.kappa, y=at, interval=each.interval) for at, (_, each) in enumerate(every) if each.kappa is not None
    ]
    axis = axis_around([0.0, 1.0, *reached(marks)], title="kappa", decimals=2)
    return banded(table, marks, axis, ns=(one.n,), n_of="text", unheld="1 is full agreement, 0 that of chance")


def _row(title: str, each: Agreed) -> tuple[Cell, ...]:
    kappa: Cell = "—" if each.kappa is None else Estimate(each.kappa, each.interval)
    return (title, kappa, each.precision, each.recall, each.n_labelled, each.n_given, each.n_both)


def coders(found: Reasons, titles: Mapping[str, str]) -> Iterator[Block]:
    """Ticks, rules and judges side by side, where there are several."""
    for one in found.coders:
        if one.n_failed:
            yield line(
                name(shown(one.name, LONGEST)),
                f": {one.n_failed:,} of {counted(one.n, 'comment')} were not coded: no answer came, or none that can "
                "be read.",
                weight="minded",
            )
    if len(found.coders) < 2:  # noqa: PLR2004  one has nobody beside it
        return
    shown_codes = [code for code in titles if any(one.codes[code].n for one in found.coders if code in one.codes)]
    columns = [Column(id="reason", title="reason", kind="name")]
    rows: list[list[Cell]] = [[titles[code]] for code in shown_codes]
    marks = []
    for at, one in enumerate(found.coders):
        label = shown(one.name, LONGEST)
        columns.append(Column(id=f"n-{at + 1}", title=f"{label}: n", kind="count", series=at))
        columns.append(Column(id=f"share-{at + 1}", title=f"{label}: share", kind="number", unit="%", series=at))
        for y, code in enumerate(shown_codes):
            share = one.codes[code]
            rows[y] += [share.n, None if share.value is None else Estimate(share.value, share.interval)]
            if share.value is not None:
                marks.append(Mark(x=share.value, y=y, interval=share.interval, series=at))
    table = Table(
        id="coders",
        caption="Share of the votes that each coder coded (ticks: votes with ticks; others: comments), with "
        "95 % intervals",
        signature=found.signature,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        series=tuple(shown(one.name, LONGEST) for one in found.coders),
    )
    axis = axis_around([0.0, *reached(marks)], title="share", unit="%")
    chart = banded(table, marks, axis, ns=[one.n - one.n_failed for one in found.coders], n_of="vote")
    yield Folded("Coders side by side", (chart,))


def book(codes: Sequence[BookCode], signature: str, what: str = "the comment …") -> Table:
    """What each code means.

    Args:
        codes: of the book.
        signature: how the numbers were made.
        what: is coded, to be followed by what a code says of it.
    """
    return Table(
        id="code-book",
        caption="What each code means; a text has every one that fits",
        signature=signature,
        columns=(
            Column(id="code", title="reason", kind="name"),
            Column(id="name", title="code", kind="text"),
            Column(id="about", title=what, kind="text"),
        ),
        rows=tuple((one.title, one.name, one.about) for one in codes),
    )
