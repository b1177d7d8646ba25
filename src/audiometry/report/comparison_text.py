"""Two runs compared, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from audiometry.errors import shown
from audiometry.records import Card
from audiometry.render.numbers import p_value
from audiometry.report.fitted import Fitted
from audiometry.report.numbers import Scale, counts, scale
from audiometry.score.result import Comparison, Difference


def comparison_table(found: Comparison, card: Card) -> Group:
    """Differences by task and over all, a table for each kind of task; what is said of several is said once."""
    parts: list[RenderableType] = [Text(f"A  {found.a}\nB  {found.b}")]
    said: set[str] = set()
    for one in (found, *found.also.values()):
        parts += _one(one, card)
        parts += [Text(f"Note: {line}.", style="yellow") for line in one.warnings if line not in said]
        said |= set(one.warnings)
    return Group(*parts)


def _one(found: Comparison, card: Card) -> Iterator[RenderableType]:
    its = scale(found)
    better = f"{counts(found)}, {'higher' if found.direction == 'up' else 'lower'} is better"
    yield Padding(Text.assemble((shown(found.measure, 200), "bold"), f": {better}"), (1, 0, 0, 0))
    if by := _read_by(found):
        yield Text(by)
    out = Fitted("task", ("items", "A", "B", "A - B", "95 %", "p", "p corrected", "could show"))
    for name, row in found.tasks.items():
        out.add(shown(card.task_named(name).title or name, 200), *_cells(row, its))
    out.section()
    if len(found.categories) > 1:
        for name, row in found.categories.items():
            out.add(f"all of {shown(name, 200)}", *_cells(row, its))
        out.section()
    out.add("all", *_cells(found, its), style="bold")
    yield out
    p = f"p {p_value(found.p, '= ')}, the larger of that of swapping clusters and the interval's"
    told = f"A and B {found.verdict(found.p)} ({p})."
    if found.detectable is not None:
        on = its.unit if its.share else f"({better})"
        told += f" The smallest difference this many items could show is {its.number(found.detectable)} {on}."
    yield Text(told)


def _read_by(found: Comparison) -> str:
    if found.judges:
        panel = f", {found.panel} of the panel" if found.panel else ""
        return f"judged by {', '.join(found.judges)}{panel}"
    return f"read by {found.aligned_by}" if found.aligned_by else ""


def _cells(row: Difference, its: Scale) -> tuple[str, ...]:
    return (
        f"{row.n_items:,}",
        its.number(row.score_a),
        its.number(row.score_b),
        its.change(row.difference),
        its.changes(row.interval),
        p_value(row.p),
        "" if row.p_corrected is None else p_value(row.p_corrected),
        "" if row.detectable is None else its.number(row.detectable),
    )
