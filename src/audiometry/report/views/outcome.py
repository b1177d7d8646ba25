"""What became of the replies to open questions while nobody has judged them, and who can."""

from __future__ import annotations

import shlex
from typing import Final

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.document import Block, Copied, Section, line, strong
from audiometry.render.table import Cell, Column, OutOf, RowInfo, Table
from audiometry.report.rows_text import said_of_rows
from audiometry.score.cut import n_clips_cut
from audiometry.score.opened import OpenedRun
from audiometry.score.outcome import OpenOutcome, Outcome

STATES: Final = ("refused", "empty", "failed", "not asked")


def outcome(found: OpenOutcome, run: OpenedRun) -> Section:
    """What became of them, and what to do next."""
    about = said_of_rows(found.n_items, run.n_without_clip, run.info.benchmark.left_out, n_clips_cut(run))
    of = (strong(run.info.called), " on ", strong(run.benchmark.name), f", not judged yet: {about}")
    table = became(found, run.benchmark.card)
    return Section(id="unjudged", title="", blocks=(line(*of), table, *_what_next(found, run)))


def became(found: OpenOutcome, card: Card, label: str = "", ending: str = "") -> Table:
    """A table of tasks; no share of anything, since nothing has been scored.

    Args:
        found: what became of the replies.
        card: of the benchmark.
        label: of the run, where there are several.
        ending: of the table's id, where there are several.
    """
    rows = [(card.called(task, asked=row.n_items), *_cells(row)) for task, row in found.tasks.items()]
    several = len(rows) > 1
    return Table(
        id=f"unjudged{ending}",
        caption=f"What became of the replies to open questions{f' of {label}' if label else ''}",
        signature="",
        columns=(
            Column(id="task", title=f"open questions{f', {label}' if label else ''}", kind="name"),
            Column(id="items", title="items", kind="count"),
            Column(id="answered", title="answered", kind="count"),
            *(Column(id=state.replace(" ", "-"), title=state, kind="count", drop=1) for state in STATES),
        ),
        rows=(*rows, ("all", *_cells(found))) if several else tuple(rows),
        info=(*(RowInfo(last=n == len(rows)) for n in range(1, len(rows) + 1)), *[RowInfo(strong=True)] * several),
    )


def _cells(row: Outcome) -> tuple[Cell, ...]:
    states = (row.n_refused, row.n_empty, row.n_failed, row.n_not_asked)
    return row.n_items, OutOf(row.n_answered, row.n_replies), *states


def _what_next(found: OpenOutcome, run: OpenedRun) -> list[Block]:
    """What to do next: commands that are pasted, so they are not broken to fit a terminal."""
    folder = shown(shlex.quote(str(run.folder.path)), 1000)
    blocks: list[Block] = []
    if found.n_without_reference < found.n_items:
        blocks = [
            line("No rule can score these answers. Have a judge score them, or a measure:"),
            Copied(f"  audiometry score {folder} --judge MODEL      # for example openai/gpt-6.1-terra"),
            Copied(f"  audiometry score {folder} --measure NAME     # for example token-f1"),
        ]
    if n := found.n_without_reference:
        have = "has" if n == 1 else "have"
        blocks.append(line(f"{counted(n, 'item')} {have} no reference answer to compare with: put one into `answer`."))
    return blocks
