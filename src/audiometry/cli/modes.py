"""``audiometry modes``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from audiometry.cli.ask_options import asking, judge_option, refuse_idle_options
from audiometry.cli.file_options import say_files, with_files
from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import visible


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@judge_option("A language model that codes too, without hearing; may be given several times.")
@click.option(
    "--people",
    "said",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="People's codes: JSON lines or CSV with item, rater and code, and model where there are several; may be "
    "given several times.",
)
@click.option(
    "--book",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Your own code book, TOML with [[code]] name, title and about; rules know the house's alone.",
)
@asking("the judge")
@click.option("--bench", default="", metavar="PATH", help="Where the benchmark is now, if it moved.")
@with_files
@json_option
def command(
    runs: tuple[Path, ...],
    judges: tuple[str, ...],
    said: tuple[Path, ...],
    book: Path | None,
    bench: str,
    *,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
    **how: object,
) -> int:
    """Say why the wrong replies of runs are wrong: failure modes, counted and quoted.

    Each reply to a question with options that is wrong, or from which nothing is read, gets one code: it
    declines, speaks of a text it was given, is no answer in the form asked for, answers from the words
    alone, hears what is not there, says what is true but no answer, or nothing tells why. Rules code for
    free; that a model answers from the words alone they know from a run with --variant noise, silence,
    other-clip or text-only, and that it hears what is not there from the kinds of the benchmark's options.

    Judges and people code by the same book, and it is said how far coders agree. All codes are kept in
    the run folder: they count in later calls, in audiometry report RUN and in audiometry agree RUN, until
    the reply changes. A judge does not hear: its word on what is in a recording is only as good as what
    the benchmark says of it.

    \b
    Examples:
      audiometry modes runs/music
      audiometry modes runs/music --judge openai/gpt-6.1-terra --people codes.csv
      audiometry modes runs/music --tables paper --figures paper
    """
    from audiometry.cli.one_thread import load_numpy

    refuse_idle_options(judges)
    load_numpy()
    from audiometry.analysis.modes import modes
    from audiometry.cli import score_open
    from audiometry.cli.tables import say_passed_over
    from audiometry.files import code_book
    from audiometry.render.document import told_of
    from audiometry.report.naming import called
    from audiometry.report.views import modes as view
    from audiometry.score.opened import open_runs

    say_passed_over(runs)
    opened = open_runs(list(runs), bench)
    own = None if book is None else code_book.read(book)
    with score_open.asked(judges, align="rules", panel="mean", injections=0, people=None, how=how) as asked:
        given = {name: asked[name] for name in ("judges", "follow") if name in asked}
        found = modes(opened, book=own, people=said, **given)
    stamp = opened[0].info.benchmark
    shown = [
        block
        for one, section in zip(found.runs, view.modes(found), strict=True)
        for block in told_of([section], called((one.run,), stamp))
    ]
    if as_json:
        say_json(found)
        for warning in found.warnings:
            say(f"Note: {warning}.", err=True)
    else:
        say_blocks(*view.notes(found), *shown)
        folders = " ".join(shlex.quote(visible(str(run))) for run in runs)
        say(f"The codes are kept in the run folder; next: audiometry report {folders}")
    lost = found.n_left_out or any(one.n_failed and not one.kept for run in found.runs for one in run.coders)
    return int("missing" in say_files(shown, tables, figures) or bool(lost))
