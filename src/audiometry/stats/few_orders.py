"""How far two orders of a few things agree, with p by enumeration: tau-b, rho and the distance of the top k.

Formulas for p break where there are five things or ties; here every order that the labels could have is looked at.

Sources: Kendall 1945, Biometrika 33, 239-251; Spearman 1904, American Journal of Psychology 15, 72-101; Fagin, Kumar
and Sivakumar 2003, SIAM Journal on Discrete Mathematics 17, 134-160 (distance of top-k lists with penalty p).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.concordance import kendall_tau_b, spearman_rho
from audiometry.stats.permuted import Orders, p_of

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

TOP: Final = 3
PENALTY: Final = 0.5
_AT_ONCE: Final = 4_000_000  # numbers that are held at a time, 32 MB


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far two orders of the same things agree.

    Attributes:
        n: things.
        tau_b, rho: Kendall's and Spearman's coefficients, -1 to 1.
        tau_p, rho_p: two-sided, over the orders that the labels could have.
        distance: of the first three of both, 0 (the same three in one order) to 1; None of fewer than four things.
        distance_p: how often labels in another order are as near or nearer.
        exact: whether all n! orders were looked at.
    """

    n: int
    tau_b: float
    tau_p: float
    rho: float
    rho_p: float
    distance: float | None
    distance_p: float | None
    exact: bool


def agreement(a: Floats, b: Floats, each: Orders) -> Agreement:
    """How far two orders of the same things agree.

    Args:
        a: ``float64[n]``, finite, the more the further up; ties are taken into account.
        b: ``float64[n]``, the other's.
        each: orders of n labels.

    Raises:
        UsageError: lengths that differ, fewer than two things, or one of the two all equal.

    >>> from audiometry.stats.permuted import orders
    >>> found = agreement(np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 2, 3, 5, 4]), orders(5))
    >>> round(found.tau_b, 3), round(found.tau_p, 4)
    (0.8, 0.0833)
    """
    n = len(a)
    if not len(a) == len(b) == each.places.shape[1]:
        raise UsageError(f"{len(a)} and {len(b)} values, {each.places.shape[1]} labels; give one length")
    tau, rho = kendall_tau_b(a, b, range(n)), spearman_rho(a, b, range(n))
    if tau.value is None or rho.value is None:
        raise UsageError(tau.why)
    ranked = _ranks(a)
    distances = None if n <= TOP else top_distances(a, b[each.places])
    return Agreement(
        n=n,
        tau_b=tau.value,
        tau_p=p_of(np.abs(_concordance(a, b[each.places]))),
        rho=rho.value,
        rho_p=p_of(np.abs((ranked - ranked.mean()) @ _ranks(b)[each.places].T)),
        distance=None if distances is None else float(distances[0]),
        distance_p=None if distances is None else p_of(1 - distances),
        exact=each.exact,
    )


def taus(a: Floats, b: Floats) -> Floats:
    """Tau-b of pairs of orders, both ``float64[draws, n]`` -> ``float64[draws]``; 0 where all of one are tied."""
    first, second = np.triu_indices(a.shape[1], 1)

    def of(block: slice) -> Floats:
        one, other = (np.sign(each[block][:, first] - each[block][:, second]) for each in (a, b))
        untied = (one != 0).sum(axis=1) * (other != 0).sum(axis=1)
        return np.asarray((one * other).sum(axis=1) / np.sqrt(np.maximum(untied, 1)), np.float64)

    return _by_blocks(len(a), len(first), of)


def top_distances(a: Floats, drawn: Floats, k: int = TOP, penalty: float = PENALTY) -> Floats:
    """Distance of the top k of one order from the top k of each of many, 0 to 1.

    Pairs that both lists put in opposite orders count 1, so do pairs of which one is in one list alone and the other
    in the other alone, or of which the one that a list ranks lower is the only one in the other; pairs of which both
    are in one list and none in the other count ``penalty``. Of ties every order is as likely: the mean is taken.
    Divided by the most there can be, ``k² + penalty k (k - 1)``.

    Args:
        a: ``float64[n]``, the more the further up.
        drawn: ``float64[draws, n]``, the others.
        k: how many are the top.
        penalty: 0 to 1.

    >>> top_distances(np.array([5.0, 4, 3, 2, 1, 0]), np.array([[5.0, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5]])).tolist()
    [0.0, 1.0]
    """
    first, second = np.triu_indices(len(a), 1)
    costs = np.array(
        [  # both, first ahead; both, second ahead; only first; only second; neither
            [0, 1, 0, 1, penalty],
            [1, 0, 1, 0, penalty],
            [0, 1, 0, 1, 0],
            [1, 0, 1, 0, 0],
            [penalty, penalty, 0, 0, 0],
        ]
    )
    own = _in_top(a[None], first, second, k)[:, 0] if len(first) else np.zeros((5, 0))
    weighed = costs.T @ own  # what each state of the other list costs, by pair
    most = k**2 + penalty * k * (k - 1)
    return _by_blocks(
        len(drawn),
        5 * len(first),
        lambda at: np.einsum("sp,sdp->d", weighed, _in_top(drawn[at], first, second, k)) / most,
    )


def _in_top(values: Floats, first: Codes, second: Codes, k: int) -> Floats:
    """How likely each state of each pair is, ``float64[5, draws, pairs]``; ties are broken at random."""
    above = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    level = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    room = np.clip(k - above, 0, level)  # places among the top that those level with it share
    share = room / level
    ahead = values[:, first] > values[:, second]
    tied = values[:, first] == values[:, second]
    size, places = level[:, first], room[:, first]
    of_two = np.maximum(size * (size - 1), 1)
    both_tied, one_tied = places * (places - 1) / of_two, places * (size - places) / of_two
    left, right = share[:, first], share[:, second]
    both = left * right
    return np.stack(
        [
            np.where(tied, both_tied / 2, both * ahead),
            np.where(tied, both_tied / 2, both * ~ahead),
            np.where(tied, one_tied, left * (1 - right)),
            np.where(tied, one_tied, right * (1 - left)),
            np.where(tied, 1 - both_tied - 2 * one_tied, (1 - left) * (1 - right)),
        ]
    )


def _concordance(a: Floats, drawn: Floats) -> Floats:
    """Pairs in the same order less pairs in opposite order, of each draw."""
    first, second = np.triu_indices(len(a), 1)
    own = np.sign(a[first] - a[second])
    return _by_blocks(len(drawn), len(first), lambda at: np.sign(drawn[at][:, first] - drawn[at][:, second]) @ own)


def _by_blocks(n: int, width: int, made: Callable[[slice], Floats]) -> Floats:
    """What is made of each of n draws, so many at a time that memory stays flat."""
    step = max(1, _AT_ONCE // max(1, width))
    return np.concatenate([made(slice(start, start + step)) for start in range(0, n, step)])


def _ranks(values: Floats) -> Floats:
    """Mid-ranks."""
    above, level = values[:, None] > values[None], values[:, None] == values[None]
    return np.asarray(above.sum(axis=1) + level.sum(axis=1) / 2, np.float64)
