"""What a check of a benchmark found, for the terminal."""

from __future__ import annotations

from collections import Counter

import rich.box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audiometry.bench.findings import CheckReport, Finding, TaskFacts
from audiometry.bench.left_out import FATAL
from audiometry.errors import counted
from audiometry.report.rows_text import said_of_rows

SHOWN_EACH = 3  # findings of one kind that are written out
STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
HOUR, MINUTE = 3600, 60


def check_report(found: CheckReport) -> Group:
    """Size, a table of tasks, and the findings, errors first."""
    kinds = Counter((f.severity, f.code) for f in found.findings)
    read = not kinds["error", "card"]  # rows are not looked at without a card
    parts: list[RenderableType] = [_size(found), _tasks(found)] if read else []
    written: Counter[tuple[str, str]] = Counter()
    for one in found.findings:
        kind = (one.severity, one.code)
        written[kind] += 1
        if written[kind] <= SHOWN_EACH:
            parts.append(_finding(one))
        if written[kind] == SHOWN_EACH and kinds[kind] > SHOWN_EACH:
            parts.append(
                Text(f"        and {kinds[kind] - SHOWN_EACH:,} more of this kind ({one.code}); --json lists all")
            )
    parts.append(
        Text(
            f"\n{counted(found.n_errors, 'error')}, {counted(found.n_warnings, 'warning')}, "
            f"{counted(found.n_notes, 'note')}",
            style="bold",
        )
    )
    if why := _refused(found):
        parts.append(Text(f"`audiometry run` refuses it: {why}", style="bold"))
    return Group(*parts)


def _refused(found: CheckReport) -> str:
    """Why nobody can be asked, in one line; empty if somebody can."""
    kinds = Counter(one.code for one in found.findings if one.code in FATAL or one.code == "card")
    if kinds:
        return "correct " + ", ".join(f"{code} ({n:,})" for code, n in kinds.items())
    return "" if found.n_items else "nothing can be asked"


def _size(found: CheckReport) -> Text:
    rates = ", ".join(f"{rate:,} Hz" for rate in sorted(found.rates))
    rows = said_of_rows(found.n_items, found.n_without_clip, found.n_left_out)
    return Text.assemble(
        (found.benchmark, "bold"),
        f": {rows}; {counted(found.n_clips, 'clip')} ({found.n_clips_read:,} read to their end), "
        f"{_length(found.audio_s)} of {', '.join(sorted(found.formats))} at {rates or 'no rate'}",
    )


def _length(seconds: float) -> str:
    if seconds >= HOUR:
        return f"{seconds / HOUR:.1f} h"
    return f"{seconds / MINUTE:.1f} min" if seconds >= MINUTE else f"{seconds:.1f} s"


def _tasks(found: CheckReport) -> Table:
    out = Table(box=rich.box.SIMPLE_HEAD, pad_edge=False)
    out.add_column("task", overflow="ellipsis", no_wrap=True)
    for heading in ("items", "clips", "options", "answers", "right letters"):
        out.add_column(heading, justify="right")
    out.add_column("best deaf rule", no_wrap=True)
    for heading in ("right", "chance"):
        out.add_column(heading, justify="right")
    for name, facts in found.tasks.items():
        options = ", ".join(str(n) for n in sorted(facts.n_options))
        letters = " ".join(map(str, facts.letters.counts)) if facts.letters else ""
        row = (
            f"{facts.n_items:,}",
            f"{facts.n_clips:,}",
            options,
            f"{facts.n_answers:,}",
            letters,
            *_best_guess(facts),
        )
        out.add_row(name, *row)
    return out


def _best_guess(facts: TaskFacts) -> tuple[str, str, str]:
    """The rule that does best without hearing anything, what it gets right and what chance would, in percent."""
    if not facts.guesses:
        return "", "", ""
    rule, guess = min(facts.guesses.items(), key=lambda pair: (pair[1].p, -pair[1].accuracy))
    return rule, f"{100 * guess.accuracy:.0f}", f"{100 * guess.chance:.0f}"


def _finding(one: Finding) -> Text:
    return Text.assemble((f"{one.severity:>7} ", STYLES[one.severity]), f"{one.where}: {one.what}; {one.do}")
