"""``audiometry arena contestants``."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from audiometry.cli.say import json_option, say_blocks, say_json
from audiometry.cli.voted import Same


@click.command()
@click.option("--db", metavar="URL", help="Of the arena.  [default: sqlite:///arena.sqlite]")
@click.option(
    "--merge",
    "merged",
    multiple=True,
    type=Same("HASH=HASH"),
    metavar="HASH=HASH",
    help="Count the first as the second, on boards and in quotas, from now on; several times.",
)
@json_option
def command(db: str | None, *, merged: tuple[tuple[str, str], ...], as_json: bool) -> int:
    """List the contestants of an arena, or count one as another.

    A contestant is a model exactly as it is asked: with another version, system prompt, parameter or card it
    is another one, since its replies may be, and stands on boards of its own. Where the change does not
    matter, --merge says so: hashes may be cut to as many digits as tell them apart. It cannot be undone.

    \b
    Examples:
      audiometry arena contestants --db sqlite:///arena.sqlite
      audiometry arena contestants --merge 1b525b92=596d6e5b
    """
    from audiometry.arena.server.settings import Settings
    from audiometry.arena.store.store import Store
    from audiometry.report.views.contestants import contestants

    with contextlib.closing(Store.open(db or Settings().db, Path(), make=False)) as store:
        for one, into in merged:
            store.merge(one, into)
        found = store.listed()
    if as_json:
        say_json({"contestants": found})
    else:
        say_blocks(contestants(found))
    return 0
