"""``audiometry gap``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from audiometry.cli.file_options import say_result, with_files
from audiometry.cli.say import json_option
from audiometry.cli.voted import named, read_votes, same_option, ties_option, told, with_votes

if TYPE_CHECKING:
    from audiometry.analysis.gap.runs import ItemScores
    from audiometry.analysis.gap.scores import ScoreTable
    from audiometry.analysis.gap.system_ratings import SystemRatings
    from audiometry.records.votes import Votes


@click.command()
@click.option("--scores", metavar="FILE", type=click.Path(path_type=Path), help="Scores: system, benchmark, score.")
@click.option("--runs", multiple=True, metavar="RUN...", type=click.Path(path_type=Path), help="Or run folders.")
@click.argument("more", metavar="", nargs=-1, type=click.Path(path_type=Path))
@with_votes(required=False)
@click.option("--ratings", metavar="FILE", type=click.Path(path_type=Path), help="Or people's ratings of systems.")
@same_option("the scores or runs")
@click.option("--lower-is-better", "lower", multiple=True, metavar="NAME", help="A benchmark of errors; several times.")
@ties_option
@click.option("--tasks", "by_task", is_flag=True, help="Of runs: take every task for a benchmark of its own.")
@click.option("--profile", default="strict", metavar="P", show_default=True, help="Of runs: whose rules.")
@click.option("--bench", default="", metavar="PATH", help="Of runs: where the benchmark is now, if it moved.")
@click.option("--seed", type=int, default=0, metavar="S", show_default=True, help="Of draws.")
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="Also write all of it, as HTML.")
@with_files
@json_option
def command(
    scores: Path | None,
    runs: tuple[Path, ...],
    more: tuple[Path, ...],
    voted: Path | str | None,
    ratings: Path | None,
    output: Path | None,
    *,
    same: tuple[tuple[str, str], ...],
    lower: tuple[str, ...],
    ties: Literal["half", "drop"],
    by_task: bool,
    profile: str,
    bench: str,
    seed: int,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
) -> int:
    """Say which static scores predict what people prefer, and whether so few systems can say so at all.

    Scores are a CSV or JSON lines file with system, benchmark and score (and, if known, n_items, category,
    direction, error), or run folders, whose scores come with their own uncertainty and item by item. Votes
    are a vote file, as audiometry arena rank takes them; or ratings, with system, rating and if known error,
    or a rating file as audiometry agree takes it. Names of systems are matched exactly; --same says where
    one has two.

    Each benchmark is held against the votes by the order of systems (tau-b, rho, the first three) with p
    over every order that their labels could have, and by logistic regression of votes on differences of
    scores, in which systems are random: five systems stay five, however many votes there are. Rows that
    cannot be used are counted and named; then the exit code is 1.

    \b
    Examples:
      audiometry gap --scores scores.csv --votes votes.jsonl
      audiometry gap --runs runs/a runs/b runs/c --votes votes.jsonl -o gap.html
      audiometry gap --scores scores.csv --votes votes.csv --same vllm/m=M --json
      audiometry gap --scores scores.csv --ratings mos.csv
    """
    from audiometry.cli.one_thread import load_numpy

    load_numpy()
    from audiometry.analysis.gap import gap

    table, items = _scores(scores, (*runs, *more), profile, bench, by_task=by_task)
    table = _named(table, same, lower)
    preference, notes, n_unread = _preference(voted, ratings)
    named_items = _renamed(items, dict(same))
    read = told(
        "benchmarks",
        lambda reached: gap(
            table,
            preference,
            ties=ties,
            seed=seed,
            items=named_items,
            notes=notes,
            n_unread=n_unread,
            reached=reached,
        ),
    )
    if output is not None:
        from audiometry.report import gap_page, section_page

        section_page.write(gap_page.page(read, (table.source, named(voted or ratings))), output)
    from audiometry.report.views import gap as views

    blocks = views.gap(read) if tables or figures or not as_json else ()
    ended = say_result(
        lambda: read,
        blocks,
        output,
        tables,
        figures,
        as_json=as_json,
        after=[views.made(read)],
        warnings=read.warnings,
    )
    return int(read.n_unread > 0 or ended)


def _scores(
    file: Path | None, runs: tuple[Path, ...], profile: str, bench: str, *, by_task: bool
) -> tuple[ScoreTable, tuple[ItemScores, ...]]:
    """The table of scores, from a file or from runs."""
    from audiometry.errors import UsageError

    if (file is None) == (not runs):
        raise UsageError("give scores either as a file with --scores or as run folders with --runs")
    if file is not None:
        from audiometry.analysis.gap import from_file

        return from_file(file), ()
    from audiometry.analysis.gap.runs import of_runs

    return of_runs(runs, profile=profile, bench=bench, by_task=by_task)


def _preference(voted: Path | str | None, ratings: Path | None) -> tuple[Votes | SystemRatings, list[str], int]:
    """Votes or ratings, what is to be said of their file, and how many of its lines could not be used."""
    if ratings is not None and voted is None:
        from audiometry.analysis.gap.system_ratings import read

        return read(ratings)
    if voted is not None and ratings is None:
        from audiometry.files import votes

        file = read_votes(voted)
        return file.votes, votes.said_of(file), file.n_apart
    from audiometry.errors import UsageError

    raise UsageError("give what people prefer once: votes with --votes or --db, or ratings of systems with --ratings")


def _named(table: ScoreTable, same: tuple[tuple[str, str], ...], lower: tuple[str, ...]) -> ScoreTable:
    from audiometry.analysis.gap.scores import lower_is_better, renamed

    return lower_is_better(renamed(table, dict(same)), lower)


def _renamed(items: tuple[ItemScores, ...], names: dict[str, str]) -> tuple[ItemScores, ...]:
    import msgspec

    return tuple(
        msgspec.structs.replace(one, systems=tuple(names.get(name, name) for name in one.systems)) for one in items
    )
