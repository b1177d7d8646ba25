"""Which scores a report shows: those of the run's kinds of task, those of its judges, and what else was stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from audiometry.errors import UndecodableError, UnknownNameError, UsageError, shown
from audiometry.files import foreign
from audiometry.files.stamp import sha256_of
from audiometry.report.ledger import KeptOutcomes
from audiometry.score import kept
from audiometry.score.extras import Mode
from audiometry.score.judge.needed import nothing_open, open_named, open_rules, rules_open
from audiometry.score.judge.planning import (
    Judges,
    held_in_common,
    planned,
    planned_aligned,
    planned_all,
    reads_choices,
)
from audiometry.score.judge.stored import Stored, stored
from audiometry.score.judge.stored import in_common as judges_in_common
from audiometry.score.measures import JUDGED, MEASURES
from audiometry.score.measures.measure import PROGRAM
from audiometry.score.opened import OpenedRun, has_open, has_options, has_words
from audiometry.score.planned import Planned, by_measure, without_extras, without_options
from audiometry.score.readers.judged import Panel
from audiometry.score.result import Scored

SHOWN: Final = "shown:"
"""How plans are called that are not one of several profiles side by side."""
_OPEN: Final = "open:"


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """How the runs of a report are scored.

    Attributes:
        profile: whose rules.
        which: the alignment by a judge that the numbers of choices are from; None: rules alone.
        held: alignments that all run folders with choices hold, used or not.
        judges: whose verdicts on open answers, of the runs that were judged; none: these are shown without scores.
        panel: how those of several are put together.
        choices: whether any run has questions with options.
        why: why there are no judged scores though there are verdicts; empty if there are.
    """

    profile: str
    which: Stored | None
    held: tuple[Stored, ...]
    judges: tuple[Stored, ...]
    panel: Panel
    choices: bool
    why: str = ""


class Plans(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one run.

    Attributes:
        shown: by the name on the page.
        choices, opens: the same of other profiles beside each other, by profile.
        kept: scores by programs, which are taken as they were stored: a report starts nothing.
        notes: what is not shown, and why.
    """

    shown: Mapping[str, Planned]
    choices: Mapping[str, Planned]
    opens: Mapping[str, Planned]
    kept: Mapping[str, Scored]
    notes: tuple[str, ...]

    @property
    def all(self) -> list[Planned]:
        """Each once."""
        beside = (*self.choices.values(), *self.opens.values())
        whole = {plan.name: msgspec.structs.replace(plan, whole_only=True) for plan in beside}
        return list((whole | {plan.name: plan for plan in self.shown.values()}).values())

    def sorted(self, found: Mapping[str, Scored]) -> tuple[dict[str, Scored], dict[str, Scored], dict[str, Scored]]:
        """What came of them: the scores of the page, and those side by side."""
        mine, choices, opens = (
            {name: found[plan.name] for name, plan in plans.items() if plan.name in found}
            for plans in (self.shown, self.choices, self.opens)
        )
        return mine | dict(self.kept), choices, opens


def wished(runs: Sequence[OpenedRun], profile: str, align: Mode | None, judge: str, panel: Panel) -> Wish:
    """How runs are to be scored together.

    Args:
        runs: of one benchmark.
        profile: whose rules.
        align: use the alignment by a judge that all the runs hold, made in this mode; None: rules alone.
        judge: which one, by name or slug; of open questions where choices are read by rules alone.
        panel: how the scores of several judges of open questions are put together.

    Raises:
        UsageError: the runs were not judged or aligned alike, or a judge is named where it has nothing to do.
        UnknownNameError: there is no such profile.
    """
    choices, opened = any(map(has_options, runs)), any(map(has_open, runs))
    reads = reads_choices(runs, profile, align, judge)
    rules = rules_open(runs, profile)
    which = held_in_common(runs, profile, align, judge) if choices or rules else None
    others = choices or any(map(has_words, runs))
    judges, why = _judges(runs, "" if reads or rules else judge, alone=not others) if opened else ((), "")
    if judges and profile not in open_rules():
        if not choices and not rules:
            open_named([profile])
        judges, why = (), f"the rules of {profile} say nothing of open answers"
    held = [
        {(one.mode, one.slug): one for one in stored(run.folder.path, "align", profile)}
        for run in runs
        if has_options(run)
    ]
    alike = set[tuple[Mode | None, str]]().union(*held).intersection(*held)
    return Wish(
        profile=profile,
        which=which,
        held=tuple(one for key, one in held[0].items() if key in alike) if held else (),
        judges=judges,
        panel=panel,
        choices=choices,
        why=why,
    )


def _judges(runs: Sequence[OpenedRun], judge: str, *, alone: bool) -> tuple[tuple[Stored, ...], str]:
    """The judges whose verdicts all the runs hold that were judged, or why none are shown; none where no run was.

    Where there is nothing but their scores to show, or a judge is named, that any run holds none alike is an error.
    """
    held = {run.folder.path: stored(run.folder.path) for run in runs if has_open(run)}
    judged = {path: found for path, found in held.items() if not all(one.failed for one in found)}
    if not judge and not judged:
        return (), ""
    held = held if alone or judge else judged
    try:
        return judges_in_common(held, judge), ""
    except UsageError as problem:
        if alone or judge:
            raise
        return (), str(problem)


