"""``audiometry score``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audiometry.cli import score_metrics, score_open, sections
from audiometry.cli.ask_options import asking, judge_option, refuse_idle_options, say_of_cards
from audiometry.cli.file_options import say_files, with_files, with_written
from audiometry.cli.say import json_option, say, say_blocks, say_json
from audiometry.cli.score_open import panel_options
from audiometry.errors import counted, shown

if TYPE_CHECKING:
    from audiometry.run.answered import Otherwise
    from audiometry.score.heard import Changed
    from audiometry.score.opened import OpenedRun
    from audiometry.score.result import Scores

RULES = "rules"


@click.command(cls=sections.Sectioned, sections=sections.SCORE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="P",
    help="Whose rules for choices and judged answers; may be given several times, `all` for those that need no "
    "judge.  [default: strict]",
)
@click.option(
    "--align",
    type=click.Choice([RULES, "judge", "always"]),
    default=RULES,
    show_default=True,
    help="Who reads replies: rules alone, a judge where they read nothing, or the judge always.",
)
@judge_option("The judge, as provider/name, at its own URL if given; several make a panel.")
@panel_options[0]
@panel_options[1]
@panel_options[2]
@score_metrics.metric_option
@score_metrics.by_option
@asking("the judge")
@click.option("--bench", default="", metavar="PATH", help="Where the benchmark is now, if it moved.")
@with_files
@json_option
def command(
    runs: tuple[Path, ...],
    profiles: tuple[str, ...],
    align: str,
    judges: tuple[str, ...],
    metrics: tuple[str, ...],
    tags: tuple[str, ...],
    bench: str,
    *,
    panel: str,
    injections: int,
    people: Path | None,
    tables: Path | None,
    figures: Path | None,
    as_json: bool,
    **how: object,
) -> int:
    """Score runs again, under one or several sets of rules; without a judge it calls no model and is free.

    Each kind of task has a score and a table of its own: choices the share correct in percent, by the rules of the
    profile; labels macro F1, 0 to 1; transcripts the word error rate, 0 or more, lower is better; or what the
    benchmark's card names (see audiometry list measures). 95 % intervals count clips, not questions.

    Several profiles stand side by side. Several runs on the same items are also ranked under each score, with the
    places that others' rules give or take; runs with more than 1 % of their replies failed have no rank
    under `strict`.

    With --align, replies that rules cannot read (or all of them) are put to a judge, a language model at temperature
    0 (the signature names one that takes none), which says the option that a reply chooses, or none: nothing is
    guessed. Under --profile airbench-golden the judge is shown the right option and calls each reply correct or not.

    Answers to open questions are scored by judges from 1 to 10 beside the reference answer, in both orders; under
    --profile equivalence the judge says whether each says what the reference says. Judges' answers are kept in the
    run folder and never asked for twice. With --measure, replies are scored by further
    measures too; every item's score by one of text or by a program is kept in the run folder, where `audiometry
    agree` finds it.

    With --people, a judge's scores of all replies are set right by people's of some: what people would give, with
    its interval. That needs a random sample (or a column `propensity`) of replies to at least 30 clips.

    \b
    Examples:
      audiometry score runs/mini--pocketsphinx--7f3a --profile all --json
      audiometry score runs/qwen2 runs/gpt --profile strict --profile airbench
      audiometry score runs/qwen2 --align judge --judge openai/gpt-6.1-terra
      audiometry score runs/chat --judge openai/gpt-6.1-terra --injections 20
      audiometry score runs/qa --profile equivalence --judge openai/gpt-6.1-terra
      audiometry score runs/chat --judge openai/gpt-6.1-terra --people ratings.csv
      audiometry score runs/libri --measure wer --measure "exec/python meteor.py"
      audiometry score runs/music --by genre --tables paper
    """
    from audiometry.cli.one_thread import load_numpy

    refuse_idle_options(judges)
    load_numpy()
    from audiometry.score.opened import open_runs

    opened = open_runs(runs, bench)
    rated = score_open.people_of(people)
    say_of_cards(judges, how["card"], how["extra"])  # type: ignore[arg-type]  # options of `asking`, by name
    from audiometry.cli.tables import say_passed_over, say_unkept
    from audiometry.run.answered import Otherwise
    from audiometry.score.door import score
    from audiometry.score.heard import Changed, changed
    from audiometry.score.opened import has_open
    from audiometry.score.ranks import ranked

    say_passed_over(runs)
    _refuse_idle(opened, profiles, align, judges, metrics)
    if not any(map(has_open, opened)) or align != RULES:
        refuse_people(people)
    # who pays for a judge is told before
    clips = [changed(run) if judges else Changed(run) for run in opened]
    others = [Otherwise(run.benchmark, run.info) for run in opened]
    if judges:
        _say_of_replies(opened, map(_of_clips_and_rows, opened, clips))
    asking_judges = score_open.asked(judges, align=align, panel=panel, injections=injections, people=rated, how=how)
    with asking_judges as judged, score_metrics.watched(waits=not judges) as watch:
        scores = [
            score(run, profiles, measures=metrics, by=tags, watch=watch, counts=[one, other], **judged)
            for run, one, other in zip(opened, clips, others, strict=True)
        ]
    if not judges:
        _say_of_replies(opened, map(_of_clips_and_rows, opened, clips))
    scores = ranked(list(map(_noted, opened, scores, others)), opened)
    files = _show(opened, scores, tables, figures, as_json=as_json)
    unpaired = rated is not None and score_open.lacks_people(scores, rated)
    return int(say_unkept(scores) or "missing" in files or unpaired or not _complete(scores))


def _noted(run: OpenedRun, found: Scores, others: Otherwise) -> Scores:
    """With what is to be said beside the choices where replies answer other prompts."""
    from msgspec.structs import replace

    from audiometry.score.replies import Replies

    note = others.said(reply for *_, reply in Replies(run))
    if not note:
        return found
    each = {
        name: replace(one, notes=(*one.notes, note)) if "choice" in one.kinds else one
        for name, one in found.scores.items()
    }
    return replace(found, scores=each)


def _complete(scores: Sequence[Scores]) -> bool:
    """Whether no score is broken or lacks a reply."""
    return all(not one.broken and all(scored.complete for scored in one.scores.values()) for one in scores)


def _show(
    runs: Sequence[OpenedRun], scores: Sequence[Scores], tables: Path | None, figures: Path | None, *, as_json: bool
) -> dict[str, list[str]]:
    """Say what was found, and write the files that were asked for; see `say_files`."""
    from audiometry.report.scored_sections import as_document, of_runs

    blocks = () if as_json and not (tables or figures) else tuple(of_runs(runs, scores))
    if not as_json:
        say_blocks(*blocks)
    files = say_files(blocks, tables, figures)
    if as_json:
        each = zip(runs, scores, strict=True)
        documents = [with_written(as_document(one, run.benchmark), files) for run, one in each]
        say_json(documents if len(scores) > 1 else documents[0])
    else:
        _show_kept(runs, scores)
    return files


def refuse_people(people: Path | None) -> None:
    """Refuse people's ratings where no judge scores anything.

    Raises:
        UsageError: there are some.
    """
    if people is not None:
        from audiometry.errors import UsageError

        raise UsageError(
            "--people is about open questions that a judge scores, and these have options: leave it out (audiometry "
            "agree holds readings of letters against people's)"
        )


def _say_of_replies(runs: Sequence[OpenedRun], each: Iterable[Iterable[str]]) -> None:
    """What no number shows of the replies of each run: lines, of which empty ones say nothing."""
    for run, lines in zip(runs, each, strict=True):
        for line in filter(None, lines):
            say(f"{f'{shown(str(run.folder.path), 1000)}: ' if len(runs) > 1 else ''}{line}.", err=True)


def _of_clips_and_rows(run: OpenedRun, clips: Changed) -> list[str]:
    """Replies to clips that were replaced since, tasks of which no item is left, items that nobody has reviewed."""
    from audiometry.review.review import said_unreviewed

    return [clips.said, *run.benchmark.said_emptied(run.info.tasks), said_unreviewed(run.benchmark)]


def _show_kept(runs: Sequence[OpenedRun], scores: Sequence[Scores]) -> None:
    """Where the scores are, and what comes next."""
    import shlex

    for run, score in zip(runs, scores, strict=True):
        first, *more = (run.folder.score_path(name, one.signature) for name, one in score.scores.items())
        others = f" and {counted(len(more), 'more file')} there" if more else ""
        if not score.unkept:
            say(f"Kept in {shown(str(first), 1000)}{others}")
    alike = [run for run in runs if run.info.benchmark.sha256 == runs[0].info.benchmark.sha256]
    then = shlex.join(["audiometry", "report", *dict.fromkeys(str(run.folder.path) for run in alike)])
    say(f"next: {shown(then, 1000)}")


def _refuse_idle(
    runs: list[OpenedRun], profiles: tuple[str, ...], align: str, judges: tuple[str, ...], metrics: tuple[str, ...]
) -> None:
    """Let through what has something to do with every one of the runs.

    Raises:
        UsageError: runs of which some have open questions only and others none; a judge without anything to judge, or
            something to judge without one.
    """
    from audiometry.errors import UsageError
    from audiometry.score.judge.planning import refuse_idle
    from audiometry.score.opened import has_open, has_options, has_words

    reads_choices = align != RULES
    kinds = {
        has_open(run) if judges and not reads_choices else not (has_options(run) or has_words(run)) for run in runs
    }
    if len(kinds) > 1:
        raise UsageError("some of these runs have open questions and others options; score them apart")
    if kinds.pop() and not judges and not metrics:
        run = runs[0]
        raise UsageError(
            f"{run.folder.path}: the questions of {run.info.benchmark.name} are open, no rule can score them; "
            "name a judge with --judge, for example openai/gpt-6.1-terra, or a measure with --measure"
        )
    for run in runs:
        refuse_idle(run, profiles, judges, None if align == RULES else align)
