from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import skew

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats import bootstrap, resampling
from audiometry.stats.bootstrap import gathered, limits
from audiometry.stats.quantile import student_quantile


def mean(sums):
    return sums[:, 1] / sums[:, 0]


def parts(values):
    return np.column_stack((np.ones(len(values)), values))


def test_the_interval_of_a_mean_is_that_of_student():
    values = generator(1, "mean").normal(3, 2, 200)
    low, high = limits(parts(values), mean, rng=generator(1, "draw"), resamples=20_000)
    reach = student_quantile(0.95, 199) * values.std(ddof=1) / math.sqrt(200)
    assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=0.02)


def test_a_skewed_statistic_has_a_skewed_interval():
    values = generator(2, "skewed").exponential(1, 60)
    low, high = limits(parts(values), mean, rng=generator(1, "draw"), resamples=5_000)
    assert high - values.mean() > 1.1 * (values.mean() - low)


def test_many_different_clusters_are_drawn_in_groups_with_the_same_result():
    values = generator(3, "many").normal(0, 1, bootstrap._GROUPED + 5)
    low, high = limits(parts(values), mean, rng=generator(1, "draw"), resamples=4_000)
    reach = 1.96 * values.std() / math.sqrt(len(values))
    assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), rel=0.2)


def test_the_same_stream_gives_the_same_interval_in_pieces_too(monkeypatch):
    values = np.repeat(generator(4, "pieces").normal(0, 1, 50), 10)
    whole = limits(parts(values), mean, rng=generator(1, "draw"))
    assert whole == limits(parts(values), mean, rng=generator(1, "draw"))
    monkeypatch.setattr(bootstrap, "_CELLS", 5_000)
    assert limits(parts(values), mean, rng=generator(1, "draw")) == pytest.approx(whole, abs=0.05)


def test_drawing_clusters_and_drawing_kinds_of_them_are_the_same(monkeypatch):
    values = generator(5, "kinds").integers(0, 10, 150).astype(float)
    by_kind = limits(parts(values), mean, rng=generator(1, "draw"), resamples=20_000)
    monkeypatch.setattr(bootstrap, "_LIKE", 100)
    assert limits(parts(values), mean, rng=generator(1, "draw"), resamples=20_000) == pytest.approx(by_kind, abs=0.03)


def test_one_cluster_has_no_interval_and_equal_ones_have_no_width():
    assert limits(parts([1.0]), mean, rng=generator(1, "draw")) is None
    assert limits(parts([2.0, 2.0, 2.0]), mean, rng=generator(1, "draw")) == (2.0, 2.0)


def test_a_statistic_that_most_resamples_do_not_define_has_no_interval():
    def rarely(sums):
        return np.where(sums[:, 1] == 1, 1.0, np.nan)

    assert limits(parts(np.r_[1.0, np.zeros(9)]), rarely, rng=generator(1, "draw")) is None


def test_where_leaving_a_cluster_out_defines_nothing_the_percentiles_stand():
    def whole(sums):
        return np.where(sums[:, 0] == 4, sums[:, 1], np.nan)

    low, high = limits(parts([1.0, 2.0, 3.0, 4.0]), whole, rng=generator(1, "draw"))
    assert low < 10 < high


def test_a_correction_without_an_answer_ends_at_what_was_drawn():
    assert bootstrap._level(0.0, 1.0, 3.0) == 1.0
    assert bootstrap._level(0.0, -1.0, -3.0) == 0.0
    assert bootstrap._level(0.0, 0.0, -1.959964) == pytest.approx(0.025)


def test_sums_are_gathered_by_cluster_in_the_order_of_the_codes():
    found = gathered(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [7, 3, 7])
    assert found.tolist() == [[3.0, 4.0], [6.0, 8.0]]
    assert gathered(np.array([[1.0], [2.0]]), [9, 4]).tolist() == [[2.0], [1.0]]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="resamples are at least 1"):
        limits(parts([1.0, 2.0]), mean, rng=generator(1, "draw"), resamples=0)
    with pytest.raises(UsageError, match="confidence"):
        limits(parts([1.0, 2.0]), mean, rng=generator(1, "draw"), confidence=1)
    with pytest.raises(UsageError, match="one code a rating"):
        gathered(np.ones((3, 1)), [1, 2])


def test_rows_are_told_apart_as_numpy_does_it():
    table = generator(6, "rows").integers(0, 3, (500, 6)).astype(float)
    kinds, counts = bootstrap._kinds(table)
    expected, times = np.unique(table, axis=0, return_counts=True)
    assert sorted(zip(map(tuple, kinds), counts, strict=True)) == list(zip(map(tuple, expected), times, strict=True))
    mixed, again = bootstrap._kinds(generator(7, "mix").permutation(table))
    assert np.array_equal(mixed, kinds)
    assert np.array_equal(again, counts)


def test_the_acceleration_of_a_mean_is_a_sixth_of_its_skewness():
    values = generator(8, "skewed").exponential(1, 50)
    times = generator(8, "times").integers(1, 4, 50)
    every = np.repeat(values, times)
    without = (every.sum() - values) / (len(every) - 1)
    found = bootstrap._acceleration(without, times)
    assert found == pytest.approx(float(skew(every)) / (6 * math.sqrt(len(every))))  # Efron 1987, section 3
    assert bootstrap._acceleration(np.r_[without, math.nan], np.r_[times, 5]) == pytest.approx(found)
    assert bootstrap._acceleration(np.full(3, 2.0), np.ones(3, np.int64)) == 0


@pytest.mark.parametrize("cells", [1, 40, 200, 10_000])
@pytest.mark.parametrize("kinds", [4, 40])
def test_as_many_resamples_are_drawn_as_were_asked_for(monkeypatch, cells, kinds):
    monkeypatch.setattr(bootstrap, "_CELLS", cells)
    monkeypatch.setattr(resampling, "_CELLS", cells)
    values, counts = np.arange(float(kinds)), np.full(kinds, 40 // kinds)
    assert len(bootstrap._drawn(parts(values), counts, mean, generator(1, "draw"), 33)) == 33
