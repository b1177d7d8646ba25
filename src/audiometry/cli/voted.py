"""What commands that hold something against votes have in common."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from audiometry.errors import UsageError, shown

if TYPE_CHECKING:
    from audiometry.arena.store.nouns import Rates
    from audiometry.arena.store.store import Store
    from audiometry.files.votes import VoteFile

T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., Any])


class Same(click.ParamType[tuple[str, str]]):
    """Two names with ``=`` between them.

    Args:
        form: how they are called (``NAME=VOTES``).
    """

    name = "same"

    def __init__(self, form: str = "NAME=VOTES") -> None:
        self._form = form

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Two names of one system; the first may hold ``=`` too."""
        if isinstance(value, tuple):
            return value
        one, equals, other = str(value).rpartition("=")
        if not equals or not one.strip() or not other.strip():
            self.fail(f"{shown(str(value))} is not {self._form}.", param, ctx)
        return one.strip(), other.strip()


def same_option(of: str) -> Callable[[C], C]:
    """The option ``--same``, of scores or runs."""
    told = f"What a system is called in {of}, and in the votes, where names differ; several times."
    return click.option("--same", multiple=True, type=Same(), metavar="NAME=VOTES", help=told)


ties_option = click.option(
    "--ties",
    type=click.Choice(["half", "drop"]),
    default="half",
    show_default=True,
    help="A tie is half a vote for each, or is left out.",
)


def with_votes(*, required: bool = True) -> Callable[[C], C]:
    """A command with ``--votes FILE`` and ``--db URL``, of which one is given; it gets ``voted``, for `read_votes`.

    Args:
        required: whether there is nothing else that the command could do.
    """

    def made(command: C) -> C:
        @functools.wraps(command)
        def chosen(*, votes: Path | None, db: str | None, **given: Any) -> Any:
            if votes is not None and db is not None:
                raise UsageError("give the votes once: as a file with --votes, or as an arena's database with --db")
            if required and votes is None and db is None:
                raise UsageError("give the votes: a file with --votes, or an arena's database with --db")
            return command(voted=votes if db is None else db, **given)

        more: Any = click.option(
            "--db", metavar="URL", help="Or the database of an arena: sqlite:///FILE, postgresql://…"
        )
        return cast("C", _VOTES(more(chosen)))

    return made


_VOTES = click.option("--votes", metavar="FILE", type=click.Path(path_type=Path), help="The votes.")


def read_votes(voted: Path | str, **asked: Any) -> VoteFile:
    """The votes, with progress for whoever sits at a terminal.

    Args:
        voted: a vote file, or the URL of an arena's database.
        asked: as `audiometry.files.votes.read` takes them: ``groups``, ``texts``, ``times``, ``covariates``.
    """
    from audiometry.files import votes

    if isinstance(voted, str):
        return _of_database(voted, groups=asked.get("groups", votes.GROUPS), texts=asked.get("texts", False))
    return told("MB", lambda reached: votes.read(voted, **asked, reached=reached))


def told(what: str, work: Callable[[Callable[[int, int], None] | None], T]) -> T:
    """What work gives, which says now and then how many of how many are done, to whoever sits at a terminal."""
    if not sys.stderr.isatty():
        return work(None)
    from audiometry.cli.progress import Steps

    steps = Steps(what)
    try:
        return work(steps.show)
    finally:
        steps.end()


def _of_database(url: str, **asked: Any) -> VoteFile:
    with _store(url) as store:
        found = store.votes(**asked)
    if not found.votes.n:
        why = f" ({'; '.join(found.notes)})" if found.notes else ""
        raise UsageError(f"{found.path} holds no vote that counts yet{why}; let people vote first")
    return found


def rates_of(voted: Path | str) -> tuple[Rates, ...]:
    """What became of asking each model of an arena; a vote file does not tell."""
    if not isinstance(voted, str):
        return ()
    with _store(voted) as store:
        return store.failures()


def recordings(voted: Path | str) -> Path:
    """The folder that recordings of queries are in: that of the vote file, or an arena's own."""
    if isinstance(voted, Path):
        return voted.parent
    from audiometry.arena.server.settings import Settings

    return Settings(db=voted).audio_folder.absolute()


def _store(url: str) -> contextlib.closing[Store]:
    from audiometry.arena.store.store import Store

    return contextlib.closing(Store.open(url, recordings(url), make=False))


def beside(voted: Path | str) -> Path:
    """The file that others stand beside which belong to the votes: the vote file, or that of a database here."""
    if isinstance(voted, Path):
        return voted
    _, mark, path = voted.partition("sqlite:///")
    return Path(path) if mark else Path("arena")


def named(voted: Path | str | None) -> str:
    """What people may read of where votes come from: no password."""
    if not isinstance(voted, str):
        return str(voted)
    from audiometry.web.database import name_of

    return name_of(voted)
