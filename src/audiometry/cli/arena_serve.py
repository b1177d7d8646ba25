"""``audiometry arena serve``."""

from __future__ import annotations

import shlex
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli import studying
from audiometry.cli.say import json_option, say, say_json
from audiometry.errors import counted, shown

if TYPE_CHECKING:
    from audiometry.arena.server.settings import Settings
    from audiometry.web.study.study import Study


@click.command()
@click.argument("config", required=False, metavar="[CONFIG]", type=click.Path(path_type=Path))
@click.option(
    "--models",
    multiple=True,
    metavar="A,B,...",
    help="Models that take part, beside those of the arena's file; NAME@URL for one that is served somewhere.",
)
@click.option(
    "--db",
    metavar="URL",
    help="sqlite:///FILE or postgresql://USER@HOST/NAME; recordings stand beside it.  [default: sqlite:///arena.sqlite]",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, metavar="N", show_default=True)
@click.option(
    "--host",
    default="",
    metavar="HOST",
    help="Listen on this address of the machine, 0.0.0.0 for all; browsers give a microphone to https alone then.  "
    "[default: 127.0.0.1, this machine alone]",
)
@json_option
def command(
    config: Path | None, *, models: tuple[str, ...], db: str | None, port: int, host: str, as_json: bool
) -> int:
    """Serve an arena: people speak, two hidden models answer, and the vote counts.

    Whoever opens the page speaks, sends a file or types; two of the models, drawn at random, are asked at the
    same time, and both replies are shown at once. After the vote it is told who they were. All of it is kept in
    the database, each vote before it is acknowledged; whatever ends the server, it goes on where it was.

    CONFIG is a TOML file with everything that can be set: docs/arena.md.

    \b
    Examples:
      audiometry arena serve --models cascade/pocketsphinx,vllm/Qwen/Qwen3-8B
      audiometry arena serve arena.toml --host 0.0.0.0 \\
        --db postgresql://arena@localhost/arena
    """
    found = opened(config, models, db)
    serve(found, host=host, port=port)
    if as_json:
        from audiometry.arena.server.serving import standing

        say_json(standing(found))
    return 0


def opened(config: Path | None, models: tuple[str, ...], db: str | None) -> Settings:
    """The settings of an arena: of its file, with what the command says beside it."""
    import msgspec

    from audiometry.arena.server import settings

    found = settings.read(config) if config is not None else settings.Settings()
    names = tuple(name.strip() for some in models for name in some.split(",") if name.strip())
    return msgspec.structs.replace(found, models=(*found.models, *names), db=db or found.db)


def serve(found: Settings, *, host: str, port: int, study: Study | None = None) -> None:
    """Serve an arena, with a study around it or none, until Ctrl-C."""
    from audiometry.arena.server import serving
    from audiometry.web import serve as server

    with server.listen(host or server.HERE, port) as on:
        address = server.address(on, socket.gethostname() if host in {"0.0.0.0", "::"} else host or server.HERE)  # noqa: S104  compared, not bound
        serving.serve(
            found,
            on,
            host=host,
            heed=lambda why: say(why, err=True),
            ready=lambda fits: _told(fits, address, host, study),
            study=study,
        )
    say(f"Ended; every vote is kept. Next: audiometry arena rank --db {shlex.quote(shown(found.db, 1000))}", err=True)


def _told(settings: Settings, address: str, host: str, study: Study | None) -> None:
    say(f"{counted(len(settings.entries), 'model')}; kept in {shown(settings.db, 200)}", err=True)
    if host and not settings.https:
        say("Browsers give a microphone to pages of https and of this machine alone; put a proxy with a "
            "certificate before it, and set https = true.", err=True)  # fmt: skip
    ways = [f"Open {address} in a browser; Ctrl-C ends it, and nothing is lost."]
    for line in ways if study is None else studying.ways_in(study, address):
        say(line, err=True)
