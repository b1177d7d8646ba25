"""What metrics say of a run's open answers, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import rich.box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.report.terminal import unwrapped
from audiometry.score.measuring.result import Measured, MetricRow

_BIG = 10  # from here on one decimal place says enough


def metrics_report(model: str, measured: Mapping[str, Measured], card: Card, rows: str = "") -> Group:
    """A table for each metric: tasks, categories and the whole.

    Args:
        model: whose answers.
        measured: by name of the metric.
        card: of the benchmark.
        rows: of the run, as `said_of_rows` says it; empty: not said.
    """
    parts: list[RenderableType] = []
    for name, found in measured.items():
        parts += _one(model, name, found, card)
    said = [Text(f"Of a run over {rows}.", style="dim")] if rows else []
    return Group(*parts, *_left_out(list(measured.values())), *said)


def _one(model: str, name: str, found: Measured, card: Card) -> list[RenderableType]:
    better = "higher is better" if found.higher_is_better else "lower is better"
    head = Text.assemble((shown(name, 60), "bold"), " of ", (shown(model, 300), "bold"), f": {found.unit}; {better}")
    counts = [key for key in ("refused", "empty", "failed", "unscored") if key == "failed" or _any(found, key)]
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("task", overflow="fold")
    for heading in ("items", "value", "95 %", *counts):
        out.add_column(heading, justify="right")
    for task, row in found.tasks.items():
        out.add_row(Text(shown(card.task_named(task).title or task)), *_cells(row, counts))
    if len(found.categories) > 1:
        out.add_section()
        for category, row in found.categories.items():
            out.add_row(Text(shown(category)), *_cells(row, counts))
    out.add_section()
    out.add_row(
        "all" if found.average == "corpus" else f"mean of {found.average}", *_cells(found, counts), style="bold"
    )
    return [Padding(head, (1, 0, 0, 0)), out, *_lines(found)]


def _left_out(measured: Sequence[Measured]) -> list[Text]:
    """Items that no metric measures; the same for all of them."""
    counts = {
        "have options": measured[0].n_with_options if measured else 0,
        "are open but have no reference": measured[0].n_without_reference if measured else 0,
    }
    return [
        Text(f"Left out, since they {why}: {counted(n, 'item')}.", style="yellow") for why, n in counts.items() if n
    ]


def _any(found: Measured, key: str) -> bool:
    return bool(getattr(found, f"n_{key}"))


def _cells(row: MetricRow, counts: Sequence[str]) -> tuple[str, ...]:
    between = "none" if row.interval is None else f"{number(row.interval[0])} to {number(row.interval[1])}"
    return (f"{row.n_items:,}", number(row.value), between, *(f"{getattr(row, f'n_{key}'):,}" for key in counts))


def _lines(found: Measured) -> list[Text]:
    lines = []
    if found.average != "corpus" and found.pooled is not None:
        lines.append(Text(f"All items as one corpus: {number(found.pooled)}.", style="dim"))
    if found.left_out:
        lines.append(
            Text(f"Without a number and in no average: {', '.join(map(shown, found.left_out))}.", style="yellow")
        )
    if not found.complete:
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in [*found.failures.items(), *found.unscored.items()])
        within = "how far the value may be off is not known"
        if found.bounds is not None:
            low, high = found.bounds
            within = f"had each been empty or perfect, the value would lie between {number(low)} and {number(high)}"
        ranked = "" if found.rankable else "; more than 1 % are lost, so this number is not to be ranked"
        lines.append(Text(f"Incomplete: {kinds}; {within}{ranked}.", style="yellow"))
    lines += [Text(f"Note: {note}.", style="yellow") for note in found.notes]
    lines.append(Text(f"Every item's score: {found.ratings}", style="dim"))
    lines.append(unwrapped(found.signature))
    return lines


def number(value: float | None) -> str:
    """A metric's value as it is printed: three decimal places, one from 10 on; ``none`` where there is none.

    >>> number(0.12345), number(47.052), number(None)
    ('0.123', '47.1', 'none')
    """
    if value is None:
        return "none"
    return f"{value:.1f}" if abs(value) >= _BIG else f"{value:.3f}"
