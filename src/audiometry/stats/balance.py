"""Whether items that were labelled are like the others, in something known of all."""

from __future__ import annotations

import math

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from audiometry.stats.prediction_powered import Sample
from audiometry.stats.quantile import student_quantile

_DUST = 1e-9  # of the largest size of what is known: means no further apart are equal, or only rounded apart


class Balance(msgspec.Struct, frozen=True):
    """Whether the labelled items are, in something known of all, like the others.

    Attributes:
        labelled, everything: the weighted mean of the labelled, and of all.
        differ: further apart than items drawn alike are, but once in a thousand times; never where all are labelled.
    """

    labelled: float
    everything: float
    differ: bool


def balance(known: ArrayLike, of: Sample, *, confidence: float = 0.999) -> Balance:
    """Test whether labelled items were drawn alike (or as their propensities say), by something known of all.

    Within strata, clusters moving as one. What passes is no proof: only that this one thing does not give it away.

    Args:
        known: ``float64[n]``, such as the place in a file, or the prediction.
        of: from `sample`.
        confidence: of the test.
    """
    x = np.asarray(known, np.float64)
    mine = x[of.labelled]
    labelled, difference = of.mean(np.zeros_like(x), mine), of.mean(x, -mine)
    se = math.sqrt(of.variance(x, -mine, largest=float(x.var())))
    reach = student_quantile(confidence, min(of.df, of.df_others)) * se
    dust = _DUST * float(np.abs(x).max())
    return Balance(labelled, labelled + difference, of.unlabelled > 0 and abs(difference) > reach + dust)
