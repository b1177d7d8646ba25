"""``audiometry score --metric``: open answers measured against their references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from audiometry.cli.say import say_report

if TYPE_CHECKING:
    from audiometry.cli.progress import ProgressLine
    from audiometry.score.judged import OpenRun
    from audiometry.score.measuring.result import Measured

metric_option = click.option(
    "--metric",
    "--measure",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Measure open answers: wer, cer, bleu, chrf, rouge-l, token-f1, or a program, exec/COMMAND.",
)


def measured(runs: Sequence[OpenRun], names: Sequence[str]) -> list[dict[str, Measured]]:
    """Every run under every metric; nothing if none is asked for."""
    if not names:
        return [{} for _ in runs]
    from audiometry.cli.progress import ProgressLine
    from audiometry.score.metric import measure_run

    found = []
    for run in runs:
        line = ProgressLine()
        try:
            found.append(measure_run(run, names, _told(line)))
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


def unscored(run: OpenRun) -> dict[str, Any]:
    """What ``--json`` says of a run that no rule and no judge has scored."""
    return {
        "run": str(run.folder.path),
        "benchmark": run.info.benchmark.name,
        "model": run.info.model,
        "asked": run.info.called,
        "n_items": len(run.positions),
        "n_without_clip": run.n_without_clip,
        "n_left_out": run.info.benchmark.left_out,
        "left_out": run.benchmark.left_out(run.info.tasks),
    }


def added(documents: Sequence[dict[str, Any]], found: Sequence[dict[str, Measured]]) -> list[dict[str, Any]]:
    """What ``--json`` prints of runs, with what the metrics say if any was asked for."""
    import msgspec

    return [
        {**document, "metrics": msgspec.to_builtins(one)} if one else document
        for document, one in zip(documents, found, strict=True)
    ]


def show(runs: Sequence[OpenRun], found: Sequence[dict[str, Measured]]) -> None:
    """A table for every run and metric."""
    if not any(found):
        return
    from audiometry.report.metrics_text import metrics_report
    from audiometry.report.rows_text import rows_of

    for run, one in zip(runs, found, strict=True):
        rows = rows_of(run)
        say_report(metrics_report(run.info.called, one, run.benchmark.card, rows))


def complete(found: Sequence[dict[str, Measured]]) -> bool:
    """Whether no reply failed or is without a score."""
    return all(one.complete for measured in found for one in measured.values())
