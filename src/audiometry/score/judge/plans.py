"""Scores of open answers by judges as plans: the sheets that they are made of, and each judge's account."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from audiometry.choices.variant import of_score
from audiometry.errors import counted
from audiometry.records import State
from audiometry.records.rating import RatingLine
from audiometry.score.extras import JudgeAccount
from audiometry.score.judge.asked import looked_up
from audiometry.score.judge.bias import DECIMALS, position_bias
from audiometry.score.judge.comparisons import ORDERS
from audiometry.score.judge.mixed import mixed
from audiometry.score.judge.openly import Judging
from audiometry.score.judge.people import beside_people
from audiometry.score.judge.places import as_heard, beside, of_answers, placed, with_references
from audiometry.score.kept import keep_ratings
from audiometry.score.opened import OpenedRun
from audiometry.score.people.said import PeopleSaid
from audiometry.score.planned import Planned
from audiometry.score.profiles import DEFAULT, PROFILES, Profile
from audiometry.score.readers.judged import JudgedReader, Panel
from audiometry.score.result import Scored
from audiometry.score.sheet import CODE, Sheet, Wanted
from audiometry.score.table import Table


def by_judges(
    run: OpenedRun,
    profile: Profile,
    judges: Sequence[Judging],
    panel: Panel = "mean",
    *,
    name: str = "",
    ratings: bool = False,
    people: PeopleSaid | None = None,
) -> Planned:
    """Open answers under a profile's rules, by what judges have said.

    Args:
        run: whose.
        profile: with a reader of open answers.
        judges: one or several, a panel.
        panel: how the scores of several are put together.
        name: under which the score stands; empty: the profile's.
        ratings: write each judge's scores as a rating file, for `audiometry agree`.
        people: what people said of some of the replies.
    """
    judges = sorted(judges, key=lambda one: one.verdicts.judge.slug)  # a panel is one, however its judges are named
    rules = _reader(profile)
    strict = PROFILES.named(DEFAULT)
    together = _wanted(run, profile, msgspec.structs.replace(rules, panel=panel), judges)
    alone = [_wanted(run, profile, rules, [one]) for one in judges] if len(judges) > 1 else []
    ours = [_wanted(run, strict, _reader(strict), [one]) for one in judges] if profile.name != DEFAULT else []

    def finish(sheet: Sheet, made: Scored, more: Sequence[Sheet]) -> Scored:
        own = [one.of(variants=of_score(one.variants)) for one in (sheet, *more)]
        each = own[1 : 1 + len(alone)] or own[:1]
        read_strictly = own[1 + len(alone) :] or each
        written = zip(judges, read_strictly, strict=True) if ratings else ()
        unkept = [why for one, its in written for why in _keep_ratings(one, its)]
        accounts = {
            one.verdicts.judge.name: _account(one, rules, its, plain)
            for one, its, plain in zip(judges, each, read_strictly, strict=True)
        }
        at = run.benchmark.items.at
        given, notes = beside_people(own[0], people, empty_judged=rules.rules.empty_judged)
        extras = msgspec.structs.replace(
            made.extras,
            judges=accounts,
            panel=panel if len(judges) > 1 else "",
            beside=beside(own[0], both=rules.rules.both),
            mixed=mixed(of_answers(own[0])),
            without_description=sum(not at(place).meta.strip() for place in sheet.items.position.tolist()),
            people=given,
        )
        failed = Counter(why for place, why in own[0].why.items() if own[0].state[place] == CODE[State.FAILED])
        return msgspec.structs.replace(
            as_heard(own[0], made),
            extras=extras,
            failures=dict(sorted(failed.items())),  # why a judge failed is in its account, by answer and not by reply
            notes=(*made.notes, *few_verdicts(made), *notes, *unkept),
        )

    return Planned(
        name=name or profile.name,
        wanted=together,
        signed=f"{rules.name}.{rules.version}",
        others=(
            *(f"judge-{one.verdicts.judge.slug}" for one in judges),
            *((f"panel-{panel}",) if len(judges) > 1 else ()),
        ),
        of_rows=of_answers,
        more=(*alone, *ours),
        finish=finish,
    )


def _reader(profile: Profile) -> JudgedReader:
    reader = profile.readers["open"]
    assert isinstance(reader, JudgedReader)  # noqa: S101  for the type
    return reader


def _wanted(run: OpenedRun, profile: Profile, reader: JudgedReader, judges: Sequence[Judging]) -> Wanted:
    return Wanted(
        profile=profile,
        measure=with_references(profile.measures["open"], reader.rules),
        readers={"open": reader},
        words=looked_up(run, reader, [one.verdicts for one in judges]),
        with_reference=True,
    )


def few_verdicts(made: Scored) -> tuple[str, ...]:
    """A note where half of the replies that came, or more, have no verdict that can be read."""
    came = made.n_replies - made.n_failed - made.n_not_asked
    rest = came - made.n_unjudged
    if not rest or 2 * made.n_unjudged < came:
        return ()
    blank = f", {made.n_empty:,} of them empty" if made.n_empty else ""
    verb = "has" if made.n_unjudged == 1 else "have"
    said = f"{made.n_unjudged:,} of {counted(came, 'reply')} {verb} no verdict that can be read; the value is that of"
    return (f"{said} the other {rest:,}{blank}, and tells of the judge rather than of the model",)


def _account(one: Judging, rules: JudgedReader, its: Sheet, strict: Sheet) -> JudgeAccount:
    verdicts = one.verdicts
    return JudgeAccount(
        row=Table(of_answers(its)).whole(),
        against=beside(its, both=rules.rules.both).all,
        parameters=verdicts.judge.parameters,
        prompt_sha256=verdicts.judge.prompt_sha256,
        journal=verdicts.judge.journal,
        failures=one.failures.get(rules.name, {}),
        n_pairs=one.n_pairs[rules.name],
        usage=one.usage,
        n_requests_now=verdicts.n_requests_now,
        position_bias=position_bias(placed(strict)),
        injection=one.injection,
    )


def _keep_ratings(judge: Judging, strict: Sheet) -> tuple[str, ...]:
    """Write a judge's scores of the model's answers as a rating file, a line for each item and order; a note, if not.

    Args:
        judge: whose verdicts.
        strict: its scores by our own reading, in the variants with the items' own clips; an item's score is their
            mean. Those that nobody gave (a missing answer's minimum) are left out.
    """
    path = strict.run.folder.path / "ratings" / f"judge-{judge.verdicts.judge.slug}.jsonl"
    return keep_ratings(path, _lines(judge.verdicts.judge.name, strict))


def _lines(rater: str, strict: Sheet) -> Iterator[RatingLine]:
    found, at = placed(strict), strict.run.benchmark.items.at
    model = strict.run.info.called
    given = np.where(np.isnan(found.reference), np.nan, found.model)
    for row, position in enumerate(strict.items.position.tolist()):
        item = at(position)
        cluster = "" if item.cluster == item.id else item.cluster
        for order, called in enumerate(ORDERS):
            scores = [score for score in given[row, :, order].tolist() if score == score]  # noqa: PLR0124  NaN
            if scores:
                mean = round(sum(scores) / len(scores), DECIMALS)
                yield RatingLine(
                    item=item.id, rater=rater, kind="judge", model=model, score=mean, order=called, cluster=cluster
                )
