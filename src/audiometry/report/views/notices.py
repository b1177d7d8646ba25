"""What a reader has to know before any number: what is missing, what was changed, who read the replies."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from audiometry.choices import LETTERED
from audiometry.errors import counted
from audiometry.render.document import Block, Copied, Line, Words, code, line, name, strong
from audiometry.report.gather import RunView
from audiometry.report.numbers import scale
from audiometry.report.parts import Part
from audiometry.report.rows_text import rows_of, what_helps
from audiometry.report.said import lacks
from audiometry.report.shown import Wish
from audiometry.report.titles import titled
from audiometry.report.views.scored import why_nothing
from audiometry.score.cut import n_clips_cut
from audiometry.score.judge.needed import open_rules
from audiometry.score.outcome import OpenOutcome
from audiometry.score.replies import first_words
from audiometry.score.result import Scored

HOW_JUDGED: Final = (
    "A judge, which is a language model, compares each answer with the reference answer and scores both from 1 to 10."
)


def notices(views: Sequence[RunView], wish: Wish, parts: Sequence[Part], lacking: str = "") -> tuple[Block, ...]:
    """What is missing first, then how the numbers came about.

    Args:
        views: the runs.
        wish: how they were scored.
        parts: the scores of the page.
        lacking: which clips the page lacks.
    """
    several, judged = len(views) > 1, next((part for part in parts if part.judged), None)
    choices = any(part.choice for part in parts)
    blocks: list[Block] = [*_unjudged(views, wish, parts)]
    blocks += [line(f"{lacking}.", weight="minded")] if lacking else []
    for view in views:
        of: Words = (name(view.label), ": ") if several else ()
        if view.begun:
            paths = [word for path in view.begun for word in (", ", code(path))][1:]
            begun = "The judging was begun and not finished. Answers of a judge that no score was made of: "
            on = ". The same audiometry score as before goes on from there."
            blocks.append(line(*of, begun, *paths, on, weight="minded"))
        blocks += [line(*of, _sentence(note), ".", weight="minded") for note in view.notes]
        blocks += [*_incomplete(view, of, several=len(parts) > 1), *_deaf(view, of)]
    blocks += [*_aligned(views, wish, judged), *_judges(wish, judged)]
    for view in views:
        of = (name(view.label), ": ") if several else ()
        blocks += [line(*of, f"{said}.", weight="minded") for said in _asked(view, choices=choices)]
    return tuple(blocks)


def _unjudged(views: Sequence[RunView], wish: Wish, parts: Sequence[Part]) -> Iterator[Block]:
    """That nobody has judged open questions, and how to have that done."""
    unjudged = [view for view in views if view.unjudged and not view.silent]
    if wish.why:
        yield line(f"Judges' scores are not shown: {wish.why}.", weight="minded")
    if wish.why or not unjudged:
        return
    if not parts:
        these = "These runs have" if len(views) > 1 else "This run has"
        said: Words = (strong(f"{these} not been judged, so there is no score."),)
    else:
        names = [word for view in unjudged for word in (", ", name(view.label))][1:]
        n = max(view.outcome.n_items for view in unjudged)
        whose = "these" if not wish.judges else "their" if len(unjudged) > 1 else "its"
        are = f"{counted(n, 'open question')} {'is' if n == 1 else 'are'} in none of {whose} numbers"
        why = strong(f"{are}, since no judge has compared the answers.")
        said = (strong("Not judged: "), *names, ". ", why) if wish.judges else (why,)
    yield line(*said, f" {HOW_JUDGED}", weight="minded")
    judges = [one.name for one in wish.judges] or ["MODEL"]
    for view in unjudged:
        asked = [word for judge in judges for word in ("--judge", judge)]
        yield Copied(shlex.join(["audiometry", "score", str(view.run.folder.path), *asked]), "Have them judged by")


def _incomplete(view: RunView, of: Words, *, several: bool) -> Iterator[Line]:
    """What is missing, a line a score, and what asks for it."""
    if view.silent:
        why = why_nothing(view.scored, first_words(view.run), {} if view.opens else view.outcome.failures)
        yield Line((*of, *why.words), why.weight)
        return
    if view.complete:
        return
    lacking = [one for one in view.scored.values() if not one.complete]
    said = [f"{f'{titled(one)}. ' if several else ''}{lacks(one, scale(one))}" for one in lacking]
    said += [view.lacks_open] if view.lacks_open else []
    helps = _what_helps(lacking, view.outcome if view.lacks_open else None)
    head: Words = (*of[:1], strong(" is incomplete.")) if of else (strong("This run is incomplete."),)
    if len(said) == 1:
        yield line(*head, f" {said[0]} {helps}", weight="minded")
        return
    yield line(*head, f" {helps}", weight="minded")
    yield from (line(*of, one, weight="minded") for one in said)


def _what_helps(lacking: Sequence[Scored], opened: OpenOutcome | None) -> str:
    """What asks for the replies that are missing, and then for a judge's answers."""
    each: list[Scored | OpenOutcome] = [*lacking, *([] if opened is None else [opened])]
    kinds = {kind for one in each for kind in one.failures}
    said = []
    if any(one.n_failed or one.n_not_asked for one in each):
        said.append(what_helps(() if any(one.n_not_asked for one in each) else kinds))
    if any(one.n_unjudged or one.extras.judges for one in lacking):
        said.append("the same audiometry score as before asks the judge for what it has not judged")
    return " ".join(f"{_sentence(one)}." for one in said)


