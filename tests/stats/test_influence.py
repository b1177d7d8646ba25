from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm

from audiometry.stats import limits, variance
from audiometry.stats.f1 import macro_f1
from audiometry.stats.influence import strata, totals
from audiometry.stats.parts import SHARE, Parts, Scale, means, ratio
from audiometry.stats.wilson import wilson

RNG = np.random.default_rng(7)
N = 240
SCORES = (RNG.random(N) < 0.7).astype(float)
CLUSTERS = RNG.integers(0, 60, N)
TASKS = RNG.integers(0, 3, N)
EVEN = np.full(3, 1 / 3)


def bent(sums):
    """A measure that is no ratio: a geometric mean of two."""
    return np.sqrt(ratio(sums[..., :2]) * ratio(sums[..., 2:]))


def parts(k, variants=2, clusters=CLUSTERS):
    sums = RNG.random((N, variants, k)) + 0.5
    return Parts(sums, clusters, TASKS, np.ones(N))


def naive_variance(scores, clusters, weights, leaf):
    """CR2 with each step spelled out: residuals about the leaf's mean, each cluster's part of it corrected."""
    w = np.asarray(weights, float) / np.sum(weights)
    total = 0.0
    for cluster in set(clusters):
        part = 0.0
        for one in set(leaf):
            inside = leaf == one
            here = inside & (clusters == cluster)
            if here.any():
                mean = np.average(scores[inside], weights=w[inside])
                share = w[here].sum() / w[inside].sum()
                part += (w[here] * (scores[here] - mean)).sum() / math.sqrt(1 - share)
        total += part**2
    return total


@pytest.mark.parametrize(("value", "k"), [(ratio, 2), (bent, 4)])
def test_influences_are_those_of_leaving_clusters_out_one_by_one(value, k):
    whole = parts(k)
    found = strata(whole, value, EVEN, Scale("plain"))
    for cell in range(len(found.cell_stratum)):
        leaf, cluster = found.cell_stratum[cell], np.unique(CLUSTERS)[found.cell_cluster[cell]]
        mine = leaf == TASKS
        left = mine & (cluster != CLUSTERS)
        full, less = (value(whole.sums[rows].sum(axis=0)).mean() for rows in (mine, left))
        share = 1 - left.sum() / mine.sum()
        assert found.cell_weight[cell] == pytest.approx(share)
        assert found.residual[cell] == pytest.approx((full - less) * math.sqrt(1 - share))


def test_pseudo_values_of_a_mean_are_the_scores():
    found = strata(means(SCORES, CLUSTERS, TASKS), ratio, EVEN, SHARE)
    assert found.y == pytest.approx(SCORES)
    assert found.centre == pytest.approx([SCORES[code == TASKS].mean() for code in range(3)])


def test_the_sums_of_a_cell_need_no_items():
    whole = parts(2)
    by_item = strata(whole, ratio, EVEN, Scale("plain"))
    size = np.bincount(by_item.cell).astype(float)
    cells = Parts(totals(by_item.cell, whole.sums, len(size)), by_item.cell_cluster, by_item.cell_stratum, size)
    by_cell = strata(cells, ratio, EVEN, Scale("plain"))
    one, other = (variance.of_whole(f, float(f.share @ f.value), Scale("plain")) for f in (by_item, by_cell))
    assert by_cell.residual == pytest.approx(by_item.residual)
    assert other.clustered == pytest.approx(one.clustered)


def test_influences_on_macro_f1_are_its_derivatives():
    gold, said = RNG.integers(0, 4, (2, N))
    sums = np.zeros((N, 1, 12))
    rows = np.arange(N)
    sums[rows, 0, 3 * gold] = said == gold
    sums[rows, 0, 3 * gold + 1] = 1
    sums[rows, 0, 3 * said + 2] = 1
    found = strata(Parts(sums, rows, np.zeros(N, np.int64), np.ones(N)), macro_f1, np.ones(1), Scale("f1"))
    assert float(found.share @ found.value) == pytest.approx(float(macro_f1(sums.sum(axis=0))[0]))
    moved = found.share[found.cell_stratum] * found.slope[found.cell_stratum] * found.residual
    by_item = totals(found.cell_cluster, moved * np.sqrt(1 - found.cell_weight), N)
    step = 1e-6
    whole = sums.sum(axis=0)
    expected = (macro_f1(whole + step * sums) - macro_f1(whole))[:, 0] / step
    assert by_item == pytest.approx(expected, abs=1e-7)


