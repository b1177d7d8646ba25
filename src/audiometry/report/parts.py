"""The parts of a report's page: each is one score of all its runs, with its scale, its rows and what it alone has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from audiometry.render.figure import Axis
from audiometry.report.gather import RunView
from audiometry.report.naming import endings
from audiometry.report.numbers import Scale, scale
from audiometry.report.published import Published, beside
from audiometry.score.result import Comparison, Row, Scored


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One score.

    Attributes:
        name: of it.
        ending: of the ids of its sections, see `naming.endings`.
        first: of the runs' scores the first that there is.
        scored: of each run; None where it has none.
        its: how its numbers are printed.
        axis: of its drawings.
        comparisons: of the first run with others, with the number of the other.
        apart: why others are not compared.
        published: what a paper printed, beside them; None where nothing is known.
        absent: of each run, what it says where it is not scored.
    """

    name: str
    ending: str
    first: Scored
    scored: tuple[Scored | None, ...]
    its: Scale
    axis: Axis
    comparisons: list[tuple[int, Comparison]]
    apart: list[tuple[int, str]]
    published: Published | None
    absent: tuple[str, ...]

    @property
    def choice(self) -> bool:
        """Whether it is the share of questions with options that are answered right."""
        return _of_choices(self.first)

    @property
    def judged(self) -> bool:
        """Whether it is of what judges said."""
        return self.first.extras.beside is not None

    @property
    def chance(self) -> bool:
        """Whether there is something that guessing gives."""
        return any(one is not None and one.chance is not None for one in self.scored)

    def id(self, section: str) -> str:
        """The anchor of a section of this part."""
        return f"{section}{self.ending}"


def parts(views: Sequence[RunView], comparisons: Mapping[str, list[tuple[int, Comparison | str]]]) -> list[Part]:
    """The scores that any of the runs has, in the order of the first that has them; none of a run without any reply.

    Args:
        views: the runs.
        comparisons: by the name of the score, with the number of the other run; or why there is none.
    """
    names = list(dict.fromkeys(name for view in views if not view.silent for name in view.scored))
    benchmark = views[0].run.info.benchmark.name
    found = []
    every = [tuple(None if view.silent else view.scored.get(name) for view in views) for name in names]
    firsts = [next(one for one in scored if one is not None) for scored in every]
    told = endings([first.measure for first in firsts])
    for name, scored, first, ending in zip(names, every, firsts, told, strict=True):
        its = scale(first)
        ends = [end for one in scored if one is not None for row in (one, *one.tasks.values()) for end in _ends(row)]
        alike = comparisons.get(name, [])
        there = [one for one, view in zip(scored, views, strict=True) if not view.silent]
        found.append(
            Part(
                name=name,
                ending=ending,
                first=first,
                scored=scored,
                its=its,
                axis=its.axis(ends),
                comparisons=[(other, one) for other, one in alike if isinstance(one, Comparison)],
                apart=[(other, why) for other, why in alike if isinstance(why, str)],
                published=_published(benchmark, there),
                absent=tuple(_absent(first, view) for view in views),
            )
        )
    return found


def _absent(first: Scored, view: RunView) -> str:
    """Why a run has no row of a score that another has."""
    if view.silent:
        return "no reply"
    if first.extras.beside and view.unjudged:
        return "not judged"
    task_of = view.run.benchmark.items.task_of
    return "not scored" if any(task_of(at) in first.tasks for at in view.run.positions) else "not asked"


def _published(benchmark: str, scored: Sequence[Scored | None]) -> Published | None:
    """What papers printed of scores of this kind, which are those of choices and of judged answers."""
    every = [one for one in scored if one is not None]
    kind = _of_choices(every[0]) or every[0].extras.beside is not None
    return beside(benchmark, every) if kind and len(every) == len(scored) else None


def _of_choices(scored: Scored) -> bool:
    return scored.kinds == ("choice",) and scale(scored).share


def _ends(row: Row | None) -> tuple[float, ...]:
    return () if row is None or row.value is None else (row.value, *(row.interval or ()))
