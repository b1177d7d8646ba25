"""Which profiles need a judge, and for what: to score open answers, or to call every reply right or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from audiometry.errors import UnknownNameError, shown
from audiometry.score.opened import OpenedRun, has_open
from audiometry.score.profiles import DEFAULT, PROFILES, Profile, wanted
from audiometry.score.readers.judged import JudgedReader

if TYPE_CHECKING:
    from audiometry.score.judge.rules import JudgeRules


def needs_judge(profile: Profile, kind: str = "choice") -> bool:
    """Whether a profile's rules for a kind of task have a judge call every reply right or not."""
    reader = profile.readers.get(kind)
    return hasattr(reader, "questions") and not isinstance(reader, JudgedReader)


def rules_open(runs: Sequence[OpenedRun], name: str) -> bool:
    """Whether a judge calls open answers of runs right or not under the profile of that name."""
    return needs_judge(PROFILES.named(name), "open") and any(map(has_open, runs))


def nothing_open(run: OpenedRun, name: str) -> str:
    """Why a profile for open questions alone has nothing to say of a run; empty if that is not why."""
    profile = PROFILES.named(name)
    if not needs_judge(profile, "open") or "choice" in profile.readers or has_open(run):
        return ""
    asks = [shown(task.name, 60) for task in run.benchmark.card.task if task.kind == "open"]
    which = f" (of {shown(run.info.benchmark.name)}: {', '.join(asks)})" if asks else ""
    return f"profile {name} is for open questions with reference answers{which}, and none was asked"


def open_named(names: Sequence[str], *, others: bool = False) -> list[Profile]:
    """Profiles with rules for judges' answers to open questions; ``all`` for every one, ours first; ours if none.

    Args:
        names: of profiles.
        others: pass over those that have none: they may be for the choices of the same run.

    Raises:
        UnknownNameError: one has no such rules.
    """
    every = {name: one for name, one in wanted(["all"]).items() if isinstance(one.readers.get("open"), JudgedReader)}
    if "all" in names:
        return list(every.values())
    unknown = [name for name in names if name not in every]
    if unknown and not others:
        raise UnknownNameError("profile for open answers", unknown[0], every)
    return [every[name] for name in dict.fromkeys(names or (DEFAULT,)) if name in every]


def open_rules() -> dict[str, JudgeRules]:
    """What each profile makes of judges' answers to open questions, by its name; ours first."""
    return {one.name: reader_of(one).rules for one in open_named(["all"])}


def named(names: Sequence[str]) -> list[Profile]:
    """The profiles of those names, as `wanted`; ``all`` are all that rules read.

    What a judge has to read in whole is paid for, so it is asked for by its own name.
    """
    return [one for one in wanted(names).values() if not needs_judge(one) or one.name in names]


def reader_of(profile: Profile) -> JudgedReader:
    """The reader of open answers that judges score under a profile."""
    return cast("JudgedReader", profile.readers["open"])
