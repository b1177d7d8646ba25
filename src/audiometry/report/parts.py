"""The parts of a report's page: each is one score of all its runs, with its scale, its rows and what it alone has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from audiometry.records import Card
from audiometry.report.align_text import align_lines
from audiometry.report.axis import Axis, axis_of
from audiometry.report.gather import RunView
from audiometry.report.numbers import Scale, scale
from audiometry.report.published import Published, beside
from audiometry.report.rows import TaskName
from audiometry.report.said import Weight, mistaken, of_tag, said
from audiometry.report.text import STATES, field
from audiometry.score.counts import Confusion
from audiometry.score.extras import Against
from audiometry.score.result import Comparison, Row, Scored

MOST_LABELS = 20  # of a matrix; of more, only what is mistaken is listed
MOST_MISTAKEN = 20  # pairs


class Line(msgspec.Struct, frozen=True):
    """A line of a chart: a task, a category, another group or all, with a row of each run (None: it has none).

    Attributes:
        against: the references beside each row.
    """

    kind: str
    title: str
    note: str
    rows: tuple[Row | None, ...]
    against: tuple[Against | None, ...]


class Matrix(msgspec.Struct, frozen=True):
    """Which label was read where which was right, in one run and task; without rows where there are too many labels."""

    run: int
    task: str
    labels: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...], int], ...]
    mistaken: tuple[tuple[int, str, str], ...]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One score.

    Attributes:
        name: of it.
        number: its place on the page, from 1.
        first: of the runs' scores the first that there is.
        scored: of each run; None where it has none.
        its: how its numbers are printed.
        axis: of its drawings.
        chart: in blocks: all, then each category and its tasks; tasks without a category last.
        folders: the rows of data folders.
        groups: further rows, by what they are of: pools, and tags.
        told: what the rows do not tell, alike of all runs.
        said: of each run, what is not alike.
        comparisons: of the first run with others, with the number of the other.
        apart: why others are not compared.
        published: what a paper printed, beside them; None where nothing is known.
        absent: of each run, what it says where it is not scored.
        matrices: of labels.
    """

    name: str
    number: int
    first: Scored
    scored: tuple[Scored | None, ...]
    its: Scale
    axis: Axis
    chart: list[list[Line]]
    folders: list[Line]
    groups: list[list[Line]]
    told: list[tuple[Weight, str]]
    said: list[list[tuple[Weight, str]]]
    comparisons: list[tuple[int, Comparison]]
    apart: list[tuple[int, str]]
    published: Published | None
    absent: tuple[str, ...]
    matrices: list[Matrix]

    @property
    def choice(self) -> bool:
        """Whether it is the share of questions with options that are answered right."""
        return _of_choices(self.first)

    @property
    def paired(self) -> bool:
        """Whether there is something to say of runs in pairs."""
        return bool(self.comparisons or self.apart)

    @property
    def judged(self) -> bool:
        """Whether it is of what judges said."""
        return self.first.extras.beside is not None

    @property
    def chance(self) -> bool:
        """Whether there is something that guessing gives."""
        return any(one is not None and one.chance is not None for one in self.scored)

    @property
    def whole(self) -> str:
        """What the number over everything is."""
        return _whole(self.first)

    @property
    def value(self) -> str:
        """The heading of its numbers."""
        return "correct, %" if self.its.share else "score" if self.judged else self.first.measure

    @property
    def mark(self) -> str:
        """What the dashed line of its drawings is; empty where there is none."""
        return "reference answers" if self.judged else "chance" if self.chance else ""

    def id(self, section: str) -> str:
        """The anchor of a section of this part."""
        return section if self.number == 1 else f"{section}-{self.number}"

    def states(self, row: Row) -> list[str]:
        """How many of a row's replies have no answer, by what became of them."""
        return [f"{getattr(row, field(state)):,} {state}" for state in STATES if getattr(row, field(state))]


def parts(
    views: Sequence[RunView],
    tasks: Sequence[TaskName],
    comparisons: Mapping[str, list[tuple[int, Comparison | str]]],
) -> list[Part]:
    """The scores that any of the runs has, in the order of the first that has them.

    Args:
        views: the runs.
        tasks: of any of them.
        comparisons: by the name of the score, with the number of the other run; or why there is none.
    """
    names = list(dict.fromkeys(name for view in views for name in view.scored))
    card, benchmark = views[0].run.benchmark.card, views[0].run.info.benchmark.name
    found = []
    for number, name in enumerate(names, 1):
        scored = tuple(view.scored.get(name) for view in views)
        first = next(one for one in scored if one is not None)
        its, chart = scale(first), _chart(card, tasks, scored)
        ends = [end for block in chart for line in block for row in line.rows for end in _ends(row)]
        own = [(n, one) for n, one in enumerate(scored) if one is not None]
        alike = comparisons.get(name, [])
        told, said_of_each = _told([_said(name, one, its) for one in scored])
        found.append(
            Part(
                name=name,
                number=number,
                first=first,
                scored=scored,
                its=its,
                axis=axis_of(its, ends),
                chart=chart,
                folders=_lines("task", "folders", scored),
                groups=_groups(scored),
                told=told,
                said=said_of_each,
                comparisons=[(other, one) for other, one in alike if isinstance(one, Comparison)],
                apart=[(other, why) for other, why in alike if isinstance(why, str)],
                published=_published(benchmark, scored),
                absent=tuple(_absent(first, view) for view in views),
                matrices=[_matrix(n, task, m) for n, one in own for task, m in one.extras.confusion.items()],
            )
        )
    return found


