from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats import concordance
from audiometry.stats.concordance import kendall_tau_b, spearman_rho
from audiometry.stats.wilson import wilson

BOTH = ((kendall_tau_b, scipy.stats.kendalltau), (spearman_rho, scipy.stats.spearmanr))


def draw(seed, n, kinds):
    source = np.random.default_rng(seed)
    a = source.integers(0, kinds, n)
    return a, (a + source.integers(0, kinds, n)) // 2


@given(seed=st.integers(0, 2**32), n=st.integers(2, 80), kinds=st.sampled_from([2, 4, 1000]))
def test_both_are_those_of_scipy(seed, n, kinds):
    a, b = draw(seed, n, kinds)
    for ours, theirs in BOTH:
        found = ours(a, b, range(n))
        if len(set(a)) == 1 or len(set(b)) == 1:
            assert found.value is None
            assert found.why == "all scores of one rater are equal, so there is no order"
        else:
            assert found.value == pytest.approx(theirs(a, b).statistic, abs=1e-9)
            if found.low is not None:
                assert -1 <= found.low <= found.value + 1e-12
                assert found.value - 1e-12 <= found.high <= 1


@given(seed=st.integers(0, 2**32), n=st.integers(1, 70), kinds=st.integers(1, 9))
def test_counting_by_a_table_and_by_sorting_are_counting_one_by_one(seed, n, kinds):
    a, b = draw(seed, n, kinds)
    x, y = (np.unique(column, return_inverse=True)[1] for column in (a, b))
    slow = [int(((x < i) & (y < j)).sum()) for i, j in zip(x, y, strict=True)]
    assert concordance._both_below(x, y).tolist() == slow
    assert concordance._both_below_sorted(x, y).tolist() == slow


def test_many_different_values_are_sorted(monkeypatch):
    a, b = draw(3, 300, 1000)
    table = kendall_tau_b(a, b, range(300))
    monkeypatch.setattr(concordance, "_TABLE", 0)
    assert kendall_tau_b(a, b, range(300)) == table


@given(seed=st.integers(0, 2**32))
def test_only_the_order_of_values_counts_and_turning_one_round_turns_the_sign(seed):
    a, b = draw(seed, 40, 6)
    if len(set(a)) == 1 or len(set(b)) == 1:
        return
    for ours, _ in BOTH:
        plain, bent, turned = (ours(a, column, range(40)) for column in (b, np.exp(b / 3), -b))
        assert (bent.value, bent.low, bent.high) == pytest.approx((plain.value, plain.low, plain.high), abs=1e-9)
        expected = (-plain.value, -plain.high, -plain.low)
        assert (turned.value, turned.low, turned.high) == pytest.approx(expected, abs=1e-9)


def test_the_interval_is_that_of_resampled_items():
    a, b = draw(5, 150, 10)
    source = generator(1, "resample")
    for ours, theirs in BOTH:
        drawn = [theirs(a[take], b[take]).statistic for take in source.integers(0, 150, (400, 150))]
        found = ours(a, b, range(150))
        assert found.high - found.low == pytest.approx(2 * 1.98 * np.std(drawn), rel=0.15)


def test_copies_of_an_item_are_no_further_evidence():
    a, b = draw(6, 30, 10)
    for ours, _ in BOTH:
        alone = ours(a, b, range(30))
        copied = ours(np.repeat(a, 8), np.repeat(b, 8), np.repeat(np.arange(30), 8))
        assert copied.n == 240
        assert copied.n_clusters == 30
        assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_full_agreement_is_not_certain():
    for ours, _ in BOTH:
        for sign in (1, -1):
            found = ours(np.arange(20), sign * np.arange(20), range(20))
            ends = sorted((sign, sign * (2 * wilson(1.0, 10)[0] - 1)))
            assert (found.value, [found.low, found.high]) == (sign, pytest.approx(ends))


def test_what_gives_no_number_says_why():
    for ours, _ in BOTH:
        assert ours([], [], []).why == "nothing rated in common"
        assert ours([1], [2], [0]).why == "a single unit has no order"
        two = ours([1, 2, 3], [1, 3, 2], [0, 0, 1])
        assert two.value is not None
        assert two.low is None
        assert two.why == "no interval: fewer than three items"
        with pytest.raises(UsageError, match="one length"):
            ours([1, 2], [1, 2], [0])
        with pytest.raises(UsageError, match="confidence"):
            ours([1, 2], [1, 2], [0, 1], confidence=0)
