from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from audiometry.errors import UsageError
from audiometry.stats.few_orders import agreement, taus, top_distances
from audiometry.stats.permuted import orders

FEW = st.lists(st.integers(0, 4), min_size=4, max_size=5).filter(lambda values: len(set(values)) > 1)


def by_definition(first: list[int], second: list[int], k: int = 3, penalty: float = 0.5) -> float:
    """Fagin's distance of two lists of things, the four cases as the paper has them."""
    one, two, total = first[:k], second[:k], 0.0
    for i, j in combinations(sorted({*one, *two}), 2):
        in_one, in_two = {i, j} & set(one), {i, j} & set(two)
        if len(in_one) == len(in_two) == 2:
            total += (one.index(i) < one.index(j)) != (two.index(i) < two.index(j))
        elif {len(in_one), len(in_two)} == {1, 2}:
            whole, part = (one, in_two) if len(in_one) == 2 else (two, in_one)
            (there,) = part
            total += whole.index(there) > whole.index(j if there == i else i)
        elif {len(in_one), len(in_two)} == {0, 2}:
            total += penalty
        else:
            total += len(in_one) == len(in_two) == 1 and in_one != in_two
    return total / (k * k + penalty * k * (k - 1))


@settings(max_examples=25)
@given(FEW, st.data())
def test_coefficients_and_their_p_are_those_of_counting_every_order(values, data):
    a = np.array(values, float)
    b = np.array(data.draw(st.permutations(range(len(values)))), float)
    found = agreement(a, b, orders(len(a)))
    every = [np.array(order, float) for order in permutations(b)]
    assert found.tau_b == pytest.approx(scipy_stats.kendalltau(a, b, method="asymptotic").statistic, abs=1e-12)
    sums = [sum(np.sign(a[i] - a[j]) * np.sign(o[i] - o[j]) for i, j in combinations(range(len(a)), 2)) for o in every]
    assert found.tau_p == pytest.approx(np.mean([abs(one) >= abs(sums[0]) for one in sums]))
    assert found.rho == pytest.approx(scipy_stats.spearmanr(a, b).statistic, abs=1e-12)
    assert found.exact


def test_without_ties_the_p_of_tau_is_scipys_exact_one():
    rng = np.random.default_rng(2)
    for n in (3, 5, 7):
        a, b = rng.normal(size=n), rng.normal(size=n)
        found = agreement(a, b, orders(n))
        assert found.tau_p == pytest.approx(scipy_stats.kendalltau(a, b, method="exact").pvalue, abs=1e-12)


@given(st.permutations(range(6)))
def test_the_distance_of_the_top_three_is_fagins(order):
    scores = np.empty(6)
    scores[list(order)] = np.arange(6, 0, -1)
    own = np.arange(6.0, 0, -1)
    assert top_distances(own, scores[None])[0] == pytest.approx(by_definition(list(range(6)), list(order)))


def test_with_ties_the_distance_is_the_mean_over_every_way_to_break_them():
    a, b = np.array([3.0, 3, 3, 2, 2, 1]), np.array([1.0, 5, 2, 2, 2, 4])
    broken = [
        by_definition(list(one), list(two))
        for one in permutations(range(6))
        if all(a[i] >= a[j] for i, j in pairwise(one))
        for two in permutations(range(6))
        if all(b[i] >= b[j] for i, j in pairwise(two))
    ]
    assert top_distances(a, b[None])[0] == pytest.approx(np.mean(broken))


@given(FEW)
def test_taus_of_many_orders_are_those_of_each(values):
    a = np.array(values, float)
    drawn = np.array([np.roll(a, 1), a, -a, np.zeros(len(a))])
    expected = [scipy_stats.kendalltau(a, one).statistic for one in drawn[:3]]
    found = taus(np.tile(a, (4, 1)), drawn)
    assert found[:3] == pytest.approx(expected)
    assert found[3] == 0


def test_of_two_and_three_things_there_is_no_top():
    found = agreement(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), orders(3))
    assert found.distance is None
    assert found.distance_p is None
    assert agreement(np.array([1.0, 2]), np.array([1.0, 2]), orders(2)).tau_p == 1.0


def test_a_constant_order_and_other_lengths_are_refused():
    with pytest.raises(UsageError, match="no order"):
        agreement(np.ones(4), np.arange(4.0), orders(4))
    with pytest.raises(UsageError, match="give one length"):
        agreement(np.ones(4), np.arange(4.0), orders(5))
