"""The sections of a report's page, in their order: each is a view of what the runs score, or lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audiometry.render.document import Section
from audiometry.report import examples, explained
from audiometry.report.explained import Explained
from audiometry.report.extra_sections import beside, compared, lettered, placed, taken, worded
from audiometry.report.gather import RunView
from audiometry.report.parts import Part
from audiometry.report.score_sections import scores, under_rules
from audiometry.report.shown import Wish
from audiometry.report.suite import suite
from audiometry.report.views.probe import probes
from audiometry.report.views.published import published
from audiometry.report.views.suite import suite as shown_suite
from audiometry.report.views.unread import unread


def sections(
    views: Sequence[RunView], wish: Wish, parts: Sequence[Part], tasks: Sequence[str], wrong: Explained | None
) -> Iterator[Section]:
    """All of them.

    Args:
        views: the runs.
        wish: how they were scored.
        parts: the scores of the page.
        tasks: names of the tasks, as the benchmark has them.
        wrong: why replies are wrong, where that is known.
    """
    yield from scores(parts, views, tasks)
    yield from _published(views, parts)
    yield from beside(views, wish, parts)
    if probed := [(view.label, view.probe) for view in views if view.probe is not None]:
        yield probes(probed, several=len(views) > 1)
    yield from worded(views, parts)
    yield from placed(views, parts)
    yield from compared(views, wish, parts)
    yield from under_rules(parts, views, wish)
    yield from lettered(views, parts)
    yield from taken(views, parts)
    yield from explained.section(wrong, views)
    made = dict.fromkeys(one.signature for part in parts for one in part.scored if one is not None)
    yield unread(examples.unread(views), [view.label for view in views], "; ".join(made))


def _published(views: Sequence[RunView], parts: Sequence[Part]) -> Iterator[Section]:
    there = [view for view in views if not view.silent]
    labels = [view.label for view in there]
    unlike = [view.run.unlike_published for view in there]
    for part in parts:
        if part.published is not None:
            scored = [one for one in part.scored if one is not None]
            yield published(part.published, scored, labels, unlike, part.id("published"))
    if there:
        run, own = there[0].run, [tuple(view.scored.values()) for view in there]
        if (of_suite := suite(run.info.benchmark.name, run.benchmark.card, own)) is not None:
            yield shown_suite(of_suite, labels)
