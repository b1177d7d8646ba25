"""Which items a report shows without being asked: a few of each kind, drawn by a named stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from audiometry import seeds
from audiometry.choices import letter_of, letters
from audiometry.records import Item, State
from audiometry.report.gather import RunView
from audiometry.report.ledger import RULED_KINDS
from audiometry.report.naming import positions
from audiometry.report.record_row import NOT_ASKED, Kept

OF_EACH: Final = 2
"""Examples of a task and a kind."""

LONGEST: Final = 280
"""Characters of a text in an example; the browser of items has all of it."""

UNREAD: Final = ("failed", NOT_ASKED, "refused", "empty", "unanswered", State.UNJUDGED.value)


class ShownReply(msgspec.Struct, frozen=True):
    """One run's reply in an example."""

    label: str
    verdict: str
    how: str
    chosen: str
    text: str
    blocked: bool = False


class Example(msgspec.Struct, frozen=True):
    """An item with the replies of all runs; ``options``: letter, text, whether it is right; else its ``answer``.

    Where that is in words it is the ``reference``.
    """

    item: str
    task: str
    question: str
    options: tuple[tuple[str, str, bool], ...]
    answer: str
    replies: tuple[ShownReply, ...]
    reference: bool = False


class Reason(msgspec.Struct, frozen=True):
    """Why replies could not be counted as right or wrong: how many in each run, and what one of them says."""

    verdict: str
    how: str
    counts: tuple[int, ...]
    said: str


class TaskExamples(msgspec.Struct, frozen=True):
    """Examples of one task by kind."""

    task: str
    kinds: tuple[tuple[str, tuple[Example, ...]], ...]


def by_task(views: list[RunView], tasks: list[str]) -> list[TaskExamples]:
    """Items of each task that were answered (right, or not), and that the runs do not agree on."""
    found: dict[str, dict[str, list[Example]]] = {task: {} for task in tasks}
    shuffled = seeds.stream(0, "report", "examples").shuffled(list(positions(view.run for view in views)))
    items = views[0].run.benchmark.items
    for position in shuffled:
        kind = _kind(views, position)
        chosen = found[items.task_of(position)].setdefault(kind, [])
        if len(chosen) < OF_EACH:
            chosen.append(_example(views, position))
    order = ("differ", "correct", "wrong", "answered")
    return [
        TaskExamples(task, tuple((kind, tuple(kinds[kind])) for kind in order if kind in kinds))
        for task, kinds in found.items()
        if any(kind in kinds for kind in order)
    ]


def unread(views: Sequence[RunView]) -> list[Reason]:
    """Replies without an answer, as the tables count them: by verdict, and by reason, the most frequent first."""
    counts: dict[tuple[str, str], list[int]] = {}
    said: dict[tuple[str, str], str] = {}
    for number, view in enumerate(views):
        columns = [view.asked.index(variant) for variant in view.variants]
        lost = view.replies.became(UNREAD, columns)
        for place in seeds.stream(0, "report", "unread").shuffled(lost):
            kept = view.replies.reply(*place)
            reason = (kept.verdict, kept.reason)
            counts.setdefault(reason, [0] * len(views))[number] += 1
            if reason not in said:
                said[reason] = _said(kept)
    ordered = sorted(counts, key=lambda key: (UNREAD.index(key[0]), -sum(counts[key]), key[1]))
    return [Reason(*key, tuple(counts[key]), said[key]) for key in ordered]


def _kind(views: list[RunView], position: int) -> str:
    """What became of an item's first variant: one verdict of all runs, or that they differ."""
    verdicts = {verdict for view in views if (verdict := view.verdict(position, view.variants[0]))}
    return verdicts.pop() if len(verdicts) == 1 else "differ"


def _example(views: list[RunView], position: int) -> Example:
    item: Item = views[0].run.benchmark.items.at(position)
    replies = [_reply(view, position, item) for view in views]
    right = letter_of(item.options, item.answer) if item.options and item.answer is not None else ""
    return Example(
        item=item.id,
        task=item.task,
        question=_cut(item.question),
        options=tuple(
            (letter, _cut(text), letter == right)
            for letter, text in zip(letters(len(item.options)), item.options, strict=True)
        ),
        answer="" if item.options else _cut(item.answer or ""),
        replies=tuple(replies),
        reference=views[0].kind(position) not in RULED_KINDS,
    )


def _reply(view: RunView, position: int, item: Item) -> ShownReply:
    kept = view.reply(position, view.variants[0])
    order = kept.order or tuple(range(len(item.options)))
    label = kept.label if kept.ruled else ""
    chosen = item.options[order[kept.chosen]] if 0 <= kept.chosen < len(order) else label
    blocked = kept.record is not None and kept.record.blocked
    return ShownReply(view.label, kept.verdict, kept.how, _cut(chosen), _said(kept), blocked)


def _said(kept: Kept) -> str:
    """What a reply says, or why there is none."""
    record = kept.record
    if record is None:
        return "the run has no reply to this item"
    if record.blocked:
        return "no reply: the provider blocked the item"
    failed = f"{record.error.kind}: {record.error.message}" if record.error is not None else ""
    return _ends((failed if record.text is None else record.text).strip())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _ends(text: str) -> str:
    """The start and the end of a long reply: one that reasons at length says its answer last."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"
