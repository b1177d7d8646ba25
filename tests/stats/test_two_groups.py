"""Two small groups: the interval of exchanging their members, against going through every way by hand."""

from itertools import combinations

import numpy as np
import pytest

from audiometry.stats.two_groups import MOST_WAYS, shift


def one_sided(a, b, moved, *, above):
    """The share of ways in which so many members, picked after A was moved back, have a mean as far out as A's."""
    every, n = [*(np.array(a) - moved), *b], len(a)
    total, means = sum(every), []
    for picked in combinations(range(len(every)), n):
        own = sum(every[at] for at in picked)
        means.append(own / n - (total - own) / len(b))
    return np.mean([(one >= means[0] - 1e-9) if above else (one <= means[0] + 1e-9) for one in means])


@pytest.mark.parametrize(("n_a", "n_b", "confidence"), [(2, 9, 0.95), (4, 5, 0.95), (3, 4, 0.8), (5, 3, 0.9)])
def test_the_interval_holds_the_shifts_that_no_exchange_refutes_and_no_others(n_a, n_b, confidence):
    random = np.random.default_rng(n_a)
    for _ in range(5):
        a, b = random.normal(1, 1, n_a).tolist(), random.normal(0, 2, n_b).tolist()
        found = shift(a, b, confidence)
        low, high = found.interval
        level = (1 - confidence) / 2
        assert found.difference == pytest.approx(np.mean(a) - np.mean(b))
        assert low <= found.difference <= high
        for end, above, out in ((low, True, -1e-6), (high, False, 1e-6)):
            assert one_sided(a, b, end, above=above) > level
            assert one_sided(a, b, end + out, above=above) <= level


def test_of_two_against_nine_it_reaches_from_the_smallest_to_the_largest_difference_of_two_systems():
    a, b = [41.5, 43.4], [17.1, 25.5, 23.3, 25.9, 35.0, 35.7, 42.2, 33.1, 39.2]
    found = shift(a, b)
    assert found.ways == 55
    assert found.interval == pytest.approx((min(a) - max(b), max(a) - min(b)))


def test_too_few_members_for_the_level_have_no_interval_and_no_more_have_too_many():
    assert shift([1.0], [2.0] * 30).interval is None
    assert shift([3.0], [float(n) for n in range(45)]).interval is not None
    assert shift(range(12), range(12)).ways > MOST_WAYS
    assert shift(range(12), range(12)).interval is None


def test_as_many_are_covered_as_is_claimed():
    random = np.random.default_rng(7)
    held = [low <= 0 <= high for low, high in (shift(x[:2], x[2:]).interval for x in random.normal(size=(3000, 11)))]
    assert np.mean(held) == pytest.approx(1 - 2 / 55, abs=0.015)
