"""What a judge did that read replies beside the rules: how often it was asked, and where the two read differently."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from audiometry.errors import counted
from audiometry.render.document import Block, Line, Section, line
from audiometry.render.numbers import percent
from audiometry.render.table import Column, Table
from audiometry.report.rows_text import said_of_failures
from audiometry.report.views.usage import usage
from audiometry.score.extras import Alignment
from audiometry.score.result import Scored

MOST: Final = 20  # disagreements that are written out


def alignment(name: str, scored: Scored, number: int = 1) -> Section | None:
    """How much the judge was asked, how it agrees with the rules, and where it does not; None without one.

    Args:
        name: of the score.
        scored: the score.
        number: of the section, from 1.
    """
    align = scored.extras.alignment
    if align is None:
        return None
    end = f"-{number}" if number > 1 else ""
    asked = "where the rules read nothing" if align.mode == "judge" else "about every reply"
    blocks = (
        *aligned(scored),
        *(_disagreements(align, scored.signature, end) if align.mode == "always" else ()),
        line(
            f"{counted(align.usage.requests, 'request')} to the judge, {align.n_requests_now:,} of them now",
            weight="dim",
        ),
        usage(align.usage, 0),
    )
    title = f"{name}: aligned by {align.judge}, asked {asked} ({align.journal})"
    return Section(id=f"alignment{end}", title=title, blocks=blocks)


def aligned(scored: Scored) -> Iterator[Line]:
    """What a judge did that read replies beside the rules; nothing where none did."""
    align, bounds = scored.extras.alignment, scored.bounds
    if align is None:
        return
    blank = "1 was" if align.n_blank == 1 else f"{align.n_blank:,} were"
    yield line(
        f"Rules read {align.n_read_by_rules:,} of {align.n_replies:,} replies "
        f"({percent(align.share_read_by_rules)} %); calls saved by that: {align.n_calls_saved:,}. "
        f"Put to the judge: {counted(align.n_put, 'reply')}, "
        f"{align.n_contents:,} different; it read {align.n_chosen:,}, said of {align.n_none:,} that they choose "
        f"nothing, failed at {align.n_judge_failed:,}; {blank} blank and not put to it."
    )
    if align.n_judge_failed:
        kinds = said_of_failures(align.failures)
        within = f"; the score lies between {percent(bounds[0])} and {percent(bounds[1])}" if bounds else ""
        yield line(f"The judge failed at {counted(align.n_judge_failed, 'reply')} ({kinds}){within}.", weight="minded")
    if align.agreement is not None:
        low, high = align.agreement.interval
        yield line(
            f"Where both read a letter ({counted(align.agreement.n, 'reply')}) rules and judge agree in "
            f"{percent(align.agreement.share)} % ({percent(low)} to {percent(high)})."
        )


def _disagreements(align: Alignment, signature: str, end: str) -> Iterator[Block]:
    found = align.disagreements
    if not found:
        yield line("Rules and judge disagree nowhere.")
        return
    caption = f"Rules and judge disagree about {counted(len(found), 'reply')}"
    cut = f"; the first {MOST} of them" if len(found) > MOST else ""
    columns = (
        Column(id="item", title="item", kind="name"),
        *(Column(id=one, title=one, kind="text") for one in ("variant", "rules", "judge", "right", "reply")),
    )
    rows = tuple(
        (one.item, one.variant, one.rules or "declines", one.judge or "none", one.right or "?", one.reply)
        for one in found[:MOST]
    )
    yield line(f"{caption}:")
    yield Table(id=f"disagreements{end}", caption=f"{caption}{cut}", signature=signature, columns=columns, rows=rows)
    if (more := len(found) - MOST) > 0:
        yield line(f"and {more:,} more; --json lists all")
