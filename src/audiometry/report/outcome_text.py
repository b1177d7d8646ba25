"""What became of the replies to open questions, for the terminal, while nobody has judged them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from audiometry.errors import counted, shown
from audiometry.report.fitted import Fitted
from audiometry.report.rows_text import said_of_rows
from audiometry.score.cut import n_clips_cut
from audiometry.score.opened import OpenedRun
from audiometry.score.outcome import OpenOutcome, Outcome

STATES = ("refused", "empty", "failed", "not asked")


def outcome_report(found: OpenOutcome, run: OpenedRun) -> Group:
    """A table of tasks; no share of anything, since nothing has been scored."""
    out = Fitted("open questions", ["items", "answered", *STATES])
    for name, row in found.tasks.items():
        out.add(shown(run.benchmark.card.task_named(name).title or name, 200), *_cells(row))
    if len(found.tasks) > 1:
        out.section()
        out.add("all", *_cells(found), style="bold")
    rows = said_of_rows(found.n_items, run.n_without_clip, run.info.benchmark.left_out, n_clips_cut(run))
    head = Text.assemble((run.info.called, "bold"), " on ", (run.benchmark.name, "bold"), f", not judged yet: {rows}")
    return Group(Padding(head, (1, 0, 0, 0)), out)


def _cells(row: Outcome) -> tuple[str, ...]:
    states = (row.n_refused, row.n_empty, row.n_failed, row.n_not_asked)
    return f"{row.n_items:,}", f"{row.n_answered:,}/{row.n_replies:,}", *(f"{number:,}" for number in states)


def what_next(found: OpenOutcome, run: OpenedRun) -> Iterator[str]:
    """What to do next, line by line: commands that are pasted, so they are not broken to fit a terminal."""
    folder = shown(shlex.quote(str(run.folder.path)), 1000)
    if found.n_without_reference < found.n_items:
        yield "No rule can score these answers. Have a judge score them, or a measure:"
        yield f"  audiometry score {folder} --judge MODEL      # for example openai/gpt-6.1-terra"
        yield f"  audiometry score {folder} --measure NAME     # for example token-f1"
    if found.n_without_reference:
        n = found.n_without_reference
        have = "has" if n == 1 else "have"
        yield f"{counted(n, 'item')} {have} no reference answer to compare with: put one into `answer`."
