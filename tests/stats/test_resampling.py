"""Resampled clusters: sums, strata, and how far an interval from them reaches."""

import numpy as np
import pytest

from audiometry import seeds
from audiometry.errors import UsageError
from audiometry.stats.resampling import resampled_sums, widened

Z = 1.959963984540054


def test_a_resample_has_as_many_clusters_of_each_stratum_as_there_are():
    strata = np.array([7, 7, 7, 3, 3, 9])
    parts = np.stack([strata == 7, strata == 3, strata == 9, np.ones(6)], axis=1).astype(float)
    sums = resampled_sums(parts, strata, seeds.generator(0, "test"), 200)
    assert sums.shape == (200, 4)
    assert (sums == [3, 2, 1, 6]).all()


def test_means_of_resamples_have_the_variance_of_theory():
    values = seeds.generator(1, "values").normal(5, 2, 400)
    parts = np.stack([values, np.ones(400)], axis=1)
    sums = resampled_sums(parts, np.zeros(400, np.int64), seeds.generator(2, "test"), 4_000)
    means = sums[:, 0] / sums[:, 1]
    assert means.mean() == pytest.approx(values.mean(), abs=0.01)
    assert means.std() == pytest.approx(values.std() / 20, rel=0.05)


def test_few_clusters_reach_further_than_the_normal_quantile():
    assert widened(100_000, 0.95) == pytest.approx(Z, abs=1e-3)
    assert widened(10, 0.95) == pytest.approx(2.2622 * np.sqrt(10 / 9), abs=1e-3)


def test_the_same_stream_gives_the_same_resamples_and_mistakes_are_said():
    parts, strata = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 1, 1, 2])
    one, two = (resampled_sums(parts, strata, seeds.generator(5, "x"), 50) for _ in range(2))
    assert (one == two).all()
    with pytest.raises(UsageError, match="at least 1"):
        resampled_sums(parts, strata, seeds.generator(5, "x"), 0)
    with pytest.raises(UsageError, match="one code a cluster"):
        resampled_sums(parts, strata[:3], seeds.generator(5, "x"))
