"""Prints the text reports on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audiometry.cli.say import say, say_blocks, say_report

if TYPE_CHECKING:
    from audiometry.analysis.giveaways import Giveaways
    from audiometry.bench import Benchmark
    from audiometry.bench.findings import CheckReport
    from audiometry.records import Card
    from audiometry.run.execute import Outcome
    from audiometry.score.listening import Listening
    from audiometry.score.opened import OpenedRun
    from audiometry.score.outcome import OpenOutcome
    from audiometry.score.result import Scores


def show_score(scores: Scores, card: Card) -> None:
    """A table of tasks for every score, the run beside published systems, and whether the model listens."""
    from audiometry.report import align_text, text
    from audiometry.report.published import beside
    from audiometry.report.views import letters
    from audiometry.report.views.published import published

    first = next(iter(scores.scores.values()), None)
    printed = None if first is None else beside(scores.benchmark, [first])
    say_report(text.score_table(scores, card))
    if first is not None and printed is not None:
        say_blocks(published(printed, [first], [scores.asked]))
    lettered = (one.extras.letters for one in scores.scores.values() if one.extras.letters is not None)
    if (line := letters.preferred(next(lettered, None))) is not None:
        say_blocks(line)
    aligned = {name: one for name, one in scores.scores.items() if one.extras.alignment}
    for name, one in aligned.items():
        say_report(align_text.align_report(name, one))
    if scores.listening is not None:
        if aligned:
            say("Whether it listens is told by the rules of `strict` alone, without the judge:")
        show_listening(scores.asked, scores.listening)


def show_ranks(scores: Sequence[Scores]) -> None:
    """Several runs on the same items, with their ranks under each score."""
    from audiometry.report import profiles_text

    say_report(profiles_text.rank_table(scores))


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


def show_usage(outcome: Outcome) -> None:
    """One line on what the run took."""
    from audiometry.report.views.usage import usage

    say_blocks(usage(outcome.tally.usage(), outcome.before, sum(outcome.reuse.taken.values())))


def show_unjudged(found: OpenOutcome, run: OpenedRun) -> None:
    """What became of the replies to open questions, and who can score them."""
    from audiometry.report.views.outcome import outcome

    say_blocks(outcome(found, run))


def show_listening(model: str, found: Listening) -> None:
    """Scores with the real clips and without them, and whether the model listens."""
    from audiometry.report.views.listening import verdict

    say_blocks(*verdict(model, found))


def show_giveaways(found: Giveaways) -> None:
    """Items that models answer without hearing."""
    from audiometry.report.views.listening import giveaways

    say_blocks(*giveaways(found))


def show_check(found: CheckReport) -> None:
    """What a check found."""
    from audiometry.report.views.check import check

    say_blocks(check(found))
