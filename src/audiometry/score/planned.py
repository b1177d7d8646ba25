"""What is to be scored: a profile and a measure under a name, and what its signature says."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

import msgspec
import numpy as np

from audiometry.choices.variant import of_score
from audiometry.errors import UnknownNameError, UsageError, counted, shown
from audiometry.outside import OutsideError
from audiometry.records import Task
from audiometry.render.numbers import percent
from audiometry.score.by_reference import answers_path, file_name, finished
from audiometry.score.conditions import conditions
from audiometry.score.confusion import confusion
from audiometry.score.consistency import consistency
from audiometry.score.dimensions import dimensions
from audiometry.score.followed import followed
from audiometry.score.leave_one_out import leave_one_out
from audiometry.score.letters import letters
from audiometry.score.listening import listening
from audiometry.score.measures import named, refuse_unfit
from audiometry.score.measures.foreign import by_reference
from audiometry.score.measures.measure import PROGRAM, takes_scores
from audiometry.score.measures.references import Watch, unwatched
from audiometry.score.opened import OpenedRun
from audiometry.score.preferences import distractors, preferences
from audiometry.score.profiles import DEFAULT, PROFILES, Profile, wanted
from audiometry.score.result import Scored, Scores
from audiometry.score.sheet import Sheet, Wanted
from audiometry.score.ways import in_all, ways

Finish: TypeAlias = Callable[[Sheet, Scored, Sequence[Sheet]], Scored]
"""Adds what this kind of score alone has to show, of its sheet and of further ones."""


def _as_made(_sheet: Sheet, made: Scored, _more: Sequence[Sheet]) -> Scored:
    return made


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One score that is to be made.

    Attributes:
        name: under which it stands.
        wanted: the sheet that it is made of.
        signed: how its signature begins, name and version; ``others``: what else has a say in it.
        finish: adds its extras.
        of_rows: leaves out of the sheet what no row is made of.
        more: the further sheets that ``finish`` needs.
        whole_only: only the row over everything needs an interval.
    """

    name: str
    wanted: Wanted
    signed: str
    others: tuple[str, ...] = ()
    finish: Finish = _as_made
    of_rows: Callable[[Sheet], Sheet] = lambda sheet: sheet
    more: tuple[Wanted, ...] = ()
    whole_only: bool = False

    def rests_on(self, problem: OutsideError) -> bool:
        """Whether it is made by the measure, or by the profile, that is broken."""
        return problem.of is self.wanted.measure or problem.profile == self.wanted.profile.name


def without_extras(plan: Planned) -> Planned:
    """The same for its rows alone, as where profiles stand side by side: letters are tested once."""
    return msgspec.structs.replace(plan, finish=_with_listening)


def by_choice(run: OpenedRun, profile: Profile) -> Planned:
    """Choices under a profile's rules, but for those of tasks whose card names another measure."""
    measure = named(profile.measures["choice"])
    readers = {"choice": profile.readers["choice"]}
    every = {name: run.benchmark.card.task_named(name) for name in run.benchmark.tasks()}
    mine = frozenset(name for name, task in every.items() if not (task.kind == "choice" and _own(task, profile)))
    return Planned(
        name=profile.name,
        wanted=Wanted(
            profile=profile, measure=measure, readers=readers, tasks=None if len(mine) == len(every) else mine
        ),
        signed=f"{profile.name}.{profile.version}",
        others=(f"guesses-{profile.name}-{run.info.seed}",) if profile.guess else (),
        finish=_with_choices,
    )