def plans(run: OpenedRun, wish: Wish) -> Plans:
    """All scores of a run that a report shows.

    Raises:
        UsageError: the profile has nothing to say of it.
        RunFolderError: a file of the run folder is damaged.
    """
    choices = {one.name: one for one in planned(run, ("all",), Judges(), keep=False)}
    mine: dict[str, Planned] = {}
    if wish.which is not None and (has_options(run) or rules_open([run], wish.profile)):
        mine[wish.profile] = _called(planned_aligned(run, wish.profile, wish.which), SHOWN + wish.profile)
    elif wish.profile in choices:
        mine[wish.profile] = choices[wish.profile]
    elif choices and not wish.judges:
        why = nothing_open(run, wish.profile)
        why = why or f"profile {wish.profile} has nothing to say of questions with options"
        raise UsageError(f"{why}; name another")
    opens: dict[str, Planned] = {}
    if (
        wish.judges
        and has_open(run)
        and {one.slug for one in wish.judges} <= {one.slug for one in stored(run.folder.path)}
    ):
        every = planned_all(run, wish.profile, wish.judges, wish.panel)
        opens = {one.name: _called(one, _OPEN + one.name) for one in every}
        prefix = f"{JUDGED}@" if wish.choices else ""
        mine[prefix + wish.profile] = opens[wish.profile]
    broken: dict[str, UsageError] = {}
    words = without_options(run, [wish.profile], (), broken, store=False) if has_words(run) else ()
    mine |= {one.name: _called(one, SHOWN + one.name) for one in words}
    more, stored_ones, notes = _stored(run, mine)
    notes += [f"{name} is not shown: {problem}" for name, problem in broken.items()]
    shown = {name: _read_out(run, plan) for name, plan in (mine | more).items()}
    choices = {name: without_extras(plan) for name, plan in choices.items()}
    return Plans(shown=shown, choices=choices, opens=opens, kept=stored_ones, notes=tuple(notes))


def own_names(wish: Wish) -> tuple[str, ...]:
    """How plans by the rules that were asked for may be called."""
    return wish.profile, SHOWN + wish.profile, _OPEN + wish.profile


def _called(plan: Planned, name: str) -> Planned:
    return msgspec.structs.replace(plan, name=name)


def _read_out(run: OpenedRun, plan: Planned) -> Planned:
    """With what it reads of every reply, for the items of the page."""
    return msgspec.structs.replace(plan, wanted=msgspec.structs.replace(plan.wanted, outcomes=KeptOutcomes(run)))


class _Document(msgspec.Struct):
    scores: dict[str, msgspec.Raw] = {}
    replies: str = ""


def _stored(run: OpenedRun, mine: Mapping[str, Planned]) -> tuple[dict[str, Planned], dict[str, Scored], list[str]]:
    """Scores by measures that somebody has asked for: made anew of the replies of now, but for those by programs.

    What a program gave is shown as it was stored, as long as the replies are those of then.
    """
    again: dict[str, Planned] = {}
    as_stored: dict[str, Scored] = {}
    notes: dict[str, None] = {}
    for document in kept.kept(run.folder.path, _Document):
        for name, raw in document.scores.items():
            if name in mine or name in again:
                continue
            if name.startswith(PROGRAM):
                found = _decoded(raw) if document.replies == sha256_of(run.folder.replies_path) else None
                if found is None:
                    notes[f"{shown(name, 60)} scored other replies than there are now; score the run by it again"] = (
                        None
                    )
                else:
                    as_stored[name] = found
            elif name.partition("?")[0] in MEASURES.names() and not name.startswith(JUDGED):  # none is called X@RULES
                again |= {plan.name.removeprefix(SHOWN): plan for plan in _by_name(run, name)}
    return again, as_stored, [note for note in notes if note.partition(" scored")[0] not in as_stored]


def with_people(run: OpenedRun, scores: Mapping[str, Scored]) -> tuple[dict[str, Scored], tuple[str, ...]]:
    """Judges' scores with what people would give, where that was stored of these replies and verdicts; or why not.

    The ratings themselves are in no run folder, so that it cannot be made anew.
    """
    found, apart = dict(scores), False
    judged = {one.signature: name for name, one in scores.items() if one.extras.judges}
    for document in kept.kept(run.folder.path, _Document) if judged else ():
        for was in filter(None, map(_decoded, document.scores.values())):
            name = judged.get(was.signature)
            if name is None or was.extras.people is None:
                continue
            now = found[name]
            if document.replies != sha256_of(run.folder.replies_path) or _values(was) != _values(now):
                apart = True
                continue
            extras = msgspec.structs.replace(now.extras, people=was.extras.people)
            notes = (*now.notes, *(note for note in was.notes if note not in now.notes))
            found[name] = msgspec.structs.replace(now, extras=extras, notes=notes)
    why = "what people would give is not shown, since replies or verdicts are others now; score the run with --people"
    return found, (why,) if apart else ()


def _values(scored: Scored) -> list[float | None]:
    return [scored.value, *(row.value for row in scored.tasks.values())]


def _by_name(run: OpenedRun, name: str) -> Iterator[Planned]:
    """The plan of a stored score's measure, as far as it is still one."""
    try:
        yield _called(by_measure(run, name, store=False), SHOWN + name)
    except (UnknownNameError, UsageError):
        return


def _decoded(raw: msgspec.Raw) -> Scored | None:
    try:
        return foreign.json(bytes(raw), Scored)
    except UndecodableError:
        return None
