"""Sequential tests by likelihood ratios: looked at after every observation, and still wrong no more often than stated.

Under its null hypothesis a likelihood ratio of one simple hypothesis to another has a mean of at most 1 whenever it is
looked at, so that it ever reaches 1 / alpha with a chance of at most alpha (Ville 1939; Wald 1945, Annals of
Mathematical Statistics 16, 117-186; Ramdas et al. 2023, Statistical Science 38, 576-601).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


def walks(steps: Floats, group: Codes) -> Floats:
    """Running sums within each group.

    Args:
        steps: ``float64[n]``, logarithms of likelihood ratios, those of a group in the order of time.
        group: ``int[n]``, from 0.

    Returns:
        ``float64[n]``, after each row.
    """
    order = np.argsort(group, kind="stable")
    sums = np.cumsum(steps[order])
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    before = np.concatenate([[0.0], sums])[start]
    out = np.empty(len(sums))
    out[order] = sums - np.repeat(before, np.diff(np.append(start, len(sums))))
    return out


def tops(walked: Floats, group: Codes, groups: int) -> Floats:
    """``float64[groups]``, the highest that each group's running sum ever stood, at least 0, where all begin."""
    out = np.zeros(groups)
    np.maximum.at(out, group, walked)
    return out


def ends(walked: Floats, group: Codes, groups: int) -> Floats:
    """``float64[groups]``, where each group's running sum stands now; 0 of a group without rows."""
    out = np.zeros(groups)
    out[group] = walked  # of several rows of a group the last stays
    return out
