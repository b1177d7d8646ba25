"""Scores of answers and of the references beside them, by place: what a judge's own account is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from audiometry.records import Item, State, Task
from audiometry.score.averages import mean_of
from audiometry.score.extras import Against, Beside
from audiometry.score.items import FOLDER, Bools, Codes
from audiometry.score.judge.comparisons import ORDERS
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.measures.judge_score import MEASURE, JudgeScore
from audiometry.score.measures.measure import Counted, Floats
from audiometry.score.readers import Outcome
from audiometry.score.readers.judged import Compared
from audiometry.score.result import Scored
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import Table, clean

_K: Final = 2 * len(ORDERS)  # columns of one side: score and count of each order


class _WithReferences(JudgeScore, frozen=True, kw_only=True):
    """The judges' score as ever, with the references' beside it in further columns."""

    def columns(self, task: Task, gold: Sequence[str]) -> tuple[str, ...]:
        """Those of the answers, then those of the references."""
        own = super().columns(task, gold)
        return own + tuple(f"of-{name}" for name in own)

    def parts(self, items: Sequence[Item], outcomes: Sequence[Outcome], columns: Sequence[str]) -> Counted:
        """Both sides."""
        found = super().parts(items, outcomes, columns)
        none = (np.nan,) * len(ORDERS)
        beside = [one.references or none if isinstance(one, Compared) else none for one in outcomes]
        scores = np.array(beside, np.float64).reshape(-1, len(ORDERS))
        there = ~np.isnan(scores)
        other = np.stack((np.where(there, scores, 0.0), there), axis=-1).reshape(len(outcomes), _K)
        return Counted(np.concatenate((found.parts, other), axis=1), found.failures)

    def ends(self, items: Sequence[Item], columns: Sequence[str]) -> tuple[Floats, Floats]:
        """Of the answers; nothing is known of the references."""
        worst, best = (np.pad(end, ((0, 0), (0, _K))) for end in super().ends(items, columns))
        return worst, best

    def value(self, sums: Floats) -> Floats:
        """Of the answers."""
        return super().value(sums[..., :_K])


def with_references(name: str, rules: JudgeRules) -> JudgeScore:
    """The measure of judges' scores of that name, from end to end of what rules read, the references' beside them."""
    plain, ends = MEASURE[name], (float(rules.lowest), float(rules.highest))
    about = (
        plain.about if ends == plain.range else f"score from {ends[0]:g} to {ends[1]:g} by the rules of {rules.name}"
    )
    return _WithReferences(name=plain.name, about=about, range=ends, version=plain.version)


class Placed(msgspec.Struct, frozen=True):
    """Scores by item, variant and order, NaN where there is none.

    Attributes:
        model, reference: ``float64[n, v, 2]``.
        cluster: ``int64[n]``, of the items.
        lost: ``bool[n, v]``, replies that failed or hold no word: what they score loses to any reference.
    """

    model: Floats
    reference: Floats
    cluster: Codes
    lost: Bools


def placed(sheet: Sheet) -> Placed:
    """The scores of a sheet that was filled by `with_references`."""
    model, reference = (_scores(sheet.parts[..., at : at + _K]) for at in (0, _K))
    lost = np.asarray(np.isin(sheet.state, (CODE[State.FAILED], CODE[State.EMPTY])), np.bool_)
    return Placed(model, reference, sheet.items.cluster, lost)


def of_answers(sheet: Sheet) -> Sheet:
    """A sheet that was filled by `with_references` without what it holds of the references."""
    worst, best = (None if end is None else end[:, :_K] for end in (sheet.worst, sheet.best))
    return msgspec.structs.replace(sheet, parts=sheet.parts[..., :_K], worst=worst, best=best)


def as_heard(sheet: Sheet, made: Scored) -> Scored:
    """Without values where the judge failed at every reply: what rules give to empty ones would pass for its score."""
    if is_heard(sheet):
        return made
    none = {"value": None, "interval": None, "over_answered": None}
    rows = {
        name: {key: msgspec.structs.replace(row, **none) for key, row in getattr(made, name).items()}
        for name in ("categories", "pools", "tasks", "folders")
    }
    by = {tag: {key: msgspec.structs.replace(row, **none) for key, row in its.items()} for tag, its in made.by.items()}
    return msgspec.structs.replace(made, **none, **rows, by=by)


def is_heard(sheet: Sheet) -> bool:
    """Whether a judge gave any verdict, or had nothing to judge, or the rules give what it failed at a score."""
    unjudged = sheet.state == CODE[State.UNJUDGED]
    judged = sheet.counted & (unjudged | np.isin(sheet.state, (CODE[State.ANSWERED], CODE[State.REFUSED])))
    return bool(judged.any() or not unjudged.any() or not np.isnan(placed(sheet).reference).all())


def beside(sheet: Sheet, *, both: bool) -> Beside:
    """How answers do beside the references, for everything and for each category, task and folder.

    Args:
        sheet: filled by `with_references`, with the variants that count in a value.
        both: an answer wins by the mean of both orders, and not in each order by itself.
    """
    table, items = Table(sheet), sheet.items
    found = placed(sheet)
    if not is_heard(sheet):
        found = msgspec.structs.replace(found, model=np.full_like(found.model, np.nan), lost=np.zeros_like(found.lost))
    wins = _wins(found, both=both)
    category = np.array(table.categories)[table.pool]
    within = "items" if table.by_items else "tasks"
    return Beside(
        all=NOTHING if table.without_overall else _against(table, found, wins, None, table.averaged_by),
        categories={
            name: _against(table, found, wins, category == name, within)
            for name in dict.fromkeys(table.categories)
            if name and (category == name).any()
        },
        tasks={
            items.tasks[code]: _against(table, found, wins, items.task == code)
            for code in np.unique(items.task).tolist()
        },
        folders={name: _against(table, found, wins, rows) for name, rows in items.tagged(FOLDER).items()},
    )


def _against(table: Table, found: Placed, wins: Floats, rows: Bools | None, average: str = "items") -> Against:
    rows = np.ones(len(table.pool), np.bool_) if rows is None else rows
    leaf, categories = table.leaves(rows, "items" if average == "none" else average)

    def mean(scores: Floats) -> float | None:
        there = ~np.isnan(scores[rows])
        parts = np.stack((np.where(there, scores[rows], 0.0), there), axis=-1).reshape(*there.shape[:2], _K)
        value = table.sheet.measure.value
        found = mean_of(lambda inside: value(parts[inside].sum(axis=0)), leaf, categories, _any(there))
        return None if found is None else clean(found)

    win, tie, loss = (mean(wins[..., kind]) for kind in range(3))
    orders: dict[str, float | None] = {}
    for order, name in enumerate(ORDERS):
        alone = np.full_like(found.model, np.nan)
        alone[..., order] = found.model[..., order]
        orders[name] = mean(alone)
    n = int((~np.isnan(found.reference[rows])).any(axis=2).sum())
    return Against(reference=mean(found.reference), orders=orders, win=win, tie=tie, loss=loss, n_reference=n)


NOTHING: Final = Against(reference=None, orders=dict.fromkeys(ORDERS), win=None, tie=None, loss=None)


def _wins(found: Placed, *, both: bool) -> Floats:
    """``float64[n, v, 2, 3]``: 1 where the answer wins, ties, loses, by order; NaN where that is not known."""
    model, reference = found.model, found.reference
    if both:
        model, reference = (np.repeat(side.mean(axis=2, keepdims=True), 2, axis=2) for side in (model, reference))
    kinds = np.stack((model > reference, model == reference, model < reference), axis=-1).astype(np.float64)
    known = ~np.isnan(model) & ~np.isnan(reference)
    lost = ~np.isnan(model) & np.isnan(reference) & found.lost[..., None]
    kinds[lost] = (0.0, 0.0, 1.0)
    kinds[~known & ~lost] = np.nan
    return np.asarray(kinds)


def _any(there: Bools) -> Bools:
    return np.asarray(there.any(axis=2), np.bool_)


def _scores(parts: Floats) -> Floats:
    score, count = parts[..., 0::2], parts[..., 1::2]
    return np.where(count > 0, score, np.nan)
