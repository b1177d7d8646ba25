"""``audiometry agree``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli.file_options import say_result, with_files
from audiometry.cli.say import json_option

if TYPE_CHECKING:
    from audiometry.files.ratings import Ratings


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rater", "raters", multiple=True, metavar="NAME", help="Only this rater; may be given several times.")
@click.option(
    "--lower-is-better",
    "lower",
    multiple=True,
    metavar="NAME",
    help="A metric of which a lower score is the better one, besides wer, cer and those whose ratings say so; several "
    "times for several.",
)
@click.option(
    "--tie-margin",
    "margins",
    multiple=True,
    metavar="[NAME=]X",
    help="Scores of a judge no further apart than X count as equal where preferences are taken from them; with a "
    "name, of that rater alone.  [default: 0]",
)
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of the resamples.")
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="Also write figures, as HTML.")
@with_files
@json_option
def command(
    files: tuple[Path, ...],
    raters: tuple[str, ...],
    lower: tuple[str, ...],
    margins: tuple[str, ...],
    seed: int,
    output: Path | None,
    *,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """Say how far judges and metrics agree with people, people among themselves, and a judge with itself.

    FILE is a rating file, JSON lines or CSV, or a run folder, whose ratings by judges and metrics are read.
    Every line has an item and a rater, and one of: score (a number, with the model rated), choice (a
    letter), code (what went wrong, see audiometry modes), preferred (a, b or equal, with model_a and
    model_b). It may say kind (person, judge,
    metric; person if not) and order (reference-first or reference-second).

    Shares, Cohen's kappa, Krippendorff's alpha, Kendall's tau, Spearman's rho and mean differences come
    with 95 % intervals over items. Lines that cannot be used are counted and named; then the exit code
    is 1.

    \b
    Examples:
      audiometry agree people.csv runs/airbench-chat--qwen2-audio--7f3a
      audiometry agree people.jsonl judges.jsonl --tie-margin 0.5 -o agree.html
      audiometry agree people.csv metrics.jsonl --lower-is-better ter --json
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.analysis.agreement import agree

    found = agree(
        _read(files),
        raters=raters,
        lower_is_better=lower,
        tie_margin=margins,
        seed=seed,
    )
    if output is not None:
        from audiometry.report import agree_page, section_page

        section_page.write(agree_page.page(found), output)
    from audiometry.report.views import agreement

    shown = agreement.agreement(found) if tables or figures or not as_json else ()
    ended = say_result(
        lambda: found,
        shown,
        output,
        tables,
        figures,
        as_json=as_json,
        before=[agreement.doubts(found)],
        after=[agreement.made(found)],
        filed=(*shown[1:], *shown[:1]),  # who rated is not the file to name
        warnings=found.warnings,
    )
    return int(found.n_unread > 0 or ended)


def _read(files: tuple[Path, ...]) -> Ratings:
    """The ratings, with progress for whoever sits at a terminal."""
    from audiometry.files import ratings

    if not sys.stderr.isatty():
        return ratings.read(files)
    from audiometry.cli.progress import Steps

    steps = Steps("MB")
    try:
        return ratings.read(files, steps.show)
    finally:
        steps.end()
