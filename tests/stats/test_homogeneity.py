"""Marginal homogeneity of two categories in pairs, held against statsmodels and against counting by hand."""

import importlib.util
import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2
from statsmodels.stats.contingency_tables import SquareTable

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.homogeneity import homogeneity

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "statistics" / "letters.py"
SPEC = importlib.util.spec_from_file_location("statistics_letters", SCRIPT)
simulation = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = simulation
SPEC.loader.exec_module(simulation)


def rng():
    return generator(3, "letters")


def letter_by_clip(chosen, k=4):
    """Each clip asked with every letter right once, and always the same letter chosen."""
    clips = np.repeat(np.arange(len(chosen)), k)
    return np.tile(np.arange(k), len(chosen)), np.repeat(chosen, k), clips


def test_a_letter_that_no_clip_gets_says_little_of_few_clips():
    """Every cluster is one short of it, which shows no spread, and the statistic is the number of clusters."""
    found = homogeneity(*letter_by_clip([0, 0, 0, 1, 1, 1, 2, 2]), rng())
    assert found.statistic == pytest.approx(8)
    assert found.p > 0.2
    assert found.difference[3] == -0.25
    assert found.high[3] >= 0
    assert found.high[3] - found.low[3] > 0.25
    many = homogeneity(*letter_by_clip([0, 1, 2] * 30), rng(), swaps=499)
    assert many.p < 0.01
    assert many.high[3] < 0


def test_p_is_that_of_the_larger_of_statistic_and_plain_squares():
    gold, chosen, clusters = letter_by_clip([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    apart = np.zeros((10, 4))
    np.add.at(apart, (clusters, chosen), 1)
    apart -= 1
    signs = np.array(list(itertools.product((1, -1), repeat=10)))
    plain = ((signs @ apart) ** 2).sum(axis=1)
    scaled = np.einsum("ij,jk,ik->i", signs @ apart, np.linalg.pinv(apart.T @ apart), signs @ apart)
    both = [float((of >= of[0] - 1e-9).mean()) for of in (plain, scaled)]
    assert both[1] < 0.05 < both[0]
    assert homogeneity(gold, chosen, clusters, rng()).p == pytest.approx(both[0])


@pytest.mark.parametrize(
    "draw", [simulation.in_every_order(8, 1), simulation.going_round(10, 1), simulation.round_and_unequal(200)]
)
def test_nothing_is_found_where_no_letter_is_preferred(draw):
    replicates = 80
    rejected, held = simulation.rates(draw, replicates, swaps=99)
    room = 3 * math.sqrt(0.05 * 0.95 / replicates)
    assert rejected <= 0.06 + room
    assert held >= 0.95 - room


def test_limits_are_of_all_categories_together_and_show_nothing_that_the_test_does_not_find():
    clear, seen = 0, 0
    for seed in range(60):
        gold, chosen = pairs(seed, 60, 4, 0.25)
        found = homogeneity(gold, chosen, np.arange(60), rng(), swaps=99)
        out = bool(((found.low > 0) | (found.high < 0)).any())
        assert not (out and found.p >= 0.05)
        clear, seen = clear + out, seen + (found.p < 0.05)
    assert 5 < clear <= seen < 55
    gold, chosen = pairs(2, 300, 4, 0.9)
    every, one = (homogeneity(gold, chosen, np.arange(300), rng(), confidence=c) for c in (0.95, 1 - 0.05 / 4))
    assert every.p < 0.001
    own = homogeneity(
        (gold == 0).astype(int), (chosen == 0).astype(int), np.arange(300), rng(), confidence=1 - 0.05 / 4
    )
    assert (every.low[0], every.high[0]) == pytest.approx((own.low[1], own.high[1]))
    assert one.high[0] - one.low[0] > every.high[0] - every.low[0]


def pairs(seed, n, k, bias):
    source = np.random.default_rng(seed)
    gold = source.integers(0, k, n)
    return gold, np.where(source.random(n) < 0.5, gold, np.where(source.random(n) < bias, 0, source.integers(0, k, n)))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(40, 300), k=st.integers(2, 6), bias=st.floats(0, 0.6))
@example(seed=285, n=40, k=5, bias=0.0)  # of which statsmodels' matrix is singular
def test_of_single_observations_it_is_stuart_and_maxwells(seed, n, k, bias):
    gold, chosen = pairs(seed, n, k, bias)
    table = np.zeros((k, k))
    np.add.at(table, (gold, chosen), 1)
    found = homogeneity(gold, chosen, np.arange(n), rng(), swaps=99)
    assume(found.df == k - 1)  # not where some are never taken for the others, of which statsmodels knows nothing
    oracle = SquareTable(table, shift_zeros=False).homogeneity(method="stuart_maxwell")
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
