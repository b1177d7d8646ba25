"""Whether models listen, and which items give themselves away, for the terminal."""

from __future__ import annotations

import rich.box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audiometry.analysis.giveaways import Giveaways
from audiometry.choices.variant import TEXT_ONLY
from audiometry.render.numbers import p_value
from audiometry.report.fitted import Fitted
from audiometry.report.numbers import Scale
from audiometry.score.listening import Evidence, Listening

SHOWN = 20  # items that are written out
STYLES = {"listens": "bold green", "does not listen": "bold red", "cannot tell on these items": "bold yellow"}


def listening_report(model: str, found: Listening) -> Group:
    """A table of conditions, and the verdict in a line."""
    out = Fitted("clip", ("items", "real", "without", "drop", "95 %", "p", "p corrected", "unread", "lost"))
    for name, one in found.conditions.items():
        out.add(name.replace("-", " "), *_cells(one))
    parts: list[RenderableType] = [out] if found.conditions else []
    if TEXT_ONLY in found.conditions:
        parts.append(Text("Text only has no part in the verdict.", "dim"))
    if found.n_without_clip:
        parts.append(Text(f"Items that name no clip have no part in it: {found.n_without_clip:,}.", "dim"))
    verdict = Text.assemble((f"{model} {found.said}", STYLES[found.verdict]), f": {found.reason}.")
    return Group(*parts, verdict)


def giveaways_report(found: Giveaways) -> Group:
    """How many items give themselves away, and which."""
    head = Text.assemble(
        (f"{len(found.items):,} of {found.n_items:,} items give themselves away", "bold"), f": {found.reason}."
    )
    if not found.items:
        return Group(head)
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("item", overflow="fold")
    for heading in ("right", "expected", "p", "p corrected"):
        out.add_column(heading, justify="right")
    out.add_column("answer", overflow="fold")
    for one in found.items[:SHOWN]:
        share = f"{one.n_right} of {one.n_models}"
        out.add_row(one.item, share, f"{one.expected:.1f}", f"{one.p:.2g}", f"{one.p_corrected:.2g}", one.answer)
    more = len(found.items) - SHOWN
    return Group(head, out, *([Text(f"and {more:,} more; --json lists all")] if more > 0 else []))


def _cells(one: Evidence) -> tuple[str, ...]:
    its = Scale(0, 1, share=True)
    return (
        f"{one.n_items:,}",
        its.number(one.real),
        its.number(one.without),
        its.change(one.difference),
        its.changes(one.interval),
        p_value(one.p),
        p_value(one.p_corrected),
        f"{one.n_unread:,}",
        f"{one.n_lost:,}",
    )