def without_options(
    run: OpenedRun,
    profiles: Sequence[str],
    named: Sequence[Planned],
    lost: dict[str, UsageError],
    *,
    without: Collection[str] = (),
    store: bool,
) -> Iterator[Planned]:
    """Labels, transcripts and what the card names a measure for; a second score of a name is called by its profile.

    Rules that say the same of them make no second score.

    Args:
        run: the run.
        profiles: names.
        named: of the measures that the person has named.
        lost: takes the measures that are broken, by name, as `_by_words` does.
        without: profiles to leave out.
        store: see `by_measure`.
    """
    seen, made, given = set[str](), set[tuple[object, ...]](), {*lost, *(plan.name for plan in named)}
    for profile in wanted(profiles).values():
        for plan in _by_words(run, profile, lost, store=store) if profile.name not in without else ():
            how = plan.name, plan.signed, plan.others, profile.average, profile.denominator
            if plan.name in given or how in made:
                continue
            made.add(how)
            name = f"{plan.name}@{profile.name}" if plan.name in seen else plan.name
            seen.add(plan.name)
            yield msgspec.structs.replace(plan, name=name)


def _by_words(run: OpenedRun, profile: Profile, lost: dict[str, UsageError], *, store: bool) -> Iterator[Planned]:
    """Labels, transcripts, and tasks whose card names a measure: a score for each measure, under its name.

    Args:
        run: the run.
        profile: whose rules; kinds of task that these have no reader for are not scored.
        lost: takes the measures that are broken, by name: those of tasks that a card gives one stop no other.
        store: see `by_measure`.

    Raises:
        BenchmarkError: a task is to be scored by what does not fit it.
    """
    card = run.benchmark.card
    refuse_unfit(card, broken=False)
    tasks: dict[str, list[str]] = {}
    for name in run.benchmark.tasks():
        task = card.task_named(name)
        if measure := _own(task, profile):
            tasks.setdefault(measure, []).append(name)
    for measure, names in tasks.items():
        try:
            yield by_measure(run, measure, store=store, profile=profile, tasks=frozenset(names))
        except OutsideError as problem:
            lost[measure] = problem


def _own(task: Task, profile: Profile) -> str:
    """The measure that a task has a score by under its name; empty for choices and for answers that judges score."""
    usual = profile.measures.get(task.kind, "")
    if task.kind not in profile.readers:
        return ""
    with contextlib.suppress(OutsideError):  # of one that is broken whoever measures by it says so
        if takes_scores(named(task.measure or usual)):
            return ""
    return (task.measure or usual) if task.kind != "choice" or task.measure not in {"", usual} else ""


def by_measure(
    run: OpenedRun,
    name: str,
    watch: Watch = unwatched,
    *,
    store: bool = True,
    profile: Profile | None = None,
    tasks: frozenset[str] | None = None,
) -> Planned:
    """Answers in words held to references by a measure or a program, or labels and choices by one that fits them.

    Args:
        run: the run.
        name: of the measure; ``exec/COMMAND`` for a program.
        watch: told how a program gets on.
        store: write the score of every item to the folder's ``ratings/``.
        profile: whose readers; None: those of ``strict``.
        tasks: items of these only; None: of all that the measure fits.

    Raises:
        UnknownNameError: there is no such measure.
        UsageError: a program cannot be started, an option is wrong, or it measures what judges say.
    """
    measure, rules = named(name), profile or PROFILES.named(DEFAULT)
    if takes_scores(measure):
        raise UsageError(f"{shown(name, 60)} is made of what a judge says: give --judge MODEL in place of --measure")
    called = name if not name.startswith(PROGRAM) else measure.name
    against = by_reference(measure)
    if against is not None:
        against.watched_by(watch)
        if store:
            against.keep_in(answers_path(run, called))

    def finish(sheet: Sheet, made: Scored, _more: Sequence[Sheet]) -> Scored:
        if against is None:
            return _with_confusion(sheet, made)
        return finished(run, called, against, sheet, made, store=store)

    readers = rules.readers_for(measure)
    others = "" if against is not None else f"{rules.name}.{rules.version}"
    of = _of(run, name, rules, frozenset(readers), tasks)
    return Planned(
        name=name,
        wanted=Wanted(profile=rules, measure=measure, readers=readers, with_reference=True, tasks=tasks),
        signed=f"{file_name(called)}.{measure.version}",
        others=tuple(filter(None, [others, of])),
        finish=finish,
    )


