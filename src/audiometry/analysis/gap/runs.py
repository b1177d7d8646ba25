"""Static scores from run folders, with their own uncertainty, and item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audiometry.analysis.gap.scores import Cell, Floats, ScoreTable, table
from audiometry.choices.variant import of_score
from audiometry.errors import UsageError, counted, shown
from audiometry.score import profiles as known
from audiometry.score.door import with_sheets
from audiometry.score.opened import OpenedRun, open_runs
from audiometry.score.result import Scored
from audiometry.score.row import Row
from audiometry.score.sheet import Sheet
from audiometry.score.two_runs import by_what, plans_of
from audiometry.stats.quantile import normal_quantile


class ItemScores(msgspec.Struct, frozen=True, kw_only=True):
    """What each system scores on each item of one benchmark.

    Attributes:
        benchmark: as in the table of scores.
        systems: names, a row each.
        items: ids, a column each; those that every system was asked and that have a score.
        tasks: of the items.
        values: ``float64[systems, items]``, the better the higher.
        cluster: ``int64[items]``, equal where items are not independent.
    """

    benchmark: str
    systems: tuple[str, ...]
    items: tuple[str, ...]
    tasks: tuple[str, ...]
    values: Floats
    cluster: np.ndarray[tuple[int], np.dtype[np.int64]]


class _Filled(msgspec.Struct, frozen=True):
    """One score of one run."""

    benchmark: str
    run: OpenedRun
    scored: Scored
    sheet: Sheet


def of_runs(
    runs: Sequence[Path | OpenedRun], *, profile: str = known.DEFAULT, bench: str = "", by_task: bool = False
) -> tuple[ScoreTable, tuple[ItemScores, ...]]:
    """Scores of runs, by model and benchmark, through the one door of scoring.

    A benchmark whose items several measures score is several, ``NAME (wer)``. Judges' scores are those that lie in the
    run folders: nobody is asked. A run that is not finished, or of which more than 1 % of the replies failed, gives no
    score, and a line says so.

    Args:
        runs: of any benchmarks, or the paths of their folders.
        profile: whose rules.
        bench: where the benchmark is now, if it moved.
        by_task: each task is a benchmark of its own, ``NAME/TASK``.

    Returns:
        The table, and what each item is worth where at least two systems were asked it.

    Raises:
        UsageError: nothing in them can be scored so.
        RunFolderError: one is no run folder, or damaged.
    """
    notes: list[str] = []
    filled: list[_Filled] = []
    for run in open_runs(list(runs), bench):
        try:
            filled += _filled(run, profile)
        except UsageError as problem:
            notes.append(f"no score: {problem}")
    if not filled:
        raise UsageError(notes[0] if notes else "no run has a score; give run folders with --runs")
    cells = [cell for one in filled for cell in _cells(one, notes, by_task=by_task)]
    found = table(cells, notes=notes, n_unread=0, source=", ".join(str(one.folder.path) for one in _runs(filled)))
    return found, tuple(_by_item(filled))


def _runs(filled: Sequence[_Filled]) -> list[OpenedRun]:
    return list({one.run.folder.path: one.run for one in filled}.values())


def _filled(run: OpenedRun, profile: str) -> Iterator[_Filled]:
    lost: dict[str, UsageError] = {}
    plans = plans_of(run, by_what([run], profile, None, "", "mean"), lost)
    found, sheets = with_sheets(run, list(plans.values()))
    name = run.info.benchmark.name
    if not found.scores:
        why = str(next(iter(lost.values()), "its items need a judge, or have nothing to be held to"))
        raise UsageError(f"{run.folder.path}: {why}")
    for key, scored in found.scores.items():
        yield _Filled(name if len(found.scores) == 1 else f"{name} ({key})", run, scored, sheets[key])


def _cells(one: _Filled, notes: list[str], *, by_task: bool) -> Iterator[Cell]:
    if not one.scored.rankable or one.scored.value is None:
        lost = counted(one.scored.n_lost, "reply")
        notes.append(
            f"{shown(str(one.run.folder.path), 200)}: {lost} of {one.scored.n_replies:,} lacking, so it gives no score"
        )
        yield _cell(one, one.benchmark, None)
        return
    if by_task and len(one.scored.tasks) > 1:
        for task, row in one.scored.tasks.items():
            yield _cell(one, f"{one.benchmark}/{task}", row, one.run.benchmark.card.task_named(task).category)
        return
    yield _cell(one, one.benchmark, one.scored)


def _cell(one: _Filled, benchmark: str, row: Row | None, category: str = "") -> Cell:
    error = None
    if row is not None and row.interval is not None:
        error = (row.interval[1] - row.interval[0]) / (2 * normal_quantile(0.95))
    return Cell(
        system=one.run.info.model,
        benchmark=benchmark,
        score=None if row is None else row.value,
        error=error,
        n_items=None if row is None else row.n_items,
        category=category,
        lower=one.scored.direction == "down",
    )


def _by_item(filled: Sequence[_Filled]) -> Iterator[ItemScores]:
    """Items of each benchmark; where a model has several runs of it, its first."""
    for benchmark in dict.fromkeys(one.benchmark for one in filled):
        own = list({one.run.info.model: one for one in reversed(filled) if one.benchmark == benchmark}.values())[::-1]
        alike = [one for one in own if one.run.benchmark.sha256 == own[0].run.benchmark.sha256]
        if len(alike) < 2:  # noqa: PLR2004  one system tells nothing of items
            continue
        each = [item_values(one.sheet) for one in alike]
        common = sorted(set.intersection(*(set(values) for values in each)))
        if not common:
            continue
        table_of, places = alike[0].sheet.items, {place: row for row, place in enumerate(alike[0].sheet.items.position)}
        rows = [places[place] for place in common]
        items = [alike[0].run.benchmark.items.at(place) for place in common]
        sign = -1.0 if alike[0].scored.direction == "down" else 1.0
        yield ItemScores(
            benchmark=benchmark,
            systems=tuple(one.run.info.model for one in alike),
            items=tuple(item.id for item in items),
            tasks=tuple(item.task for item in items),
            values=sign * np.array([[values[place] for place in common] for values in each], np.float64),
            cluster=np.asarray(table_of.cluster[rows], np.int64),
        )


def item_values(sheet: Sheet) -> dict[int, float]:
    """What each item is worth, by its place in the benchmark, over all ways in which it was asked.

    Where a measure makes its value of classes, an item is worth the share of its replies that are right.
    """
    own = sheet.of(variants=of_score(sheet.variants))
    lost = own.lost | ~own.counted
    if own.different is None and getattr(own.measure, "scale", "") not in {"f1", "recall"}:
        value = own.measure.value((own.parts * ~lost[..., None]).sum(axis=1))
    else:
        there = (~lost).sum(axis=1)
        right = ((own.letter == own.gold) & (own.gold >= 0) & ~lost).sum(axis=1)
        value = np.where(there > 0, right / np.maximum(there, 1), np.nan)
    there = np.isfinite(value)
    return dict(zip(own.items.position[there].tolist(), value[there].tolist(), strict=True))
