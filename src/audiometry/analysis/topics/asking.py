"""Models asked what queries are for, and what topics are called; every answer is kept, so that none is asked twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from audiometry.analysis.topics import judged, uses
from audiometry.dispatch.tally import Usage
from audiometry.score.judge.inquiry import Inquiry
from audiometry.score.judge.judge import Judge
from audiometry.score.judge.question import Content, Questions
from audiometry.score.judge.settings import Follow
from audiometry.score.readers import Said

C = TypeVar("C", bound=Content)


def uses_said(
    texts: Sequence[str], judge: Judge, folder: Path, follow: Follow | None
) -> tuple[dict[str, str], str, Usage]:
    """The use of each query that a model gives, of the held-out labelled ones too, its name, and what that took.

    Args:
        texts: different queries.
        judge: whom to ask.
        folder: where its answers are kept.
        follow: who is told how it goes.

    Raises:
        UsageError: the model cannot be used.
        StoppedError: nobody answers, or the person stopped it; what was answered is kept.
    """
    every = dict.fromkeys((*texts, *(one.text for one in uses.labelled())))
    abouts = [judged.use_asked(text) for text in every]
    answers, usage = _answers(abouts, judged.use_questions(), judge, folder, follow)
    found = {text: judged.use_said(answers[about.key]) or "" for text, about in zip(every, abouts, strict=True)}
    return found, judge.settings.name, usage


def names_said(
    asked: Sequence[judged.AskedName], namer: Judge, folder: Path, follow: Follow | None
) -> tuple[list[str], Usage]:
    """The name of each topic that a model gives, empty where it gives none that can be used, and what that took.

    Args:
        asked: the topics.
        namer: whom to ask.
        folder: where its answers are kept.
        follow: who is told how it goes.

    Raises:
        UsageError: the model cannot be used.
        StoppedError: nobody answers, or the person stopped it; what was answered is kept.
    """
    answers, usage = _answers(asked, judged.name_questions(), namer, folder, follow)
    return [judged.name_said(answers[about.key]) or "" for about in asked], usage


def _answers(
    abouts: Sequence[C], questions: Questions[C], judge: Judge, folder: Path, follow: Follow | None
) -> tuple[dict[str, Said], Usage]:
    inquiry = Inquiry(judge, questions, folder)
    answers = inquiry.ask(lambda: ((one.key, one) for one in abouts), follow)
    usage = answers.account({one.key for one in abouts}, inquiry.price).usage()
    return {one.key: answers.of(one.key, one) for one in abouts}, usage