def _of(run: OpenedRun, measure: str, rules: Profile, kinds: frozenset[str], tasks: frozenset[str] | None) -> str:
    """What a signature says of the tasks that are measured, where card and rules give the measure others."""
    every = [run.benchmark.card.task_named(name) for name in run.benchmark.tasks()]
    usual = {task.name for task in every if _own(task, rules) == measure}
    its = {task.name for task in every if task.kind in kinds and tasks is None} | (tasks or set())
    if not usual or its == usual:
        return ""
    its_kinds = "-".join(sorted({task.kind for task in every if task.name in its}))
    names = hashlib.sha256("\0".join(sorted(its)).encode()).hexdigest()[:6]
    return f"of-{its_kinds}" if tasks is None else f"of-{its_kinds}-{names}"


def _with_confusion(sheet: Sheet, made: Scored) -> Scored:
    return msgspec.structs.replace(made, extras=msgspec.structs.replace(made.extras, confusion=confusion(sheet)))


def _with_listening(sheet: Sheet, made: Scored, by_rules: Sequence[Sheet]) -> Scored:
    """Whether the model listens, where anything was asked without the clips and the rules have a test of it.

    Args:
        sheet: of choices.
        made: its score.
        by_rules: the same replies by rules alone, where a judge has read them.
    """
    if not made.variants or not sheet.profile.tests_listening:
        return made
    own = next(iter(by_rules), sheet)
    found = listening(own, made.variants if own is sheet else conditions(own), sheet.run.info.prompt.shots)
    return msgspec.structs.replace(made, listening=found)


def _with_choices(sheet: Sheet, made: Scored, by_rules: Sequence[Sheet]) -> Scored:
    """What choices tell besides whether they are right."""
    made = _with_listening(sheet, made, by_rules)
    card = sheet.run.benchmark.card
    more = msgspec.structs.replace(
        made.extras,
        letters=letters(sheet),
        preferences=preferences(sheet),
        consistency=consistency(sheet),
        leave_one_out=leave_one_out(sheet),
        ways=ways(sheet),
        ifr=followed(sheet),
        distractors=distractors(sheet, card),
        dimensions=dimensions(sheet, card),
    )
    return msgspec.structs.replace(made, extras=more, notes=(*made.notes, *_doubts(sheet, several=bool(more.ways))))


def _doubts(sheet: Sheet, *, several: bool) -> Iterator[str]:
    """What a reader of the score has to know: items that lack a way of asking, and letters that the rules know not."""
    n, every = int(in_all(sheet).sum()), len(sheet.items)
    if several and n < every:
        yield f"each way of asking alone is of the {n:,} of {counted(every, 'item')} that were asked in all of them"
    letters = getattr(sheet.profile.readers["choice"], "letters", "")
    own = sheet.of(variants=of_score(sheet.variants))
    known = own.gold >= 0
    late = known & (own.gold >= len(letters))
    if letters and late.any():
        guessed = ((known & ~late) / np.maximum(own.items.n_options, 1)[:, None])[known].mean()
        right = f", so that guessing among all letters is right in {percent(float(guessed))} %"
        yield (
            f"these rules read the letters {letters[0]} to {letters[-1]} alone: in {late.sum():,} of "
            f"{counted(int(known.sum()), 'reply')} that came the right one is another"
            f"{right if sheet.profile.denominator == 'all' else ''}"
        )


def refuse_unknown(run: OpenedRun, tag: str, found: Scores) -> None:
    """Let through only a tag that some item has.

    Raises:
        UnknownNameError: none of those that were scored has it.
    """
    if found.scores and not any(one.by.get(tag) for one in found.scores.values()):
        known = {name for position in run.positions for name in run.benchmark.items.at(position).tags}
        raise UnknownNameError("tag of the items", tag, sorted(known))
