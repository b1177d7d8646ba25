"""A share told by a coder that errs, with its errors taken out, as far as a labelled sample tells how often it errs.

What a coder says of many is a mix of what it says of each true label, in the proportions of these; the sample tells how
it answers to each. Of two labels this is Rogan and Gladen's ``(p + Sp - 1) / (Se + Sp - 1)``. Of more it is better than
two labels put together, since how often the coder errs then hangs on which of the others there are.

Sources: Rogan and Gladen 1978, American Journal of Epidemiology 107, 71-76 (two labels); Tenenbein 1972, Technometrics
14, 187-202 (any number); Lang and Reiczigel 2014, Preventive Veterinary Medicine 113, 13-22 (that both samples are
drawn to their middle by a few virtual observations before their variances are taken).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiometry.errors import UsageError
from audiometry.stats.quantile import normal_quantile

Floats = NDArray[np.float64]
_STEPS = 20_000  # of the search for proportions, where the plain solution is none
_NEAR = 1e-12
_ALIKE = 1e-9  # the least that answers to different labels must differ by, as a determinant


def corrected_share(
    told: ArrayLike, n: float, labelled: ArrayLike, so: ArrayLike, confidence: float = 0.95
) -> tuple[float, float, float] | None:
    """The true share of some labels behind what a coder tells, with its interval.

    It holds if, of each label, the coder errs on these data as often as on the labelled sample.

    Args:
        told: ``float[k]``, the share that the coder gives each label, sum 1.
        n: independent observations that these rest on, above 0; a fraction where n was divided by a design effect.
        labelled: ``int[k, k]``, of the sample, how often what is truly i was told as j.
        so: ``bool[k]``, the labels whose share together is asked for.
        confidence: two-sided, between 0 and 1.

    Returns:
        The estimate and its limits, each between 0 and 1; None where the sample lacks a label, or the coder does no
        better than chance, so that its shares say nothing.

    Raises:
        UsageError: shares that are none, or counts that cannot be.

    >>> value, low, high = corrected_share([0.6, 0.4], 1000, [[90, 10], [20, 80]], [True, False])
    >>> round(value, 3), round(low, 2), round(high, 2)
    (0.571, 0.49, 0.65)
    """
    share, counts = np.asarray(told, np.float64), np.asarray(labelled, np.float64)
    asked = np.asarray(so, np.bool_)
    k = len(share)
    if counts.shape != (k, k) or asked.shape != (k,) or not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise UsageError(f"{k} labels need as many rows and columns of counts, 0 or more each, and a yes or no each")
    if not ((share >= 0).all() and abs(share.sum() - 1) < 1e-6 and n > 0):  # noqa: PLR2004  rounding
        raise UsageError(f"shares that sum to {share.sum():g} over {n} observations cannot be corrected")
    of = counts.sum(axis=1)
    if not of.all() or not _better_than_chance(counts, asked):
        return None
    # one virtual observation of each label, in equal parts: no cell is then sure of never being met
    answers, size = (counts + 1 / k) / (of + 1)[:, None], of + 1
    mix = _proportions(share, counts / of[:, None])
    if mix is None or abs(np.linalg.det(answers)) <= _ALIKE:
        return None
    z = normal_quantile(confidence)
    whole = n + z * z
    drawn = (n * share + z * z / k) / whole
    middle = _proportions(drawn, answers)
    if middle is None:
        return None
    worth = np.linalg.solve(answers, asked.astype(np.float64))  # what the share gains by an answer of each kind
    variance = _variance(worth, drawn) / whole + float(
        middle**2 @ [_variance(worth, row) / m for row, m in zip(answers, size, strict=True)]
    )
    value, centre, reach = min(1.0, float(mix[asked].sum())), float(middle[asked].sum()), z * math.sqrt(variance)
    low, high = (min(1.0, max(0.0, centre + side * reach)) for side in (-1, 1))
    return value, min(low, value), max(high, value)


def _better_than_chance(counts: Floats, asked: NDArray[np.bool_]) -> bool:
    """Whether what is so is told as so more often than what is not, and labels are told from one another at all."""
    rows = counts / counts.sum(axis=1, keepdims=True)
    told = counts[:, asked].sum(axis=1)
    of = counts.sum(axis=1)
    if not 0 < asked.sum() < len(asked) or told[asked].sum() / of[asked].sum() <= told[~asked].sum() / of[~asked].sum():
        return False
    return bool(abs(np.linalg.det(rows)) > _ALIKE)


def _variance(worth: Floats, shares: Floats) -> float:
    """Of the worth of one answer, drawn by shares."""
    return float(shares @ worth**2 - (shares @ worth) ** 2)


def _proportions(told: Floats, answers: Floats) -> Floats | None:
    """The proportions of true labels under which what was told is most probable; None: under none it is possible."""
    plain = np.linalg.solve(answers.T, told)
    if (plain > -_NEAR).all():
        return np.asarray(np.maximum(plain, 0.0), np.float64)
    if len(told) == 2:  # noqa: PLR2004  on a line the highest point allowed is the end nearer to the highest of all
        return np.asarray(plain > 0, np.float64)
    mix = np.full(len(told), 1 / len(told))
    for _ in range(_STEPS):  # expectation and maximisation: the likelihood is concave in the proportions
        expected = mix @ answers
        if (expected[told > 0] <= 0).any():
            return None
        times: Floats = answers @ np.divide(told, expected, out=np.zeros_like(told), where=told > 0)
        before, mix = mix, np.asarray(mix * times, np.float64)
        if np.abs(mix - before).max() < _NEAR:
            break
    return mix
