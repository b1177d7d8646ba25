"""Orders in which a few labels can stand: all of them where that can be, random ones where it cannot.

Source: Fisher 1935, The Design of Experiments, section 21; Phipson and Smyth 2010, Statistical Applications in Genetics
and Molecular Biology 9, 39 (the observed order counts as one of those that were drawn).
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry import seeds
from audiometry.errors import UsageError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_ENUMERATED: Final = 8  # labels of which all orders, 40,320, are looked at
DRAWS: Final = 9_999
_DUST: Final = 1e-9  # of the largest statistic: below it, two are a tie


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """Orders of n labels.

    Attributes:
        places: ``int64[orders, n]``, in each row the label that stands at each place; the first row is as they are.
        exact: whether these are all n! of them; else the first is the observed one and the rest were drawn.
    """

    places: Codes
    exact: bool


def orders(n: int, seed: int = 0) -> Orders:
    """All orders of up to 8 labels, and of more the observed one and 9,999 that a named stream draws.

    Args:
        n: labels, at least one.
        seed: of the draws.

    Raises:
        UsageError: there is no label.

    >>> orders(3).places.tolist()
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    """
    if n < 1:
        raise UsageError("nothing to put in order; give at least one label")
    if n <= MOST_ENUMERATED:
        return Orders(places=np.array(list(permutations(range(n))), np.int64), exact=True)
    rng = seeds.generator(seed, "orders of labels", str(n))
    drawn = rng.permuted(np.tile(np.arange(n), (DRAWS, 1)), axis=1)
    return Orders(places=np.vstack([np.arange(n), drawn]), exact=False)


def least_p(n: int, mirrored: bool) -> float:  # noqa: FBT001  a property of the statistic, as its name says
    """The smallest p that n labels without ties can ever give.

    Args:
        n: labels.
        mirrored: whether the statistic of an order and of its mirror image have one size, as rank correlations do.

    >>> round(1 / least_p(5, False)), round(1 / least_p(5, True))
    (120, 60)
    """
    smallest = (2 if mirrored and n > 1 else 1) / math.factorial(n)
    return smallest if n <= MOST_ENUMERATED else max(smallest, 1 / (1 + DRAWS))


def p_of(statistics: Floats) -> float:
    """The share of orders whose statistic is at least as large as the first one's, which is the observed.

    >>> p_of(np.array([2.0, 1.0, 2.0, 0.5]))
    0.5
    """
    dust = _DUST * max(1e-300, float(np.abs(statistics).max()))
    return float((statistics >= statistics[0] - dust).mean())


def correlation_p(scores: Floats, effects: Floats, each: Orders) -> float:
    """How often |Pearson's correlation| of scores with effects is as large when the scores' labels change places.

    Args:
        scores: ``float64[n]``, not all equal.
        effects: ``float64[n]``, of the same labels.
        each: orders of n labels.

    Raises:
        UsageError: lengths that differ, or all scores equal.
    """
    if scores.shape != effects.shape or each.places.shape[1] != len(scores):
        raise UsageError(f"{scores.shape} scores, {effects.shape} effects, {each.places.shape} orders; give one length")
    apart = scores - scores.mean()
    if not apart.any():
        raise UsageError("all scores are equal, so nothing can go along with them")
    return p_of(np.abs(apart[each.places] @ (effects - effects.mean())))
