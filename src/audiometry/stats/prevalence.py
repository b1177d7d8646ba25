"""A share told by a coder that errs, with its errors taken out, as far as a labelled sample tells how often it errs.

Sources: Rogan and Gladen 1978, American Journal of Epidemiology 107, 71-76 (the estimate); Lang and Reiczigel 2014,
Preventive Veterinary Medicine 113, 13-22 (the interval).
"""

from __future__ import annotations

import math

from audiometry.errors import UsageError
from audiometry.stats.quantile import normal_quantile


def corrected_share(
    share: float,
    n: float,
    sensitivity: tuple[int, int],
    specificity: tuple[int, int],
    confidence: float = 0.95,
) -> tuple[float, float, float] | None:
    """The true share behind an observed one, ``(p + Sp - 1) / (Se + Sp - 1)``, with its interval.

    It holds if the coder errs on these data as often as on the labelled sample.

    Args:
        share: that the coder gives, 0 to 1.
        n: independent observations that it rests on, above 0; a fraction where n was divided by a design effect.
        sensitivity: of the labelled that are so, how many the coder calls so, and how many there are.
        specificity: of the labelled that are not so, how many the coder does not call so, and how many there are.
        confidence: two-sided, between 0 and 1.

    Returns:
        The estimate and its limits, each between 0 and 1; None where the coder does no better than chance, so that its
        share says nothing.

    Raises:
        UsageError: a share outside 0 to 1, or counts that cannot be.

    >>> value, low, high = corrected_share(0.6, 1000, (90, 100), (80, 100))
    >>> round(value, 3), round(low, 2), round(high, 2)
    (0.571, 0.49, 0.66)
    """
    for hits, of in (sensitivity, specificity):
        if not 0 <= hits <= of or of < 1:
            raise UsageError(f"{hits} of {of} is no share of labelled ones; count those that the coder calls right")
    if not 0 <= share <= 1 or not n > 0:
        raise UsageError(f"a share of {share} over {n} observations cannot be corrected")
    plain = sensitivity[0] / sensitivity[1] + specificity[0] / specificity[1] - 1
    if plain <= 0:
        return None
    value = min(1.0, max(0.0, (share + specificity[0] / specificity[1] - 1) / plain))
    z = normal_quantile(confidence)
    size = n + z * z
    p = (n * share + z * z / 2) / size
    (se, n_se), (sp, n_sp) = (((hits + 1) / (of + 2), of + 2) for hits, of in (sensitivity, specificity))
    better = se + sp - 1
    middle = (p + sp - 1) / better
    own, other = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    shift = 2 * z * z * (middle * own - (1 - middle) * other)
    reach = z * math.sqrt(p * (1 - p) / size + middle**2 * own + (1 - middle) ** 2 * other) / better
    low, high = (min(1.0, max(0.0, middle + shift + side * reach)) for side in (-1, 1))
    return value, min(low, value), max(high, value)
