"""All that is shown of scores where they were just made: of a run, and of several beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from audiometry.bench import Benchmark
from audiometry.errors import BenchmarkError, RunFolderError
from audiometry.records import Card
from audiometry.render.document import Block, Section, line, told_of
from audiometry.report.naming import called, endings, labels
from audiometry.report.published import beside
from audiometry.report.suite import document, suite
from audiometry.report.views import letters, listening, options, scored
from audiometry.report.views.alignment import alignment
from audiometry.report.views.judges import judges
from audiometry.report.views.mixed import mixed
from audiometry.report.views.published import published
from audiometry.report.views.ranks import ranks
from audiometry.report.views.suite import suite as shown_suite
from audiometry.review.review import unreviewed
from audiometry.score.opened import OpenedRun
from audiometry.score.ranks import why_unranked
from audiometry.score.replies import first_words
from audiometry.score.result import Scores


def of_runs(runs: Sequence[OpenedRun], scores: Sequence[Scores]) -> Iterator[Block]:
    """The runs one after the other, and then their places or why they have none.

    Args:
        runs: that were scored.
        scores: of each.
    """
    names, stamp = labels(list(runs)), runs[0].info.benchmark
    together = len({one.benchmark for one in scores}) == 1 < len(runs)
    for run, one, name, ending in zip(runs, scores, names, endings(names), strict=True):
        own = of_run(one, run.benchmark.card, run, beside_others=not together)
        yield from told_of(own, called([name], run.info.benchmark), ending)
    if together and (
        found := suite(scores[0].benchmark, runs[0].benchmark.card, [[*one.scores.values()] for one in scores])
    ):
        yield from told_of([shown_suite(found, names)], called((), stamp))
    if together:
        yield from told_of(_beside(scores, names), called((), stamp))
    if any(one.ranks for one in scores):
        yield from told_of([ranks(scores, names)], called((), stamp))
    elif why := why_unranked(runs):
        yield line(f"Not ranked: {why}.")


def _beside(scores: Sequence[Scores], names: Sequence[str]) -> Iterator[Section]:
    """The runs with a reply, by the rules of the first score, and what was printed of others: one table for all."""
    there = [(one, name) for one, name in zip(scores, names, strict=True) if not scored.without_reply(one.scores)]
    first = next((key for one, _ in there for key in one.scores), "")
    found = [(one.scores[first], name, one.unlike) for one, name in there if first in one.scores]
    rows = [row for row, *_ in found]
    if (printed := beside(scores[0].benchmark, rows)) is not None:
        yield published(printed, rows, [name for _, name, _ in found], [unlike for *_, unlike in found])


def of_run(scores: Scores, card: Card, run: OpenedRun | None = None, *, beside_others: bool = True) -> Iterator[Block]:
    """A section for every score, the run beside published systems, and whether the model listens.

    Args:
        scores: of the run.
        card: of its benchmark.
        run: of which a failure is quoted where no reply came; None, where it was just asked: that is
            told elsewhere, and of a suite the means alone.
        beside_others: whether what was printed of others stands beside it.
    """
    silent, every = scored.without_reply(scores.scores), tuple(scores.scores.values())
    yield from scored.scored(scores, card, first_words(run) if silent and run is not None else "")
    judged = [one for one in every if one.extras.judges][:1]
    if judged:
        yield judges(judged, [scores.asked])
        yield from filter(None, [mixed(judged, [scores.asked])])
    yield from scored.missing(scores)
    if silent:
        return
    if beside_others and (of_suite := suite(scores.benchmark, card, [every])) is not None:
        yield shown_suite(of_suite, [scores.asked], means_only=run is None)
    printed = beside(scores.benchmark, every[:1])
    if beside_others and printed is not None:
        yield published(printed, every[:1], [scores.asked], [scores.unlike])
    lettered = (one.extras.letters for one in every if one.extras.letters is not None)
    yield from filter(None, [letters.preferred(next(lettered, None))])
    if of_options := tuple(options.told(every)):
        yield Section(id="options", title=options.TITLE, blocks=of_options)
    aligned = {name: one for name, one in scores.scores.items() if one.extras.alignment}
    for number, (name, own) in enumerate(aligned.items(), 1):
        yield from filter(None, [alignment(name, own, number)])
    heard = [(one, one.listening) for one in every if one.listening is not None]
    for (one, found), ending in zip(heard, endings([found.profile for _, found in heard]), strict=True):
        place, read = f"listening{ending}", one.extras.alignment
        alone = f"Whether it listens is told by the rules of `{found.profile}` alone, without the judge:"
        made = listening.verdict(scores.asked, found, "" if read else one.signature, place)
        of = found.profile if len(heard) > 1 else ""
        yield Section(id=place, title=listening.TITLE, of=of, blocks=(*([line(alone)] if read else ()), *made))


def as_document(scores: Scores, benchmark: Benchmark) -> dict[str, Any]:
    """What `of_run` shows as a document: scores, a suite's means beside what was published, and what is unreviewed.

    Args:
        scores: of the run.
        benchmark: that it asked.
    """
    found: dict[str, Any] = msgspec.to_builtins(scores)
    with suppress(RunFolderError, BenchmarkError):  # of a review that cannot be read nothing is known
        if (count := unreviewed(benchmark)) is not None:
            found["unreviewed"] = dict(zip(("n_items", "of"), count, strict=True))
    of_suite = suite(scores.benchmark, benchmark.card, [tuple(scores.scores.values())])
    return found if of_suite is None else found | {"published": document(of_suite)}
