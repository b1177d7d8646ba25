"""Which label was read where which was right: a matrix that leads to the items behind each count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from audiometry.errors import counted, shown
from audiometry.records import Card
from audiometry.render.document import Block, Chart, Folded, line
from audiometry.render.figure import Axis, Band, Figure, Mark
from audiometry.render.table import Cell, Column, Link, Table
from audiometry.report.naming import LONGEST, endings
from audiometry.report.views.entries import Runs
from audiometry.score.counts import Confusion
from audiometry.score.result import Row

MOST_LABELS: Final = 20  # of a matrix; of more, only what is mistaken is listed
MISTAKES: Final = 3  # that a terminal names
MOST_MISTAKEN: Final = 20  # pairs


class _Of(msgspec.Struct, frozen=True, kw_only=True):
    """A task of a run: what it is called, and where its counts stand.

    Attributes:
        id: of figure and table.
        signature: of the score.
        task: its name.
        called: the task, and the run where there are several.
        run: what the run is called, where there are several.
        n_items: of the task.
        missing: what a caption adds where replies to it are lost.
        what: was read: a label, an option.
    """

    id: str
    signature: str
    task: str
    called: str
    run: str
    n_items: int
    missing: str
    what: str

    def link(self, n: int, right: str, chosen: str, verdict: str = "") -> str:
        """The replies behind a count; ``chosen`` empty: those in which nothing was read; all of a verdict, if any."""
        asked = {"task": self.task, "right": right, "chosen": chosen} | ({"run": self.run} if self.run else {})
        asked |= {"verdict": verdict} if verdict else {}
        return urlencode(asked) if n else ""


def confusion(runs: Runs, card: Card, place: str) -> Iterator[Block]:
    """A matrix a run and task, of labels or of options that all its questions have, folded up where there are several.

    A terminal has no room for any: it says what of labels is mistaken most often.

    Args:
        runs: the score of each run.
        card: of the benchmark.
        place: id of the section.
    """
    every = [
        (runs.labels[number] if runs.several else "", scored, task, found)
        for number, scored in enumerate(runs.scored)
        if scored is not None
        for task, found in scored.extras.confusion.items()
    ]
    tasks = list(dict.fromkeys(task for _, _, task, _ in every))
    of_task = dict(zip(tasks, endings(tasks), strict=True))
    of_run = dict(zip(runs.labels, endings(runs.labels), strict=True)) if runs.several else {}
    labels: dict[str, list[tuple[Block, str]]] = {}
    options: list[Block] = []
    for run, scored, task, found in every:
        of = _Of(
            id=f"confusion{place.removeprefix('tasks')}{of_task[task]}{of_run.get(run, '')}",
            signature=scored.signature,
            task=task,
            called=", ".join(filter(None, (card.title_of(task), shown(run, LONGEST)))),
            run=run,
            n_items=scored.tasks[task].n_items,
            missing=_missing(scored.tasks[task]),
            what="option" if scored.kinds == ("choice",) else "label",
        )
        pairs = _mistaken(found)
        if len(found.labels) <= MOST_LABELS:
            inside: Block = _matrix(of, found)
        elif pairs:
            inside = _pairs(of, pairs)
        else:
            inside = line(f"Of its {len(found.labels):,} {of.what}s none is read where another is right.")
        if of.what == "label":
            labels.setdefault(task, []).append((inside, _most(of.called, pairs)))
        else:
            options.append(inside)
    made = {scored.signature for _, scored, _, _ in every}
    signature = made.pop() if len(made) == 1 else ""
    yield from _folded(labels, card, signature)
    if options:
        yield Folded("Which option is taken for which", tuple(options), signature=signature)


def _folded(labels: Mapping[str, Sequence[tuple[Block, str]]], card: Card, signature: str) -> Iterator[Folded]:
    """The matrices of each task under its title, all of these under one title where there are several."""
    alone = len(labels) == 1
    each = [
        Folded(
            f"What is taken for what in {card.title_of(task)}" if alone else card.title_of(task),
            tuple(block for block, _ in found),
            instead=" ".join(filter(None, (short for _, short in found))),
            opened=len(found) == 1,
            signature=signature if alone else "",
        )
        for task, found in labels.items()
    ]
    if alone or not each:
        yield from each
    else:
        yield Folded("What is taken for what, task by task", tuple(each), printed=True, signature=signature)


def _mistaken(found: Confusion) -> list[tuple[int, str, str]]:
    """How often one label was read where another was right, and the two, the most frequent first."""
    pairs = [
        (n, right, read)
        for right, row in zip(found.labels, found.counts, strict=True)
        for read, n in zip(found.labels, row, strict=True)
        if n and read != right
    ]
    return sorted(pairs, key=lambda pair: -pair[0])


def _most(called: str, pairs: Sequence[tuple[int, str, str]]) -> str:
    """What a terminal says in place of a matrix; empty where nothing is mistaken."""
    named = ", ".join(f"{shown(right, 40)} read as {shown(read, 40)} ({n:,})" for n, right, read in pairs[:MISTAKES])
    return f"Most often mistaken in {called}: {named}." if pairs else ""


def _missing(row: Row) -> str:
    return f"; incomplete, {row.n_lost:,} of {counted(row.n_replies, 'reply')} missing" if row.n_lost else ""


def _matrix(of: _Of, found: Confusion) -> Chart:
    """Right labels by row: each count is the darker the larger its share of the row."""
    refused = found.refused if any(found.refused) else ()
    sides = (*found.labels, *(["refused"] if refused else []), f"no {of.what}")
    counts = [
        (*row, refused[at], without - refused[at]) if refused else (*row, without)
        for at, (row, without) in enumerate(zip(found.counts, found.without_label, strict=True))
    ]
    n = sum(map(sum, counts))
    caption = f"Which {of.what} is read, by the right one, in {counted(n, 'reply')}: {of.called}{of.missing}"
    marks: list[Mark] = []
    for y, (right, row) in enumerate(zip(found.labels, counts, strict=True)):
        to = [of.link(k, right, label) for k, label in zip(row, found.labels, strict=False)]
        to += [of.link(row[-2], right, "", "refused"), ""] if refused else [of.link(row[-1], right, "")]
        marks += (
            Mark(x=x, y=y, n=k, shade=k / max(1, sum(row)), framed=x == y, items=to[x]) for x, k in enumerate(row)
        )
        marks.append(Mark(x=len(sides), y=y, n=sum(row)))
    figure = Figure(
        id=of.id,
        caption=caption,
        signature=of.signature,
        kind="matrix",
        x=Axis(title="read as", bands=tuple(Band(name=shown(name, LONGEST)) for name in (*sides, "all"))),
        y=Axis(title="right", bands=tuple(Band(name=shown(name, LONGEST)) for name in found.labels)),
        marks=tuple(marks),
        reference_name=f"the right {of.what}",
        n=of.n_items,
        shade_name="share of the row, 0 to 100\u00a0%",
    )
    read = (Column(id=f"read-{at}", title=f"read as {label}", kind="count") for at, label in enumerate(found.labels, 1))
    none = [Column(id="refused", title="refused", kind="count")] if refused else []
    none.append(Column(id="none", title=f"no {of.what}", kind="count"))
    table = Table(
        id=of.id,
        caption=caption,
        signature=of.signature,
        columns=(
            Column(id="right", title="right", kind="name"),
            *read,
            *none,
            Column(id="all", title="all", kind="count"),
        ),
        rows=tuple((right, *row, sum(row)) for right, row in zip(found.labels, counts, strict=True)),
    )
    return Chart(figure, table)


def _pairs(of: _Of, pairs: list[tuple[int, str, str]]) -> Table:
    kept = pairs[:MOST_MISTAKEN]
    cells: Iterator[tuple[Cell, ...]] = ((right, read, Link(n, of.link(n, right, read))) for n, right, read in kept)
    n, among = (sum(n for n, _, _ in some) for some in (kept, pairs))
    part = (
        f"; {len(kept)} of {len(pairs):,} such pairs, {n:,} of {counted(among, 'reply')}" if pairs[len(kept) :] else ""
    )
    return Table(
        id=of.id,
        caption=f"{of.what.capitalize()}s that are taken for one another most often: {of.called}{part}{of.missing}",
        signature=of.signature,
        columns=(
            Column(id="right", title="right", kind="name"),
            Column(id="read", title="read as", kind="name"),
            Column(id="replies", title="replies", kind="count"),
        ),
        rows=tuple(cells),
    )
