"""From marks to rows: tasks, categories, folders, the headline, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.choices import letters
from audiometry.records import Card, Verdict
from audiometry.score.averages import shares
from audiometry.score.extras import Extras, Letters
from audiometry.score.judged import CHOICE, CODE, Judged, OpenRun
from audiometry.score.marks import Marks, any_reply, plain, shares_right
from audiometry.score.profiles import Rules
from audiometry.score.result import Row, Scored
from audiometry.stats.interval import proportion

MOST_FAILED = 0.01  # a run with more replies lost than this is not ranked
MEASURE, UNIT = "accuracy", "share correct"
FOLDER = "folder"  # the tag that names an item's data folder
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class ItemTable(msgspec.Struct, frozen=True):
    """What aggregation needs to know of the planned items, a column each.

    Attributes:
        task: ``int64[n]``, codes of ``tasks``.
        cluster: ``int64[n]``, codes; equal where items are not independent.
        chance: ``float64[n]``, what guessing gives.
        folder: ``int64[n]``, codes of ``folders``, -1 for none.
        tasks, folders: names.
        categories: of each task, empty for none.
    """

    task: Codes
    cluster: Codes
    chance: Floats
    folder: Codes
    tasks: tuple[str, ...]
    categories: tuple[str, ...]
    folders: tuple[str, ...] = ()

    @property
    def averaged_by(self) -> Literal["categories", "tasks"]:
        """Categories where every task that has items has one, tasks where not."""
        return "categories" if all(self.categories[code] for code in np.unique(self.task)) else "tasks"


def table(run: OpenRun) -> ItemTable:
    """The columns of a run's planned items."""
    names = list(run.benchmark.tasks())
    card: Card = run.benchmark.card
    entries = {name: card.task_named(name) for name in names}
    codes = {name: code for code, name in enumerate(names)}
    clusters: dict[str, int] = {}
    folders: dict[str, int] = {}
    n = len(run.positions)
    task, cluster, folder, chance = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    for row, position in enumerate(run.positions):
        item = run.benchmark.items.at(position)
        task[row] = codes[item.task]
        cluster[row] = clusters.setdefault(item.cluster, len(clusters))
        stated = entries[item.task].chance
        chance[row] = stated if stated is not None else (1 / len(item.options) if item.options else 0.0)
        tag = item.tags.get(FOLDER)
        folder[row] = -1 if tag is None else folders.setdefault(str(tag), len(folders))
    categories = tuple(entry.category for entry in entries.values())
    return ItemTable(task, cluster, chance, folder, tuple(names), categories, tuple(folders))


def scored(
    items: ItemTable,
    judged: Judged,
    signature: str,
    marks: Marks | None = None,
    rules: Rules | None = None,
    profile: str = "",
) -> Scored:
    """All rows of a run under one profile.

    Under the house's rules the headline is the mean of the categories' means of tasks where every task has a
    category, the mean of tasks where not; so a task's weight does not depend on how many items it happens to have.
    A task of several folders pools their items.

    Args:
        items: the planned items.
        judged: the verdicts of the profile's reader.
        signature: how the numbers are made.
        marks: what the profile's rules make of the verdicts; None: the house's.
        rules: the profile's; None: the house's.
        profile: its name.
    """
    marks = plain(judged) if marks is None else marks
    by_items = rules is not None and rules.average == "items"
    codes = np.unique(items.task)
    in_category = np.array(items.categories)[items.task]
    over_all = whole(items, judged, marks, rules)
    one_group = None if by_items else [""] * len(items.tasks)
    tasks = {items.tasks[code]: _row(items, judged, marks, items.task == code, None) for code in codes}
    categories = {
        name: _row(items, judged, marks, in_category == name, one_group)
        for name in dict.fromkeys(items.categories)
        if name and (in_category == name).any()
    }
    return Scored(
        signature=signature,
        profile=profile,
        measure=MEASURE,
        unit=UNIT,
        kinds=(CHOICE,),
        direction="up",
        range=(0.0, 1.0),
        average="items" if by_items else items.averaged_by,
        complete=over_all.n_lost == 0,
        rankable=over_all.n_lost <= MOST_FAILED * over_all.n_replies,
        failures=judged.failures,
        n_blocked=judged.n_blocked,
        categories=categories,
        tasks=tasks,
        folders=_folders(items, judged, marks),
        pooled=_pooled(items),
        left_out=tuple(name for name, row in tasks.items() if not row.n_counted and not row.n_not_asked),
        extras=Extras(letters=_letters(judged)),
        **msgspec.structs.asdict(over_all),
    )


def whole(items: ItemTable, judged: Judged, marks: Marks, rules: Rules | None = None) -> Row:
    """The row over everything, averaged as `scored` does."""
    by_items = rules is not None and rules.average == "items"
    return _row(items, judged, marks, slice(None), None if by_items else _groups(items))


class Counts(msgspec.Struct, frozen=True):
    """What became of replies; see `Row`."""

    n_replies: int
    n_answered: int
    n_unanswered: int
    n_refused: int
    n_empty: int
    n_failed: int
    n_not_asked: int
    n_unjudged: int = 0


