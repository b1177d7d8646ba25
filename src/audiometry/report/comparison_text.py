"""Two runs compared, for the terminal."""

from __future__ import annotations

import rich.box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audiometry.errors import shown
from audiometry.report.numbers import Scale, scale
from audiometry.score.averages import p_value
from audiometry.score.result import Comparison, Difference


def comparison_table(found: Comparison) -> Group:
    """Differences by task and over all."""
    its = scale(found)
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("task", overflow="fold")
    for heading in ("items", "A", "B", "A - B", "95 %", "p", "p corrected", "could show"):
        out.add_column(heading, justify="right")
    for name, row in found.tasks.items():
        out.add_row(Text(shown(name, 200)), *_cells(row, its))
    out.add_section()
    if len(found.categories) > 1:
        for name, row in found.categories.items():
            out.add_row(Text(f"all of {shown(name, 200)}"), *_cells(row, its))
        out.add_section()
    out.add_row("all", *_cells(found, its), style="bold")
    verdict = "differ" if found.p < 0.05 else "cannot be told apart on these items"  # noqa: PLR2004  the stated level
    least = " ".join(filter(None, [its.number(found.detectable), its.unit]))
    better = "" if its.share else f" ({found.unit}; {'higher' if found.direction == 'up' else 'lower'} is better)"
    lines: list[RenderableType] = [
        Text(f"A  {found.a}\nB  {found.b}{_read_by(found)}"),
        out,
        Text(
            f"A and B {verdict} (swapping clusters, p {p_value(found.p, '= ')}). "
            f"The smallest difference this many items could show is {least}{better}."
        ),
    ]
    lines += [Text(f"Note: {warning}.", style="yellow") for warning in found.warnings]
    return Group(*lines)


def _read_by(found: Comparison) -> str:
    if found.judges:
        panel = f", {found.panel} of the panel" if found.panel else ""
        return f"\njudged by {', '.join(found.judges)}{panel}"
    return f"\nread by {found.aligned_by}" if found.aligned_by else ""


def _cells(row: Difference, its: Scale) -> tuple[str, ...]:
    return (
        f"{row.n_items:,}",
        its.number(row.score_a),
        its.number(row.score_b),
        its.change(row.difference),
        its.changes(row.interval),
        p_value(row.p),
        "" if row.p_corrected is None else p_value(row.p_corrected),
        its.number(row.detectable),
    )
