"""``audiometry arena export``."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from audiometry.cli.say import json_option, say, say_json
from audiometry.cli.voted import told
from audiometry.errors import UsageError, counted, shown, visible

if TYPE_CHECKING:
    from audiometry.arena.store.store import Store


@click.command()
@click.option("--db", metavar="URL", help="Of the arena.  [default: sqlite:///arena.sqlite]")
@click.option("--to", "kind", type=click.Choice(["jsonl", "parquet"]), default="jsonl", show_default=True)
@click.option("-o", "output", metavar="FILE", type=click.Path(path_type=Path), help="The file that is written.")
@click.option("--texts", is_flag=True, help="With queries and comments, of votes that may be shared.")
@click.option(
    "--audio",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Copy the recordings of votes that may be shared into this folder too, by battle.",
)
@click.option(
    "--to-look-through",
    "unseen",
    is_flag=True,
    help="Write what nobody has looked through for personal data yet, in place of votes: say in each line whether it "
    "may be shared, share true or false.",
)
@click.option(
    "--looked-through",
    "seen",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="First take in what was said in such a file.",
)
@json_option
def command(
    db: str | None,
    kind: Literal["jsonl", "parquet"],
    output: Path | None,
    *,
    texts: bool,
    folder: Path | None,
    unseen: bool,
    seen: Path | None,
    as_json: bool,
) -> int:
    """Write an arena's votes as a vote file, which audiometry arena rank and others take.

    No recording and nothing that anybody said or wrote is in it, unless somebody looked through it for
    personal data and said that it may be shared: --to-look-through writes what is still to be seen, with
    what the models replied and where the recording is; --looked-through takes in what was said of it. A
    vote that its voter changes later is to be seen anew. Who took part in a study is in it by a number alone.

    Votes that were set apart and skipped battles are left out, and told.

    \b
    Examples:
      audiometry arena export --db sqlite:///arena.sqlite -o votes.jsonl
      audiometry arena export --to-look-through -o look.jsonl
      audiometry arena export --looked-through look.jsonl --texts -o votes.jsonl
    """
    from audiometry.arena.server.settings import Settings
    from audiometry.arena.store import exported
    from audiometry.arena.store.store import Store

    if output is None and seen is None and folder is None:
        raise UsageError("name the file to write with -o")
    if unseen and (output is None or texts or kind != "jsonl"):
        raise UsageError("--to-look-through writes JSON lines with all texts to the file that -o names; leave the rest")
    settings = Settings() if db is None else Settings(db=db)
    did: dict[str, object] = {}
    with contextlib.closing(Store.open(settings.db, settings.audio_folder, make=False)) as store:
        if seen is not None:
            decided, shared = exported.looked_through(store.database, seen)
            did |= {"decided": decided, "may_be_shared": shared}
            _told(f"{counted(decided, 'vote')} looked through, {shared:,} may be shared", quiet=as_json)
        if output is not None:
            of = f" --db {shlex.quote(shown(db, 1000))}" if db else ""
            said = _written(store, output, kind, texts=texts, unseen=unseen, quiet=as_json, of=of)
            did |= {"file": str(output), **said}
        if folder is not None:
            did |= {"audio": str(folder), "recordings": exported.copied(store.database, store.audio, folder)}
            _told(f"{counted(int(str(did['recordings'])), 'recording')} in {visible(str(folder))}", quiet=as_json)
    if as_json:
        say_json(did)
    return 0


def _written(
    store: Store, output: Path, kind: Literal["jsonl", "parquet"], *, texts: bool, unseen: bool, quiet: bool, of: str
) -> dict[str, object]:
    from audiometry.arena.store import exported

    if unseen:
        n = exported.to_look_through(store.database, store.audio, output)
        _told(
            f"{counted(n, 'vote')} to look through in {visible(str(output))}; put share true or false into each line",
            quiet=quiet,
        )
        if not quiet:
            say(f"Then: audiometry arena export{of} --looked-through {shlex.quote(str(output))} --texts -o votes.jsonl")
        return {"to_look_through": n}
    found = told("votes", lambda reached: exported.export(store.database, output, kind, texts=texts, reached=reached))
    _told(f"{counted(found.votes, 'vote')} in {visible(str(output))}", quiet=quiet)
    for note in found.notes():
        say(f"Note: {note}.", err=True)
    return {
        "votes": found.votes,
        "withheld": found.withheld,
        "same_recording": found.shared,
        "left_out": list(found.left_out),
    }


def _told(text: str, *, quiet: bool) -> None:
    if not quiet:
        say(f"{text}.")
