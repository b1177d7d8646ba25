"""Prints the text reports on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audiometry.cli.say import say, say_blocks

if TYPE_CHECKING:
    from audiometry.bench import Benchmark
    from audiometry.records import Card
    from audiometry.score.opened import OpenedRun
    from audiometry.score.result import Scores


def show_score(scores: Scores, card: Card, run: OpenedRun | None = None) -> None:
    """A section for every score, the run beside published systems, and whether the model listens.

    Args:
        scores: of the run.
        card: of its benchmark.
        run: of which a failure is quoted where no reply came; None: that is told elsewhere.
    """
    from audiometry.report.published import beside
    from audiometry.report.views import letters, scored
    from audiometry.report.views.alignment import alignment
    from audiometry.report.views.judges import judges
    from audiometry.report.views.listening import verdict
    from audiometry.report.views.mixed import mixed
    from audiometry.report.views.published import published
    from audiometry.score.replies import first_words

    silent = scored.without_reply(scores.scores)
    say_blocks(*scored.scored(scores, card, first_words(run) if silent and run is not None else ""))
    judged = next((one for one in scores.scores.values() if one.extras.judges), None)
    if judged is not None:
        say_blocks(judges([judged], [scores.asked]), *filter(None, [mixed([judged], [scores.asked])]))
    say_blocks(*scored.missing(scores))
    if silent:
        return
    first = next(iter(scores.scores.values()), None)
    printed = None if first is None else beside(scores.benchmark, [first])
    if first is not None and printed is not None:
        say_blocks(published(printed, [first], [scores.asked]))
    lettered = (one.extras.letters for one in scores.scores.values() if one.extras.letters is not None)
    if (told := letters.preferred(next(lettered, None))) is not None:
        say_blocks(told)
    aligned = {name: one for name, one in scores.scores.items() if one.extras.alignment}
    for number, (name, own) in enumerate(aligned.items(), 1):
        say_blocks(*filter(None, [alignment(name, own, number)]))
    if scores.listening is not None:
        if aligned:
            say("Whether it listens is told by the rules of `strict` alone, without the judge:")
        say_blocks(*verdict(scores.asked, scores.listening))


def show_ranks(scores: Sequence[Scores]) -> None:
    """Several runs on the same items, with their places under each score."""
    from audiometry.report.views.ranks import ranks

    asked = [one.asked for one in scores]
    labels = [
        name if asked.count(name) == 1 else f"{name} ({one.run})" for name, one in zip(asked, scores, strict=True)
    ]
    say_blocks(ranks(scores, labels))


def say_passed_over(paths: Sequence[Path]) -> None:
    """A line for every run folder that holds scores of another format."""
    from audiometry.errors import shown
    from audiometry.score.kept import passed_over

    for line in filter(None, map(passed_over, dict.fromkeys(paths))):
        say(f"{shown(line, 1000)}.", err=True)


def say_unkept(scores: Sequence[Scores]) -> bool:
    """Say which scores stand in no file, and why; whether there are any."""
    from audiometry.errors import shown

    for why in dict.fromkeys(filter(None, (one.unkept for one in scores))):
        say(f"Not kept: {shown(why, 1000)}.", err=True)
    return any(one.unkept for one in scores)


def show_coverage(benchmark: Benchmark) -> None:
    """What is there of published data; nothing for others."""
    from audiometry.report.views.coverage import coverage

    if benchmark.counts:
        say_blocks(coverage(benchmark.counts))
