import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from audiometry.errors import UsageError
from audiometry.stats.permuted import DRAWS, correlation_p, least_p, orders, p_of


def test_all_orders_of_few_and_drawn_ones_of_many_with_the_observed_first():
    for n in (1, 2, 5):
        each = orders(n)
        assert each.exact
        assert len({tuple(row) for row in each.places.tolist()}) == math.factorial(n) == len(each.places)
        assert each.places[0].tolist() == list(range(n))
    many = orders(12, seed=3)
    assert not many.exact
    assert many.places.shape == (DRAWS + 1, 12)
    assert many.places[0].tolist() == list(range(12))
    assert (np.sort(many.places, axis=1) == np.arange(12)).all()
    assert (many.places == orders(12, seed=3).places).all()
    assert (many.places != orders(12, seed=4).places).any()
    with pytest.raises(UsageError, match="at least one label"):
        orders(0)


def test_the_p_of_a_correlation_is_that_of_scipys_enumeration():
    rng = np.random.default_rng(1)
    scores, effects = rng.normal(size=6), rng.normal(size=6)
    found = correlation_p(scores, effects, orders(6))
    other = scipy_stats.permutation_test(
        (scores,),
        lambda x: abs(np.corrcoef(x, effects)[0, 1]),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert found == pytest.approx(other.pvalue, abs=1e-12)


def test_the_observed_order_counts_and_a_perfect_one_of_five_gives_no_less_than_one_in_120():
    scores = np.array([1.0, 2.0, 3.5, 5.0, 9.0])
    assert (
        correlation_p(scores, scores, orders(5)) == pytest.approx(1 / 120) == pytest.approx(least_p(5, mirrored=False))
    )
    many = np.arange(12.0) ** 2
    assert (
        correlation_p(many, many, orders(12))
        == pytest.approx(1 / (1 + DRAWS))
        == pytest.approx(least_p(12, mirrored=False))
    )
    assert p_of(np.zeros(4)) == 1.0


def test_equal_scores_and_other_lengths_are_refused():
    with pytest.raises(UsageError, match="all scores are equal"):
        correlation_p(np.ones(4), np.arange(4.0), orders(4))
    with pytest.raises(UsageError, match="give one length"):
        correlation_p(np.ones(4), np.arange(5.0), orders(4))
