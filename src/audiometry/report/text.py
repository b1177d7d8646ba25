"""Scores of whatever kind for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.console import unwrapped
from audiometry.render.numbers import p_value
from audiometry.report.fitted import Fitted
from audiometry.report.judges_text import judge_lines, mixed_table
from audiometry.report.numbers import Scale, scale, win_tie_loss
from audiometry.report.profiles_text import side_by_side
from audiometry.report.rows_text import said_of_rows
from audiometry.report.said import incomplete, matching, of_tag, said
from audiometry.report.titles import KINDS, extent, titled
from audiometry.score.extras import Against, Beside
from audiometry.score.result import Row, Scored, Scores

STATES = ("unanswered", "refused", "empty", "failed", "not asked", "unjudged")


def score_table(scores: Scores, card: Card) -> Group:
    """What the run scores: a table of tasks for each score; rules of one measure stand side by side."""
    n = scores.n_items - scores.n_unscored
    rows = said_of_rows(n, scores.n_without_clip, scores.n_left_out, scores.n_clips_cut, of=scores.n_items)
    head = Text.assemble((scores.asked, "bold"), " on ", (scores.benchmark, "bold"), f": {rows}")
    parts: list[RenderableType] = [Padding(head, (1, 0, 0, 0))]
    for _, alike in groupby(scores.scores.items(), key=lambda one: one[1].measure):
        found = dict(alike)
        if len(found) > 1 and not any(one.extras.beside for one in found.values()):
            parts.append(side_by_side(found, card))
        else:
            parts += [part for name, one in found.items() for part in _one(name, one, card, scores)]
    judged = next((one for one in scores.scores.values() if one.extras.judges), None)
    if judged is not None:
        parts += [Text(line) for name, one in judged.extras.judges.items() for line in judge_lines(name, one)]
        parts += [] if judged.extras.mixed is None else [mixed_table(judged.extras.mixed)]
    parts += [Text(f"{name} is not scored: {why}.", style="yellow") for name, why in scores.broken.items()]
    if scores.n_unscored:
        parts.append(Text(unscored(scores)))
    return Group(*parts)


def unscored(scores: Scores) -> str:
    """How many items no score has a part in, of which kind, and what would score open questions."""
    n, judged = scores.n_unscored, any(one.extras.judges for one in scores.scores.values())
    line = f"{counted(n, 'item')} {'is' if n == 1 else 'are'} in none of these numbers"
    several = len(scores.unscored) > 1
    kinds = ", ".join(f"{f'{of:,} ' if several else ''}{KINDS[kind]}" for kind, of in scores.unscored.items())
    then = "; score --judge MODEL scores open questions" if "open" in scores.unscored and not judged else ""
    return f"{line}{': ' if kinds else ''}{kinds}{then}."


def _one(name: str, scored: Scored, card: Card, scores: Scores) -> Iterator[RenderableType]:
    its, beside = scale(scored), scored.extras.beside
    alone = {} if scores.listening is not None and scored.kinds == ("choice",) else scored.variants
    if len(scores.scores) > 1:
        yield Padding(Text(f"{titled(scored)} · {extent(scored.n_items, scores.n_items)}", style="bold"), (1, 0, 0, 0))
    states = [state for state in STATES if any(getattr(row, field(state)) for row in (scored, *alone.values()))]
    chances = scored.chance is not None
    headings = ["items", its.heading, "95 %", *(["chance"] if chances else []), *(["ref.", AGAINST] if beside else [])]
    out = Fitted("task", [*headings, "answered", *states])

    def add(title: str, row: Row, against: Against | None = None, style: str = "") -> None:
        numbers = [f"{row.n_items:,}", its.number(row.value), its.span(row.interval)]
        numbers += [its.number(row.chance)] if chances else []
        numbers += _against(against, its) if beside else []
        counts = [f"{row.n_answered:,}/{row.n_replies:,}", *(f"{getattr(row, field(one)):,}" for one in states)]
        out.add(shown(title, 200), *numbers, *counts, style=style)

    for task, row in scored.tasks.items():
        add(card.task_named(task).title or task, row, beside.tasks[task] if beside else None)
    for of, rows in _groups(scored):
        out.section()
        for title, row in rows.items():
            add(title, row, _of(beside, of).get(title))
    out.section()
    add(", ".join(filter(None, (_whole(scored), scored.part))), scored, beside.all if beside else None, style="bold")
    for variant, row in alone.items():
        add(f"without its clip: {variant}", row)
    yield out
    first = next((one for one, found in scores.scores.items() if found.extras.plain_matching), name)
    yield from _lines(name, scored, its, matched=name == first)
    for variant, row in alone.items():
        if (lost := row.difference) is not None:
            p = lost.p if lost.p_corrected is None else lost.p_corrected
            yield Text(
                f"With its own clips instead of {variant} it scores {its.change(lost.difference)} "
                f"(95 %: {its.changes(lost.interval)}, p {p_value(p, '= ')}; {counted(lost.n_items, 'item')}: "
                f"{its.number(lost.score_a)} with them, {its.number(lost.score_b)} without)."
            )


def _groups(scored: Scored) -> Iterator[tuple[str, Mapping[str, Row]]]:
    """Rows that stand together below the tasks, by what they are of."""
    if len(scored.categories) > 1:
        yield "categories", scored.categories
    for of, rows in (("pools", scored.pools), ("folders", scored.folders)):
        if rows:
            yield of, rows
    for tag, values in scored.by.items():
        yield "", {of_tag(tag, value): row for value, row in values.items()}


AGAINST = "win/tie/loss"


def _of(beside: Beside | None, kind: str) -> Mapping[str, Against]:
    return getattr(beside, kind, {})


def field(state: str) -> str:
    """The count of a row that says how many replies are in a state."""
    return f"n_{state.replace(' ', '_')}"


def _whole(scored: Scored) -> str:
    named = {"none": "no overall mean", "items": "all items"}
    return named.get(scored.average, f"mean of {scored.average}")


def _against(found: Against | None, its: Scale) -> list[str]:
    if found is None:
        return ["", ""]
    reference = "" if found.reference is None else its.number(found.reference)
    return [reference, "/".join(map(str, win_tie_loss(found)))]


def _lines(name: str, scored: Scored, its: Scale, *, matched: bool) -> Iterator[Text]:
    """What a reader of the table has to know; of plain matching, which goes by no rules of a score, once."""
    yield unwrapped(f"{name}: {scored.signature}")
    for style, line in (*(matching(scored.extras) if matched else ()), *said(name, scored, its)):
        yield Text(line, style=style)
    for tag in (tag for tag, values in scored.by.items() if not values):
        yield Text(f"No item of this table has the tag {shown(tag, 60)}.", style="dim")
    if not scored.complete:
        yield Text(incomplete(scored, its), style="yellow")
