"""``audiometry list``."""

from __future__ import annotations

from functools import partial
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from audiometry.render.document import Block
    from audiometry.run.listed import RunRow

WHAT = ("benchmarks", "measures", "metrics", "models", "profiles", "recipes", "runs", "tasks")


class _What(click.Choice[str]):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from audiometry.errors import UnknownNameError

        if value not in WHAT:
            raise UnknownNameError("thing to list", value, WHAT)
        return super().convert(value, param, ctx)


@click.command(name="list")
@click.argument("what", type=_What(WHAT), metavar="WHAT")
@click.argument("where", required=False, metavar="[BENCH|DIR|MODEL|RECIPE]")
@click.option("--examples", is_flag=True, help="Of each task an item with its options, the same each time.")
@click.option("--cards", is_flag=True, help="Models by what is known of how each is asked, and where they end.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Where published data are, for tasks.")
@json_option
def command(what: str, where: str | None, data: Path | None, *, examples: bool, cards: bool, as_json: bool) -> None:
    """List benchmarks, models, runs, measures, profiles, recipes or the tasks of a benchmark.

    \b
    WHAT is one of:
      benchmarks   by id, those shipped and published ones whose data you bring
      measures     of which tasks, what they count, and which way is better
      models       providers, with an example, key (set or not) and extra, or
                   with --cards what is known of models (of MODEL with sources)
      profiles     rules of scoring
      recipes      how makers ask their models (of RECIPE with sources)
      runs         in the folder DIR (runs): how far, failures, the last scores
      tasks        of the benchmark BENCH

    \b
    Examples:
      audiometry list benchmarks
      audiometry list tasks mini --examples
      audiometry list runs --json
      audiometry list models openai/gpt-audio-1.5 --cards
    """
    from audiometry.errors import UsageError

    if examples and what != "tasks":
        raise UsageError(f"--examples are of tasks; leave it out of audiometry list {what}")
    if data is not None and what != "tasks":
        raise UsageError(f"--data is for tasks; leave it out of audiometry list {what}")
    if cards and what != "models":
        raise UsageError(f"--cards are of models; leave it out of audiometry list {what}")
    if where is not None and not cards and what not in {"recipes", "runs", "tasks"}:
        hint = "give --cards with it, or leave it out" if what == "models" else "leave it out"
        raise UsageError(f"audiometry list {what} takes no other word; '{shown(where)}': {hint}")
    rows, blocks = _cards(where) if cards else _listed(what, where, data, examples=examples)
    if as_json:
        say_json(rows)
    else:
        say_blocks(*blocks, as_lines=True)
    if what == "runs" and not rows and not as_json:
        say(f"no runs yet in {shown(where or 'runs')}/; audiometry run makes one", err=True)


def _listed(what: str, where: str | None, data: Path | None, *, examples: bool) -> tuple[list[Any], Iterable[Block]]:
    """The rows that are asked for, and what shows them when it is gone through."""
    from audiometry.report import listed
    from audiometry.report.views import listings

    if what == "runs":
        return (runs := _runs(where)), listings.runs(runs)
    if what == "recipes":
        found = listed.recipes(where)
        return list(starmap(listed.recipe, found.items())), listings.recipes(found, sources=where is not None)
    makers: dict[str, tuple[Callable[[], Iterable[listed.Row]], Callable[[list[listed.Row]], Iterable[Block]]]] = {
        "benchmarks": (listed.benchmarks, listings.benchmarks),
        "measures": (listed.measures, listings.measures),
        "metrics": (listed.measures, listings.measures),
        "models": (listed.models, listings.models),
        "profiles": (listed.profiles, listings.profiles),
        "tasks": (partial(listed.tasks, where, data, examples=examples), listings.tasks),
    }
    make, view = makers[what]
    return (rows := list(make())), view(rows)


def _runs(named: str | None) -> list[RunRow]:
    """The runs in a folder; without a name in that which need not be there."""
    from audiometry.files.run_folder import RUNS
    from audiometry.run.listed import runs

    where = RUNS if named is None else Path(named)
    return runs(where) if named is not None or where.exists() else []


def _cards(name: str | None) -> tuple[list[Any], Iterable[Block]]:
    from datetime import UTC, datetime

    from audiometry.report import cards
    from audiometry.report.views import cards as views

    rows = cards.rows(name, datetime.now(UTC).date())
    return rows, views.cards(rows) if name is None else views.card(rows[0])
