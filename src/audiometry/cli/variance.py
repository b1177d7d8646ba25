"""``audiometry variance``."""

from __future__ import annotations

from pathlib import Path

import click

from audiometry.cli.file_options import say_files, with_files
from audiometry.cli.say import json_option, say_blocks, say_json
from audiometry.cli.score_metrics import one_measure


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--profile", default="strict", metavar="P", show_default=True, help="Whose rules.")
@one_measure("Split scores")
@click.option("--bench", default="", metavar="PATH", help="Where the benchmark is now, if it moved.")
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of the draws that ranks rest on.")
@with_files
@json_option
def command(
    runs: tuple[Path, ...],
    profile: str,
    measure: str,
    bench: str,
    seed: int,
    *,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """Say what a score is made of: items, wordings, orders of options, and chance.

    A run that asked every item in several wordings (--wordings), orders (--orders) or several times over
    (--repeats) has its score's uncertainty split into what each of these adds. The best wording is held
    against the worst, and it is said how many items are right in every wording and order. Of several runs
    it is told how firm their places are when other items, or other wordings, are drawn.

    Nobody is asked anything. What is asked stands for all that could have been asked, so that a share of
    few wordings is a rough one.

    \b
    Examples:
      audiometry run my-benchmark --model vllm/m --wordings 3 -o runs/m
      audiometry variance runs/m
      audiometry variance runs/a runs/b runs/c --tables paper
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.analysis.variance import variance
    from audiometry.cli.score_metrics import watched
    from audiometry.cli.tables import say_passed_over
    from audiometry.render.document import told_of
    from audiometry.report.naming import called, labels
    from audiometry.report.views.variance import variance as view
    from audiometry.score.opened import open_runs

    say_passed_over(runs)
    opened = open_runs(list(runs), bench)
    with watched():
        found = variance(opened, profile, measure=measure, seed=seed)
    names = labels(opened)
    of_run = {str(run.folder.path): name for run, name in zip(opened, names, strict=True)}
    shown = told_of(view(found, opened[0].benchmark.card, of_run), called(names, opened[0].info.benchmark))
    if as_json:
        say_json(found)
    else:
        say_blocks(*shown)
    return int("missing" in say_files(shown, tables, figures))
