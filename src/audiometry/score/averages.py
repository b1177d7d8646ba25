"""How tasks are averaged to categories and to one number, and how a share is printed.

The same code averages a run and, in the tests, the paper's table of tasks to its table of systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from audiometry.score.items import Bools, Codes, Floats


class Averages(msgspec.Struct, frozen=True, kw_only=True):
    """Means of tasks.

    Attributes:
        categories: by category, the mean of its tasks that have a value; None if none has.
        overall: the mean of the categories that have a value (of the tasks, if one of them has no category);
            None if none has.
        left_out: the tasks without a value; if there are any, ``overall`` is not over the whole benchmark.
    """

    categories: dict[str, Fraction | None]
    overall: Fraction | None
    left_out: tuple[str, ...]


def shares(categories: Sequence[str]) -> list[Fraction]:
    """How much each of the tasks counts in their average, summing to 1.

    If every task has a category: the mean of the categories' means of tasks. If not: the mean of tasks.

    >>> shares(["speech", "speech", "sound"])
    [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]

    Args:
        categories: of each task; empty for none.

    Source: AIR-Bench (arXiv 2402.07729), tables 3 and 5.
    """
    if not all(categories):
        return [Fraction(1, len(categories))] * len(categories)
    size = {name: categories.count(name) for name in categories}
    return [Fraction(1, size[name] * len(size)) for name in categories]


def averages(values: Mapping[str, Fraction | Decimal | None], category_of: Mapping[str, str]) -> Averages:
    """Average tasks to categories and to one number, exactly.

    Args:
        values: by task; None where a task has no number.
        category_of: by task; empty for none.
    """
    together = {task: name if all(category_of[t] for t in values) else "" for task, name in category_of.items()}
    known = {task: Fraction(value) for task, value in values.items() if value is not None}
    names = dict.fromkeys(category_of[task] for task in values if category_of[task])
    return Averages(
        categories={name: _mean([v for t, v in known.items() if category_of[t] == name]) for name in names},
        overall=_mean(list(known.values()), [together[task] for task in known]),
        left_out=tuple(task for task, value in values.items() if value is None),
    )


def _mean(values: Sequence[Fraction], categories: Sequence[str] = ()) -> Fraction | None:
    if not values:
        return None
    weights = shares(categories or [""] * len(values))
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0))


def mean_of(value: Callable[[Bools], Floats], leaf: Codes, categories: Sequence[str], there: Bools) -> float | None:
    """The tree's mean of the leaves' values, each a mean over variants; None if no leaf has one.

    Args:
        value: of the leaf that has these of the items, ``bool[n]``, in each variant, NaN for none.
        leaf: ``int64[n]``, which leaf each item is of.
        categories: of each leaf.
        there: ``bool[n, v]``, what counts.
    """
    import numpy as np

    from audiometry.score.items import occurring

    known: dict[int, float] = {}
    for code in occurring(leaf[there.any(axis=1)]).tolist():
        each = value(np.asarray(leaf == code, np.bool_))
        if not np.isnan(each).all():
            known[code] = float(np.nanmean(each))
    if not known:
        return None
    weights = shares([categories[code] for code in known])
    return float(sum(float(weight) * one for weight, one in zip(weights, known.values(), strict=True)))
