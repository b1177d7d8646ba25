"""``audiometry score --metric``: open answers measured against their references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from audiometry.cli.progress import ProgressLine
    from audiometry.score.judged import OpenRun
    from audiometry.score.result import Scores

metric_option = click.option(
    "--metric",
    "--measure",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Measure open answers: wer, cer, bleu, chrf, rouge-l, token-f1, or a program, exec/COMMAND.",
)


def measured(runs: Sequence[OpenRun], names: Sequence[str]) -> list[Scores]:
    """Every run under every metric; empty if none is asked for."""
    if not names:
        return []
    from audiometry.cli.progress import ProgressLine
    from audiometry.score import door

    found = []
    for run in runs:
        line = ProgressLine()
        try:
            found.append(door.measured(run, names, _told(line)))
        finally:
            line.end()
    return found


def _told(line: ProgressLine) -> Callable[[int, int, int], None]:
    """Shows how a metric program gets on."""
    from audiometry.dispatch.tally import Tally
    from audiometry.records import ReplyRecord

    tally = Tally()

    def watch(scored: int, failed: int, planned: int) -> None:
        if scored + failed == 1:
            line.start(planned, 0)
        tally.replies, tally.failures["unscored"] = scored, failed
        line.watch(ReplyRecord(item=""), tally)

    return watch
