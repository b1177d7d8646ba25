"""``audiometry review``."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

import click

from audiometry.cli.say import json_option, say, say_json
from audiometry.cli.studying import Sheets, ended, opened_beside, with_sheets, write
from audiometry.errors import UsageError, counted, shown


@click.command()
@click.argument("of", metavar="DIR|RUN...", nargs=-1, required=True)
@click.option(
    "--mode", default="", metavar="MODE", help="What people do: approve, answer; align, prefer, score, code, errata."
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Only so many, drawn at random.")
@click.option(
    "--raters", type=click.IntRange(1, 99), metavar="K", help="How many people are to judge each.  [default: 1]"
)
@click.option("--seed", type=int, metavar="S", help="Of the sample and of the orders that people see.  [default: 1]")
@click.option("--bench", default="", metavar="PATH", help="Of runs: where their benchmark is now, if it moved.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, metavar="N", show_default=True)
@click.option(
    "--host",
    default="",
    metavar="HOST",
    help="Listen on this address of the machine, 0.0.0.0 for all; then people come in by links.  [default: 127.0.0.1, "
    "this machine alone]",
)
@click.option(
    "--rater",
    "named",
    multiple=True,
    metavar="NAME",
    help="With --host: make a link for this person, printed once; may be given several times.",
)
@click.option(
    "--export",
    "ratings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what was said as a rating file, and open no page.",
)
@click.option(
    "--study",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Have participants of a paid study do it, who come by the recruiter's links (docs/study.md).",
)
@with_sheets
@click.option("--apply", "applied", is_flag=True, help="Write the benchmark to -o as it was reviewed; open no page.")
@click.option(
    "-o",
    "output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the review here; with --apply, the new version.  [default: DIR/review; of runs, named under reviews/]",
)
@json_option
def command(
    of: tuple[str, ...],
    mode: str,
    *,
    port: int,
    host: str,
    named: tuple[str, ...],
    ratings: Path | None,
    applied: bool,
    study: Path | None,
    sheets: Sheets,
    as_json: bool,
    **given: object,
) -> int:
    """Have people judge items or replies in the browser, each with its clip.

    Of a benchmark DIR people approve, mend or reject items (--mode approve), or answer the questions and tick
    all that is true (answer). Of a RUN's replies they say which option one means (align, the default for
    questions with options), how good it is (score, for open ones), or why it is wrong (code); of several
    RUNs which of two replies is better (prefer), or which answer is right where models agree on another one
    than the benchmark (errata). Nobody is told models' names or judges' words, and nobody but who approves items
    the right answers.

    Every word is kept as it is given, in answers.jsonl; who comes back goes on where they were. The page
    is for this machine alone unless --host says otherwise. Ctrl-C ends it.

    \b
    Examples:
      audiometry review my-benchmark/
      audiometry review my-benchmark/ --apply -o my-benchmark-2/
      audiometry review runs/qwen2-audio --sample 400 --raters 3
      audiometry review runs/a runs/b runs/c runs/d --sample 200 --raters 3
      audiometry review runs/a --export ratings.jsonl
      audiometry review runs/a runs/b --study study.toml --raters 3 --host 0.0.0.0
      audiometry review runs/a runs/b --study study.toml --payment pay.csv
    """
    from audiometry.cli import review_standing, reviewing

    if named and not host:
        raise UsageError("--rater makes links, which are for people elsewhere; give --host too, or leave it out")
    if named and study is not None:
        raise UsageError("participants of a --study come by the recruiter's links; leave --rater out")
    if study is None and sheets:
        raise UsageError("the sheets are of a study; name its file with --study")
    if applied:
        return reviewing.apply(of, mode, as_json=as_json, **given)  # type: ignore[arg-type]  # options, by name
    review, benchmark = reviewing.opened(of, mode, **given)  # type: ignore[arg-type]  # as above
    if ratings is not None:
        reviewing.refuse_none(review, of)
        n = review.export(ratings)
        if as_json:
            say_json({"ratings": str(ratings), "n_ratings": n})
        else:
            where = shown(shlex.quote(str(ratings)), 1000)
            say(f"{counted(n, 'rating')} in {where}; next: audiometry agree {where}")
        return 0
    if study is not None:
        with contextlib.closing(opened_beside(study, review.folder.path, make=not sheets)) as around:
            if sheets:
                return write(around, sheets, as_json=as_json)
            reviewing.serve(review, benchmark, host=host, port=port, named=(), study=around)
            ended(around, "the same command with", as_json=as_json)
            return 0
    review = reviewing.serve(review, benchmark, host=host, port=port, named=named)
    found = review_standing.standing(review)
    if as_json:
        say_json(found)
    else:
        say(review_standing.said(found, review.mode.noun))
    return 0
