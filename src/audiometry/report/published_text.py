"""A run beside what a paper printed, for the terminal."""

from __future__ import annotations

from decimal import Decimal

import rich.box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audiometry.report.published_table import Own, beside
from audiometry.score.averages import percent
from audiometry.score.result import Score

SHORT = {"replies that plain matching reads": "matched"}


def published_report(score: Score, profile: str = "") -> Group | None:
    """Categories and their average: the run, chance, and the published systems; None where none are known.

    A system a row, since there are many of them; the report in HTML has the paper's rows, and its tasks.

    Args:
        score: of the run.
        profile: whose rules; empty for the first that it was scored by.
    """
    profile = profile or next(iter(score.profiles))
    found = beside(score.benchmark, [score], profile)
    if found is None:
        return None
    lines = found.summary.lines
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("system", overflow="fold")
    for line in lines:
        out.add_column(SHORT.get(line.title, line.title), justify="right")
    out.add_row(score.asked, *(_own(line.own[0]) for line in lines), style="bold")
    out.add_row("chance", *("" if line.chance is None else percent(line.chance) for line in lines))
    out.add_section()
    for number, system in enumerate(found.summary.systems):
        out.add_row(f"{system} (published)", *(_printed(line.printed[number]) for line in lines), style="dim")
    return Group(
        Padding(Text.assemble("Beside ", ("published", "bold"), f" systems, by the rules of {profile}"), (1, 0, 0, 0)),
        out,
        Text(
            "Published numbers come from other prompts, other decoding and a judge's reading, and have no interval: "
            f"landmarks, not tests. {found.source}. Matched: replies that plain matching reads (table 4).",
            style="dim",
        ),
    )


def _own(cell: Own) -> str:
    if cell.value is None:
        return cell.note or "none"
    interval = [] if cell.interval is None else [f"{percent(cell.interval[0])} to {percent(cell.interval[1])}"]
    return "\n".join([percent(cell.value), *interval, *([cell.note] if cell.note else [])])


def _printed(value: Decimal | None) -> str:
    return "-" if value is None else percent(value)