def test_the_variance_is_that_of_an_intercept_only_regression_but_for_its_small_sample_factor():
    equal = np.repeat(np.arange(60), 4)  # clusters of equal size: CR2 is CR1 is G / (G - 1)
    fit = sm.OLS(SCORES, np.ones(N)).fit(cov_type="cluster", cov_kwds={"groups": equal, "use_correction": False})
    found = variance.of_strata(strata(means(SCORES, equal), ratio, np.ones(1), SHARE), SHARE)
    assert found.clustered[0] == pytest.approx(fit.cov_params()[0, 0] * 60 / 59, rel=1e-9)


def test_the_variance_of_a_macro_average_is_the_one_spelled_out():
    found = variance.of_whole(strata(means(SCORES, CLUSTERS, TASKS), ratio, EVEN, SHARE), 0.7, SHARE)
    weights = 1 / np.bincount(TASKS)[TASKS]
    assert found.clustered[0] == pytest.approx(naive_variance(SCORES, CLUSTERS, weights, TASKS), rel=1e-9)
    assert found.independent[0] == pytest.approx(naive_variance(SCORES, np.arange(N), weights, TASKS), rel=1e-9)


def test_a_task_that_is_one_clip_counts_as_one_observation():
    scores, leaf = np.array([1.0, 0, 1, 0, 1, 1, 1, 1]), [0, 0, 0, 0, 1, 1, 1, 1]
    found = strata(means(scores, [0, 1, 2, 3, 4, 4, 4, 4], leaf), ratio, np.full(2, 0.5), SHARE)
    assert found.alone.tolist() == [False] * 4 + [True]
    whole = variance.of_whole(found, 0.75, SHARE)
    assert whole.clustered[0] == pytest.approx(0.25 * 0.25 / 3, rel=0.01)
    assert whole.unseen[0] == pytest.approx(0.25 * 0.1875)


def test_what_rounding_leaves_is_no_variance():
    found = variance.of_strata(strata(means(np.full(30, 0.1), np.arange(30)), ratio, np.ones(1), SHARE), SHARE)
    assert (found.clustered[0], found.independent[0]) == (0.0, 0.0)


def test_effective_numbers_are_plain_counts_where_sizes_are_equal():
    found = variance.of_strata(strata(means(SCORES[:12], np.repeat([5, 7, 9], 4)), ratio, np.ones(1), SHARE), SHARE)
    assert (found.clusters[0], found.effective[0], found.alike[0]) == pytest.approx((3, 3, 4))


def doubt(rare, weight):
    return float(variance.doubt(np.asarray(rare), np.asarray(weight), np.zeros(len(rare), np.int64), 1)[0])


def test_doubt_falls_with_holders_and_with_the_share():
    weight = np.full(500, 1 / 500)
    one, four = np.r_[0.002, np.zeros(499)], np.r_[[0.002] * 4, np.zeros(496)]
    assert doubt(np.zeros(500), weight) == 1
    assert doubt(one, weight) == pytest.approx(2 * 0.996**4 / 3)
    assert doubt(four, weight) == pytest.approx(2 * 0.984**4 / 6)
    assert doubt(weight / 2, weight) == doubt(0.9 * weight, weight) == 0


def test_many_that_hold_a_little_are_no_more_than_three_times_the_clusters_they_would_fill():
    weight = np.full(20, 1 / 20)
    little = np.r_[[1 / 600] * 6, np.zeros(14)]  # an item of 30 in each of six clusters
    assert doubt(little, weight) == pytest.approx(2 * 0.98**4 / (2 + 3 * 0.2))


def test_kishs_number():
    assert variance.kish(np.array([1.0, 1, 1, 3, 0]), np.array([0, 0, 0, 1, 2]), 3).tolist() == [3, 1, 0]


def test_heavy_tails_leave_few_degrees_of_freedom():
    errors = np.r_[np.full(5, 40.0), np.ones(95)]
    of = np.full(100, 10.0)
    rows = Parts(np.stack((errors, of), 1)[:, None], np.arange(100), np.zeros(100, np.int64), of)
    even = Parts(np.stack((np.arange(100) % 5.0, of), 1)[:, None], rows.cluster, rows.leaf, of)
    few, many = (
        variance.of_strata(strata(p, ratio, np.ones(1), Scale("log")), Scale("log")).df[0] for p in (rows, even)
    )
    assert few < 8
    assert many > 90
    apart = (errors - errors.mean()) / np.sqrt(0.99)
    assert few == pytest.approx(1 + 1 / ((apart**4).sum() / (apart**2).sum() ** 2 - 0.01))


