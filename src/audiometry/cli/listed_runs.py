"""``audiometry list runs``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audiometry.cli.say import say, say_json, terminal_width
from audiometry.errors import shown

if TYPE_CHECKING:
    from audiometry.run.listed import RunRow

NAME = 300  # characters of a name that are shown: what tells two cascades apart stands at the end


def show(named: str | None, *, as_json: bool) -> None:
    """Print the runs in a folder: how far each is, its failures, its last scores.

    Args:
        named: the folder; None: `runs`, which need not be there.
        as_json: as one document.
    """
    from audiometry.files.run_folder import RUNS
    from audiometry.run.listed import runs

    where = RUNS if named is None else Path(named)
    rows = runs(where) if named is not None or where.exists() else []
    if as_json:
        return say_json(rows)
    if not rows:
        say(f"no runs yet in {shown(str(where))}/; audiometry run makes one", err=True)
        return None
    lines = [("run", "benchmark", "model", "replies", "failed", "scores", "started (UTC)")]
    for row in rows:
        if row.problem:
            continue
        lines.append(
            (
                shown(row.name, NAME), shown(row.benchmark), shown(row.asked, NAME),
                f"{row.done:,}/{row.planned:,}", f"{row.failed:,}" if row.failed else "", _scores(row),
                shown(row.started)[:16].replace("T", " "),
            )
        )  # fmt: skip
    _say_columns(lines if len(lines) > 1 else [])
    for row in rows:
        if row.problem:
            say(f"{shown(row.name, NAME)}: cannot be read: {row.problem}")
    return None


def _say_columns(lines: Sequence[tuple[str, ...]]) -> None:
    """A table; on a terminal that is too narrow for it each name on a line, and the other cells below it."""
    columns = terminal_width()
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if columns is None or sum(widths) + 2 * len(widths) - 2 <= columns:
        for line in lines:
            say("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip())
        return
    for line in lines[1:]:
        cells = [f"{name} {cell}" for name, cell in zip(lines[0][1:], line[1:], strict=True) if cell]
        said = textwrap.wrap("; ".join(cells), max(columns - 2, 20), break_long_words=False, break_on_hyphens=False)
        say("\n  ".join([line[0], *said]))


def _scores(row: RunRow) -> str:
    """Its scores with their units; of a stopped run how far it came."""
    from audiometry.report.numbers import scale

    if row.stopped:
        return f"stopped, {row.done + row.failed:,} of {row.planned:,} asked"
    said = []
    for name, one in row.scores.items():
        its, high = scale(one), one.range[1]
        end = " %" if its.share else f" of {high:g}" if high is not None and high > 1 else ""
        said.append(f"{its.number(one.value)}{end} {shown(name, NAME)}")
    return ", ".join(said)
