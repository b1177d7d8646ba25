"""One draw of resampled clusters from which the intervals of many means are taken at once.

A report has an interval for every task, category, folder and average of the same items. All of them come from the
same resamples: each statistic is a function of sums over clusters, so a resample is a vector of weights, and a matrix
of them gives every sum in one multiplication.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError
from audiometry.stats.quantile import student_quantile

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

RESAMPLES = 1_000
_CELLS = 4_000_000  # drawn at a time


def resampled_sums(parts: Floats, strata: Codes, rng: np.random.Generator, resamples: int = RESAMPLES) -> Floats:
    """Sums over clusters drawn with replacement, as many from each stratum as it has.

    Strata keep a resample from losing a whole task: clusters that take part in the same tasks make a stratum.

    Args:
        parts: ``float64[C, k]``, what each cluster adds to the k sums.
        strata: ``int64[C]``, any codes.
        rng: a named stream.
        resamples: how many, at least 1.

    Returns:
        ``float64[resamples, k]``.

    Raises:
        UsageError: fewer than 1 resample, lengths that differ, or no clusters.
    """
    if resamples < 1:
        raise UsageError(f"resamples are at least 1, got {resamples}; {RESAMPLES} is the default")
    if not len(parts) or strata.shape != (len(parts),):
        raise UsageError(f"{len(parts)} clusters with strata of shape {strata.shape}; give one code a cluster")
    out = np.zeros((resamples, parts.shape[1]))
    order = np.argsort(strata, kind="stable")
    _, first, size = np.unique(strata[order], return_index=True, return_counts=True)
    for begin, count in zip(first.tolist(), size.tolist(), strict=True):
        mine = parts[order[begin : begin + count]]
        step = max(1, _CELLS // count)
        for at in range(0, resamples, step):
            rows = min(step, resamples - at)
            out[at : at + rows] += _weights(rows, count, rng) @ mine
    return out


def widened(n_clusters: int, confidence: float) -> float:
    """How many standard errors an interval from resamples of so many clusters reaches, at least 2 of them.

    Student's quantile with one less degree of freedom than clusters, times ``sqrt(G / (G - 1))``: plain percentiles
    of few clusters are too near to each other.

    Source: Hesterberg 2015, The American Statistician 69, 371-386, section 5.3.
    """
    return student_quantile(confidence, n_clusters - 1) * math.sqrt(n_clusters / (n_clusters - 1))


def _weights(rows: int, clusters: int, rng: np.random.Generator) -> Floats:
    """How often each cluster is in each resample, ``float64[rows, clusters]``."""
    drawn = rng.integers(0, clusters, (rows, clusters), dtype=np.int32)
    drawn += (np.arange(rows, dtype=np.int32) * clusters)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * clusters).reshape(rows, clusters).astype(np.float64)