def test_limits_of_tasks_without_a_clip_in_common_are_put_together_like_newcombes():
    a, b = np.repeat([1.0, 0.0], [14, 6]), np.repeat([1.0, 0.0], [45, 5])
    found = strata(means(np.r_[a, b], np.arange(70), np.repeat([0, 1], [20, 50])), ratio, np.array([0.5, 0.5]), SHARE)
    (al, ah), (bl, bh) = wilson(0.7, 20), wilson(0.9, 50)
    low, high = limits.together(found, np.array([al, bl]), np.array([ah, bh]))
    assert low == pytest.approx(0.8 - math.hypot(0.7 - al, 0.9 - bl) / 2)
    assert high == pytest.approx(0.8 + math.hypot(ah - 0.7, bh - 0.9) / 2)


def test_limits_of_tasks_that_are_right_on_the_same_clips_are_put_together_without_gain():
    clip = np.repeat([1.0, 0.0], [14, 6])
    found = strata(means(np.tile(clip, 3), np.tile(np.arange(20), 3), np.repeat([0, 1, 2], 20)), ratio, EVEN, SHARE)
    low, high = (np.full(3, end) for end in wilson(0.7, 20))
    assert limits.together(found, low, high) == pytest.approx(wilson(0.7, 20))


def test_tasks_without_variation_that_share_clips_gain_nothing_and_those_of_their_own_do():
    for clusters, gain in ((np.tile(np.arange(20), 4), 1), (np.arange(80), 2)):
        found = strata(means(np.ones(80), clusters, np.repeat(np.arange(4), 20)), ratio, np.full(4, 0.25), SHARE)
        low, high = limits.together(found, np.full(4, wilson(1, 20)[0]), np.ones(4))
        assert (1 - low, high) == (pytest.approx((1 - wilson(1, 20)[0]) / gain), 1.0)


def test_a_task_without_variation_adds_to_those_whose_clips_it_shares():
    scores, leaf = np.r_[np.repeat([1.0, 0.0], [14, 6]), np.ones(20)], np.repeat([0, 1], 20)
    low = np.array([wilson(0.7, 20)[0], wilson(1, 20)[0]])
    below = {}
    for name, clusters in (("shared", np.tile(np.arange(20), 2)), ("own", np.arange(40))):
        found = strata(means(scores, clusters, leaf), ratio, np.full(2, 0.5), SHARE)
        below[name] = 0.85 - limits.together(found, low, np.ones(2))[0]
    assert below["own"] == pytest.approx(math.hypot(0.7 - low[0], 1 - low[1]) / 2)
    assert below["own"] < below["shared"] < (0.7 - low[0] + 1 - low[1]) / 2


def test_a_class_of_one_item_does_not_leave_the_whole_of_macro_f1_one_degree_of_freedom():
    gold = np.r_[np.repeat([0, 1], 30), 2]
    sums, rows = np.zeros((61, 1, 9)), np.arange(61)
    said = np.where(rows % 7 == 0, (gold + 1) % 2, gold)
    sums[rows, 0, 3 * gold] = said == gold
    sums[rows, 0, 3 * gold + 1] = 1
    sums[rows, 0, 3 * said + 2] = 1
    found = strata(Parts(sums, rows, np.zeros(61, np.int64), np.ones(61)), macro_f1, np.ones(1), Scale("f1"))
    assert variance.of_whole(found, 0.8, Scale("f1")).df.tolist() == [60]


def test_near_an_end_scores_that_were_not_met_count_as_far_away():
    scores = np.r_[np.full(47, 10.0), np.full(3, 9.0)]
    judged = Scale("bounded", 1, 10)
    found = variance.of_strata(strata(means(scores, np.arange(50)), ratio, np.ones(1), judged), judged)
    y = (scores - 1) / 9
    seen, most = y.var(ddof=1) / 50, y.mean() * (1 - y.mean()) / 50
    share = 1 - y.mean()
    doubted = 2 * (1 - 2 * share) ** 4 / (2 + min(3, 3 * share * 50))
    assert found.independent[0] == pytest.approx(seen + doubted * (most - seen))
    assert found.clustered[0] == pytest.approx(found.independent[0])