def _absent(first: Scored, view: RunView) -> str:
    """Why a run has no row of a score that another has."""
    if first.extras.beside and view.unjudged:
        return "not judged"
    task_of = view.run.benchmark.items.task_of
    return "not scored" if any(task_of(at) in first.tasks for at in view.run.positions) else "not asked"


def _said(name: str, scored: Scored | None, its: Scale) -> list[tuple[Weight, str]] | None:
    return None if scored is None else [*said(name, scored, its), *align_lines(scored)]


def _told(
    each: Sequence[list[tuple[Weight, str]] | None],
) -> tuple[list[tuple[Weight, str]], list[list[tuple[Weight, str]]]]:
    """Lines that all runs have in common, and those of each that they have not."""
    first, *others = [lines for lines in each if lines is not None]
    told = [line for line in first if all(line in lines for lines in others)]
    return told, [[line for line in lines or () if line not in told] for lines in each]


def _whole(scored: Scored) -> str:
    named = {"none": "All items; these rules have no mean", "items": "All items"}
    return named.get(scored.average, f"Mean of {scored.average}")


def _published(benchmark: str, scored: Sequence[Scored | None]) -> Published | None:
    """What papers printed of scores of this kind, which are those of choices and of judged answers."""
    every = [one for one in scored if one is not None]
    kind = _of_choices(every[0]) or every[0].extras.beside is not None
    return beside(benchmark, every) if kind and len(every) == len(scored) else None


def _of_choices(scored: Scored) -> bool:
    return scored.kinds == ("choice",) and scale(scored).share


def _ends(row: Row | None) -> tuple[float, ...]:
    return () if row is None or row.value is None else (row.value, *(row.interval or ()))


def _line(kind: str, of: str, name: str, title: str, scored: Sequence[Scored | None], note: str = "") -> Line:
    rows = tuple(None if one is None else getattr(one, of).get(name) for one in scored)
    beside = tuple(one.extras.beside if one is not None else None for one in scored)
    return Line(kind, title, note, rows, tuple(getattr(one, of, {}).get(name) if one else None for one in beside))


def _lines(kind: str, of: str, scored: Sequence[Scored | None]) -> list[Line]:
    names = dict.fromkeys(name for one in scored if one is not None for name in getattr(one, of))
    return [_line(kind, of, name, name, scored) for name in names]


def _groups(scored: Sequence[Scored | None]) -> list[list[Line]]:
    """Pools, where these are averaged, and the values of tags."""
    found = [_lines("task", "pools", scored)]
    for tag in dict.fromkeys(tag for one in scored if one is not None for tag in one.by):
        rows = [{} if one is None else one.by.get(tag, {}) for one in scored]
        values = dict.fromkeys(value for one in rows for value in one)
        none = (None,) * len(rows)
        found.append([Line("task", of_tag(tag, v), "", tuple(one.get(v) for one in rows), none) for v in values])
    return [lines for lines in found if lines]


def _chart(card: Card, tasks: Sequence[TaskName], scored: Sequence[Scored | None]) -> list[list[Line]]:
    """The chart in blocks: the mean, then each category's mean and tasks; tasks without a category last."""
    beside = [one.extras.beside if one is not None else None for one in scored]
    first = next(one for one in scored if one is not None)
    blocks = [[Line("all", _whole(first), "", tuple(scored), tuple(one.all if one else None for one in beside))]]
    there = [task for task in tasks if any(one is not None and task.name in one.tasks for one in scored)]
    categories = dict.fromkeys(card.task_named(task.name).category for task in there)
    for category in sorted(categories, key=lambda name: not name):
        block = [_line("category", "categories", category, category, scored)] if category else []
        for task in there:
            entry = card.task_named(task.name)
            if entry.category == category:
                block.append(_line("task", "tasks", task.name, task.title, scored, entry.note))
        blocks.append(block)
    return blocks


def _matrix(run: int, task: str, found: Confusion) -> Matrix:
    few = len(found.labels) <= MOST_LABELS
    rows = zip(found.labels, found.counts, found.without_label, strict=True) if few else ()
    return Matrix(run, task, found.labels, tuple(rows), tuple(mistaken(found)[:MOST_MISTAKEN]))