def _deaf(view: RunView, of: Words) -> Iterator[Line]:
    """What the hearing test found wrong."""
    probe = view.probe
    if probe is None or not probe.n or (probe.hears and not probe.findings):
        return
    sign = f"No sign that audio reaches {view.label if of else 'the model'}."
    head = f"{view.label if of else 'The model'} does not get the audio as it was sent." if probe.hears else sign
    yield line(strong(head), " ", *(f"{_sentence(one.message)}. " for one in probe.findings), weight="minded")


def _aligned(views: Sequence[RunView], wish: Wish, judged: Part | None) -> Iterator[Line]:
    """Who read the replies to questions with options."""
    several, runs = len(views) > 1, [str(view.run.folder.path) for view in views]
    if wish.which is not None:
        rules = f"by the rules of {wish.profile}"
        how = (
            f"Replies are read {rules} and, where these read nothing, by a judge: "
            if wish.which.mode == "judge"
            else f"Every reply is read by a judge, and counts {rules}: "
        )
        where = f", as stored in {'each run folder' if several else 'the run folder'} ("
        yield line(
            how, strong(wish.which.name), where, code(wish.which.slug), "). Rules alone are named where they are."
        )
    elif wish.held:
        alone = "Choices are read by rules alone." if judged else "All numbers are by rules alone."
        hold = "The run folders hold" if several else "The run folder holds"
        ways = [["report", *runs, "--align", f"{one.mode}", "--judge", one.name] for one in wish.held]
        shows = [word for way in ways for word in (", ", code(shlex.join(["audiometry", *way])))][1:]
        yield line(f"{alone} {hold} an alignment by a judge as well: ", *shows, " shows it.")


def _judges(wish: Wish, judged: Part | None) -> Iterator[Line]:
    """Who scored open answers, and how."""
    if judged is None:
        return
    n, its = len(wish.judges), judged.its
    panel = f"a panel of {n} judges, the {wish.panel} of their scores: " if n > 1 else ""
    who = [word for one in wish.judges for word in (", ", strong(one.name), " (", code(one.slug), ")")][1:]
    about = open_rules()[wish.profile].about
    yield line(
        f"Open answers are scored by {panel}",
        *who,
        f", each answer beside the reference, in both orders, {its.low:g} to {its.high:g}, by the rules of "
        f"{wish.profile}: {about}.",
    )


def _asked(view: RunView, *, choices: bool) -> Iterator[str]:
    """What was asked otherwise than a reader would think."""
    run = view.run
    if view.changed.said:
        yield view.changed.said
    there, emptied = run.benchmark.said_of_published(), run.benchmark.said_emptied(run.info.tasks)
    if run.n_without_clip or run.info.benchmark.left_out or n_clips_cut(run) or there:
        yield "; ".join(filter(None, [rows_of(run), there, *emptied]))
    if choices and run.info.prompt.style not in LETTERED:
        yield "Options were shown without letters, as the recipe says: a reply that names a letter is unanswered"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
