"""Why replies are wrong: how often each coder gives each code, and what such replies say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.analysis.modes.result import Coder, Modes, Quote, RunModes
from audiometry.errors import counted
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Card, Cards, Folded, Line, Quoted, Section, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.views.agreement import agreement

_CODE: Final = Column(id="code", title="what is wrong", kind="name")


def modes(found: Modes) -> tuple[Section, ...]:
    """One section a run."""
    several = len(found.runs) > 1
    return tuple(_of_run(found, one, at if several else 0) for at, one in enumerate(found.runs, start=1))


def notes(found: Modes) -> tuple[Line, ...]:
    """What stands in the way of a claim."""
    return tuple(line(f"Note: {one}.", weight="minded") for one in found.warnings)


def _of_run(found: Modes, run: RunModes, number: int) -> Section:
    ending = f"-{number}" if number else ""
    about: list[Block] = [
        line(
            f"{counted(run.n_items, 'item')}: {run.n_right:,} right, ",
            strong(f"{run.n_wrong:,} wrong or without an answer"),
            *([f", {run.n_lost:,} without any reply"] if run.n_lost else []),
            ". One code each, of the reply in the benchmark's own wording and order; the first that fits counts.",
        )
    ]
    titles = {one.name: one.title for one in found.book}
    shown = [one for one in titles if any(coder.codes[one].n for coder in run.coders)]
    if not run.n_wrong:
        about.append(line("Nothing to explain: every reply is right."))
    elif not shown:
        about.append(line("No coder gave a code to any of them."))
    else:
        about += [_shares(run, shown, titles, ending), *_failed(run.coders)]
        about += list(_quotes(run, shown, titles))
        if run.agreement is not None:
            about += [one for one in agreement(run.agreement) if one.id == "codes"]
    book = Folded("The code book", (_book(found, run.signature, ending),), printed=False)
    return Section(
        id=f"modes{ending}",
        title="Why replies are wrong",
        of=run.run if number else "",
        short="Failure modes",
        blocks=(*about, book),
    )


def _shares(run: RunModes, shown: Sequence[str], titles: dict[str, str], ending: str) -> Block:
    several = len(run.coders) > 1
    columns = [_CODE]
    rows: list[list[Cell]] = [[titles[one]] for one in shown]
    marks = []
    for at, coder in enumerate(run.coders):
        series = at if several else None
        who = f"{coder.name}: " if several else ""
        columns.append(Column(id=f"n-{at + 1}", title=f"{who}replies", kind="count", series=series))
        columns.append(Column(id=f"share-{at + 1}", title=f"{who}share", kind="number", unit="%", series=series))
        for row, code in enumerate(shown):
            share = coder.codes[code]
            rows[row] += [share.n, None if share.value is None else Estimate(share.value, share.interval)]
            if share.value is not None:
                marks.append(Mark(x=share.value, y=row, interval=share.interval, series=at))
    table = Table(
        id=f"modes{ending}",
        caption="How often each is what is wrong, as a share of the replies that each coder coded, with 95 % intervals",
        signature=run.signature,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        series=tuple(coder.name for coder in run.coders) if several else (),
    )
    axis = axis_around([0.0, *reached(marks)], title="share of what is wrong", unit="%")
    return banded(table, marks, axis, ns=[one.n_coded for one in run.coders], n_of="reply")


def _failed(coders: Sequence[Coder]) -> Iterator[Line]:
    for one in coders:
        if one.n_failed:
            why = {
                "judge": "were not coded: no answer of the judge names one code",
                "person": "count for nothing: they are no codes of the book, or of replies that are right or not here",
            }[one.kind]
            yield line(name(one.name), f": {counted(one.n_failed, 'reply' if one.kind == 'judge' else 'code')} {why}.")


def _quotes(run: RunModes, shown: Sequence[str], titles: dict[str, str]) -> Iterator[Block]:
    """A few replies of each code, by the first coder who gave it."""
    for code in shown:
        every = [one for one in run.quotes if one.code == code]
        mine = [one for one in every if one.coder == every[0].coder]
        if mine:
            cards = Cards(tuple(Card(_card(one), item=one.item) for one in mine))
            yield Folded(f"{titles[code]}: {len(mine)} of them, as {mine[0].coder} codes", (cards,), printed=True)


def _card(one: Quote) -> tuple[Block, ...]:
    chosen = (". Chosen: ", name(one.chosen)) if one.chosen else ()
    return (
        line(strong(one.item), *([f" ({one.how})"] if one.how else [])),
        line(name(one.question)),
        line("Right: ", name(one.right), *chosen),
        Quoted(one.reply, none="(nothing)"),
    )


def _book(found: Modes, signature: str, ending: str) -> Table:
    return Table(
        id=f"code-book{ending}",
        caption="What each code means; the first that fits counts",
        signature=signature,
        columns=(
            _CODE,
            Column(id="name", title="code", kind="text"),
            Column(id="about", title="the reply …", kind="text"),
        ),
        rows=tuple((one.title, one.name, one.about) for one in found.book),
    )
