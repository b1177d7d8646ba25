"""What judges have a part in, as plans: who is asked, by which profiles, and by whose stored words."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from audiometry.errors import UsageError
from audiometry.score.judge.alignment import by_alignment
from audiometry.score.judge.asked import Asker, Verdicts, ask, held
from audiometry.score.judge.needed import named, needs_judge, open_named, reader_of, rules_open
from audiometry.score.judge.openly import judge_open, judged_before
from audiometry.score.judge.people import said_of
from audiometry.score.judge.plans import by_judges
from audiometry.score.judge.question import Kind
from audiometry.score.judge.ruling import by_ruling
from audiometry.score.judge.stored import Stored, in_common, stored
from audiometry.score.opened import OpenedRun, has_open, has_options
from audiometry.score.planned import Planned, by_choice
from audiometry.score.profiles import PROFILES, Profile, wanted
from audiometry.score.readers.aligned import AlignedReader, Mode
from audiometry.score.readers.judged import Panel

if TYPE_CHECKING:
    from audiometry.files.ratings import Ratings
    from audiometry.score.judge.judge import Judge
from audiometry.score.judge.settings import Follow, JudgeSettings


class Judges(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a score asks, and for what.

    Attributes:
        judges: none, one, or several, a panel of open answers.
        align: have replies to questions with options read by the judge: ``judge``: where rules read nothing;
            ``always``: all of them; None: rules alone.
        panel: how the scores of several judges are put together.
        injections: replies that each judge is tempted with, to see whether it obeys.
        people: ratings of some of the replies, from which the score that people would give is estimated; None: none.
        follow: who is told how the asking goes.
    """

    judges: tuple[Judge, ...] = ()
    align: Mode | None = None
    panel: Panel = "mean"
    injections: int = 0
    people: Ratings | None = None
    follow: Follow | None = None


@contextlib.contextmanager
def loaded(judges: Sequence[Judge | JudgeSettings]) -> Iterator[tuple[Judge, ...]]:
    """Judges to be asked; those that are opened here are closed at the end."""
    if not judges:
        yield ()
        return
    from audiometry.score.judge.judge import Judge

    with contextlib.ExitStack() as held:
        yield tuple(one if isinstance(one, Judge) else held.enter_context(Judge(one)) for one in judges)


def reads_choices(runs: Sequence[OpenedRun], name: str, align: str | None, judge: str) -> bool:
    """Whether runs are shown by a judge's reading of their choices, so that a judge who is named is that one.

    Args:
        runs: of one benchmark.
        name: of the profile.
        align: how replies to questions with options are aligned; None: not.
        judge: the one that is named; empty for none.

    Raises:
        UsageError: a judge is named where it has nothing to do, or replies to open questions are to be aligned.
        UnknownNameError: there is no such profile.
    """
    golden, choices = needs_judge(PROFILES.named(name)), any(map(has_options, runs))
    if align and not choices:
        where = f"{runs[0].folder.path}: no question of {runs[0].info.benchmark.name} has options"
        raise UsageError(f"{where}, there is nothing to align; leave --align out, verdicts that the run holds are used")
    reads = choices and (golden or align is not None)
    if judge and not reads and not any(map(has_open, runs)):
        why = " under --align rules; add --align judge or always" if choices else ": there is no open question"
        raise UsageError(f"--judge {judge} has nothing to do{why}")
    return reads


def planned(
    run: OpenedRun, names: Sequence[str], how: Judges, *, keep: bool = True, without: Collection[str] = ()
) -> list[Planned]:
    """The scores of a run under profiles, once judges have been asked what they have not said yet.

    Args:
        run: with all its variants.
        names: of profiles; ``all`` for every one; empty for ``strict``.
        how: the judges.
        keep: write what judges say as rating files.
        without: of those profiles, the ones to leave out.

    Raises:
        UsageError: there is nothing to judge or no judge, or one cannot be used; or what people rated is of no use,
            which is found out before a judge is asked.
        UnknownNameError: there is no such profile.
        StoppedError: nobody answers, or the person stopped it; the answers so far are kept.
    """
    refuse_idle(run, names, [judge.settings.name for judge in how.judges], how.align)
    chosen = [one for one in named(names) if "choice" in one.readers and one.name not in without]
    plans = _choices(run, chosen, how, keep=keep) if has_options(run) else []
    ruling = [one for one in wanted(names).values() if one.name in names and needs_judge(one, "open")]
    ruling = [one for one in ruling if one.name not in without] if has_open(run) else []
    for one in ruling:
        said = ask(run, [_ruler(one)], _one_judge(one.name, how), how.follow)
        plans.append(by_ruling(run, one, said, ratings=keep))
    others = has_options(run) or bool(ruling)
    chosen = open_named(names, others=others) if how.judges and has_open(run) and not how.align else []
    chosen = [one for one in chosen if one.name not in without]
    if chosen:
        rated = None if how.people is None else said_of(run, how.people)
        judged = judge_open(run, [reader_of(one) for one in chosen], how.judges, how.injections, how.follow)
        prefix = "judge-score@" if plans else ""  # choices have the profile's name for themselves
        plans += [
            by_judges(run, one, judged, how.panel, name=f"{prefix}{one.name}", ratings=keep, people=rated)
            for one in chosen
        ]
    return plans


