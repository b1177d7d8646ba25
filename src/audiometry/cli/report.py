"""``audiometry report``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from audiometry.cli import score_metrics
from audiometry.cli.ask_options import alignment, as_aligned
from audiometry.cli.file_options import say_files, with_files
from audiometry.cli.say import json_option, say, say_json
from audiometry.cli.score_open import panel_options
from audiometry.errors import visible

if TYPE_CHECKING:
    from audiometry.render.document import Block
    from audiometry.score.readers.judged import Panel


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where to write it.  [default: report.html in the run folder; for several runs here, or report-2.html "
    "where that is another file]",
)
@click.option("--profile", default="strict", metavar="P", show_default=True, help="Whose rules.")
@as_aligned
@panel_options[0]
@score_metrics.by_option
@click.option("--bench", default="", metavar="PATH", help="Where the benchmark is now, if it moved.")
@with_files
@json_option
def command(
    runs: tuple[Path, ...],
    output: Path | None,
    profile: str,
    align: str,
    judge: str,
    tags: tuple[str, ...],
    bench: str,
    *,
    panel: str,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """Write one HTML file with the scores, a chart, and every item to listen to; works offline.

    Several runs of one benchmark stand side by side, each compared with the first. Clips are put into
    the file up to 25 MB in all; beyond that they are linked in a folder beside it. So are items: beyond 25 MB
    they are in a folder of their own beside it, and read when needed. With --align, replies are read as by the judge
    that all the runs were scored with.

    Every kind of task has its numbers, as audiometry score prints them: choices by the profile, labels and transcripts
    by their measures, further ones by which the runs were scored (--measure), and open questions with the reference
    answers and every verdict of the judges that the runs were scored with (--judge). Nobody is asked.

    For a paper: --tables and --figures write what the page shows as files, each under its own name; with the same names
    the next time, and without touching other files there.

    \b
    Examples:
      audiometry report runs/mini--pocketsphinx--7f3a
      audiometry report runs/mini--pocketsphinx--7f3a runs/mini--random--c2d1 \\
          -o both.html
      audiometry report runs/mini --tables paper --figures paper
    """
    from audiometry.cli.tables import say_passed_over
    from audiometry.report import html

    if profile == "all":
        raise click.BadParameter(
            "a report shows all profiles side by side by itself; name the one that its other sections go by",
            param_hint="'--profile'",
        )
    say_passed_over(runs)
    mode, together = alignment(align), cast("Panel", panel)
    shown: list[Block] = []
    lacking: list[str] = []
    with _progress() as watch:
        written = html.write(
            runs,
            output,
            bench,
            profile,
            align=mode,
            judge=judge,
            panel=together,
            by=tags,
            also=shown.extend,
            mind=lacking.append,
            watch=watch,
        )
    for line in lacking:
        say(f"{line}.", err=True)
    if not as_json:
        say(str(written))
    files = say_files(shown, tables, figures)
    if as_json:
        say_json({"report": str(written), "runs": [str(run) for run in runs], **files})
    else:
        paper = "" if files else "; --tables DIR and --figures DIR write what it shows as files for a paper"
        say(f"next: open {visible(str(written))} in a browser{paper}", err=True)
    return int("missing" in files)


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """What is told how far a report is, and shows it: a line for each thing that is counted."""
    from audiometry.cli.progress import Steps

    lines: dict[str, Steps] = {}

    def watch(what: str, done: int, whole: int) -> None:
        if what not in lines:
            end()
        lines.setdefault(what, Steps(what)).show(done, whole)

    def end() -> None:
        for line in lines.values():
            line.end()
        lines.clear()

    try:
        yield watch
    finally:
        end()
