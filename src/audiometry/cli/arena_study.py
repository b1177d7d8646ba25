"""``audiometry arena study``."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

import click

from audiometry.cli import arena_serve
from audiometry.cli.say import json_option, say
from audiometry.cli.studying import Sheets, ended, opened, with_sheets, write
from audiometry.errors import UsageError, counted, shown


@click.command(params=[one for one in arena_serve.command.params if one.name not in {"config", "as_json"}])
@click.argument("study", metavar="STUDY.toml", type=click.Path(path_type=Path))
@with_sheets
@json_option
def command(
    study: Path, *, models: tuple[str, ...], db: str | None, port: int, host: str, sheets: Sheets, as_json: bool
) -> int:
    """Run a paid study in the arena: people come by a recruiter's links, agree, vote, and leave with a code.

    STUDY.toml says who takes part, what they agree to and are asked, how many votes each gives, the codes and the pay
    (docs/study.md); its arena = "arena.toml" names the file of the arena itself, or --models gives the models.
    What is kept of participants stands in the arena's database, their ids in a table of their own.

    With --payment, --participants or --forget-ids no page is opened.

    \b
    Examples:
      audiometry arena study study.toml --host 0.0.0.0
      audiometry arena study study.toml --payment pay.csv
    """
    from audiometry.web.study import spec

    said = spec.read(study)
    arena = arena_serve.opened(study.parent / said.arena if said.arena else None, models, db)
    if sheets:
        _refuse_none(arena.db, study)
    with contextlib.closing(opened(study, arena.db)) as found:
        if sheets:
            return write(found, sheets, as_json=as_json)
        if said.votes_per_pair and (n := len(arena.entries)) > 1:
            wanted, there = n * (n - 1) // 2 * said.votes_per_pair, said.participants * said.n
            if wanted != there:
                pairs = f"{counted(n * (n - 1) // 2, 'pair')} with {said.votes_per_pair:,} votes each are {wanted:,}"
                people = f"{counted(said.participants, 'participant')} with {said.n:,} each give {there:,}"
                what = (
                    "raise participants or n, or lower votes_per_pair"
                    if there < wanted
                    else "who comes last finds less to do"
                )
                say(f"{pairs}; {people}: {what}.", err=True)
        arena_serve.serve(arena, host=host, port=port, study=found)
        kept = f" --db {shlex.quote(shown(arena.db, 1000))}" if db else ""  # without its password
        ended(found, f"audiometry arena study {shlex.quote(str(study))}{kept}", as_json=as_json)
    return 0


def _refuse_none(url: str, study: Path) -> None:
    """Raise where a sheet is wanted of a database that is not there, and would be made."""
    kind, _, path = url.partition(":///")
    if kind == "sqlite" and not Path(path).is_file():
        raise UsageError(f"nobody has come to the study of {shown(study.name)} yet: there is no {shown(path, 200)}")
