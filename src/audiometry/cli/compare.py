"""``audiometry compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from audiometry.cli.ask_options import alignment, as_aligned
from audiometry.cli.file_options import say_files, with_files, with_written
from audiometry.cli.say import json_option, say_blocks, say_json
from audiometry.cli.score_metrics import one_measure
from audiometry.cli.score_open import panel_options

if TYPE_CHECKING:
    from audiometry.score.readers.judged import Panel


@click.command()
@click.argument("run_a", metavar="RUN_A", type=click.Path(path_type=Path))
@click.argument("run_b", metavar="RUN_B", type=click.Path(path_type=Path))
@click.option("--profile", default="strict", metavar="P", show_default=True, help="Whose rules.")
@as_aligned
@panel_options[0]
@one_measure("Compare")
@click.option("--bench", default="", metavar="PATH", help="Where the benchmark is now, if it moved.")
@with_files
@json_option
def command(
    run_a: Path,
    run_b: Path,
    profile: str,
    align: str,
    judge: str,
    measure: str,
    bench: str,
    *,
    panel: str,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """Compare two runs on the items that both were asked: A minus B, in pairs.

    Every kind of task that both have is compared as it is scored, in a table of its own: choices by the profile,
    labels by macro F1, transcripts by their word error rate, or by what the card names. The first column of numbers
    is how many items count in both runs; A - B is in points where scores are in percent, else in the measure's own
    unit; `detectable` is the smallest true difference that so many items would find four times in five, where p
    is corrected by that. Error rates are the one scale on which less is better: there a difference below 0 is in
    favour of A.

    p is the larger of two, so that it agrees with the interval: that of swapping the two models' replies to whole
    clusters of items that share a clip, and the smallest level at which the interval leaves out 0; p corrected is over
    tasks (Holm). With --align, the letters are those of the judge that both
    runs were scored with; runs that were aligned differently are not compared.

    Runs of open questions are compared on the scale of their judges, by the verdicts that both folders hold (see
    audiometry score --judge); nobody is asked, and runs that were judged differently are not compared.

    \b
    Examples:
      audiometry compare runs/mini--pocketsphinx--7f3a runs/mini--random--c2d1
      audiometry compare runs/libri--whisper runs/libri--mine --measure wer
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.cli.score_metrics import watched
    from audiometry.cli.tables import say_passed_over
    from audiometry.render.document import told_of
    from audiometry.report.naming import called, labels
    from audiometry.report.views.comparison import both
    from audiometry.score.opened import open_runs
    from audiometry.score.two_runs import compare

    say_passed_over((run_a, run_b))
    a, b = open_runs([run_a, run_b], bench)
    together = cast("Panel", panel)
    how = alignment(align)
    with watched():
        found = compare(a, b, profile, measure=measure, align=how, judge=judge, panel=together)
    shown = told_of(both(found, a.benchmark.card, labels([a, b])), called((), a.info.benchmark))
    if not as_json:
        say_blocks(*shown)
    files = say_files(shown, tables, figures)
    if as_json:
        say_json(with_written(found, files))
    return int("missing" in files)
