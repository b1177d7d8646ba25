"""A run beside what a paper printed, for the terminal."""

from __future__ import annotations

from decimal import Decimal

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from audiometry.errors import counted, shown
from audiometry.report.fitted import Fitted
from audiometry.report.numbers import Scale, scale
from audiometry.report.published_table import Own, PublishedLine, beside
from audiometry.score.result import Scores

MOST = 100  # systems in a terminal: a row takes about a millisecond, and more would push the run off the screen
SHORT = {"replies that plain matching reads": "matched"}


def published_report(scores: Scores, name: str = "") -> Group | None:
    """Categories and their average: the run, chance, and the published systems; None where none are known.

    A system a row, since there are many of them, but no more than `MOST`; the report in HTML has all of them, the
    paper's rows, and its tasks.

    Args:
        scores: of the run.
        name: of the score that stands beside them; empty for the first.
    """
    scored = scores.scores.get(name) or next(iter(scores.scores.values()))
    found = beside(scores.benchmark, [scored])
    if found is None:
        return None
    lines, its = found.summary.lines, scale(scored)
    out = Fitted("system", [SHORT.get(line.title, line.title) for line in lines])
    out.add(shown(scores.asked, 200), *(_own(line.own[0], its) for line in lines), style="bold")
    if any(line.chance is not None for line in lines):
        out.add("chance", *("" if line.chance is None else its.number(line.chance) for line in lines))
    out.section()
    wrong = {one.system for one in found.slips}
    first, more = found.summary.systems[:MOST], len(found.summary.systems) - MOST
    for number, system in enumerate(first):
        mark = "*" if system in wrong else ""
        out.add(f"{system} (published){mark}", *(_printed(line, number, its) for line in lines), style="dim")
    notes = [
        f"* Slips of the paper: {one.system}'s average is printed {its.number(float(one.printed))}, the mean of its "
        f"categories is {its.number(float(one.computed))}."
        for one in found.slips
        if one.system in first
    ]
    if more > 0:
        notes.insert(0, f"And {counted(more, 'system')} more, which audiometry report shows.")
    how = "a judge's reading" if its.share else "another judge (GPT-4 Turbo)"
    matched = (
        " Matched: replies that are a letter and no more (table 4)." if SHORT.keys() & {x.title for x in lines} else ""
    )
    head = Text.assemble("Beside ", ("published", "bold"), f" systems, by the rules of {scored.profile}")
    return Group(
        Padding(head, (1, 0, 0, 0)),
        out,
        Text(
            f"Published numbers come from other prompts, other decoding and {how}, and have no interval: landmarks, "
            f"not tests. {found.source}.{matched}",
            style="dim",
        ),
        *(Text(note, style="dim") for note in notes),
    )


def _own(cell: Own, its: Scale) -> str:
    if cell.value is None:
        return cell.note or "none"
    interval = [] if cell.interval is None else [its.span(cell.interval)]
    return "\n".join([its.number(cell.value), *interval, *([cell.note] if cell.note else [])])


def _printed(line: PublishedLine, number: int, its: Scale) -> str:
    value: Decimal | None = line.printed[number]
    return "-" if value is None else its.number(float(value))
