"""Variance components of values that are crossed: every item in every wording, in every order, each so many times.

All factors are random: what was asked stands for all that could have been. Components are solved from the mean squares
and their expectations, so each is unbiased and may come out below 0 where there is next to nothing.

Source: Brennan 2001, Generalizability Theory, chapters 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, combinations
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError

Floats = NDArray[np.float64]
RESIDUAL: Final = "residual"


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """One source of variance.

    Attributes:
        factors: the source: one factor, or several that act together; empty for what is left.
        variance: of a single value, as it was estimated; below 0 where it came out so by chance.
        of_mean: what it adds to the variance of the mean over everything, at least 0.
        df: degrees of freedom of its mean square.
    """

    factors: tuple[str, ...]
    variance: float
    of_mean: float
    df: int


def components(values: Floats, factors: Sequence[str]) -> tuple[Component, ...]:
    """The sources of variance of crossed values.

    Args:
        values: ``float64[n_1, …, n_d, r]``, of each combination of the factors' levels, the last axis being repeats.
        factors: names of the d factors. One with a single level cannot be told from the mean and is passed over.

    Returns:
        A component for each factor and each set of them, fewest factors first, then what is left: of repeats, or, where
        nothing is repeated, of all factors together, which cannot be told from chance.

    Raises:
        UsageError: the shape fits no such factors, a value is not finite, or no factor has two levels.
    """
    if values.ndim != len(factors) + 1 or not np.isfinite(values).all():
        raise UsageError(f"values of shape {values.shape} for {len(factors)} factors; give finite ones, repeats last")
    kept = [axis for axis in range(len(factors)) if values.shape[axis] > 1]
    if not kept:
        raise UsageError("no factor has two levels, so nothing varies; ask more items")
    table = np.asarray(values.reshape([*(values.shape[axis] for axis in kept), values.shape[-1]]), np.float64)
    names, levels, repeats = [factors[axis] for axis in kept], table.shape[:-1], table.shape[-1]
    sets = [*chain.from_iterable(combinations(range(len(kept)), size) for size in range(1, len(kept) + 1))]
    within = float(((table - table.mean(axis=-1, keepdims=True)) ** 2).sum())
    cells = table.mean(axis=-1)
    squares = {chosen: _mean_square(cells, chosen, repeats) for chosen in sets}
    if repeats > 1:
        left, df_left = within / (cells.size * (repeats - 1)), cells.size * (repeats - 1)
    else:
        whole = sets.pop()
        left, df_left = squares.pop(whole)
    found = _solved(squares, levels, repeats, left)
    parts = [
        Component(
            factors=tuple(names[axis] for axis in chosen),
            variance=found[chosen],
            of_mean=max(0.0, found[chosen]) / math.prod(levels[axis] for axis in chosen),
            df=squares[chosen][1],
        )
        for chosen in sets
    ]
    return (*parts, Component(factors=(), variance=left, of_mean=left / table.size, df=df_left))


def _mean_square(cells: Floats, chosen: tuple[int, ...], repeats: int) -> tuple[float, int]:
    """The mean square of a set of factors, and its degrees of freedom."""
    others = tuple(axis for axis in range(cells.ndim) if axis not in chosen)
    effect = cells.mean(axis=others, keepdims=True) if others else cells
    for axis in chosen:  # what the factors do together: nothing that one of them could be left out of
        effect = effect - effect.mean(axis=axis, keepdims=True)
    df = math.prod(cells.shape[axis] - 1 for axis in chosen)
    each = repeats * math.prod(cells.shape[axis] for axis in others)
    return each * float((effect**2).sum()) / df, df


def _solved(
    squares: dict[tuple[int, ...], tuple[float, int]], levels: Sequence[int], repeats: int, left: float
) -> dict[tuple[int, ...], float]:
    """Variances from mean squares, of the largest sets first: a set's mean square holds those of all sets around it."""

    def times(chosen: tuple[int, ...]) -> int:
        return repeats * math.prod(levels[axis] for axis in range(len(levels)) if axis not in chosen)

    found: dict[tuple[int, ...], float] = {}
    for chosen in sorted(squares, key=len, reverse=True):
        around = sum(times(other) * variance for other, variance in found.items() if set(chosen) < set(other))
        found[chosen] = (squares[chosen][0] - left - around) / times(chosen)
    return found
