"""Marginal homogeneity of two categories in pairs, held against statsmodels and against counting by hand."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2
from statsmodels.stats.contingency_tables import SquareTable

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.homogeneity import homogeneity


def rng():
    return generator(3, "letters")


def pairs(seed, n, k, bias):
    source = np.random.default_rng(seed)
    gold = source.integers(0, k, n)
    return gold, np.where(source.random(n) < 0.5, gold, np.where(source.random(n) < bias, 0, source.integers(0, k, n)))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(40, 300), k=st.integers(2, 6), bias=st.floats(0, 0.6))
def test_of_single_observations_it_is_stuart_and_maxwells(seed, n, k, bias):
    gold, chosen = pairs(seed, n, k, bias)
    table = np.zeros((k, k))
    np.add.at(table, (gold, chosen), 1)
    oracle = SquareTable(table, shift_zeros=False).homogeneity(method="stuart_maxwell")
    found = homogeneity(gold, chosen, np.arange(n), rng(), swaps=99)
    assume(found.df == oracle.df)  # not where some are never taken for the others, of which statsmodels knows nothing
    assert found.statistic == pytest.approx(oracle.statistic)
    assert found.difference == pytest.approx((table.sum(0) - table.sum(1)) / n)


def test_of_many_observations_p_is_near_the_chi_squared_one():
    gold, chosen = pairs(5, 400, 4, 0.12)
    found = homogeneity(gold, chosen, np.arange(400), rng())
    assert found.df == 3
    assert found.p == pytest.approx(chi2.sf(found.statistic, 3), abs=0.01)
    assert 0.01 < found.p < 0.5


@pytest.mark.parametrize(("up", "down"), [(9, 2), (3, 3), (6, 0), (12, 3), (1, 0)])
def test_of_two_categories_p_is_mcnemars_exact_one(up, down):
    gold = np.repeat([0, 1, 0, 1], [up, down, 7, 5])
    chosen = np.repeat([1, 0, 0, 1], [up, down, 7, 5])
    found = homogeneity(gold, chosen, np.arange(len(gold)), rng(), swaps=60_000)
    assert found.p == pytest.approx(binomtest(up, up + down).pvalue, abs=0.004)
    assert found.statistic == pytest.approx((up - down) ** 2 / (up + down))


def test_replies_to_one_clip_count_once():
    """Ten clips asked four times each, every time the same: as sure as ten replies, not as forty."""
    gold, chosen = np.arange(10) % 4, np.zeros(10, np.int64)
    one = homogeneity(gold, chosen, np.arange(10), rng())
    four = homogeneity(np.repeat(gold, 4), np.repeat(chosen, 4), np.repeat(np.arange(10), 4), rng())
    assert (four.p, four.df, four.n_clusters) == (one.p, one.df, one.n_clusters)
    assert four.statistic == pytest.approx(one.statistic)
    apart = homogeneity(np.repeat(gold, 4), np.repeat(chosen, 4), np.arange(40), rng())
    assert apart.p < one.p
    assert four.high[0] - four.low[0] > 1.5 * (apart.high[0] - apart.low[0])


def test_each_category_has_its_difference_with_limits_about_it():
    gold, chosen = pairs(2, 300, 4, 0.5)
    found = homogeneity(gold, chosen, np.arange(300), rng())
    assert found.difference.sum() == pytest.approx(0)
    assert ((found.low <= found.difference) & (found.difference <= found.high)).all()
    assert found.low[0] > 0  # the one that it falls back on
    wider = homogeneity(gold, chosen, np.arange(300), rng(), confidence=0.99)
    assert ((wider.low < found.low) & (wider.high > found.high)).all()


def test_where_every_choice_is_right_nothing_differs_and_little_is_sure():
    found = homogeneity([0, 1, 2, 2], [0, 1, 2, 2], [1, 2, 3, 4], rng())
    assert (found.statistic, found.df, found.p, found.n) == (0, 0, 1, 4)
    assert (found.low < 0).all()
    assert (found.high > 0).all()


def test_of_one_cluster_anything_is_possible():
    found = homogeneity([0, 1, 1], [1, 1, 1], [7, 7, 7], rng())
    assert (found.p, found.n_clusters) == (1, 1)
    assert (found.low == -1).all()
    assert (found.high == 1).all()


def test_the_order_of_observations_and_which_is_first_say_nothing():
    gold, chosen = pairs(8, 120, 5, 0.3)
    found = homogeneity(gold, chosen, np.arange(120), rng(), swaps=499)
    order = np.random.default_rng(1).permutation(120)
    again = homogeneity(gold[order], chosen[order], np.arange(120), rng(), swaps=499)
    turned = homogeneity(chosen, gold, np.arange(120), rng(), swaps=499)
    assert again.p == turned.p == found.p
    assert again.statistic == pytest.approx(found.statistic)
    assert turned.difference == pytest.approx(-found.difference)


def test_categories_that_go_round_are_alike_in_the_margins():
    """A for B, B for C, C for A: far from symmetric, and every letter is chosen as often as it is right."""
    gold = np.tile(np.arange(3), 40)
    found = homogeneity(gold, np.where(np.arange(120) % 2, gold, (gold + 1) % 3), np.arange(120), rng())
    assert found.statistic == pytest.approx(0, abs=1e-9)
    assert found.p == 1


@pytest.mark.parametrize("columns", [([], [], []), ([0, 1], [0], [0, 1]), ([0, -1], [0, 0], [0, 1])])
def test_columns_that_are_not_alike_are_refused(columns):
    with pytest.raises(UsageError, match="give one entry an observation"):
        homogeneity(*columns, rng())
