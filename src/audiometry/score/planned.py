"""What is to be scored: a profile and a measure under a name, and what its signature says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from audiometry.score.by_reference import file_name, finished
from audiometry.score.letters import letters
from audiometry.score.measures import MEASURES, named
from audiometry.score.measures.measure import PROGRAM
from audiometry.score.measures.references import ByReference, Watch, unwatched
from audiometry.score.opened import OpenedRun
from audiometry.score.profiles import DEFAULT, PROFILES, Profile
from audiometry.score.result import Scored
from audiometry.score.sheet import Sheet, Wanted

Finish: TypeAlias = Callable[[Sheet, Scored], Scored]
"""Adds what this kind of score alone has to show."""
Account: TypeAlias = Callable[[Sheet, Scored, Sequence[Sheet]], Scored]
"""The same, where that is made of further sheets."""


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One score that is to be made.

    Attributes:
        name: under which it stands.
        wanted: the sheet that it is made of.
        signed: how its signature begins, name and version; ``others``: what else has a say in it.
        finish: adds its extras.
        of_rows: leaves out of the sheet what no row is made of.
        more: further sheets, of which ``account`` makes further extras.
    """

    name: str
    wanted: Wanted
    signed: str
    others: tuple[str, ...] = ()
    finish: Finish = lambda _sheet, made: made
    of_rows: Callable[[Sheet], Sheet] = lambda sheet: sheet
    more: tuple[Wanted, ...] = ()
    account: Account = lambda _sheet, made, _more: made


def by_choice(run: OpenedRun, profile: Profile) -> Planned:
    """Choices under a profile's rules."""
    measure = MEASURES.named(profile.measures["choice"])
    readers = {"choice": profile.readers["choice"]}
    return Planned(
        name=profile.name,
        wanted=Wanted(profile=profile, measure=measure, readers=readers),
        signed=f"{profile.name}.{profile.version}",
        others=(f"guesses-{profile.name}-{run.info.seed}",) if profile.guess else (),
        finish=_with_letters,
    )


def by_measure(run: OpenedRun, name: str, watch: Watch = unwatched, *, store: bool = True) -> Planned:
    """Answers in words held to references by a measure or a program, or labels and choices by one that fits them.

    Args:
        run: the run.
        name: of the measure; ``exec/COMMAND`` for a program.
        watch: told how a program gets on.
        store: write the score of every item to the folder's ``ratings/``.

    Raises:
        UnknownNameError: there is no such measure.
        UsageError: a program cannot be started, or an option is wrong.
    """
    measure, profile = named(name), PROFILES.named(DEFAULT)
    called = name if not name.startswith(PROGRAM) else measure.name
    if isinstance(measure, ByReference):
        measure.watched_by(watch)

    def finish(sheet: Sheet, made: Scored) -> Scored:
        if not isinstance(measure, ByReference):
            return made
        return finished(run, called, measure, sheet, made, store=store)

    return Planned(
        name=name,
        wanted=Wanted(profile=profile, measure=measure, readers=profile.readers_for(measure), with_reference=True),
        signed=f"{file_name(called)}.{measure.version}",
        finish=finish,
    )


def _with_letters(sheet: Sheet, made: Scored) -> Scored:
    return msgspec.structs.replace(made, extras=msgspec.structs.replace(made.extras, letters=letters(sheet)))
