"""From how many replies the rules read an option, and how far orders, wordings and repeats differ: a row a run."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import stdev

from audiometry.render.document import Folded
from audiometry.render.table import Cell, Column, Estimate, Table
from audiometry.report.numbers import Scale
from audiometry.report.views.entries import Runs
from audiometry.score.chosen import Share
from audiometry.score.result import Scored

SHARE = Scale(0.0, 1.0, share=True)


def form(runs: Runs, place: str) -> Iterator[Folded]:
    """What lines say of each run, as a table that can be saved; nothing of scores that are not of choices.

    Args:
        runs: whose.
        place: the id of the section of the score.
    """
    labels = runs.labels or ("this run",)
    there = [
        (label, one, one.extras.ifr)
        for label, one in zip(labels, runs.scored, strict=False)
        if one is not None and one.extras.ifr is not None
    ]
    if not any(_wanted(one) for _, one, _ in there):
        return
    apart = Column(id="sd", title="standard deviation", kind="number", unit="points" if runs.its.share else "")
    columns = (
        Column(id="run", title="run", kind="name"),
        SHARE.column("received", "IFR of replies that came"),
        SHARE.column("all", "IFR of all"),
        Column(id="replies", title="replies", kind="count"),
        Column(id="ways", title="ways of asking", kind="count"),
        apart,
    )
    rows: list[tuple[Cell, ...]] = []
    for label, one, read in there:
        each = list(one.extras.ways.values())
        spread = stdev(each) if len(each) > 1 else None
        rows.append((label, _share(read.of_received), _share(read.of_all), read.n_all, max(1, len(each)), spread))
    title = "Instruction-following rate, and how far ways of asking differ"
    caption = f"{title}: standard deviation of the scores in each order, wording and repeat{runs.missing}"
    table = Table(id=f"{place}-form", caption=caption, signature=runs.signature, columns=columns, rows=tuple(rows))
    yield Folded(title, (table,))


def _wanted(one: Scored) -> bool:
    """Whether a paper would print it: of several ways of asking, and of benchmarks whose papers do."""
    extras = one.extras
    more = extras.distractors is not None or extras.leave_one_out is not None
    return one.profile == "muchomusic" or more or len(extras.ways) > 1


def _share(of: Share | None) -> Cell:
    return "no reply" if of is None else Estimate(of.value, of.interval)