def refuse_idle(run: OpenedRun, names: Sequence[str], judges: Sequence[str], align: str | None) -> None:
    """Let through only judges that have something to do, and what needs one with one.

    Args:
        run: that is to be scored.
        names: of profiles.
        judges: their names.
        align: when replies to questions with options are put to the judge; None: never.

    Raises:
        UsageError: a judge has nothing to do; or alignment has none, or several.
    """
    opened, choices = has_open(run), has_options(run)
    where = f"{run.folder.path}: no item of {run.info.benchmark.name}"
    if align and not choices:
        out = "--align out" if opened else "--align and --judge out, it is scored without"
        raise UsageError(f"{where} has options, there is nothing to align; leave {out}")
    if align and not judges:
        raise UsageError(f"--align {align} needs a judge; name one with --judge, for example openai/gpt-6.1-terra")
    if align and len(judges) > 1:
        raise UsageError(f"--align {align} takes one judge, not {len(judges)}; score again with the other one")
    if judges and not opened and not (choices and (align or any(map(needs_judge, named(names))))):
        if not choices:
            raise UsageError(f"{where} is open; score it without --judge")
        idle = f"--judge {judges[0]} has nothing to do under --align rules; add --align judge or always"
        raise UsageError(f"{where} is open: {idle}")


def planned_open(
    run: OpenedRun, names: Sequence[str], judges: Sequence[Stored], panel: Panel = "mean"
) -> list[Planned]:
    """Open answers by verdicts that the run folder holds; nobody is asked and nothing is written.

    Raises:
        UnknownNameError: there is no such profile for open answers.
        RunFolderError: a journal is damaged.
    """
    chosen = open_named(names, others=has_options(run))
    judged = judged_before(run, [reader_of(one) for one in chosen], judges)
    return [by_judges(run, one, judged, panel) for one in chosen]


def planned_all(run: OpenedRun, name: str, judges: Sequence[Stored], panel: Panel = "mean") -> list[Planned]:
    """As `planned_open`, under the profile of that name and all others that were judged in full.

    Some rules have empty replies judged, and others not: those that nobody was asked for cannot be made now.
    """
    (own,), every = open_named([name]), open_named(["all"])
    judged = judged_before(run, [reader_of(one) for one in every], judges)
    fewest = {one.verdicts.judge.slug: min(one.missing.values()) for one in judged}
    whole = [
        one
        for one in every
        if one.name == own.name or all(its.missing[one.name] == fewest[its.verdicts.judge.slug] for its in judged)
    ]
    return [by_judges(run, one, judged, panel) for one in whole]


def planned_aligned(run: OpenedRun, name: str, which: Stored) -> Planned:
    """Replies under a profile and a judge's reading that the run folder holds; nobody is asked."""
    profile = PROFILES.named(name)
    if which.kind == "equivalence":
        return by_ruling(run, profile, held(run, which, _ruler(profile).questions))
    asker = _asker(profile, which.mode)
    assert asker is not None  # noqa: S101  for the type
    return by_alignment(run, profile, asker, held(run, which, asker.questions), told=False)


def held_in_common(runs: Sequence[OpenedRun], name: str, align: Mode | None, judge: str) -> Stored | None:
    """The judge's reading of replies that all of these runs hold and that is to be used; None: rules alone.

    Args:
        runs: of one benchmark.
        name: of the profile.
        align: when the judge was asked; None: a profile's rules are read by rules.
        judge: which, by name or slug; empty: there is only one.

    Raises:
        UsageError: they hold none alike, or several.
    """
    kind: Kind = "golden" if needs_judge(PROFILES.named(name)) else "equivalence" if rules_open(runs, name) else "align"
    golden = kind != "align"
    if not golden and not align:
        return None
    every = {run.folder.path: stored(run.folder.path, kind, name) for run in runs}

    def lacking(path: Path) -> str:
        command = f"audiometry score {shlex.quote(str(path))}"
        if golden:
            return (
                f"{path} holds no judge's words for profile {name}; ask with {command} --profile {name} "
                f"--judge {shlex.quote(judge or 'JUDGE')}"
            )
        has = ", ".join(f"--align {one.mode} --judge {one.slug}" for one in every[path]) or "none at all"
        return (
            f"{path} has no such alignment (it has {has}); "
            f"make it with {command} --align {align} --judge {shlex.quote(judge or 'JUDGE')}"
        )

    of_mode = {path: [one for one in found if golden or one.mode == align] for path, found in every.items()}
    return in_common(of_mode, judge, lacking)[0]


def _choices(run: OpenedRun, chosen: Sequence[Profile], how: Judges, *, keep: bool) -> list[Planned]:
    """Of questions with options; each kind of question is put to the judge for all profiles at a time."""
    asking = {one.name: reader for one in chosen if (reader := _asker(one, how.align)) is not None}
    said: dict[str, Verdicts] = {}
    for kind in dict.fromkeys(one.questions.kind for one in asking.values()):
        alike = [one for one in asking.values() if one.questions.kind == kind]
        said[kind] = ask(run, alike, _one_judge(next(iter(asking)), how), how.follow)
    return [
        by_alignment(run, one, reader, said[reader.questions.kind], ratings=keep)
        if (reader := asking.get(one.name))
        else by_choice(run, one)
        for one in chosen
    ]


def _one_judge(profile: str, how: Judges) -> Judge:
    """The judge that calls replies right or not.

    Raises:
        UsageError: there is none, or there are several.
    """
    if len(how.judges) != 1:
        who = "needs a judge: --judge MODEL" if not how.judges else f"takes one judge, not {len(how.judges)}"
        raise UsageError(f"{f'--align {how.align}' if how.align else f'profile {profile}'} {who}")
    return how.judges[0]


def _ruler(profile: Profile) -> Asker:
    return cast("Asker", profile.readers["open"])


def _asker(profile: Profile, align: Mode | None) -> Asker | None:
    """The reader that asks a judge about choices; None where rules alone read."""
    if needs_judge(profile):
        return cast("Asker", profile.readers["choice"])
    return None if align is None else AlignedReader(rules=profile.readers["choice"], mode=align)
