"""Resampled clusters: sums, strata, and the interval's coverage beside the normal theory."""

import numpy as np
import pytest

from audiometry import seeds
from audiometry.errors import UsageError
from audiometry.stats.resampling import percentiles, resampled_sums

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
    low, high = percentiles(means, float(values.mean()), 400)
    reach = Z * values.std(ddof=1) / 20
    assert (low, high) == (
        pytest.approx(values.mean() - reach, abs=0.03),
        pytest.approx(values.mean() + reach, abs=0.03),
    )


def test_few_clusters_have_a_wider_interval_than_plain_percentiles():
    drawn = np.linspace(0, 1, 10_001)
    few, many = percentiles(drawn, 0.5, 10), percentiles(drawn, 0.5, 100_000)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert many == (pytest.approx(0.025, abs=1e-3), pytest.approx(0.975, abs=1e-3))
    assert percentiles(drawn, 2.0, 10)[1] == 2.0


def test_the_interval_covers_what_it_says_in_small_clustered_samples():
    hits, repeats = 0, 300
    for number in range(repeats):
        rng = seeds.generator(number, "coverage")
        clips = rng.normal(6, 1.5, 25)
        scores = (clips[:, None] + rng.normal(0, 1, (25, 3))).sum(axis=1)
        sums = resampled_sums(np.stack([scores, np.full(25, 3.0)], axis=1), np.zeros(25, np.int64), rng, 500)
        low, high = percentiles(sums[:, 0] / sums[:, 1], scores.sum() / 75, 25)
        hits += low <= 6 <= high
    assert 0.92 <= hits / repeats <= 0.98


def test_the_same_stream_gives_the_same_resamples_and_mistakes_are_said():
    parts, strata = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 1, 1, 2])
    one, two = (resampled_sums(parts, strata, seeds.generator(5, "x"), 50) for _ in range(2))
    assert (one == two).all()
    with pytest.raises(UsageError, match="at least 1"):
        resampled_sums(parts, strata, seeds.generator(5, "x"), 0)
    with pytest.raises(UsageError, match="one code a cluster"):
        resampled_sums(parts, strata[:3], seeds.generator(5, "x"))
    with pytest.raises(UsageError, match="needs 2"):
        percentiles(np.zeros(5), 0.0, 1)
