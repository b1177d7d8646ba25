"""``audiometry demo``."""

from __future__ import annotations

from pathlib import Path

import click

from audiometry.cli.say import json_option, say

BENCHMARK, MODEL, ITEMS = "mini", "cascade/pocketsphinx", 156


@click.command()
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=ITEMS,
    metavar="N",
    show_default=True,
    help="At most N items, taken from the tasks in turn.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs/demo"),
    metavar="DIR",
    show_default=True,
    help="The run folder.",
)
@json_option
def command(limit: int, output: Path, *, as_json: bool) -> int:
    """Evaluate a real model on real audio, offline, print the score and write a report.

    The model is cascade/pocketsphinx: speech recognition and signal measurements turned into a
    description, read by rules. The benchmark is a part of `mini`. Both come with audiometry.

    \b
    Example:
      audiometry demo --limit 24 -o /tmp/demo
    """
    from audiometry import bench
    from audiometry.cli import progress, running
    from audiometry.errors import shown
    from audiometry.report import html
    from audiometry.run.execute import prepare
    from audiometry.run.settings import RunSettings

    benchmark = bench.load(BENCHMARK)
    prepared = prepare(benchmark, MODEL, RunSettings(limit=limit), output)
    asked = len(prepared.plan)
    say(f"Asking {MODEL} {asked} of the {len(benchmark)} items of {BENCHMARK}, offline. About a minute.", err=True)
    outcome = progress.follow(prepared, first=running.before_run)
    report = "" if outcome.interrupted else str(html.write([output], None).resolve())
    code = running.show_outcome(prepared, outcome, as_json=as_json, report=report)
    if report and not as_json:
        say(f"\nKept in {shown(str(output), 1000)}; next, for a model of yours: audiometry run --help")
        say(f"Report: {report}")
    return code
