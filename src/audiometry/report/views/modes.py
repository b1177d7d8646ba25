"""Why replies are wrong: how often each coder gives each code, and what such replies say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from audiometry import errors
from audiometry.analysis.modes import book
from audiometry.analysis.modes.result import Coder, Modes, Quote, RunModes
from audiometry.errors import counted
from audiometry.render.bands import banded, reached
from audiometry.render.document import Block, Card, Cards, Facts, Folded, Line, Quoted, Section, line, name, strong
from audiometry.render.figure import Mark, axis_around
from audiometry.render.table import Cell, Column, Estimate, RowInfo, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.agreement import agreement, doubts

_TITLE: Final = "Why replies are wrong"
_SHORT: Final = "Failure modes"
_BY_CHANCE: Final = (
    "By chance: what rules would say if the wrong options that were chosen had been taken blindly, whatever the clip."
)
_READ: Final = "in the benchmark's own wording and order, read by the rules of the profile strict"
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
        f"One code each of the replies that are wrong or have no answer, {_READ}. Shares are of all replies that came; "
        "audiometry modes RUN quotes some."
    )
    wrong = [
        (label, (f"{run.n_wrong:,} of {counted(run.n_right + run.n_wrong, 'reply')} wrong or without an answer",))
        for label, run in zip(labels, found.runs, strict=True)
    ]
    codes = Folded("The code book", (_book(found, signature, ""),))
    shares = _shares(coders, shown, titles, signature, of_all=True)
    blocks = (
        line(about),
        Facts(tuple(wrong)),
        shares,
        codes,
    )
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
            f". One code each, of the reply {_READ}; the first that fits counts.",
        )
    ]
    titles = {one.name: one.title for one in found.book}
    shown = [one for one in titles if any(coder.codes[one].n for coder in run.coders)]
    if not run.n_wrong:
        which = "every reply that came is right" if run.n_right else "no reply came"
        about.append(line(f"Nothing to explain: {which}."))
    elif not shown:
        about.append(line("No coder gave a code to any of them."))
    else:
        coders = [(one.name, one) for one in run.coders]
        told = {book.WORDS, book.SOUNDS, book.BESIDE} & set(run.by_chance)
        chance = run.by_chance if told else None
        about += [_shares(coders, shown, titles, run.signature, ending, chance=chance), *_failed(run)]
        if chance is not None:
            about.append(line(_BY_CHANCE))
        about += list(_quotes(run, shown, titles))
        about += _agreed(run)
    codes = Folded("The code book", (_book(found, run.signature, ending),))
    return Section(
        id=f"modes{ending}",
        title=_TITLE,
        of=run.run if number else "",
        short=_SHORT,
        blocks=(*about, codes),
    )


def _shares(
    coders: Sequence[tuple[str, Coder]],
    shown: Sequence[str],
    titles: Mapping[str, str],
    signature: str,
    ending: str = "",
    *,
    of_all: bool = False,
    chance: Mapping[str, float] | None = None,
) -> Block:
    """A band for each code, with a mark a coder; ``of_all``: of all replies, not only of the wrong ones."""
    several = len(coders) > 1
    columns = [_CODE]
    rows: list[list[Cell]] = [[titles[one]] for one in shown]
    marks = []
    for at, (label, coder) in enumerate(coders):
        series = at if several else None
        who = f"{errors.shown(label, LONGEST)}: " if several else ""
        columns.append(Column(id=f"n-{at + 1}", title=f"{who}replies", kind="count", series=series))
        columns.append(Column(id=f"share-{at + 1}", title=f"{who}share", kind="number", unit="%", series=series))
        for row, code in enumerate(shown):
            one = coder.codes[code]
            value, interval = (one.of_all, one.of_all_interval) if of_all else (one.value, one.interval)
            rows[row] += [one.n, None if value is None else Estimate(value, interval)]
            if value is not None:
                held = None if chance is None or at else chance.get(code, 0.0)
                marks.append(Mark(x=value, y=row, interval=interval, series=at, reference=held))
    if chance is not None:
        columns.append(Column(id="chance", title="by chance", kind="number", unit="%"))
        for cells, code in zip(rows, shown, strict=True):
            cells.append(chance.get(code, 0.0))
    of = "all replies that came" if of_all else "the replies that each coder coded"
    table = Table(
        id=f"modes{ending}",
        caption=f"How often each is what is wrong, as a share of {of}, with 95 % intervals",
        signature=signature,
        columns=tuple(columns),
        rows=tuple(map(tuple, rows)),
        info=tuple(RowInfo(items=urlencode({"wrong": code})) for code in shown) if coders[0][1].kind == "rules" else (),
        series=tuple(errors.shown(label, LONGEST) for label, _ in coders) if several else (),
    )
    ends = [0.0, *reached(marks), *(mark.reference for mark in marks if mark.reference is not None)]
    axis = axis_around(ends, title=f"share of {'all replies' if of_all else 'what is wrong'}", unit="%")
    ns = [one.n_coded for _, one in coders]
    return banded(table, marks, axis, ns=ns, n_of="reply", reference_name="by chance" if chance is not None else "")


def _failed(run: RunModes) -> Iterator[Line]:
    for one in run.coders:
        who = name(errors.shown(one.name, LONGEST))
        if one.kind == "judge" and one.n_failed:
            yield line(
                who,
                f": {one.n_failed:,} of {counted(run.n_wrong, 'reply')} were not coded: no answer came, or none that "
                "names one code.",
                weight="minded",
            )
        if one.passed_over:
            yield line(who, f": codes that count for nothing: {one.passed_over}.", weight="minded")


def _agreed(run: RunModes) -> Iterator[Block]:
    """How far the coders agree, and what stands in the way of a claim about it."""
    if run.agreement is None:
        return
    for part in agreement(run.agreement):
        if part.id == "codes":
            blocks = (*doubts(run.agreement).blocks, *part.blocks)
            yield msgspec.structs.replace(part, title="How far the coders agree", blocks=blocks)


def _quotes(run: RunModes, shown: Sequence[str], titles: Mapping[str, str]) -> Iterator[Block]:
    """A few replies of each code, by the first coder who gave it."""
    for code in shown:
        every = [one for one in run.quotes if one.code == code]
        mine = [one for one in every if one.coder == every[0].coder]
        if mine:
            cards = Cards(tuple(Card(_card(one), item=one.item) for one in mine))
            who = errors.shown(mine[0].coder, LONGEST)
            yield Folded(f"{titles[code]}: {len(mine)} of them, coded by {who}", (cards,), printed=True)


def _card(one: Quote) -> tuple[Block, ...]:
    chosen = (". Chosen: ", name(one.chosen)) if one.chosen else ()
    return (
        line("Item ", strong(one.item), *([f" (rule: {one.how})"] if one.how else [])),
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
