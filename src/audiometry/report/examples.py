"""Which items a report shows without being asked: a few of each kind, drawn by a named stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from audiometry import seeds
from audiometry.choices import letter_of, letters
from audiometry.records import Item, State
from audiometry.render.document import (
    Block,
    Card,
    Cards,
    Choices,
    Folded,
    Piece,
    Quoted,
    Section,
    Words,
    code,
    line,
    name,
)
from audiometry.report.gather import RunView
from audiometry.report.ledger import RULED_KINDS
from audiometry.report.naming import FEW, positions
from audiometry.report.record_row import NOT_ASKED, Kept
from audiometry.report.titles import SIGNS

OF_EACH: Final = 2
"""Examples of a task and a kind."""

LONGEST: Final = 280
"""Characters of a text in an example; the browser of items has all of it."""

UNREAD: Final = ("failed", NOT_ASKED, "refused", "empty", "unanswered", State.UNJUDGED.value)


class Reason(msgspec.Struct, frozen=True):
    """Why replies could not be counted as right or wrong: how many in each run, and what one of them says."""

    verdict: str
    how: str
    counts: tuple[int, ...]
    said: str


def examples(views: Sequence[RunView], tasks: Mapping[str, str]) -> Iterator[Section]:
    """Items of each task that were answered (right, or not), and that the runs do not agree on; nothing without any.

    Args:
        views: the runs.
        tasks: by name their titles.
    """
    found: dict[str, dict[str, list[Card]]] = {name: {} for name in tasks}
    shuffled = seeds.stream(0, "report", "examples").shuffled(list(positions(view.run for view in views)))
    items = views[0].run.benchmark.items
    for position in shuffled:
        chosen = found[items.task_of(position)].setdefault(_kind(views, position), [])
        if len(chosen) < OF_EACH:
            chosen.append(_example(views, position))
    folds: list[Block] = []
    alike = " in all runs" if len(views) > 1 else ""
    for number, (task, kinds) in enumerate(found.items(), 1):
        blocks = tuple(
            Section(
                id=f"examples-{number}-{kind}",
                title="The runs differ" if kind == "differ" else f"{kind.capitalize()}{alike}",
                blocks=(Cards(tuple(kinds[kind])),),
            )
            for kind in ("differ", "correct", "wrong", "answered")
            if kind in kinds
        )
        if blocks:
            folds.append(Folded(tasks[task], blocks, opened=not folds and len(views) <= FEW))
    lead = "A few items of each task, drawn at random but always the same ones. All items are below."
    if folds:
        yield Section(id="examples", title="Examples", blocks=(line(lead, weight="about"), *folds), short="Examples")


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


def _kind(views: Sequence[RunView], position: int) -> str:
    """What became of an item's first variant: one verdict of all runs, or that they differ."""
    verdicts = {verdict for view in views if (verdict := view.verdict(position, view.variants[0]))}
    return verdicts.pop() if len(verdicts) == 1 else "differ"


def _example(views: Sequence[RunView], position: int) -> Card:
    """An item with its options, the right one or its reference, and the replies of all runs."""
    item: Item = views[0].run.benchmark.items.at(position)
    right = letter_of(item.options, item.answer) if item.options and item.answer is not None else ""
    each = [
        (letter, _cut(text), "right answer" if letter == right else "")
        for letter, text in zip(letters(len(item.options)), item.options, strict=True)
    ]
    if item.answer and not each:
        ruled = views[0].kind(position) in RULED_KINDS
        each = [("", _cut(item.answer), "right answer" if ruled else "reference")]
    blocks: list[Block] = [line(name(_cut(item.question)), weight="asked"), *([Choices(tuple(each))] if each else [])]
    for view in views:
        blocks += _reply(view, position, item, several=len(views) > 1)
    return Card(tuple(blocks), item.id)


def _reply(view: RunView, position: int, item: Item, *, several: bool) -> Iterator[Block]:
    kept = view.reply(position, view.variants[0])
    order = kept.order or tuple(range(len(item.options)))
    label = kept.label if kept.ruled else ""
    chosen = item.options[order[kept.chosen]] if 0 <= kept.chosen < len(order) else label
    of: Words = (" ", name(view.label)) if several else ()
    read: Words = (" read as ", name(_cut(chosen))) if chosen else ()
    how: Words = (" by rule ", code(kept.how)) if kept.how else ()
    yield line(Piece(kept.verdict, "state", SIGNS[kept.verdict]), *of, *read, *how, weight="dim")
    blocked = kept.record is not None and kept.record.blocked
    yield Quoted("", _said(kept)) if blocked else Quoted(_said(kept), "an empty reply")


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
