"""Why replies are wrong: how often each coder gives each code, and what such replies say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.analysis.modes import book
from audiometry.analysis.modes.result import Coder, Modes, Quote, RunModes
from audiometry.errors import counted
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Card, Cards, Folded, Line, Quoted, Section, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.views.agreement import agreement

_TITLE: Final = "Why replies are wrong"
_SHORT: Final = "Failure modes"
_BY_CHANCE: Final = (
    "A model that guesses without the clip chooses the same wrong option by chance: of {share:.1f} % of these replies "
    "rules would then say that they answer from the words alone."
)
_CODE: Final = Column(id="code", title="what is wrong", kind="name")


def modes(found: Modes) -> tuple[Section, ...]:
    """One section a run."""
    several = len(found.runs) > 1
    return tuple(_of_run(found, one, at if several else 0) for at, one in enumerate(found.runs, start=1))


def side_by_side(found: Modes, labels: Sequence[str]) -> Section:
    """Several runs side by side, each as its first coder codes.

    Args:
        found: of at least one run.
        labels: how the page calls them.
    """
    if len(found.runs) == 1:
        return _of_run(found, found.runs[0], 0)
    titles = {one.name: one.title for one in found.book}
    coders = [(label, run.coders[0]) for label, run in zip(labels, found.runs, strict=True)]
    shown = [one for one in titles if any(coder.codes[one].n for _, coder in coders)]
    signature = "; ".join(dict.fromkeys(run.signature for run in found.runs))
    about = (
        "One code each of the replies that are wrong or have no answer, in the benchmark's own wording and order, by "
        "rules; audiometry modes RUN quotes them."
    )
    codes = Folded("The code book", (_book(found, signature, ""),))
    blocks = (line(about), _shares(coders, shown, titles, signature), codes)
    return Section(id="modes", title=_TITLE, short=_SHORT, blocks=blocks)


def telling(found: Modes) -> bool:
    """Whether more is known of any run than what became of its replies: otherwise the states say as much."""
    plain = {book.DECLINED, book.FORMAT, book.UNEXPLAINED}
    return any(
        len(run.coders) > 1
        or any(one.n for coder in run.coders for name, one in coder.codes.items() if name not in plain)
        for run in found.runs
    )


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
        coders = [(one.name, one) for one in run.coders]
        about += [_shares(coders, shown, titles, run.signature, ending), *_failed(run.coders)]
        if run.compared and run.by_chance is not None:
            about.append(line(_BY_CHANCE.format(share=100 * run.by_chance)))
        about += list(_quotes(run, shown, titles))
        if run.agreement is not None:
            about += [one for one in agreement(run.agreement) if one.id == "codes"]
    codes = Folded("The code book", (_book(found, run.signature, ending),))
    return Section(
        id=f"modes{ending}",
        title=_TITLE,
        of=run.run if number else "",
        short=_SHORT,
        blocks=(*about, codes),
    )


def _shares(
    coders: Sequence[tuple[str, Coder]], shown: Sequence[str], titles: dict[str, str], signature: str, ending: str = ""
) -> Block:
    several = len(coders) > 1
    columns = [_CODE]
    rows: list[list[Cell]] = [[titles[one]] for one in shown]
    marks = []
    for at, (label, coder) in enumerate(coders):
        series = at if several else None
        who = f"{label}: " if several else ""
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
        signature=signature,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        series=tuple(label for label, _ in coders) if several else (),
    )
    axis = axis_around([0.0, *reached(marks)], title="share of what is wrong", unit="%")
    return banded(table, marks, axis, ns=[one.n_coded for _, one in coders], n_of="reply")


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
            yield Folded(f"{titles[code]}: {len(mine)} of them, coded by {mine[0].coder}", (cards,), printed=True)


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
