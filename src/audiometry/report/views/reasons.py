"""Why people prefer one reply: reasons by votes and voters, by model, quoted, and how far coders can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from audiometry.analysis.reasons.result import Quote, Reasons
from audiometry.errors import counted, shown
from audiometry.render.bands import banded, reached
from audiometry.render.document import (
    Block,
    Card,
    Cards,
    Folded,
    Line,
    Quoted,
    Section,
    Words,
    line,
    name,
    strong,
    told_of,
)
from audiometry.render.figure import Mark, axis_around
from audiometry.render.numbers import percent
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.naming import LONGEST
from audiometry.report.views.coders import agreement, book, coders
from audiometry.report.views.reasons_by_model import by_model

TAGS: Final = " (tag)"
OPEN: Final = 2  # reasons of which a page shows quotes at once
_CHOSE: Final = {"tie": "a tie", "both_bad": "both bad"}


def reasons(found: Reasons) -> tuple[Section, ...]:
    """All sections.

    Args:
        found: what is found.
    """
    titles = titles_of(found)
    sections = [
        Section(
            id="reasons",
            title="Reasons that voters give",
            short="Reasons",
            blocks=(*_lead(found), *_reasons(found, titles)),
        ),
        *by_model(found, titles),
        Section(id="quotes", title="In their words", short="Quotes", blocks=tuple(_quotes(found, titles))),
        Section(
            id="coders",
            title="How far the coding is to be trusted",
            short="Coders",
            blocks=(*agreement(found.agreement, found.signature, titles), *coders(found, titles), *_tongues(found)),
        ),
        Section(id="book", title="", blocks=(Folded("The code book", (book(found.book, found.signature),)),)),
    ]
    of = f"votes of {shown(found.source, LONGEST)}"
    told = told_of((one for one in sections if one.blocks), of)
    return tuple(one for one in told if isinstance(one, Section))


def titles_of(found: Reasons) -> dict[str, str]:
    """What each reason is called; a tag of no code as voters have it."""
    tags = {one.code: f"{shown(one.code, LONGEST)}{TAGS}" for one in found.reasons if one.is_tag}
    return {one.name: one.title for one in found.book} | tags


def notes(found: Reasons) -> tuple[Line, ...]:
    """What stands in the way of a claim, and what was made of the file."""
    return tuple(line(f"Note: {one}.", weight="minded") for one in found.warnings)


def made(found: Reasons) -> Line:
    """How the numbers were made."""
    return line(found.signature, weight="dim")


def _lead(found: Reasons) -> Iterator[Block]:
    voters = "" if found.n_voters is None else f" of {counted(found.n_voters, 'voter')}"
    parts = [f"{counted(found.n_commented, 'comment')}"] if found.n_commented else []
    parts += [f"{found.n_tagged:,} with ticked tags"] if found.n_tagged else []
    yield line(
        strong(f"{found.n_said:,} of {counted(found.n_votes, 'vote')}"),
        f"{voters} say something in words: {' and '.join(parts)}.",
    )
    if found.n_commented:
        by = "no rule reads them" if found.coder == "rules" else "the judge names no code"
        yield line(
            strong(f"{counted(found.n_uncoded, 'comment')} uncoded"),
            f" ({percent(found.n_uncoded / found.n_commented)} % of {found.n_commented:,}): {by}. They count as votes "
            "that give none of the reasons, so that each share of what is said in comments is a lower one.",
        )
    yield line(
        "A vote has every reason that its tags or its comment give. Praise is of the reply that the comment names, "
        "else of the preferred one; a complaint of the one that it names, else of the other. What voters "
        "name need not be what moved them.",
        weight="about",
    )


def _reasons(found: Reasons, titles: Mapping[str, str]) -> Iterator[Block]:
    if not found.reasons:
        yield line("No vote gives a reason of the book.")
        return
    with_voters = found.n_voters is not None
    rows: list[tuple[Cell, ...]] = []
    marks = []
    for at, one in enumerate(found.reasons):
        row: list[Cell] = [titles[one.code], one.votes.n, _estimate(one.votes.value, one.votes.interval)]
        marks.append(Mark(x=one.votes.value or 0.0, y=at, interval=one.votes.interval))
        if one.voters is not None:
            row += [one.voters.n, _estimate(one.voters.value, one.voters.interval)]
            marks.append(Mark(x=one.voters.value or 0.0, y=at, interval=one.voters.interval, series=1))
        rows.append((*row, one.n_praise, one.n_complaint, one.n_open, one.n_ticked, one.n_commented))
    series = ("votes", "voters") if with_voters else ()
    of_voters = (
        Column(id="voters", title="voters", kind="count", drop=2, series=1),
        Column(id="voter-share", title="of voters", kind="number", unit="%", series=1),
    )
    table = Table(
        id="reasons",
        caption="Share of votes with words that give each reason"
        + (f", and of {counted(found.n_voters, 'voter')} who ever give it" if found.n_voters else "")
        + ", with 95 % intervals by voters",
        signature=found.signature,
        columns=(
            Column(id="reason", title="reason", kind="name"),
            Column(id="votes", title="votes", kind="count", series=0 if with_voters else None),
            Column(id="share", title="of votes", kind="number", unit="%", series=0 if with_voters else None),
            *(of_voters if with_voters else ()),
            Column(id="praise", title="praise", kind="count", drop=3),
            Column(id="complaint", title="complaint", kind="count", drop=3),
            Column(id="open", title="way not told", kind="count", drop=4),
            Column(id="ticked", title="ticked", kind="count", drop=5),
            Column(id="commented", title="commented", kind="count", drop=6),
        ),
        rows=tuple(rows),
        series=series,
    )
    axis = axis_around([0.0, *reached(marks)], title="share", unit="%")
    yield banded(table, marks, axis, ns=[found.n_said], n_of="vote")


def _estimate(value: float | None, interval: tuple[float, float] | None) -> Cell:
    return None if value is None else Estimate(value, interval)


def _quotes(found: Reasons, titles: Mapping[str, str]) -> Iterator[Block]:
    shown_open = 0
    for reason in found.reasons:
        mine = [one for one in found.quotes if one.code == reason.code]
        if mine:
            cards = Cards(tuple(Card(_card(one)) for one in mine))
            title = f"{titles[reason.code]}: {len(mine)} of {counted(reason.n_commented, 'comment')}"
            yield Folded(title, (cards,), printed=True, opened=shown_open < OPEN)
            shown_open += 1


def _card(one: Quote) -> tuple[Block, ...]:
    where = ("Battle ", strong(one.battle)) if one.battle else (f"Line {one.line:,}",)
    a, b = name(shown(one.model_a, LONGEST)), name(shown(one.model_b, LONGEST))
    if one.outcome in _CHOSE:
        chose: Words = (a, " and ", b, f": {_CHOSE[one.outcome]}")
    else:
        chose = (a, " chosen over ", b) if one.outcome == "model_a" else (b, " chosen over ", a)
    told = [
        word
        for what, models in (("praises ", one.praised), ("faults ", one.faulted))
        for at, model in enumerate(models)
        for word in ("; " if at == 0 else ", ", what if at == 0 else "", name(shown(model, LONGEST)))
    ]
    return line(*where, ": ", *chose, *told), Quoted(one.comment)


def _tongues(found: Reasons) -> Iterator[Block]:
    if found.n_uncoded:
        table = Table(
            id="uncoded-languages",
            caption="Comments without a code by the language that votes state, else by words or letters",
            signature=found.signature,
            columns=(
                Column(id="language", title="language or letters", kind="name"),
                Column(id="comments", title="comments", kind="count"),
                Column(id="rules", title="rules were written for it", kind="text"),
            ),
            rows=tuple((one.name, one.n, "yes" if one.is_read else "no") for one in found.tongues),
        )
        yield Folded("Uncoded comments by language", (table,), printed=True)
