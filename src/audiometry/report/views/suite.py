"""A suite's two tables, as its public site has it and as its paper counts it, and open against commercial systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from audiometry.errors import counted
from audiometry.render.document import Block, Chart, Folded, Line, Section, line, names_of
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.numbers import Scale
from audiometry.report.published import Own, PublishedLine
from audiometry.report.suite import FEWER, LOST, OTHER, Suite
from audiometry.report.titles import MEASURES
from audiometry.report.views.published import drawing, marks_of

PERCENT: Final = 100
_SHARE: Final = Scale(0, 1, share=True)
_FEWER: Final = "it is of fewer sets or items than were published"
_KEY: Final = {
    OTHER: f"{OTHER} By another measure than published numbers, or a mean that holds both",
    FEWER: f"{FEWER} Of fewer items than were published",
    LOST: f"{LOST} Incomplete: without replies that failed or were not judged, which count as wrong ones",
    " of ": "A mean of fewer sets than were published is no number to hold against theirs",
}


def suite(found: Suite, labels: Sequence[str], section: str = "published") -> Section:
    """Runs above published systems, a column a set.

    Args:
        found: what was printed, with the runs.
        labels: of the runs.
        section: its id.
    """
    forms = list(_forms(found, labels, section)) if found.means else []
    blocks: list[Block] = [
        line(
            f"{'These runs' if len(labels) > 1 else 'This run'} beside {counted(len(found.systems), 'system')} "
            "that were published, in percent. Published numbers come from other prompts and decoding. They have no "
            "interval and cannot be tested against: landmarks, not tests."
        ),
        *_chart(found, labels, section),
        *_marks(found),
        *forms,
        *([_sorts(found, section)] if found.gaps else []),
        line(f"Published numbers: {found.source}.", weight="dim"),
    ]
    return Section(id=section, title="Published systems", short="Published", blocks=tuple(blocks))


def _forms(found: Suite, labels: Sequence[str], section: str) -> Iterator[Section]:
    """The two tables, a column a set, with their mean; a terminal has that of the paper alone where it says more."""
    columns, n = (*found.sets, *found.means[:1]), len(found.sets)
    asked = any(own.value is not None for one in found.transcripts for own in one.own)
    title, place = f"In the public site's form: {counted(n, 'set')} and their mean", f"{section}-site"
    table = _table(place, title, found, labels, columns)
    blocks = (Folded("Each set", (table,), "The first columns of the paper's form.", printed=not asked, opened=True),)
    yield Section(id=f"{place}-form", title=title, blocks=blocks)
    if found.transcripts:
        n += len(found.transcripts)
        title, place = f"In the paper's form: {counted(n, 'set')}, word error rates apart", f"{section}-paper"
        table = _table(place, title, found, labels, (*columns, *found.transcripts))
        told = line(
            "Lower word error rates are better; of these sets, our choice, nothing was published.", weight="dim"
        )
        blocks = (Folded("All sets", (table, told), "audiometry report shows it.", printed=asked),)
        yield Section(id=f"{place}-form", title=title, blocks=blocks)


def _table(id_: str, caption: str, found: Suite, labels: Sequence[str], columns: Sequence[PublishedLine]) -> Table:
    """A row a run and a system."""
    ours = [
        (label, *(_cell(one.own[n], mean=one in found.means or not found.means) for one in columns))
        for n, label in enumerate(labels)
    ]
    whose = "the means of runs" if found.means else "runs"
    systems = [
        (f"{one.name} (published)", *("–" if value is None else float(PERCENT * value) for value in values))
        for one, values in zip(found.systems, zip(*(one.printed for one in columns), strict=True), strict=True)
    ]
    return Table(
        id=id_,
        caption="; ".join((f"{caption}; in percent, with 95 % intervals of {whose} alone", *_key(columns))),
        signature="; ".join(
            (*dict.fromkeys(made for one in columns for made in one.made), f"published numbers: {found.source}")
        ),
        columns=(
            Column(id="system", title="system", kind="name"),
            *(Column(id=f"column-{n}", title=one.title, kind="number") for n, one in enumerate(columns, 1)),
        ),
        rows=(*ours, *systems),
        info=(*(RowInfo(strong=True, last=n == len(ours) - 1) for n in range(len(ours))), *[RowInfo()] * len(systems)),
    )


def _cell(own: Own, *, mean: bool) -> Cell:
    if own.value is None:
        return "–"
    interval = own.interval if mean else None
    scaled = None if interval is None else (PERCENT * interval[0], PERCENT * interval[1])
    return Estimate(PERCENT * own.value, scaled, own.note)


def _chart(found: Suite, labels: Sequence[str], section: str) -> Iterator[Block]:
    """The means of all sets and of each category, drawn; of one set, that.

    A run's mean over fewer sets, or fewer items, than were published is none of these and stands in the table only.
    """
    words = "; ".join(f"{mine} for {_titled(theirs)}" for mine, theirs in found.others)
    over = "Means over all sets and over those of each category" if found.means else found.sets[0].title
    columns, what = found.means or found.sets, f"{'Mean score' if found.means else 'Score'} in percent"
    table = _table(section, over, found, labels, columns)
    drawn = [replace(one, own=tuple(_whole(own, words) for own in one.own)) for one in columns]
    hidden: dict[tuple[str, ...], list[str]] = {}
    for n, label in enumerate(labels):
        if lost := tuple(all_.title for all_, one in zip(columns, drawn, strict=True) if _is_hidden(all_, one, n)):
            hidden.setdefault(lost, []).append(label)
    others = tuple(labels) if len(labels) > 1 else ()
    marks = [
        mark for at, one in enumerate(drawn, len(others)) for mark in marks_of(one, at, len(labels), len(table.rows))
    ]
    figure = drawing(table, marks, found.n_items, drawn, _SHARE.axis([]), what, others)
    if hidden:
        figure = replace(figure, caption=f"{figure.caption}; runs are not drawn where {_FEWER}")
    yield Chart(figure, table)
    for lost, those in hidden.items():
        yield line("Not drawn: ", *names_of(those), f" under {', '.join(lost)}, as {_FEWER}.", weight="minded")


def _is_hidden(one: PublishedLine, drawn: PublishedLine, run: int) -> bool:
    return one.own[run].value is not None and drawn.own[run].value is None


def _whole(own: Own, words: str) -> Own:
    if FEWER in own.note or " of " in own.note:
        return Own(None)
    said = (words if OTHER in own.note else "", "incomplete" if LOST in own.note else "")
    return replace(own, note=", ".join(filter(None, said)))


def _marks(found: Suite) -> Iterator[Line]:
    """What the marks of cells mean, and which means are none to compare with."""
    for (mine, theirs), titles in found.others.items():
        yield line(
            f"{OTHER} {mine}, where published systems have {_titled(theirs)} ({', '.join(titles)}): not one measure, "
            "and a mean that holds both is not one either."
        )
    for said in _key((*found.sets, *found.means[:1], *found.transcripts)):
        if not said.startswith(OTHER):
            yield line(f"{said}.")


def _key(lines: Sequence[PublishedLine]) -> list[str]:
    """What the marks in some columns mean, for files that have nothing else to say it."""
    notes = [own.note for one in lines for own in one.own]
    return [said for mark, said in _KEY.items() if any(mark in note for note in notes)]


def _titled(measure: str) -> str:
    return MEASURES.get(measure, measure)


def _sorts(found: Suite, section: str) -> Section:
    """Commercial against open systems, by the printed numbers alone."""
    n_commercial = sum(one.commercial for one in found.systems)
    n_open = len(found.systems) - n_commercial
    table = Table(
        id=f"{section}-sorts",
        caption=f"Published systems alone: {n_commercial} commercial against {n_open} open, means over sets",
        signature=f"published numbers: {found.source}",
        columns=(
            Column(id="sets", title="sets", kind="name"),
            _SHARE.column("open", "open"),
            _SHARE.column("commercial", "commercial"),
            _SHARE.column("difference", "difference", sign=True),
            _SHARE.column("interval", "95 %", "interval", sign=True),
        ),
        rows=tuple(
            (
                one.title.replace("mean of", "all"),
                one.open,
                one.commercial,
                one.shift.difference,
                one.shift.interval or "none",
            )
            for one in found.gaps
        ),
        info=tuple(RowInfo(last=bool(found.means) and n == 0) for n in range(len(found.gaps))),
    )
    ways = found.gaps[0].shift.ways
    commercial = " and ".join(one.name for one in found.systems if one.commercial)
    told = (
        f"Commercial ({commercial}) minus open; the interval is exact, of exchanging systems: {n_commercial} of "
        f"{n_commercial + n_open} can be picked in {ways:,} ways, so that no two-sided p can be below "
        f"{min(1.0, 2 / ways):.3f}. So few systems, drawn by nobody, say little of commercial ones at large."
    )
    return Section(id=f"{section}-sorts", title="Open and commercial systems", blocks=(table, line(told, weight="dim")))
