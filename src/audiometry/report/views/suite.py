"""A suite's two tables, as its public site has it and as its paper counts it, and open against commercial systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from msgspec.structs import replace

from audiometry.errors import counted
from audiometry.render.document import Block, Chart, Line, Section, line, names_of
from audiometry.render.table import Cell, Column, Estimate, Order, RowInfo, Table
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
    " classes": "Macro F1 of part of the classes of a set is mostly higher than that of all",
    LOST: f"{LOST} Incomplete: without replies that failed or were not judged, which count as wrong ones",
    " sets": "A mean of fewer sets than were published is no number to hold against theirs",
}
_OTHER_MEAN: Final = "The score above, by which runs are compared and placed, is another: the mean of its categories."


def suite(found: Suite, labels: Sequence[str], section: str = "published", *, means_only: bool = False) -> Section:
    """Runs beside published systems: the means, and set by set.

    Args:
        found: what was printed, with the runs.
        labels: of the runs.
        section: its id.
        means_only: without the sets, and without open against commercial systems.
    """
    blocks: list[Block] = [
        line(
            f"{'These runs' if len(labels) > 1 else 'This run'} beside {counted(len(found.systems), 'system')} "
            "that were published, in percent. Published numbers come from other prompts and decoding. They have no "
            "interval and cannot be tested against: landmarks, not tests."
        ),
        *_chart(found, labels, section),
        *_marks(found),
    ]
    if found.means and found.by_category:
        blocks.append(line(f"{found.means[0].title}: all sets alike, as published. {_OTHER_MEAN}", weight="dim"))
    if means_only and found.means:
        blocks.append(line("audiometry score and audiometry report show these set by set.", weight="dim"))
    elif found.means:
        blocks.append(_by_set(found, labels, section))
    if found.gaps and not means_only:
        blocks.append(_sorts(found, section))
    blocks.append(line(f"Published numbers: {found.source}.", weight="dim"))
    return Section(id=section, title="Published systems", short="Published", blocks=tuple(blocks))


def _by_set(found: Suite, labels: Sequence[str], section: str) -> Section:
    """A row a set, in both forms: that of the paper has word error rates as well."""
    n, more = len(found.sets), len(found.transcripts)
    forms = f"the public site's form: {found.means[0].title} and its {counted(n, 'set')}"
    if more:
        forms += f"; with the word error rates, which are in no mean, the paper's form: {counted(n + more, 'set')}"
    lines = (*found.means[:1], *found.sets, *found.transcripts)
    table = Table(
        id=f"{section}-sets",
        caption="; ".join((f"Set by set, in {forms}; in percent", *_key(lines))),
        signature=_made(found, lines),
        columns=(
            Column(id="set", title="set", kind="name"),
            *(
                Column(id=f"run-{at}", title=label, kind="number", strong=True, series=at if len(labels) > 1 else None)
                for at, label in enumerate(labels)
            ),
            *(
                Column(id=f"system-{at}", title=f"{one.name} (published)", kind="number")
                for at, one in enumerate(found.systems, 1)
            ),
        ),
        rows=tuple(
            (one.title, *(_cell(replace(own, interval=None)) for own in one.own), *map(_printed, one.printed))
            for one in lines
        ),
        info=tuple(RowInfo(strong=not at, last=at in {0, n}) for at in range(len(lines))),
    )
    told = "Lower word error rates are better; of these sets, our choice, nothing was published."
    blocks: tuple[Block, ...] = (line(f"In {forms}."), table, *[line(told, weight="dim")] * bool(more))
    return Section(id=f"{section}-by-set", title="Set by set", blocks=blocks)


def _table(id_: str, found: Suite, labels: Sequence[str], columns: Sequence[PublishedLine]) -> Table:
    """A row a run and a system, in the order of the paper or of the first column."""
    over = "Means over all sets and over those of each category" if found.means else found.sets[0].title
    ours = [(label, *(_cell(one.own[n]) for one in columns)) for n, label in enumerate(labels)]
    systems = [
        (f"{one.name} (published)", *map(_printed, values))
        for one, values in zip(found.systems, zip(*(one.printed for one in columns), strict=True), strict=True)
    ]
    first = [*(own.value for own in columns[0].own), *columns[0].printed]
    by_score = sorted(range(len(first)), key=lambda at: -float(-1 if (one := first[at]) is None else one))
    return Table(
        id=id_,
        caption="; ".join((f"{over}; in percent, with 95 % intervals of runs alone", *_key(columns))),
        signature=_made(found, columns),
        columns=(
            Column(id="system", title="system", kind="name"),
            *(Column(id=f"column-{n}", title=one.title, kind="number") for n, one in enumerate(columns, 1)),
        ),
        rows=(*ours, *systems),
        info=(*(RowInfo(strong=True, last=n == len(ours) - 1) for n in range(len(ours))), *[RowInfo()] * len(systems)),
        orders=(Order("paper", tuple(range(len(first)))), Order("score", tuple(by_score))),
    )


def _made(found: Suite, lines: Sequence[PublishedLine]) -> str:
    made = dict.fromkeys(one for line in lines for one in line.made)
    return "; ".join((*made, f"published numbers: {found.source}"))


def _printed(value: Decimal | None) -> Cell:
    return "–" if value is None else float(PERCENT * value)


def _cell(own: Own) -> Cell:
    if own.value is None:
        return "–"
    scaled = None if own.interval is None else (PERCENT * own.interval[0], PERCENT * own.interval[1])
    return Estimate(PERCENT * own.value, scaled, own.note)


def _chart(found: Suite, labels: Sequence[str], section: str) -> Iterator[Block]:
    """The means of all sets and of each category, drawn; of one set, that.

    A run's mean over fewer sets, or fewer items, than were published is none of these and stands in the table only.
    """
    words = "; ".join(f"{mine} for {_titled(theirs)}" for mine, theirs in found.others)
    columns, what = found.means or found.sets, f"{'Mean score' if found.means else 'Score'} in percent"
    table = _table(section, found, labels, columns)
    drawn = [replace(one, own=tuple(_whole(own, words) for own in one.own)) for one in columns]
    hidden: dict[tuple[str, ...], list[str]] = {}
    for n, label in enumerate(labels):
        if lost := tuple(one.title for one in columns if _is_part(one.own[n])):
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


def _whole(own: Own, words: str) -> Own:
    if _is_part(own):
        return Own(None)
    said = (words if OTHER in own.note else "", "incomplete" if LOST in own.note else "")
    return replace(own, note=", ".join(filter(None, said)))


def _is_part(own: Own) -> bool:
    """Whether a number is of fewer sets or items than were published."""
    return FEWER in own.note or own.note.endswith(" sets")


def _marks(found: Suite) -> Iterator[Line]:
    """What the marks of cells mean, and which means are none to compare with."""
    for (mine, theirs), titles in found.others.items():
        yield line(
            f"{OTHER} {mine}, where published systems have {_titled(theirs)} ({', '.join(titles)}): not one measure, "
            "and a mean that holds both is not one either."
        )
    for said in _key((*found.sets, *found.means, *found.transcripts)):
        if not said.startswith(OTHER):
            yield line(f"{said}.")


def _key(lines: Sequence[PublishedLine]) -> list[str]:
    """What the marks in some lines mean, for files that have nothing else to say it."""
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
