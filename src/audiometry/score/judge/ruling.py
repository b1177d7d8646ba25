"""Open answers that a judge has found equivalent to the reference or not: the plan of such a score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from audiometry.choices.variant import PLAIN
from audiometry.records import State
from audiometry.records.rating import RatingLine
from audiometry.score.judge.asked import Asker, Verdicts, asked_of, looked_up
from audiometry.score.judge.plans import few_verdicts
from audiometry.score.kept import keep_ratings
from audiometry.score.measures import named
from audiometry.score.opened import OpenedRun
from audiometry.score.planned import Planned
from audiometry.score.profiles import Profile
from audiometry.score.result import Scored
from audiometry.score.sheet import Sheet, Wanted


def by_ruling(run: OpenedRun, profile: Profile, verdicts: Verdicts, *, ratings: bool = False) -> Planned:
    """Open answers as a judge has called them: equivalent to the reference, or not.

    Args:
        run: whose.
        profile: with a reader of open answers that asks a judge.
        verdicts: the judge's.
        ratings: write 1 or 0 for each item that was judged as a rating file, for `audiometry agree`.
    """
    reader, slug = cast("Asker", profile.readers["open"]), verdicts.judge.slug

    def finish(_sheet: Sheet, made: Scored, _more: Sequence[Sheet]) -> Scored:
        path = run.folder.path / "ratings" / f"equivalence-{slug}.jsonl"
        unkept = keep_ratings(path, list(_lines(run, reader, verdicts))) if ratings else ()
        return msgspec.structs.replace(made, notes=(*made.notes, *few_verdicts(made), *unkept))

    return Planned(
        name=profile.name,
        wanted=Wanted(
            profile=profile,
            measure=named(profile.measures["open"]),
            readers={"open": reader},
            words=looked_up(run, reader, [verdicts]),
            with_reference=True,
        ),
        signed=f"{profile.name}.{profile.version}",
        others=(f"judge-{slug}",),
        finish=finish,
    )


def _lines(run: OpenedRun, reader: Asker, verdicts: Verdicts) -> Iterator[RatingLine]:
    """What the judge said of the replies to items as they are, as rating lines."""
    look = looked_up(run, reader, [verdicts])
    for item, reply, shown, kind in asked_of(run):
        if kind not in reader.kinds or reply.variant != PLAIN or not reader.asks(reply, item, shown):
            continue
        found = reader.read(reply, item, shown, look(reply, item, shown))
        if found.state not in {State.UNJUDGED, State.FAILED}:
            cluster = "" if item.cluster == item.id else item.cluster
            score = float(found.read is not None)
            yield RatingLine(
                item=item.id,
                rater=verdicts.judge.name,
                kind="judge",
                model=run.info.called,
                score=score,
                cluster=cluster,
            )
