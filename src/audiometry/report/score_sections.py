"""Sections of a page that every score has: its number over everything, its tasks, and the same under other rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from audiometry.render.document import Line, Section
from audiometry.render.table import Table
from audiometry.report.gather import RunView
from audiometry.report.naming import positions
from audiometry.report.parts import Part
from audiometry.report.shown import Wish
from audiometry.report.views.alignment import aligned
from audiometry.report.views.entries import Runs
from audiometry.report.views.rules import rules
from audiometry.report.views.score_rows import side_by_side
from audiometry.report.views.significance import against_first
from audiometry.report.views.tasks import headline, tasks
from audiometry.score.ranks import ranked
from audiometry.score.result import Scored


def headlines(parts: Sequence[Part], views: Sequence[RunView]) -> Iterator[Section]:
    """The number over everything by each score.

    Args:
        parts: the scores of the page.
        views: the runs.
    """
    for part in parts:
        yield headline(_runs(part, views), place=part.id("headline"), of=_of(parts, views))


def overview(parts: Sequence[Part], views: Sequence[RunView]) -> Table:
    """The number of each run by each score.

    Args:
        parts: the scores of the page, several.
        views: the runs.
    """
    return side_by_side([_runs(part, views) for part in parts], [part.id("score") for part in parts])


def scores(parts: Sequence[Part], views: Sequence[RunView], order: Sequence[str]) -> Iterator[Section]:
    """The tasks of each score.

    Args:
        parts: the scores of the page.
        views: the runs.
        order: names of the tasks, as the benchmark has them.
    """
    card, of = views[0].run.benchmark.card, _of(parts, views)
    for part in parts:
        read = [_read(one) for one in part.scored]
        yield tasks(part.name, _runs(part, views), card, place=part.id("tasks"), of=of, order=order, more=read)


def under_rules(parts: Sequence[Part], views: Sequence[RunView], wish: Wish) -> Iterator[Section]:
    """Choices, and judged answers, under every profile by which all runs can be scored, where there are several.

    Args:
        parts: the scores of the page.
        views: the runs.
        wish: how they were scored.
    """
    views = [view for view in views if not view.silent]
    runs, labels = [view.run for view in views], [view.label for view in views]
    for part in parts:
        each: list[Mapping[str, Scored]] = [view.opens if part.judged else view.choices for view in views]
        names = [name for name in each[0] if all(name in one for one in each)]
        if not (part.choice or part.judged) or len(names) == 1 or not names:
            continue
        found = [{name: one[name] for name in names} for one in each]
        whole = [msgspec.structs.replace(view.whole, scores=one) for view, one in zip(views, found, strict=True)]
        yield rules(
            found,
            labels,
            runs[0].benchmark.card,
            place=part.id("rules"),
            profile=wish.profile,
            places=ranked(whole, runs) if len(runs) > 1 else (),
            aside="by rules alone and without the judge" if wish.which and part.choice else "",
        )


def _runs(part: Part, views: Sequence[RunView]) -> Runs:
    labels, told = tuple(view.label for view in views), against_first(part.comparisons, len(views))
    card, tasks = (
        views[0].run.benchmark.card,
        {name: row.n_items for one in part.scored if one is not None for name, row in one.tasks.items()},
    )
    small = card.small(*next(iter(tasks.items()))) if len(tasks) == 1 else ""
    return Runs(scored=part.scored, labels=labels, absent=part.absent, tests=told, small=small)


def _of(parts: Sequence[Part], views: Sequence[RunView]) -> int:
    """How many items there are, where several scores are of some of them each; else 0."""
    return len(list(positions(view.run for view in views))) if len(parts) > 1 else 0


def _read(scored: Scored | None) -> list[Line]:
    """What a judge did that read replies beside the rules."""
    return [] if scored is None else list(aligned(scored))
