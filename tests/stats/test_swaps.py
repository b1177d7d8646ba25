from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from audiometry.stats import swaps
from audiometry.stats.swaps import swap_test


def rng():
    return np.random.default_rng(7)


def apart(above, below):
    """The difference of two ratios, which is no mean of the clusters' differences."""
    return above[:, 0] / above[:, 1] - below[:, 0] / below[:, 1]


def draw(seed, clusters):
    source = np.random.default_rng(seed)
    one, other = source.integers(1, 6, (2, clusters, 2)).astype(float)
    return (one.sum(axis=0) + other.sum(axis=0)) / 2, (one - other) / 2


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), clusters=st.integers(1, 9))
def test_p_of_few_clusters_is_the_share_of_all_patterns(seed, clusters):
    middle, half = draw(seed, clusters)
    signs = np.array(list(itertools.product((1, -1), repeat=clusters)))
    every = np.array([float(apart((middle + s @ half)[None], (middle - s @ half)[None])[0]) for s in signs])
    p, exact = swap_test(middle, half, apart, rng=rng(), swaps=99)
    assert exact
    assert p == pytest.approx(np.mean(np.abs(every) >= abs(every[0]) - 1e-9))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), clusters=st.sampled_from([18, 60, 400]))
def test_p_does_not_hang_on_the_order_of_clusters_nor_on_which_model_is_first(seed, clusters):
    middle, half = draw(seed, clusters)
    p, exact = swap_test(middle, half, apart, rng=rng(), swaps=499)
    order = np.random.default_rng(seed).permutation(clusters)
    assert swap_test(middle, half[order], apart, rng=rng(), swaps=499) == (p, exact)
    assert swap_test(middle, -half, apart, rng=rng(), swaps=499) == (p, exact)


@pytest.mark.parametrize("like", [1, 8, 10**9])
def test_drawing_clusters_one_by_one_or_by_kind_gives_the_same_p(monkeypatch, like):
    monkeypatch.setattr(swaps, "_LIKE", like)
    half = np.repeat([[0.5, 0.0], [-0.5, 0.0], [1.0, 0.0]], [30, 18, 4], axis=0)
    p, _ = swap_test(np.array([100.0, 200.0]), half, apart, rng=rng(), swaps=20_000)
    signs = np.random.default_rng(1).choice([1.0, -1.0], (40_000, 52))
    assert p == pytest.approx(np.mean(np.abs(signs @ half[:, 0]) >= half[:, 0].sum() - 1e-9), abs=0.012)


def test_p_is_the_same_whatever_the_width_of_the_numbers_and_however_rows_are_put_together(monkeypatch):
    """Rows of several tasks, no two alike, so that all are drawn one by one, and in blocks of a few columns."""
    source = np.random.default_rng(3)
    half = np.zeros((600, 12))
    half[np.arange(600)[:, None], 4 * (np.arange(600)[:, None] % 3) + np.arange(4)] = (
        source.integers(-40, 41, (600, 4)) / 2
    )
    found = []
    for exact, like in ((1 << 24, 10**9), (0, 10**9), (1 << 24, 8)):
        monkeypatch.setattr(swaps, "_EXACT", exact)
        monkeypatch.setattr(swaps, "_LIKE", like)
        found.append(swap_test(np.full(12, 1e4), half, apart, rng=rng(), swaps=4_999)[0])
    assert found[0] == found[1]
    signs = np.random.default_rng(1).choice([1.0, -1.0], (20_000, 600))
    moved = signs @ half
    every = np.abs(apart(1e4 + moved, 1e4 - moved))
    observed = abs(apart(1e4 + half.sum(axis=0)[None], 1e4 - half.sum(axis=0)[None])[0])
    assert found[0] == pytest.approx(np.mean(every >= observed - 1e-9), abs=0.03)


def test_single_right_or_wrong_items_are_mcnemars():
    half = np.repeat([[0.5], [-0.5]], [11, 3], axis=0)
    assert swap_test(np.array([50.0]), half, lambda a, b: (a - b)[:, 0], rng=rng(), swaps=9) == (
        pytest.approx(binomtest(3, 14).pvalue),
        True,
    )


def test_p_is_never_0_and_counts_the_observed_pattern():
    p, exact = swap_test(np.array([50.0]), np.full((40, 1), 0.5), lambda a, b: (a - b)[:, 0], rng=rng(), swaps=199)
    assert (p, exact) == (pytest.approx(1 / 200), False)


def test_equal_models_have_p_1():
    assert swap_test(np.array([3.0, 4.0]), np.zeros((5, 2)), apart, rng=rng(), swaps=99) == (1.0, True)


def test_sums_that_make_no_value_count_as_far_apart():
    p, _ = swap_test(
        np.array([1.0]),
        np.array([[1.0], [0.5]]),
        lambda a, b: np.where(a > 1.9, np.nan, a - b)[:, 0],
        rng=rng(),
        swaps=9,
    )
    assert p == 1.0