def counts(judged: Judged, rows: Bools | slice = slice(None)) -> Counts:
    """Count the verdicts of some items."""
    found = np.bincount(judged.verdict[rows].ravel(), minlength=len(CODE))
    n = {name: int(found[code]) for name, code in CODE.items()}
    n_empty, n_not_asked = int(judged.empty[rows].sum()), int(judged.missing[rows].sum())
    return Counts(
        n_replies=int(found.sum()),
        n_answered=n[Verdict.CORRECT] + n[Verdict.WRONG],
        n_unanswered=n[Verdict.UNANSWERED] - n_empty,
        n_refused=n[Verdict.REFUSED],
        n_empty=n_empty,
        n_failed=n[Verdict.FAILED] - n_not_asked,
        n_not_asked=n_not_asked,
    )


def item_weights(items: ItemTable, rows: Bools | slice = slice(None), *, by_items: bool = False) -> Floats:
    """How much each item counts in the headline, ``float64[n]``, summing to 1 over the rows chosen.

    Args:
        items: the planned items.
        rows: those that count.
        by_items: all alike, instead of by categories and tasks.
    """
    task = items.task[rows]
    return _weights(task, np.ones(len(task), np.bool_), None if by_items else _groups(items))


def _groups(items: ItemTable) -> Sequence[str]:
    """What each task is averaged in."""
    return items.categories if items.averaged_by == "categories" else [""] * len(items.tasks)


def _weights(task: Codes, counted: Bools, groups: Sequence[str] | None) -> Floats:
    """How much each item counts, summing to 1, 0 where it does not; ``groups`` of tasks, None for items alike."""
    if groups is None or not counted.any():
        return counted / max(1, int(counted.sum()))
    sizes = np.bincount(task[counted], minlength=len(groups))
    present = np.flatnonzero(sizes)
    share = np.zeros(len(groups))
    share[present] = [float(part) for part in shares([groups[code] for code in present.tolist()])]
    return np.where(counted, (share / np.maximum(sizes, 1))[task], 0.0)


def _row(items: ItemTable, judged: Judged, marks: Marks, rows: Bools | slice, groups: Sequence[str] | None) -> Row:
    verdict, right, counted = judged.verdict[rows], marks.right[rows], marks.counted[rows]
    task, chance, guessed = items.task[rows], items.chance[rows], marks.guessed[rows]
    became = counts(judged, rows)
    weights = _weights(task, any_reply(counted), groups)
    estimate = None
    if counted.any():
        scores = shares_right(right, counted)
        estimate = proportion(scores, items.cluster[rows], weights=weights, strata=task)
    return Row(
        value=None if estimate is None or became.n_not_asked else estimate.value,
        interval=None if estimate is None or became.n_not_asked else (estimate.low, estimate.high),
        n_items=len(verdict),
        n_clusters=0 if estimate is None else estimate.n_clusters,
        over_answered=int((verdict == CODE[Verdict.CORRECT]).sum()) / became.n_answered if became.n_answered else None,
        chance=float(weights @ chance) if estimate is not None else float(chance.mean()),
        bounds=_bounds(task, verdict == CODE[Verdict.FAILED], right, counted, groups),
        n_counted=int(counted.sum()),
        n_guessed=int(guessed.sum()),
        n_guessed_right=int((guessed & right).sum()),
        **msgspec.structs.asdict(became),
    )


def _bounds(
    task: Codes, failed: Bools, right: Bools, counted: Bools, groups: Sequence[str] | None
) -> tuple[float, float] | None:
    """The headline with every failed reply counted as wrong, and as right; None if none failed."""
    if not failed.any():
        return None
    there = counted | failed
    weights = _weights(task, any_reply(there), groups)
    low, high = (shares_right(marked, there) for marked in (right & ~failed, right | failed))
    # the same sum as the headline's, so that where failures count as wrong the lower bound is exactly that
    return float((weights * low).sum() / weights.sum()), float((weights * high).sum() / weights.sum())


def _folders(items: ItemTable, judged: Judged, marks: Marks) -> dict[str, Row]:
    """Rows by folder, in the order of the tasks and then of the items."""
    first = {code: int(items.task[items.folder == code][0]) for code in range(len(items.folders))}
    ordered = sorted(first, key=lambda code: (first[code], code))
    return {items.folders[code]: _row(items, judged, marks, items.folder == code, None) for code in ordered}


def _pooled(items: ItemTable) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for code in np.unique(items.task):
        inside = np.unique(items.folder[(items.task == code) & (items.folder >= 0)])
        if len(inside) > 1:
            found[items.tasks[code]] = tuple(items.folders[folder] for folder in inside)
    return found


def _letters(judged: Judged) -> Letters | None:
    known = (judged.gold >= 0) & (judged.chosen >= 0)
    if not known.any():
        return None
    names: Sequence[str] = letters(int(max(judged.gold[known].max(), judged.chosen[known].max())) + 1)
    gold, chosen = np.bincount(judged.gold[known]), np.bincount(judged.chosen[known])
    return Letters(
        gold={name: int(gold[i]) if i < len(gold) else 0 for i, name in enumerate(names)},
        chosen={name: int(chosen[i]) if i < len(chosen) else 0 for i, name in enumerate(names)},
    )
