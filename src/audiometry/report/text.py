"""Scores of whatever kind for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.report.fitted import Fitted
from audiometry.report.judges_text import judge_lines, mixed_table, people_lines
from audiometry.report.notes_text import incomplete, left_out, matching, pooled
from audiometry.report.numbers import Scale, scale
from audiometry.report.profiles_text import side_by_side
from audiometry.report.rows_text import said_of_blocked, said_of_rows
from audiometry.report.terminal import unwrapped
from audiometry.score.averages import half_up, p_value
from audiometry.score.counts import Confusion
from audiometry.score.extras import Against, Beside
from audiometry.score.result import Row, Scored, Scores

MISTAKES = 3  # that a line names
STATES = ("unanswered", "refused", "empty", "failed", "not asked", "unjudged")


def score_table(scores: Scores, card: Card) -> Group:
    """What the run scores: a table of tasks for each score; rules of one measure stand side by side."""
    rows = said_of_rows(
        scores.n_items - scores.n_unscored, scores.n_without_clip, scores.n_left_out, scores.n_clips_cut
    )
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
        parts.append(Text(_unscored(scores)))
    return Group(*parts)


def _unscored(scores: Scores) -> str:
    n = scores.n_unscored
    said = f"{counted(n, 'item')} {'is' if n == 1 else 'are'} in none of these numbers"
    return f"{said}: open questions, score --judge MODEL scores them." if _choices_only(scores) else f"{said}."


def _choices_only(scores: Scores) -> bool:
    return all(one.kinds == ("choice",) for one in scores.scores.values())


def _one(name: str, scored: Scored, card: Card, scores: Scores) -> Iterator[RenderableType]:
    its, beside = scale(scored), scored.extras.beside
    states = [state for state in STATES if getattr(scored, _field(state))]
    chances = scored.chance is not None
    headings = ["items", its.heading, "95 %", *(["chance"] if chances else []), *(["ref.", AGAINST] if beside else [])]
    out = Fitted("task", [*headings, "answered", *states])

    def add(title: str, row: Row, against: Against | None = None, style: str = "") -> None:
        numbers = [f"{row.n_items:,}", its.number(row.value), its.span(row.interval)]
        numbers += [its.number(row.chance)] if chances else []
        numbers += _against(against, its) if beside else []
        counts = [f"{row.n_answered:,}/{row.n_replies:,}", *(f"{getattr(row, _field(one)):,}" for one in states)]
        out.add(shown(title, 200), *numbers, *counts, style=style)

    for task, row in scored.tasks.items():
        add(card.task_named(task).title or task, row, beside.tasks[task] if beside else None)
    for of, rows in _groups(scored):
        out.section()
        for title, row in rows.items():
            add(title, row, _of(beside, of).get(title))
    out.section()
    add(_whole(scored), scored, beside.all if beside else None, style="bold")
    if scores.listening is None:
        for variant, row in scored.variants.items():
            add(f"without its clip: {variant}", row)
    yield out
    yield from _lines(name, scored, its)


def _groups(scored: Scored) -> Iterator[tuple[str, Mapping[str, Row]]]:
    """Rows that stand together below the tasks, by what they are of."""
    if len(scored.categories) > 1:
        yield "categories", scored.categories
    for of, rows in (("pools", scored.pools), ("folders", scored.folders)):
        if rows:
            yield of, rows
    for tag, values in scored.by.items():
        yield "", {f"{tag}: {value}": row for value, row in values.items()}


AGAINST = "win/tie/loss"


def _of(beside: Beside | None, kind: str) -> Mapping[str, Against]:
    return getattr(beside, kind, {})


def _field(state: str) -> str:
    return f"n_{state.replace(' ', '_')}"


def _whole(scored: Scored) -> str:
    named = {"none": "no overall mean", "items": "all items"}
    return named.get(scored.average, f"mean of {scored.average}")


def _against(found: Against | None, its: Scale) -> list[str]:
    if found is None:
        return ["", ""]
    shares = (found.win, found.tie, found.loss)
    reference = "" if found.reference is None else its.number(found.reference)
    return [reference, "/".join(str(half_up(100 * share, 0)) for share in shares if share is not None)]


def _lines(name: str, scored: Scored, its: Scale) -> Iterator[Text]:
    """What a reader of the table has to know."""
    extras = scored.extras
    yield unwrapped(f"{name}: {scored.signature}")
    yield from (Text(line, style="dim") for line in _about(scored, its))
    yield from matching(extras)
    yield from (Text(line, style="yellow") for line in _doubts(scored))
    if scored.left_out:
        yield left_out(name, scored)
    if not scored.complete:
        yield Text(incomplete(scored, its), style="yellow")
    for variant, row in scored.variants.items() if extras.beside else ():
        if row.difference is not None:
            drop, p = row.difference, row.difference.p_corrected
            yield Text(
                f"With its own clips instead of {variant} it scores {its.change(drop.difference)} "
                f"(95 %: {its.changes(drop.interval)}, p {p_value(drop.p if p is None else p, '= ')})."
            )
    if extras.people is not None:
        yield from (Text(line) for line in people_lines(extras.people, its))
    yield from (Text(f"Note: {note}.", style="yellow") for note in scored.notes)
    if extras.ratings:
        yield Text(f"Every item's score: {extras.ratings}", style="dim")


def _about(scored: Scored, its: Scale) -> Iterator[str]:
    """How the numbers of a table are made."""
    extras = scored.extras
    if not its.share:
        better = "higher is better" if scored.direction == "up" else "lower is better"
        yield f"{scored.unit[:1].upper()}{scored.unit[1:]}; {better}."
    if extras.beside:
        yield "Win/tie/loss against the reference answer, in % of items."
    yield from pooled(scored)
    if extras.panel:
        yield f"A panel of {len(extras.judges)} judges, {extras.panel}."
    if extras.corpus is not None:
        yield f"All items as one corpus: {its.number(extras.corpus)}."
    if (errors := extras.errors) is not None:
        kinds = f"{errors.substitutions:,} substituted, {errors.deletions:,} deleted, {errors.insertions:,} inserted"
        yield f"Of {errors.reference:,} units of the references: {kinds}."
    for task, one in extras.confusion.items():
        if said := _mistaken(one):
            yield f"Most often mistaken in {shown(task, 40)}: {said}."


def _mistaken(found: Confusion) -> str:
    """The pairs of labels that are taken for one another most often, the right one first."""
    pairs = [
        (n, right, read)
        for right, row in zip(found.labels, found.counts, strict=True)
        for read, n in zip(found.labels, row, strict=True)
        if n and read != right
    ]
    most = sorted(pairs, key=lambda pair: -pair[0])[:MISTAKES]
    return ", ".join(f"{shown(right, 40)} read as {shown(read, 40)} ({n:,})" for n, right, read in most)


def _doubts(scored: Scored) -> Iterator[str]:
    """Which items and replies a table is without."""
    if blocked := said_of_blocked(scored.n_refused, scored.n_blocked):
        yield blocked
    if n := scored.extras.without_description:
        yield f"{counted(n, 'item')} with nothing said of the audio: the judge had the answers only."
    for reason, n in scored.unscored_items.items():
        yield f"{counted(n, 'item')} left out: {shown(reason)}."
