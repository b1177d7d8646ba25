"""``audiometry check``."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import UsageError

if TYPE_CHECKING:
    from audiometry.bench.findings import Finding
    from audiometry.records import Card


@click.command()
@click.argument("benchmark", metavar="[BENCH]", default="")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    type=click.Path(path_type=Path),
    help="Instead of a benchmark, check whether this run's model listens, and over all runs given which items give "
    "themselves away; may be given several times.",
)
@click.option("--bench", default="", metavar="PATH", help="With --run: where the benchmark is now, if it moved.")
@click.option(
    "--data", type=click.Path(path_type=Path), metavar="DIR", help="Where published data are: as released, or a copy."
)
@click.option("--strict", is_flag=True, help="End with 2 if a row cannot be asked, as `run --strict` does.")
@click.option("--headers", is_flag=True, help="Read the clips' headers only: fast, and blind to what is inside them.")
@json_option
def command(
    benchmark: str,
    runs: tuple[Path, ...],
    bench: str,
    data: Path | None,
    *,
    strict: bool,
    headers: bool,
    as_json: bool,
) -> int:
    """Look for defects in a benchmark before anybody is asked about it, or in runs over it.

    Missing, empty, corrupt, clipped, silent and duplicate clips; slips of the metadata; balance of
    labels and of the right answers' letters; answers that give themselves away. Exits with 1 if it
    finds an error.

    Runs that asked the items without their clips too (`audiometry run --variant noise`) show whether the
    model listens; those of several models, asked in words alone, which items give themselves away.

    \b
    Examples:
      audiometry check my-benchmark/
      audiometry check --run runs/qwen2 --run runs/gpt
    """
    if bool(benchmark) == bool(runs):
        both = ", not both" if runs else ""
        raise UsageError(f"check needs a benchmark or runs{both}: audiometry check BENCH, or check --run RUN")
    idle = {"--data": data, "--strict": strict, "--headers": headers} if runs else {"--bench": bench}
    for name, given in idle.items():
        if given:
            raise UsageError(f"{name} does nothing {'with' if runs else 'without'} --run; leave it out")
    if runs:
        return _check_runs(runs, bench, as_json=as_json)
    return _check_benchmark(benchmark, data, strict=strict, headers=headers, as_json=as_json)


def _check_runs(paths: tuple[Path, ...], source: str, *, as_json: bool) -> int:
    import msgspec

    from audiometry.analysis.giveaways import giveaways
    from audiometry.choices.variant import TEXT_ONLY
    from audiometry.score.door import heard
    from audiometry.score.opened import open_run

    runs = [open_run(path, source) for path in paths]
    given_away = giveaways(runs)
    found = [(run, heard(run)) for run in runs]
    if as_json:
        listed = [
            {
                "run": str(run.folder.path),
                "model": run.info.model,
                "asked": run.info.called,
                **msgspec.to_builtins(one),
            }
            for run, one in found
        ]
        document = {"runs": listed, "giveaways": given_away}
        say_json(document)
        return 0
    from audiometry.report.views import giveaways as gives_away
    from audiometry.report.views import listening

    for run, one in found:
        say_blocks(*listening.verdict(run.info.called, one))
        say()
    say_blocks(*gives_away.giveaways(given_away))
    if sum(TEXT_ONLY in run.info.variants for run in runs) > len(given_away.models):
        say("Of several runs of one model only the first counts: its replies are not independent.")
    return 0


def _check_benchmark(benchmark: str, data: Path | None, *, strict: bool, headers: bool, as_json: bool) -> int:
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    import msgspec

    from audiometry import bench
    from audiometry.bench.check import check
    from audiometry.bench.left_out import FATAL
    from audiometry.cli.progress import Steps
    from audiometry.errors import BenchmarkError

    steps = Steps("clips")
    loaded = bench.opened(benchmark, data) if data else None
    with contextlib.suppress(BenchmarkError):  # of which the report says what is wrong
        loaded = bench.opened(benchmark) if loaded is None else loaded
    unfit = _unfit(loaded.card) if loaded is not None else ()
    report = check(benchmark if loaded is None else loaded, decode=not headers, progress=steps.show)
    report = msgspec.structs.replace(report, n_errors=report.n_errors + len(unfit), findings=(*unfit, *report.findings))
    steps.end()
    if as_json:
        say_json(report)
    else:
        from audiometry.cli import tables
        from audiometry.report.views import check as views

        if data and loaded is not None:
            tables.show_coverage(loaded)
        say_blocks(views.check(report))
    n = report.n_left_out + sum(found.code in FATAL for found in report.findings)
    if strict and n:
        n_rows = report.n_items + n
        raise UsageError(f"refused, as --strict says: {n:,} of {n_rows:,} rows cannot be asked")
    return int(report.n_errors > 0)


def _unfit(card: Card) -> tuple[Finding, ...]:
    """A measure that the card gives a task and that is none, or does not fit it."""
    from audiometry.bench.findings import finding
    from audiometry.errors import BenchmarkError
    from audiometry.files.benchmark_folder import CARD
    from audiometry.score.measures import refuse_unfit

    try:
        refuse_unfit(card)
    except BenchmarkError as problem:
        what, _, do = str(problem).partition("; ")
        return (finding("error", "measure", CARD, what, do or "name one that fits it, or none"),)
    return ()
