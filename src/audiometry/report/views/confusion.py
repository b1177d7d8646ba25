"""Which label was read where which was right: a matrix that leads to the items behind each count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

from audiometry.records import Card
from audiometry.render.document import Block, Folded, line
from audiometry.render.table import Cell, Column, Link, Table
from audiometry.report.said import mistaken
from audiometry.report.views.entries import Runs
from audiometry.score.counts import Confusion

MOST_LABELS: Final = 20  # of a matrix; of more, only what is mistaken is listed
MOST_MISTAKEN: Final = 20  # pairs


def confusion(runs: Runs, card: Card, place: str) -> Iterator[Block]:
    """A table a task of labels and run, which a page shows and a terminal has no room for.

    Args:
        runs: the score of each run.
        card: of the benchmark.
        place: id of the section.
    """
    every = [
        (number, scored.signature, task, found)
        for number, scored in enumerate(runs.scored)
        if scored is not None
        for task, found in scored.extras.confusion.items()
    ]
    for at, (number, made, task, found) in enumerate(every, 1):
        label = runs.labels[number] if runs.several else ""
        called = card.task_named(task).title or task
        called += f", {label}" if label else ""
        title = f"What is taken for what in {called}"
        pairs = mistaken(found)[:MOST_MISTAKEN]
        if len(found.labels) <= MOST_LABELS:
            inside: Block = _matrix((f"{place}-confusion-{at}", made), task, found, called, label)
        elif pairs:
            inside = _pairs((f"{place}-confusion-{at}", made), task, pairs, called, label)
        else:
            inside = line(f"Of its {len(found.labels):,} labels none is read where another is right.")
        yield Folded(title, (inside,), opened=True)


def _link(n: int, task: str, right: str, chosen: str, run: str) -> Cell:
    """A count, with the replies behind it."""
    asked = {"task": task, "right": right, "chosen": chosen} | ({"run": run} if run else {})
    return Link(n, urlencode(asked)) if n else 0


def _matrix(of: tuple[str, str], task: str, found: Confusion, called: str, run: str) -> Table:
    rows = zip(found.labels, found.counts, found.without_label, strict=True)
    read = (Column(id=f"read-{at}", title=f"read as {label}", kind="count") for at, label in enumerate(found.labels, 1))
    return Table(
        id=of[0],
        caption=f"How often each label was read, by the right label: {called}",
        signature=of[1],
        columns=(
            Column(id="right", title="right", kind="name"),
            *read,
            Column(id="none", title="no label", kind="count"),
        ),
        rows=tuple(
            (
                right,
                *(_link(n, task, right, label, run) for label, n in zip(found.labels, counts, strict=True)),
                _link(without, task, right, "", run),
            )
            for right, counts, without in rows
        ),
    )


def _pairs(of: tuple[str, str], task: str, pairs: list[tuple[int, str, str]], called: str, run: str) -> Table:
    return Table(
        id=of[0],
        caption=f"Labels that are taken for one another most often: {called}",
        signature=of[1],
        columns=(
            Column(id="right", title="right", kind="name"),
            Column(id="read", title="read as", kind="name"),
            Column(id="replies", title="replies", kind="count"),
        ),
        rows=tuple((right, read, _link(n, task, right, read, run)) for n, right, read in pairs),
    )
