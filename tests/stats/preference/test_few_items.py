from itertools import combinations

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.preference.few_items import by_items, few_items


def correlation(values, merits, columns):
    return np.corrcoef(values[:, list(columns)].mean(axis=1), merits)[0, 1]


def test_each_step_takes_the_item_that_raises_the_correlation_most():
    rng = np.random.default_rng(1)
    values, merits = rng.normal(size=(9, 12)), rng.normal(size=9)
    found = few_items(values, merits, 4).tolist()
    chosen = []
    for _ in range(4):
        left = [at for at in range(12) if at not in chosen]
        chosen.append(max(left, key=lambda at: correlation(values, merits, [*chosen, at])))
    assert found == chosen


def test_of_two_it_is_never_far_from_the_best_pair():
    rng = np.random.default_rng(2)
    values, merits = rng.normal(size=(10, 9)), rng.normal(size=10)
    best = max(correlation(values, merits, pair) for pair in combinations(range(9), 2))
    assert correlation(values, merits, few_items(values, merits, 2)) >= best - 0.15


def test_equal_items_are_taken_in_the_order_that_is_given():
    values, merits = np.tile(np.arange(5.0)[:, None], (1, 4)), np.arange(5.0)
    assert few_items(values, merits, 2).tolist() == [0, 1]
    assert few_items(values, merits, 2, np.array([3, 1, 0, 2])).tolist() == [3, 1]


def test_more_than_there_are_and_none_are_refused():
    for n in (0, 5):
        with pytest.raises(UsageError, match="of 4; give a number from 1"):
            few_items(np.zeros((3, 4)), np.arange(3.0), n)


def test_a_system_is_foretold_by_the_line_of_least_squares_through_the_others():
    draw = generator(5, "foretold")
    values, merits = draw.random((7, 5)), draw.normal(size=7)
    merits -= merits.mean()
    how, said = by_items(np.array([0, 3]))(values, merits)
    one = draw.random(5)
    line = np.polyfit(values[:, [0, 3]].mean(axis=1), merits, 1)
    assert (how(one), said) == (pytest.approx(np.polyval(line, one[[0, 3]].mean())), "2 items")
