"""What has a number in each run: tasks, categories, values of a tag, rules; as a chart takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from audiometry.errors import counted, shown
from audiometry.render.table import Cell, Column
from audiometry.report.naming import LONGEST
from audiometry.report.numbers import Scale, scale
from audiometry.report.views.significance import Sign, Signs
from audiometry.score.extras import Against
from audiometry.score.result import Row, Scored

INTERVAL: Final = "its 95 % interval"
"""What captions say that there is beside a number."""
Get: TypeAlias = Callable[[Row, Against | None], Cell]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that has a number in each run: a task, a category, a tag's value, everything.

    Attributes:
        title: what it is called.
        rows: of each run; None: it has none.
        against: the references beside each.
        note: what it is, on demand.
        items: see `RowInfo`, as for the rest.
        series: number of the run that it is of; None: of all.
        strong: whether it sums up others.
        last: whether what follows is set apart.
        absent: what is said where it has no row.
        tests: of each run against the first; none: they are not compared.
    """

    title: str
    rows: tuple[Row | None, ...]
    against: tuple[Against | None, ...] = ()
    note: str = ""
    items: str = ""
    series: int | None = None
    strong: bool = False
    last: bool = False
    absent: str = ""
    tests: tuple[Sign | None, ...] = ()

    def values(self) -> list[float]:
        """The values that there are."""
        return [row.value for row in self.rows if row is not None and row.value is not None]


class Entries(msgspec.Struct, frozen=True, kw_only=True):
    """Entries that stand together.

    Attributes:
        all: at least one.
        place: id of their figure and table.
        corner: heading of their names.
        caption: what they show.
        sortable: whether readers may have them in another order.
        more: further columns.
        signature: how their numbers were made; empty: as the scores are that they are of.
    """

    all: tuple[Entry, ...]
    place: str
    corner: str
    caption: str
    sortable: bool = False
    more: tuple[tuple[Column, Get], ...] = ()
    signature: str = ""

    @property
    def caption_of_values(self) -> str:
        """The caption where intervals are left out."""
        return self.caption.replace(f"{INTERVAL} and ", "").replace(f", with {INTERVAL}", "")

    @property
    def tested(self) -> bool:
        """Whether numbers of other runs were held against the first run's."""
        return any(test is not None for entry in self.all for test in entry.tests)

    @property
    def rows(self) -> list[Row]:
        """The rows of all runs that there are."""
        return [row for entry in self.all for row in entry.rows if row is not None]

    @property
    def chance(self) -> bool:
        """Whether guessing gives anything."""
        return any(row.chance is not None for row in self.rows)


class Runs(msgspec.Struct, frozen=True, kw_only=True):
    """What all rows of a score have in common.

    Attributes:
        scored: the score of each run; None where it has none.
        labels: what each run is called.
        absent: of each run, what is said where it has no such score.
        tests: of each against the first; None: they are not compared.
        small: that the only task is a small set; empty where it is none, or one of several.
    """

    scored: tuple[Scored | None, ...]
    labels: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    tests: Signs | None = None
    small: str = ""

    @property
    def first(self) -> Scored:
        """Of the runs' scores the first that there is."""
        return next(one for one in self.scored if one is not None)

    @property
    def several(self) -> bool:
        """Whether there are more runs than one."""
        return len(self.scored) > 1

    @property
    def its(self) -> Scale:
        """How numbers are printed."""
        return scale(self.first)

    @property
    def judged(self) -> bool:
        """Whether it is of what judges said."""
        return self.first.extras.beside is not None

    @property
    def signature(self) -> str:
        """How the numbers were made; where runs differ in that, of each."""
        return "; ".join(dict.fromkeys(one.signature for one in self.scored if one is not None))

    @property
    def part(self) -> str:
        """What part of the benchmark the numbers of all runs are of; empty where of all, or not alike."""
        parts = {one.part for one in self.scored if one is not None}
        return parts.pop() if len(parts) == 1 else ""

    @property
    def caveat(self) -> str:
        """What a caption adds of a small set, and of runs whose replies are not all there, with the ends of those."""
        said = [f"; {self.small}"] if self.small else []
        for at, one in enumerate(self.scored):
            if one is not None and not one.complete:
                who = f"{shown(self.labels[at], LONGEST)} is " if self.several else ""
                ends = f", bounds {self.its.span(one.bounds)}" if one.bounds is not None else ""
                said.append(f"; {who}incomplete{ends}")
        return "".join(said)

    @property
    def missing(self) -> str:
        """What a caption adds of such runs where another number than the score is shown: how many replies are lost."""
        said = []
        for at, one in enumerate(self.scored):
            if one is not None and not one.complete:
                of = f" of {shown(self.labels[at], LONGEST)}" if self.several else ""
                said.append(f"; incomplete, {one.n_lost:,} of {counted(one.n_replies, 'reply')}{of} missing")
        return "".join(said)

    @property
    def reference(self) -> str:
        """What numbers are held against; empty for nothing."""
        chance = any(one is not None and one.chance is not None for one in self.scored)
        return "reference answers" if self.judged else "chance" if chance else ""
