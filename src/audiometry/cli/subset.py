"""``audiometry subset``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from audiometry.cli.file_options import say_files, with_files, with_written
from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.cli.voted import read_votes, same_option, ties_option, with_votes
from audiometry.errors import visible

if TYPE_CHECKING:
    from audiometry.score.opened import OpenedRun


@click.command()
@click.argument("bench", metavar="BENCH")
@click.option("--from", "runs", multiple=True, metavar="RUN...", type=click.Path(path_type=Path), help="Runs of BENCH.")
@click.argument("more", metavar="", nargs=-1, type=click.Path(path_type=Path))
@click.option("--predict", type=click.Choice(["votes"]), required=True, help="What the items are to foretell.")
@with_votes()
@click.option("-n", "n", required=True, type=click.IntRange(min=1), metavar="N", help="How many items.")
@same_option("the runs")
@ties_option
@click.option("--profile", default="strict", metavar="P", show_default=True, help="Whose rules score the items.")
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of what is drawn.")
@click.option("-o", "output", metavar="DIR", type=click.Path(path_type=Path), help="Write them as a benchmark folder.")
@with_files
@json_option
def command(
    bench: str,
    runs: tuple[Path, ...],
    more: tuple[Path, ...],
    voted: Path | str,
    n: int,
    output: Path | None,
    *,
    predict: Literal["votes"],  # noqa: ARG001  the one there is
    same: tuple[tuple[str, str], ...],
    ties: Literal["half", "drop"],
    profile: str,
    seed: int,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """Choose the few items of a benchmark that foretell best what people prefer.

    Runs are of BENCH, each of another model; votes are between these models, in a vote file as audiometry
    arena rank takes them. Items are chosen one after the other so that the mean of their scores goes along
    best with the ratings. What that is worth is told by leaving each model out in turn and choosing anew,
    beside the whole benchmark and items at random. From fewer than 8 models nothing is chosen, since any
    few items would fit.

    With -o they are written as a folder with a card of its own, which audiometry run takes as any other.

    \b
    Examples:
      audiometry subset b --from runs/* --predict votes --votes v.csv -n 50 -o few
      audiometry run few --model vllm/new
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    import msgspec

    from audiometry.analysis.subset import by_votes, write
    from audiometry.files import votes
    from audiometry.report.views import subset as views

    opened = _opened(bench, (*runs, *more))
    file = read_votes(voted)
    found = by_votes(opened, file.votes, n, same=dict(same), profile=profile, ties=ties, seed=seed)
    found = msgspec.structs.replace(found, warnings=(*found.warnings, *votes.said_of(file)))
    if output is not None:
        found = write(found, opened[0].benchmark, output)
    blocks = views.subset(found)
    if not as_json:
        say_blocks(*blocks)
    written = say_files(blocks, tables, figures)
    if as_json:
        say_json(with_written(found, written))
    elif output is not None:
        where = visible(str(output))
        say(f"Kept in {where}; next: audiometry run {where} --model MODEL")
    elif not written:
        say("Kept nowhere; next: the same with -o DIR writes these items as a benchmark that audiometry run takes")
    return int(file.n_apart > 0 or "missing" in written)


def _opened(bench: str, runs: tuple[Path, ...]) -> list[OpenedRun]:
    """The runs with the benchmark that they are of."""
    from audiometry.errors import UsageError
    from audiometry.files.run_folder import RunFolder
    from audiometry.score.opened import open_runs

    if not runs:
        raise UsageError("give the runs that items are chosen from with --from RUN…")
    of = RunFolder(runs[0]).info().benchmark
    return open_runs(list(runs), "" if bench in {of.name, of.source} else bench)
