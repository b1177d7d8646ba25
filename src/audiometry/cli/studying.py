"""What commands with a study around them do: open it, put it before a page, write its sheets."""

from __future__ import annotations

import functools
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from audiometry.cli.say import say, say_json
from audiometry.errors import UsageError, counted, shown
from audiometry.files.extras import install

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from audiometry.review.desk import Desk
    from audiometry.web.clips import Clips
    from audiometry.web.study.people import Paid
    from audiometry.web.study.study import Study


C = TypeVar("C", bound=Callable[..., Any])


class Standing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a study is, and what was written of it, as ``--json`` says it."""

    study: str
    payment: str = ""
    participants: str = ""
    n_participants: int
    n_under_way: int
    exits: dict[str, int]
    suggestions: dict[str, int]
    ids_removed: int | None = None


class Sheets(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written of a study in place of a page that is opened.

    Attributes:
        payment: the payment sheet, with ids.
        participants: its people, without.
        forget_ids: whether ids are removed afterwards.
    """

    payment: Path | None = None
    participants: Path | None = None
    forget_ids: bool = False

    def __bool__(self) -> bool:
        return self != Sheets()


def with_sheets(command: C) -> C:
    """A command with the options of a study's sheets, which it is given as one, ``sheets``."""
    file = click.Path(dir_okay=False, path_type=Path)

    @click.option("--payment", type=file, metavar="FILE", help="Write the study's payment sheet, as CSV; open no page.")
    @click.option(
        "--participants",
        type=file,
        metavar="FILE",
        help="Write the study's participants as JSON lines, without their ids, and open no page.",
    )
    @click.option("--forget-ids", is_flag=True, help="Remove the participants' ids once they are paid; open no page.")
    @functools.wraps(command)
    def with_them(*args: Any, **given: Any) -> Any:
        mine = {name: given.pop(name) for name in Sheets.__struct_fields__}
        return command(*args, sheets=Sheets(**mine), **given)

    return with_them  # type: ignore[return-value]  # click's commands take what their options are


def opened(path: Path, url: str) -> Study:
    """The study of a file, in the database of that URL."""
    from audiometry.web.study import spec

    said = spec.read(path)
    try:
        from audiometry.web.study.study import Study
    except ImportError as problem:
        if (problem.name or "").partition(".")[0] not in {"sqlalchemy", "alembic"}:
            raise
        raise UsageError(f"a study needs SQLAlchemy and Alembic; run: {install('arena')}") from problem
    return Study.open(said, url)


def opened_beside(path: Path, folder: Path, *, make: bool) -> Study:
    """The study of a file, around a review: in a database in the review's folder.

    Raises:
        UsageError: it is to be there, and is not.
    """
    from audiometry.web.study import spec

    spec.read(path)  # before anything is made
    database = folder / "study.db"
    if not make and not database.is_file():
        raise UsageError(f"nobody has come to a study of {_named(folder)} yet: there is no {database.name} in it")
    folder.mkdir(parents=True, exist_ok=True)
    return opened(path, f"sqlite:///{database.resolve()}")


def around_review(study: Study, desk: Desk, clips: Clips, of: str, *, host: str) -> ASGIApp:
    """A review's page with the study around it."""
    from audiometry.render import html
    from audiometry.review import page
    from audiometry.review.studied import Studied
    from audiometry.web.guard import LOCAL
    from audiometry.web.study import gate

    def heed(why: str) -> None:
        say(why, err=True)

    work = Studied(desk, study)
    wanted = study.spec.participants * study.spec.n
    if (there := len(desk.units) * desk.raters) < wanted:
        heed(
            f"{counted(study.spec.participants, 'participant')} with {study.spec.n:,} answers each are {wanted:,}, and "
            f"{there:,} are to be given: who comes last finds less to do; raise --raters, or lower participants."
        )
    inside = page.application(page.Page(desk, clips, of, studied=work.standing), gate.StudyDoor(), clips, heed)
    return gate.admitted(inside, study, work, palette=html.PALETTE, hosts=None if host else LOCAL, heed=heed)


def ways_in(study: Study, address: str) -> Iterator[str]:
    """How participants come to the page."""
    named = study.spec.recruitment
    link = "&".join(f"{one}={{{{%{one}%}}}}" for one in (named.participant, named.study, named.session))
    yield f"Participants come by {address}/?{link}"
    yield f"To try it yourself: {address}/?{named.participant}=trial-1&{named.study}=trial"
    yield "A trial takes a place and is counted as anybody is: try it under another name in STUDY.toml."
    yield "Ctrl-C ends it, and nothing is lost."


def standing(study: Study, everybody: Sequence[Paid]) -> Standing:
    """How far a study is; ``exits`` counts by way out, ``left`` those who took none and have no place any more."""
    from audiometry.web.study import sheet

    done = [one for one in everybody if not study.is_here(one.person)]
    return Standing(
        study=study.spec.name,
        n_participants=len(everybody),
        n_under_way=len(everybody) - len(done),
        exits=dict(Counter(one.person.exit or "left" for one in done)),
        suggestions=dict(Counter(sheet.line(study.spec, one).suggestion for one in done)),
    )


def ended(study: Study, command: str, *, as_json: bool) -> None:
    """Say how far a study is when its page is no longer served, and what comes next."""
    found = standing(study, study.everybody())
    if as_json:
        say_json(found)
        return
    ways = [f"{name.replace('_', ' ')} {n:,}" for name, n in sorted(found.exits.items())]
    ways += [f"under way {found.n_under_way:,}"] if found.n_under_way else []
    said = f" ({', '.join(ways)})" if ways else ""
    say(f"{counted(found.n_participants, 'participant')}{said}; next: {command} --payment pay.csv")


def write(study: Study, wanted: Sheets, *, as_json: bool) -> int:
    """Write what is wanted of a study; say what was written."""
    from audiometry.files import atomic
    from audiometry.web.study import sheet

    payment, participants, everybody = wanted.payment, wanted.participants, study.everybody()
    found = standing(study, everybody)
    lines = [sheet.line(study.spec, one) for one in everybody if not study.is_here(one.person)]
    if payment is not None:
        if lines and not any(one.id for one in lines):
            raise UsageError("the participants' ids were removed, so that nobody could be paid by a sheet any more")
        lines = [one for one in lines if one.id]  # the others were paid before their ids were removed
        sheet.write(lines, payment)
    if participants is not None:
        atomic.write_records(participants, (sheet.described(one.person) for one in everybody))
    removed = study.forget_ids() if wanted.forget_ids else None
    if as_json:
        files = {"payment": str(payment or ""), "participants": str(participants or "")}
        say_json(msgspec.structs.replace(found, ids_removed=removed, **files))
        return 0
    if payment is not None:
        said = (
            ", ".join(f"{name} {n:,}" for name, n in sorted(Counter(one.suggestion for one in lines).items()))
            or "nobody has come yet"
        )
        say(f"{counted(len(lines), 'participant')} to be paid or asked ({said}) in {_named(payment)}, with ids.")
        if found.n_under_way:
            say(f"Not in it: {found.n_under_way:,} still under way; write it again when they are done.")
    if participants is not None:
        say(f"{counted(len(everybody), 'participant')} without ids in {_named(participants)}")
    if removed is not None:
        say(f"{counted(removed, 'id')} removed from the study's database.")
        if found.n_under_way:
            say(f"Kept: ids of {found.n_under_way:,} still under way; remove them once they are paid.")
    return 0


def _named(path: Path) -> str:
    return shown(shlex.quote(str(path)), 1000)
