"""Alignment by a judge: what rules cannot read, or every reply, is read by a language model.

The judge is asked which option a reply chooses. The published alignment (AIR-Bench, arXiv 2402.07729, §4.1) asks
for a random option where a reply chooses none; here the judge then says so and the reply stays unanswered, since no
guess is ever scored. A judge that gives no readable answer has failed: the reply is unanswered, and the bounds say
what the score would be had the answer been wrong, and right.

Denominators, averages and intervals are the profile's. Variants without the items' own clips are aligned as well,
or the comparison with the clips would not be one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from audiometry.choices.variant import PLAIN
from audiometry.files import atomic
from audiometry.records import Item, ReplyRecord, Verdict
from audiometry.records.rating import RatingLine
from audiometry.score import aggregate
from audiometry.score.aligning.account import account
from audiometry.score.aligning.asking import NOT_HERE, Choices, opinions
from audiometry.score.aligning.cases import Survey, aligned, is_put, survey
from audiometry.score.aligning.conditions import conditions
from audiometry.score.aligning.opinion import Opinion
from audiometry.score.aligning.stored import Stored
from audiometry.score.aligning.stored import opinions as stored_opinions
from audiometry.score.aligning.wording import Content
from audiometry.score.extras import Mode
from audiometry.score.filling import fill_all
from audiometry.score.judge_all import judge_all
from audiometry.score.judged import Judged, OpenRun, with_options, with_own_clips
from audiometry.score.judging.inquiry import Inquiry
from audiometry.score.judging.loaded import opened
from audiometry.score.judging.settings import Follow, JudgeSettings
from audiometry.score.kept import keep
from audiometry.score.marks import mark
from audiometry.score.matching import matching, plain_matching
from audiometry.score.profiles import AnyProfile as Profile
from audiometry.score.profiles import Reading, named, rules_of, wanted
from audiometry.score.result import Row, Scored, Scores
from audiometry.score.signature import signed
from audiometry.score.together import scores_of

UNREADABLE, NO_ANSWER = "judge-unreadable", "judge-failed"  # what a failure of the judge is called among failures
AnyRow = TypeVar("AnyRow", bound=Row)


class Aligned:
    """A profile whose readings a judge completes or replaces; its other rules are as they were.

    Args:
        name: under which the profile's readings are found.
        profile: the profile.
        mode: when the judge is asked.
        found: the run's replies, read by the profile.
        opinions: the judge's, by key of the content.
        strict: a failure of the judge counts as a failed reply instead of an unanswered one.
    """

    def __init__(
        self,
        name: str,
        profile: Profile,
        mode: Mode,
        found: Survey,
        opinions: Mapping[str, Opinion],
        *,
        strict: bool = False,
    ) -> None:
        self.name, self.about, self.rules = name, profile.about, rules_of(profile)
        self._mode: Mode = mode
        self._profile, self._found, self._opinions, self._strict = profile, found, opinions, strict

    def read(self, record: ReplyRecord, item: Item, options: Sequence[str]) -> Reading:
        """Judge one reply of the run, given the options in the order they were shown."""
        case = self._found.cases.get((record.item, record.variant))
        if case is None or record.error is not None or record.text is None:
            found: Reading = self._profile.read(record, item, options)
            return found
        reading = case.readings[self.name]
        if not options or not is_put(reading, self._mode):
            return reading
        opinion = self._opinions[case.key] if case.key else None
        return aligned(reading, self._mode, opinion, case.right, self._failed(reading, opinion))

    @property
    def unlettered(self) -> Aligned:
        """Itself: its cases were read as they were shown."""
        return self

    def _failed(self, reading: Reading, opinion: Opinion | None) -> Reading:
        if self._strict:
            return Reading(Verdict.FAILED, None, _kind(opinion))
        if reading.verdict == Verdict.REFUSED:
            return reading
        return Reading(Verdict.UNANSWERED, None, _kind(opinion))


def score_aligned(
    run: OpenRun, names: Sequence[str], settings: JudgeSettings, mode: Mode, follow: Follow | None = None
) -> Scores:
    """A run under one or several profiles, aligned by a judge; also written to the folder's ``scores/``.

    The judge's answers are kept in the folder's ``judge/``: nothing is asked twice, by whatever mode or profile.

    Args:
        run: the run, with all its variants.
        names: of profiles; ``all`` for every one; empty for ``strict``.
        settings: the judge.
        mode: ``judge``: ask only where a profile's rules read nothing; ``always``: ask about every reply.
        follow: who is told how the judging goes.

    Raises:
        UsageError: the judge cannot be used.
        UnknownNameError: there is no such profile or model.
        StoppedError: nobody answers, or the person stopped it; the answers so far are kept.
    """
    profiles = wanted(names)
    whole, run = run, with_options(run)
    found = survey(run, profiles)
    put = {name: found.put(name, mode) for name in profiles}
    everything = {key: one for contents in put.values() for key, one in contents.items()}
    with opened(settings) as loaded:
        judge = Inquiry(loaded, Choices(), run.folder.path)
        said = opinions(judge, everything, follow)
        usages = {name: judge.account(put[name]).usage() for name in profiles}
    _keep_ratings(run, judge, found, said)
    scored = _scored(run, profiles, mode, found, said)
    out: dict[str, Scored] = {}
    parsers = matching()
    matched = plain_matching(dict(zip(parsers, fill_all(run, list(parsers.values())), strict=True)))
    for name in profiles:
        align = account(name, mode, judge, found, said, usages[name])
        suffix = Stored(settings.name, mode, judge.slug).suffix
        extras = msgspec.structs.replace(scored[name].extras, alignment=align, plain_matching=matched)
        signature = _signed(run, named(name)) + suffix
        out[name] = msgspec.structs.replace(scored[name], signature=signature, extras=extras)
    result = scores_of(whole, run, out)
    keep(run.folder, result)
    return result


def _keep_ratings(run: OpenRun, judge: Inquiry[Content], found: Survey, said: Mapping[str, Opinion]) -> None:
    """Write the options that the judge read as a rating file, letters as shown in the first order of options."""
    chosen = (
        RatingLine(item=item, rater=judge.settings.name, kind="judge", model=run.info.called, choice=opinion.letter)
        for (item, variant), case in found.cases.items()
        if variant == PLAIN and (opinion := said.get(case.key)) is not None and opinion.letter is not None
    )
    path = run.folder.path / "ratings" / f"align-{judge.slug}.jsonl"
    atomic.write_records(path, chosen)


class Reread(msgspec.Struct, frozen=True):
    """A profile completed by an alignment that a run folder holds, for this run's replies.

    Attributes:
        reader: the profile.
        n_failed: replies that should have been read by the judge, which gave no answer to them that can be read.
    """

    reader: Aligned
    n_failed: int


def reread(run: OpenRun, name: str, which: Stored) -> Reread:
    """A profile as completed by a stored alignment; nobody is asked.

    Args:
        run: the run, with those of its variants that are to be read.
        name: of the profile.
        which: the alignment; see `audiometry.score.aligning.stored.stored`.

    Raises:
        UnknownNameError: there is no such profile.
        RunFolderError: the judge's answers are damaged.
    """
    profile, found, said = _kept(with_options(run), name, which)
    n_failed = sum(
        said[case.key].failed for case in found.cases.values() if case.key and is_put(case.readings[name], which.mode)
    )
    return Reread(Aligned(name, profile, which.mode, found, said), n_failed)


def rescored(run: OpenRun, name: str, which: Stored) -> Scored:
    """A run's rows under one profile and a stored alignment, signed as when it was made; nothing is written.

    Args:
        run: the run, with all its variants.
        name: of the profile.
        which: the alignment.

    Raises:
        UnknownNameError: there is no such profile.
        RunFolderError: the judge's answers are damaged.
    """
    run = with_options(run)
    profile, found, said = _kept(run, name, which)
    scored = _scored(run, {name: profile}, which.mode, found, said)[name]
    return msgspec.structs.replace(scored, signature=_signed(run, named(name)) + which.suffix)


def _kept(run: OpenRun, name: str, which: Stored) -> tuple[Profile, Survey, dict[str, Opinion]]:
    profile = named(name)
    found = survey(run, {name: profile})
    return profile, found, stored_opinions(run.folder.path, which, found.put(name, which.mode))


def _scored(
    run: OpenRun, profiles: Mapping[str, Profile], mode: Mode, found: Survey, opinions: Mapping[str, Opinion]
) -> dict[str, Scored]:
    def rows(*, strict: bool) -> dict[str, Scored]:
        readers = {name: Aligned(name, one, mode, found, opinions, strict=strict) for name, one in profiles.items()}
        return _rows(run, readers)

    scored = rows(strict=False)
    if not any(opinion.failed for opinion in opinions.values()):
        return scored
    doubtful = rows(strict=True)
    return {name: _with_bounds(one, doubtful[name]) for name, one in scored.items()}


def _rows(run: OpenRun, profiles: Mapping[str, Aligned]) -> dict[str, Scored]:
    own = with_own_clips(run)
    items = aggregate.table(own)
    without = conditions(run, profiles, items)
    judged: dict[str, Judged] = dict(zip(profiles, judge_all(own, list(profiles.values())), strict=True))
    return {
        name: msgspec.structs.replace(
            aggregate.scored(items, judged[name], "", mark(own, profile, judged[name]), profile.rules, name),
            variants=without[name],
        )
        for name, profile in profiles.items()
    }


def _with_bounds(scored: Scored, doubtful: Scored) -> Scored:
    """The score with the bounds of one in which every failure of the judge is a failed reply."""
    return msgspec.structs.replace(
        _unjudged(scored, doubtful),
        complete=doubtful.complete,
        rankable=doubtful.rankable,
        failures=doubtful.failures,
        categories=_bounded(scored.categories, doubtful.categories),
        tasks=_bounded(scored.tasks, doubtful.tasks),
        folders=_bounded(scored.folders, doubtful.folders),
        variants=_bounded(scored.variants, doubtful.variants),
    )


def _bounded(rows: Mapping[str, AnyRow], doubtful: Mapping[str, Row]) -> dict[str, AnyRow]:
    return {name: _unjudged(row, doubtful[name]) for name, row in rows.items()}


def _unjudged(row: AnyRow, doubtful: Row) -> AnyRow:
    return msgspec.structs.replace(
        row,
        bounds=doubtful.bounds,
        n_unanswered=doubtful.n_unanswered,
        n_refused=doubtful.n_refused,
        n_empty=doubtful.n_empty,
        n_unjudged=doubtful.n_failed - row.n_failed,
    )


def _kind(opinion: Opinion | None) -> str:
    return NO_ANSWER if opinion is not None and opinion.how == NOT_HERE else UNREADABLE


def _signed(run: OpenRun, profile: Profile) -> str:
    guesses = (f"guesses-{profile.name}-{run.info.seed}",) if profile.guess else ()
    return signed(run.info, f"{profile.name}.{profile.version}", *guesses)
