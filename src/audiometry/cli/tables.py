"""Prints what a command has to say beside its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audiometry.cli.say import say, say_blocks

if TYPE_CHECKING:
    from audiometry.bench import Benchmark
    from audiometry.score.result import Scores


def say_passed_over(paths: Sequence[Path]) -> None:
    """A line for every run folder that holds scores of another format."""
    from audiometry.errors import shown
    from audiometry.score.kept import passed_over

    for line in filter(None, map(passed_over, dict.fromkeys(paths))):
        say(f"{shown(line, 1000)}.", err=True)


def say_unkept(scores: Sequence[Scores]) -> bool:
    """Say which scores stand in no file, and why; whether there are any."""
    from audiometry.errors import shown

    for why in dict.fromkeys(filter(None, (one.unkept for one in scores))):
        say(f"Not kept: {shown(why, 1000)}.", err=True)
    return any(one.unkept for one in scores)


def show_coverage(benchmark: Benchmark) -> None:
    """What is there of published data; nothing for others."""
    from audiometry.report.views.coverage import coverage

    if benchmark.counts:
        say_blocks(coverage(benchmark.counts))
