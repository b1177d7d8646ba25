"""The source's own questions, options and answers, or a fact as the answer to a question of the task."""

from __future__ import annotations

from collections.abc import Iterator

from audiometry.builder.clip import Asked
from audiometry.builder.make import Candidate, Hand, KindOfTask, Make, Unfit
from audiometry.builder.spec import Spec, TaskSpec
from audiometry.errors import shown


def _kind(task: TaskSpec) -> KindOfTask:
    return task.kind or "choice"


def _slips(spec: Spec, task: TaskSpec) -> Iterator[str]:
    columns = [one.columns for one in spec.source if task.source in {"", one.called}]
    if not task.about and not any(one.answer for one in columns):
        yield "has no answers; name their column in columns.answer of its source, or the fact that they are (about)"
    if _kind(task) == "choice" and not any(one.options for one in columns):
        yield 'has no options; name their columns in columns.options, or say kind = "label", "transcript" or "open"'
    if task.per_clip > 1:
        yield "has per_clip, which does nothing where the source has the questions; leave it out"
    if not task.question and not any(one.question for one in columns):
        yield "has no question; write one, or name their column in columns.question of its source"


def _make(hand: Hand) -> Iterator[Candidate | Unfit]:
    task = hand.task
    for clip in hand.clips:
        asked = [one for one in clip.asked if one.task in {"", task.name}] or [Asked("", "", (), (), None)] * bool(
            task.about
        )
        for number, one in enumerate(asked):
            answer = ", ".join(clip.facts.get(task.about, ())) if task.about else one.answer or ""
            wordings = hand.draw("question", clip, str(number)).shuffled(task.question)
            question = one.question or next(iter(wordings), "")
            wrong = tuple(text for text in one.options if text != answer)
            kinds = tuple(kind for text, kind in zip(one.options, one.kinds, strict=False) if text != answer)
            made = Candidate(clip=clip, question=question, answer=answer or None, wrong=wrong, kinds=kinds)
            if not answer:
                reason = f"has no {shown(task.about or 'answer', 40)}; fill the cell"
                yield Unfit(rule="empty-label", reason=reason, clip=clip, candidate=made)
            elif one.options and one.options.count(answer) != 1:
                reason = f"has the answer '{shown(answer)}', which is not once among its options; correct one"
                yield Unfit(rule="answer-no-option", reason=reason, clip=clip, candidate=made)
            else:
                yield made


MAKE = Make(
    name="given",
    about="the source's own questions, options and answers, or a fact as the answer",
    slips=_slips,
    kind=_kind,
    make=_make,
)
