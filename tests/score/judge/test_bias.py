"""A judge's scores of the same answers in both places, held against each other; and what a cut answer says."""

import numpy as np
import pytest
from scipy import stats

from audiometry.score.judge.bias import apart
from audiometry.score.judge.rules import RULES
from audiometry.score.readers import Said


@pytest.mark.parametrize("each", [1, 4])
def test_the_interval_of_the_difference_is_that_of_paired_clusters(each):
    """Each answer four times over in one cluster says as much as once."""
    rng = np.random.default_rng(1)
    second = rng.uniform(4, 6, 120)
    first = second + rng.normal(0.4, 1, 120)
    apart_ = first - second
    found = apart(np.repeat(first, each), np.repeat(second, each), np.repeat(np.arange(120), each))
    half = stats.t.ppf(0.975, 119) * apart_.std(ddof=1) / np.sqrt(120)
    assert (found.difference, found.n_clusters) == (pytest.approx(apart_.mean()), 120)
    assert found.interval == pytest.approx((apart_.mean() - half, apart_.mean() + half), rel=0.05)
    assert found.p == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=0.5)


def test_of_one_cluster_anything_may_be():
    found = apart(np.array([7.0, 8.0]), np.array([6.0, 8.0]), np.array([0, 0]))
    assert (found.difference, found.interval, found.p) == (0.5, (-10, 10), 1.0)


@pytest.mark.parametrize(
    ("said", "strict", "official"),
    [
        (Said(first="8 7", readable=True), (8, 7), (8, 7)),
        (Said(first="Hm.", again="8 7"), (8, 7), (None, None)),
        (Said(again="8 7", cut=True), (None, None), (8, 7)),  # it may have been 8 7.5
        (Said(again="8 7\n9 1", cut=True), (8, 7), (None, None)),  # 9 1, or 9 10
        (Said(again="Both are good.\n8 7\n", cut=True), (8, 7), (None, None)),
        (Said(), (None, None), (None, None)),
    ],
)
def test_of_an_answer_that_was_cut_the_last_line_is_not_read(said, strict, official):
    for name, scores in (("strict", strict), ("airbench", official)):
        found = RULES[name].scores(said)
        assert (found.first, found.second) == scores, name
