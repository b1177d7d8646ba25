"""The swap test: two models' parts of whole clusters change places, and the measure is computed anew.

If neither model is better, what each adds to a cluster could as well have been the other's. For means this is the
sign flip of the clusters' differences, and for single right-or-wrong items McNemar's exact test; for other measures
nothing is linearised. Only clusters that differ matter, and clusters that differ alike are interchangeable: how many of
them change places is one binomial draw.

Sources: Fisher 1935, The Design of Experiments, section 21; Noreen 1989, Computer-Intensive Methods for Testing
Hypotheses, chapter 2 (approximate randomization); Phipson and Smyth 2010, Statistical Applications in Genetics and
Molecular Biology 9, 39.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from audiometry.stats.parts import Codes, Floats

ENUMERATED = 16  # clusters whose 2^15 patterns (the mirror images say the same) are all looked at
_LIKE = 8  # clusters that differ alike from which one binomial draw is faster than theirs
_BLOCK = 256  # clusters whose signs are held at a time
_AT_ONCE = 1 << 20  # sums whose values are computed at a time
_DUST = 1e-10  # of the observed difference and the largest found: below it, two are a tie

Statistic = Callable[[Floats, Floats], Floats]  # sums of both models, float64[m, c] -> float64[m], or several [m, t]


def swap_test(
    middle: Floats, half: Floats, statistic: Statistic, *, rng: np.random.Generator, swaps: int
) -> tuple[float, bool]:
    """How often swapped clusters put the models at least as far apart as they are.

    p does not depend on the order of clusters, nor on which model is the first.

    Args:
        middle: ``float64[c]``, the mean of both models' sums.
        half: ``float64[G, c]``, half of what each cluster adds to the first model's sums more than to the second's.
        statistic: the difference of the values of two models with these sums; NaN counts as far apart. Of several, p is
            the largest.
        rng: source of the random patterns; used where more than 16 clusters differ.
        swaps: how many random patterns.

    Returns:
        p, above 0 and at most 1, and whether all patterns were looked at.
    """
    moved = np.flatnonzero((half != 0).any(axis=0))
    half = half[(half != 0).any(axis=1)][:, moved]
    observed = abs(_apart(middle, moved, half.sum(axis=0)[None], statistic)[0])
    half = _in_canonical_order(half)
    exact = len(half) <= ENUMERATED
    drawn = _every(half) if exact else _random(half, rng, swaps)
    step = max(1, _AT_ONCE // max(1, len(middle)))
    apart = np.abs(
        np.concatenate([_apart(middle, moved, drawn[at : at + step], statistic) for at in range(0, len(drawn), step)])
    )
    far = ~(apart < observed - _DUST * np.maximum(observed, np.nanmax(apart, axis=0, initial=0.0)))
    many = int(far.sum(axis=0).max())
    return (many / len(far), True) if exact else ((1 + many) / (1 + swaps), False)


def _apart(middle: Floats, moved: Codes, shift: Floats, statistic: Statistic) -> Floats:
    above, below = np.tile(middle, (len(shift), 1)), np.tile(middle, (len(shift), 1))
    above[:, moved] += shift
    below[:, moved] -= shift
    return np.asarray(statistic(above, below))


def _in_canonical_order(half: Floats) -> Floats:
    """Rows turned so that a fixed weighted sum of each is positive, and sorted by it.

    A pattern and its mirror image are as likely, so turning a row changes nothing but which draw stands for which.
    """
    key = _key(half)
    turned = half * np.where(key < 0, -1.0, 1.0)[:, None]
    return np.asarray(turned[np.argsort(-np.abs(key), kind="stable")])


def _key(half: Floats) -> Floats:
    """One number a row, which no two different rows of whole numbers share: sines of whole numbers as weights."""
    return np.asarray((half * np.sin(np.arange(1, half.shape[1] + 1))).sum(axis=1))


def _every(half: Floats) -> Floats:
    """The sums of all patterns of signs in which the first row keeps its own, ``float64[2^(G-1), c]``."""
    sums = half[:1].sum(axis=0)[None]
    for row in half[1:]:
        sums = np.concatenate((sums + row, sums - row))
    return np.asarray(sums)


def _random(half: Floats, rng: np.random.Generator, swaps: int) -> Floats:
    """The sums of random patterns of signs, ``float64[swaps, c]``."""
    _, first, count = np.unique(-np.abs(_key(half)), return_index=True, return_counts=True)
    many = count >= _LIKE
    sums = np.zeros((swaps, half.shape[1]))
    if many.any():
        kept = rng.binomial(count[many], 0.5, (swaps, int(many.sum())))
        sums += (2.0 * kept - count[many]) @ half[first[many]]
    single = half[np.repeat(~many, count)]
    for rows, signs in _signs(len(single), rng, swaps):
        sums += signs @ (2 * single[rows])
    return np.asarray(sums - single.sum(axis=0))


def _signs(n: int, rng: np.random.Generator, swaps: int) -> Iterator[tuple[slice, Floats]]:
    """Which of the n keep their places, a block of them at a time: ``float64[swaps, block]`` of 0 and 1."""
    for first in range(0, n, _BLOCK):
        size = min(_BLOCK, n - first)
        drawn = rng.integers(0, 256, (swaps, -(-size // 8)), np.uint8)
        yield slice(first, first + size), np.unpackbits(drawn, axis=1, count=size).astype(np.float64)
