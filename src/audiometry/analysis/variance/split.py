"""The variance of one run's score: items, wordings, orders, and chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from audiometry.analysis.variance.influence import sums_of
from audiometry.analysis.variance.result import Consistency, Contrast, Level, Source, Split
from audiometry.choices.variant import Asked, asked, crossed
from audiometry.errors import UsageError, counted, shown
from audiometry.records import State
from audiometry.score.difference import Pairing
from audiometry.score.items import KINDS, Bools, Floats, occurring
from audiometry.score.sheet import CODE, Sheet
from audiometry.score.table import GUESSED, Table
from audiometry.stats.crossed import Component, components
from audiometry.stats.multiplicity import holm

_DUST = 1e-9  # a standard error below it is what rounding left
_Pair = tuple[int, int]
FACTORS = ("item", "wording", "order")


def split(sheet: Sheet, name: str, signature: str, of: int = 0) -> Split:
    """What one score is made of.

    Args:
        sheet: of the items that were asked in every variant, with these variants alone, all crossed.
        name: of the score.
        signature: how it is made.
        of: items of the run, those among them that were not asked in every variant; 0: none were.

    Raises:
        UsageError: there is no score, or nothing tells how far other clips would move it.
    """
    ways, unordered = _ways(sheet)
    whole = Table(sheet).whole()
    if whole.value is None:
        why = "the rules have no number over everything" if whole.replied else "no reply came, so there is no number"
        raise UsageError(f"{shown(str(sheet.run.folder.path))}: {name}: {why} to split")
    sums = sums_of(sheet)
    if sums.n_clusters == 1:
        n = counted(len(sheet.items), "item")
        path = shown(str(sheet.run.folder.path))
        raise UsageError(f"{path}: {name}: {n} of one clip: nothing tells how far others would move the score")
    drawn = ways.order > 1 and sheet.run.benchmark.card.data.columns.drawn
    found = components(_by_way(sums.pseudo_values(), sheet, _repeated(ways) if drawn else ways), FACTORS)
    by_variant = _by_way(sums.values()[None], sheet, ways)[0]
    sides = {way: [_at(sheet, way, level) for level in range(getattr(ways, way))] for way in ("wording", "order")}
    pairs = {
        way: {(a, b): Pairing(each[a], each[b]) for a, b in combinations(range(len(each)), 2)}
        for way, each in sides.items()
    }
    tasks = _tasks(sheet, sides["wording"])
    levels = {way: tuple(_levels(each)) if len(each) > 1 else () for way, each in sides.items()}
    measure = sheet.measure
    return Split(
        run=str(sheet.run.folder.path),
        model=sheet.run.info.called,
        name=name,
        measure=measure.name,
        unit=measure.unit,
        direction=measure.direction,
        range=measure.range,
        signature=signature,
        n_items=len(sheet.items),
        n_of=of or len(sheet.items),
        n_clusters=sums.n_clusters,
        wordings=ways.wording,
        orders=ways.order,
        repeats=ways.repeat,
        unordered=unordered,
        drawn=drawn,
        value=whole.value,
        bounds=whole.bounds,
        n_replies=whole.n_replies,
        n_lost=whole.n_failed + whole.n_unjudged,
        n_effective=sums.effective,
        n_alone=sums.n_alone,
        n_single=sums.n_single,
        error=error if (error := math.sqrt(sum(one.of_mean for one in found))) > _DUST else None,
        sources=tuple(_sources(found, sums.n_clusters)),
        by_wording=levels["wording"],
        by_order=levels["order"],
        wording=_contrast(pairs["wording"], levels["wording"], up=measure.direction == "up"),
        order=_contrast(pairs["order"], levels["order"], up=measure.direction == "up"),
        cells=tuple(map(tuple, by_variant.mean(axis=-1).tolist())),
        tasks=tasks,
        tasks_p=_task_ps(pairs["wording"], tasks) if len(tasks) > 1 else {},
        words=_words(sheet, ways),
        consistency=_consistency(sheet),
    )


def _ways(sheet: Sheet) -> tuple[Asked, int]:
    """In how many ways items were asked, and of how many items further orders are repeats, as they have no options.

    Where most are such, orders of all count as repeats: of so few with options, chance would pass for their order.
    """
    ways = crossed(sheet.variants)
    n = int((sheet.items.kind != KINDS.index("choice")).sum()) if ways.order > 1 else 0
    if 2 * n <= len(sheet.items):
        return ways, n
    return _repeated(ways), n


def _repeated(ways: Asked) -> Asked:
    """The same with orders as repeats."""
    return ways._replace(order=1, repeat=ways.order * ways.repeat)


def _by_way(values: Floats, sheet: Sheet, ways: Asked) -> Floats:
    """Values by variant, ``float64[n, v]``, as ``float64[n, wordings, orders, repeats]``."""
    out = np.empty((len(values), *ways))
    for column, name in enumerate(sheet.variants):
        wording, order, repeat = asked(name) or Asked()
        if ways.order == 1:
            order, repeat = 0, repeat * (ways.repeat // crossed(sheet.variants).repeat) + order
        out[:, wording, order, repeat] = values[:, column]
    return out


def _sources(found: Sequence[Component], n_clusters: int) -> Iterator[Source]:
    total = sum(one.of_mean for one in found)
    for one in found:
        kept = max(0.0, one.variance)
        alone = kept / (n_clusters if "item" in one.factors or not one.factors else 1)
        yield Source(
            factors=one.factors,
            variance=one.variance,
            share=one.of_mean / total if total else 0.0,
            error=math.sqrt(one.of_mean),
            alone=math.sqrt(alone),
            df=one.df,
        )


def _at(sheet: Sheet, way: str, level: int) -> Sheet:
    """The sheet of one wording, or one order, its variants called alike so that two of them go in pairs."""
    names = [name for name in sheet.variants if getattr(asked(name), way) == level]
    plain = [(asked(name) or Asked())._replace(**{way: 0}).name for name in names]
    return msgspec.structs.replace(sheet.of(variants=names), variants=tuple(plain))


def _levels(sides: Sequence[Sheet]) -> Iterator[Level]:
    for number, side in enumerate(sides, 1):
        row = Table(side).whole()
        if row.value is not None:
            yield Level(number=number, value=row.value, interval=row.interval)


def _contrast(pairs: Mapping[_Pair, Pairing], levels: Sequence[Level], *, up: bool) -> Contrast | None:
    """The best against the worst, p corrected over all pairs; None if any lacks a value, or all are equal."""
    pair = _ends([one.value for one in levels])
    if pair not in pairs or len(levels) * (len(levels) - 1) < 2 * len(pairs):
        return None
    whole = {key: one.whole(len(pairs)) for key, one in pairs.items()}
    adjusted = dict(zip(pairs, holm([1.0 if one is None else one.p for one in whole.values()]), strict=True))
    found = whole[pair]
    if found is None:
        return None
    ahead = (found.difference > 0) == up
    best, worst = pair if ahead else pair[::-1]
    turn = 1 if ahead else -1
    low, high = sorted(turn * end for end in found.interval)
    return Contrast(
        best=best + 1,
        worst=worst + 1,
        difference=turn * found.difference,
        interval=(low, high),
        p=adjusted[pair],
        n_pairs=len(pairs),
    )


def _ends(values: Sequence[float]) -> _Pair:
    """The places of the lowest and the highest, in order; twice the same where all are equal."""
    rounded = [round(one, 12) for one in values]
    low, high = sorted((rounded.index(min(rounded)), rounded.index(max(rounded)))) if rounded else (0, 0)
    return low, high


def _task_ps(pairs: Mapping[_Pair, Pairing], tasks: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """By task the p of its best against its worst wording, corrected over all pairs of all tasks."""
    each = {(pair, task): one.p for pair, made in pairs.items() for task, one in made.tasks().items()}
    adjusted = dict(zip(each, holm(list(each.values())), strict=True))
    ends = {task: (_ends(values), task) for task, values in tasks.items()}
    return {task: adjusted[end] for task, end in ends.items() if end in adjusted}


def _tasks(sheet: Sheet, sides: Sequence[Sheet]) -> dict[str, tuple[float, ...]]:
    """By task, its value in each wording."""
    found: dict[str, tuple[float, ...]] = {}
    for code in occurring(sheet.items.task).tolist() if len(sides) > 1 else ():
        rows: Bools = sheet.items.task == code
        each = [Table(side.of(rows)) for side in sides]
        values = [one.row(np.ones(int(rows.sum()), np.bool_), limits=False).value for one in each]
        if all(value is not None for value in values):
            found[sheet.items.tasks[code]] = tuple(value or 0.0 for value in values)
    return found


def _words(sheet: Sheet, ways: Asked) -> dict[str, tuple[str, ...]]:
    names = [sheet.items.tasks[code] for code in occurring(sheet.items.task).tolist()] if ways.wording > 1 else []
    return {name: sheet.run.benchmark.card.task_named(name).wordings[: ways.wording] for name in names}


def _consistency(sheet: Sheet) -> Consistency | None:
    """How alike the replies to one item are; of tasks whose answers are right or wrong."""
    guessed = np.isin(sheet.items.kind, [KINDS.index(kind) for kind in GUESSED])
    n = int(guessed.sum())
    if not n or len(sheet.variants) == 1:
        return None
    taken = np.where(sheet.option >= 0, sheet.option == sheet.items.right[:, None], sheet.letter == sheet.gold)
    right = (sheet.state == CODE[State.ANSWERED]) & taken & (sheet.gold >= 0)
    times, of = right[guessed].sum(axis=1).astype(np.float64), len(sheet.variants)
    alike = (times * (times - 1) + (of - times) * (of - times - 1)) / (of * (of - 1))
    return Consistency(
        n_items=n, always=float((times == of).mean()), never=float((times == 0).mean()), agree=float(alike.mean())
    )
