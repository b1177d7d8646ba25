"""How tasks are averaged to categories and to one number, and how a share is printed.

The same code averages a run and, in the tests, the paper's table of tasks to its table of systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from audiometry.score.items import Bools, Codes, Floats

_NOISE = 12  # decimal places of a share beyond which there is only what rounding left


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


def half_up(value: Fraction | Decimal | float, places: int = 1) -> Decimal:
    """A number with so many decimal places; halves go away from zero, as in printed tables.

    >>> half_up(Fraction(3595, 100)), half_up(0.25)
    (Decimal('36.0'), Decimal('0.3'))
    >>> half_up(-0.001)
    Decimal('0.0')

    Args:
        value: exact; or a float, which is taken for the decimal number with 12 places nearest to it.
        places: 0 or more.
    """
    if isinstance(value, Fraction):
        value = Decimal(value.numerator) / Decimal(value.denominator)
    elif not isinstance(value, Decimal):
        value = Decimal(f"{value:.{_NOISE}f}")
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) + Decimal(0)  # never -0.0


def percent(share: float | Decimal | None) -> str:
    """A share from 0 to 1 as it is printed: in percent, one decimal place; ``none`` where there is no number.

    >>> percent(0.3595), percent(0.0625), percent(None)
    ('36.0', '6.3', 'none')
    """
    return "none" if share is None else str(half_up(100 * share))


def p_value(p: float, equal: str = "") -> str:
    """A p as it is printed: four places, and never as nought; ``equal`` stands before one that is printed as it is.

    >>> p_value(0.03125), p_value(0.00002), p_value(0.5, "= "), p_value(0.00002, "= ")
    ('0.0312', '< 0.0001', '= 0.5000', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"{equal}{p:.4f}"  # noqa: PLR2004  four places are shown


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
