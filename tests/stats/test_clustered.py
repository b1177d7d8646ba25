from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm

from audiometry.errors import UsageError
from audiometry.stats.clustered import layout, spread

RNG = np.random.default_rng(7)
N = 240
SCORES = (RNG.random(N) < 0.7).astype(float)
CLUSTERS = RNG.integers(0, 60, N)
TASKS = RNG.integers(0, 3, N)


def naive_variance(scores, clusters, weights, strata):
    """CR2 with each step spelled out: residuals about the stratum's mean, each cluster's part of it corrected."""
    w = np.asarray(weights, float) / np.sum(weights)
    total = 0.0
    for cluster in set(clusters):
        part = 0.0
        for stratum in set(strata):
            in_stratum = strata == stratum
            here = in_stratum & (clusters == cluster)
            if here.any():
                mean = np.average(scores[in_stratum], weights=w[in_stratum])
                share = w[here].sum() / w[in_stratum].sum()
                part += (w[here] * (scores[here] - mean)).sum() / math.sqrt(1 - share)
        total += part**2
    return total


def test_the_variance_is_that_of_an_intercept_only_regression_but_for_its_small_sample_factor():
    fit = sm.OLS(SCORES, np.ones(N)).fit(cov_type="cluster", cov_kwds={"groups": CLUSTERS, "use_correction": False})
    where = layout(N, CLUSTERS, None, None)
    found = spread(SCORES, where, largest=0.25)
    assert found.clustered == pytest.approx(fit.cov_params()[0, 0], rel=0.05)
    equal = np.repeat(np.arange(60), 4)  # clusters of equal size: CR2 is CR1 is G / (G - 1)
    fit = sm.OLS(SCORES, np.ones(N)).fit(cov_type="cluster", cov_kwds={"groups": equal, "use_correction": False})
    found = spread(SCORES, layout(N, equal, None, None), largest=0.25)
    assert found.clustered == pytest.approx(fit.cov_params()[0, 0] * 60 / 59, rel=1e-9)


def test_the_variance_of_a_macro_average_is_the_one_spelled_out():
    weights = 1 / np.bincount(TASKS)[TASKS]
    found = spread(SCORES, layout(N, CLUSTERS, weights, TASKS), largest=0.25)
    assert found.clustered == pytest.approx(naive_variance(SCORES, CLUSTERS, weights, TASKS), rel=1e-9)
    assert found.independent == pytest.approx(naive_variance(SCORES, np.arange(N), weights, TASKS), rel=1e-9)


def test_the_variance_is_unbiased_for_independent_items():
    rng = np.random.default_rng(1)
    clusters, tasks = rng.integers(0, 12, 40), np.repeat([0, 1], [30, 10])
    weights = 1 / np.bincount(tasks)[tasks]
    where = layout(40, clusters, weights, tasks)
    draws = rng.random((4000, 40)) < 0.6
    mean = np.mean([spread(d.astype(float), where, largest=0.24).clustered for d in draws])
    assert mean == pytest.approx(0.25 * 0.24 / 30 + 0.25 * 0.24 / 10, rel=0.03)


def test_a_task_that_is_one_clip_counts_as_one_observation():
    where = layout(8, [0, 1, 2, 3, 4, 4, 4, 4], None, [0, 0, 0, 0, 1, 1, 1, 1])
    found = spread(np.array([1.0, 0, 1, 0, 1, 1, 1, 1]), where, largest=0.1875)
    assert found.clustered == pytest.approx(0.25 * 0.25 / 3 + 0.25 * 0.1875)
    assert found.leverage.tolist() == pytest.approx([0.25, 0.25, 0.25, 0.25, 1])


def test_differences_between_tasks_are_no_noise():
    tasks = np.repeat([0, 1], 10)
    where = layout(20, np.arange(20), None, tasks)
    assert spread(tasks.astype(float), where, largest=0.25).clustered == 0
    assert spread(tasks.astype(float), layout(20, np.arange(20), None, None), largest=0.25).clustered > 0


def test_what_rounding_leaves_is_no_variance():
    found = spread(np.full(30, 0.1), layout(30, np.arange(30), None, None), largest=0.09)
    assert (found.clustered, found.independent) == (0.0, 0.0)


def test_a_plain_mean_is_rounded_once():
    assert layout(2000, np.arange(2000), None, None).mean(np.r_[np.ones(1225), np.zeros(775)]) == 0.6125


def test_effective_numbers_are_plain_counts_where_sizes_are_equal():
    where = layout(12, np.repeat([5, 7, 9], 4), None, None)
    assert (where.n, where.n_clusters) == (12, 3)
    assert where.effective_clusters == pytest.approx(3)
    assert where.largest_design_effect == pytest.approx(4)


def test_items_of_weight_0_do_not_count():
    where = layout(4, [0, 0, 1, 2], [1, 1, 1, 0], None)
    assert (where.n, where.n_clusters, where.used.tolist()) == (3, 2, [True, True, True, False])
    assert where.weight.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("weights", "strata", "clusters", "says"),
    [
        ([1, -1, 1], None, [0, 1, 2], "not negative"),
        ([0, 0, 0], None, [0, 1, 2], "not all 0"),
        ([1, math.nan, 1], None, [0, 1, 2], "finite"),
        ([1, math.inf, 1], None, [0, 1, 2], "finite"),
        ([1, 1], None, [0, 1, 2], "weights has shape"),
        (None, [0, 1], [0, 1, 2], "strata has shape"),
        (None, None, [0, 1], "clusters has shape"),
    ],
)
def test_impossible_layouts_are_refused(weights, strata, clusters, says):
    with pytest.raises(UsageError, match=says):
        layout(3, clusters, weights, strata)


def test_no_items_are_refused():
    with pytest.raises(UsageError, match="no items"):
        layout(0, [], None, None)
