"""How open items are averaged: pools of tasks, categories of pools, and the mean of categories.

AIR-Bench's speech, sound and music are pools of two tasks each, its mixed audio is the mean of two tasks.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.score.aggregate import ItemTable, table
from audiometry.score.averages import shares
from audiometry.score.chat.rules import ChatRules
from audiometry.score.chat.sheet import Sheet

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int64]


class Tree(msgspec.Struct, frozen=True):
    """How items are averaged.

    Attributes:
        items: the run's open items, a column each.
        pool: ``int64[n]``, the pool of each item; codes of ``pools``.
        pools: names: a pool's, or a task's that stands alone.
        categories: of each pool; empty for none.
    """

    items: ItemTable
    pool: Codes
    pools: tuple[str, ...]
    categories: tuple[str, ...]

    @property
    def averaged_by(self) -> str:
        """Categories where every pool with items has one, tasks (or pools of them) where not."""
        return "categories" if all(self.categories[code] for code in np.unique(self.pool)) else "tasks"

    def of(self, rows: Bools | None = None) -> Groups:
        """Pools and their weights, over some of the items; None for all."""
        chosen = np.ones(len(self.pool), np.bool_) if rows is None else rows
        codes = np.unique(self.pool[chosen])
        names = [self.categories[code] for code in codes]
        return Groups(
            tuple(chosen & (self.pool == code) for code in codes),
            tuple(float(share) for share in shares(names)) if len(codes) else (),
        )


class Groups(msgspec.Struct, frozen=True):
    """Sets of items, each averaged alike, and how much each mean weighs."""

    members: tuple[Bools, ...]
    weights: tuple[float, ...]

    @classmethod
    def one(cls, rows: Bools) -> Groups:
        """All of them alike."""
        return cls((rows,), (1.0,))

    def mean(self, scores: Floats) -> float | None:
        """The mean of means of what is there, ``float64[n]`` or, by order, ``float64[n, 2]``; None if nothing is."""
        means = [_mean(scores[rows]) for rows in self.members]
        known = [(mean, weight) for mean, weight in zip(means, self.weights, strict=True) if mean is not None]
        total = sum(weight for _, weight in known)
        return sum(mean * weight for mean, weight in known) / total if known else None

    def item_weights(self, counted: Bools) -> Floats:
        """How much each of the items that count weighs in the mean, ``float64[counted]``."""
        weights = np.zeros(len(counted))
        for rows, share in zip(self.members, self.weights, strict=True):
            here = rows & counted
            if here.any():
                weights[here] += share / here.sum()
        return weights[counted]

    @property
    def rows(self) -> Bools:
        """All of them."""
        return np.asarray(np.logical_or.reduce(self.members), np.bool_)


def _mean(scores: Floats) -> float | None:
    """The mean over orders of the means over items, of what is there."""
    columns = scores if scores.ndim == 2 else scores[:, None]  # noqa: PLR2004  items, orders
    means = [float(column[there].mean()) for column in columns.T if (there := ~np.isnan(column)).any()]
    return sum(means) / len(means) if means else None


def tree(sheet: Sheet, rules: ChatRules) -> Tree:
    """How a sheet's items are averaged under some rules."""
    items, card = table(sheet.run), sheet.run.benchmark.card
    entries = [card.task_named(name) for name in items.tasks]
    if rules.average == "items":  # a category's tasks are one pool
        names = [entry.category or entry.name for entry in entries]
    else:
        names = [entry.pool or entry.name for entry in entries]
    pools = tuple(dict.fromkeys(names))
    category = {name: entry.category for name, entry in zip(names, entries, strict=True)}
    code = np.array([pools.index(name) for name in names], np.int64)
    return Tree(items, code[items.task], pools, tuple(category[name] for name in pools))
