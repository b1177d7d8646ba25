"""What a judge did for a score, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import rich.box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audiometry.errors import counted
from audiometry.render.numbers import percent
from audiometry.report.rows_text import said_of_failures
from audiometry.report.views.usage import usage
from audiometry.score.extras import Alignment
from audiometry.score.result import Scored

SHOWN = 20  # disagreements that are written out
NEITHER = "none"
Weight: TypeAlias = str


def align_report(name: str, scored: Scored) -> Group:
    """How much the judge was asked, how it agrees with the rules, and where it does not.

    Args:
        name: of the profile.
        scored: under it, aligned by a judge.
    """
    align = scored.extras.alignment
    if align is None:
        return Group()
    asked = "where the rules read nothing" if align.mode == "judge" else "about every reply"
    head = Text.assemble((f"{name}: aligned by {align.judge}", "bold"), f", asked {asked} ({align.journal})")
    lines = (Text(line, style=style) for style, line in align_lines(scored))
    return Group(
        head,
        *lines,
        *(_disagreements(align) if align.mode == "always" else ()),
        Text(f"{counted(align.usage.requests, 'request')} to the judge, {align.n_requests_now:,} of them now", "dim"),
        Text(usage(align.usage, 0).text, "dim"),
    )


def align_lines(scored: Scored) -> Iterator[tuple[Weight, str]]:
    """What a judge did that read replies beside the rules."""
    align, bounds = scored.extras.alignment, scored.bounds
    if align is None:
        return
    blank = "1 was" if align.n_blank == 1 else f"{align.n_blank:,} were"
    yield (
        "",
        (
            f"Rules read {align.n_read_by_rules:,} of {align.n_replies:,} replies "
            f"({percent(align.share_read_by_rules)} %); calls saved by that: {align.n_calls_saved:,}. "
            f"Put to the judge: {counted(align.n_put, 'reply')}, "
            f"{align.n_contents:,} different; it read {align.n_chosen:,}, said of {align.n_none:,} that they choose "
            f"nothing, failed at {align.n_judge_failed:,}; {blank} blank and not put to it."
        ),
    )
    if align.n_judge_failed:
        kinds = said_of_failures(align.failures)
        within = f"; the score lies between {percent(bounds[0])} and {percent(bounds[1])}" if bounds else ""
        yield "yellow", f"The judge failed at {counted(align.n_judge_failed, 'reply')} ({kinds}){within}."
    if align.agreement is not None:
        low, high = align.agreement.interval
        yield (
            "",
            (
                f"Where both read a letter ({counted(align.agreement.n, 'reply')}) rules and judge agree in "
                f"{percent(align.agreement.share)} % ({percent(low)} to {percent(high)})."
            ),
        )


def _disagreements(align: Alignment) -> list[RenderableType]:
    found = align.disagreements
    if not found:
        return [Text("Rules and judge disagree nowhere.")]
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("item", overflow="fold")
    for heading in ("variant", "rules", "judge", "right"):
        out.add_column(heading)
    out.add_column("reply", overflow="fold")
    for one in found[:SHOWN]:
        rules = one.rules or "declines"
        cells = (one.item, one.variant, rules, one.judge or NEITHER, one.right or "?", one.reply)
        out.add_row(*(Text(cell) for cell in cells))
    more = len(found) - SHOWN
    tail = [Text(f"and {more:,} more; --json lists all")] if more > 0 else []
    return [Text(f"Rules and judge disagree about {counted(len(found), 'reply')}:"), out, *tail]
