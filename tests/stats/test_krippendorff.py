from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats import krippendorff as module
from audiometry.stats.krippendorff import alpha

NAN = float("nan")
LEVELS = ("nominal", "ordinal", "interval")
# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section D: 4 observers, 12 units
CANONICAL = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


def rng():
    return generator(6, "alpha")


def long(table):
    """The values that are there, and the unit of each."""
    there = ~np.isnan(table)
    return table[there], np.broadcast_to(np.arange(table.shape[1]), table.shape)[there]


@pytest.mark.parametrize(("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_canonical_table(level, printed):
    values, units = long(CANONICAL)
    found = alpha(values, units, units, level, rng=rng())
    assert found.value == pytest.approx(printed, abs=5e-4)
    assert found.n == 40
    assert found.n_clusters == 11
    assert 0 < found.low < found.value < found.high <= 1


def test_binary_data_of_two_observers():
    # the same paper, section A: 10 units, alpha 0.095
    table = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]], float)
    values, units = long(table)
    assert alpha(values, units, units, "nominal", rng=rng()).value == pytest.approx(0.095, abs=5e-4)


@given(
    seed=st.integers(0, 2**32),
    raters=st.integers(2, 5),
    n=st.integers(1, 30),
    missing=st.sampled_from([0.0, 0.2, 0.6]),
    kinds=st.integers(1, 6),
    level=st.sampled_from(LEVELS),
)
def test_it_is_that_of_the_krippendorff_package(seed, raters, n, missing, kinds, level):
    source = np.random.default_rng(seed)
    table = source.integers(0, kinds, (raters, n)).astype(float)
    table = np.where(source.random((raters, n)) < 0.5, table[0], table)
    table[source.random((raters, n)) < missing] = NAN
    values, units = long(table)
    found = alpha(values, units, units, level, rng=rng(), resamples=20)
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    different = len(np.unique(pairable[~np.isnan(pairable)]))
    assert found.n == int((~np.isnan(pairable)).sum())
    if different < 2:
        assert found.value is None
        assert found.why
        return
    assert found.value == pytest.approx(krippendorff.alpha(table, level_of_measurement=level), abs=1e-9)
    if found.low is not None:
        assert found.low <= found.value <= found.high <= 1


@given(seed=st.integers(0, 2**32))
def test_neither_the_order_of_ratings_nor_a_monotone_scale_changes_ordinal(seed):
    source = np.random.default_rng(seed)
    values, units = source.integers(1, 8, 60).astype(float), np.repeat(np.arange(20), 3)
    order = source.permutation(60)
    plain = alpha(values, units, units, "ordinal", rng=rng(), resamples=20)
    mixed = alpha(np.exp(values)[order], units[order], units[order], "ordinal", rng=rng(), resamples=20)
    assert mixed.value == pytest.approx(plain.value, abs=1e-9)


@pytest.mark.parametrize("limit", ["_RANKED", "_CELLS"])
def test_ranks_anew_and_ranks_kept_have_one_value_and_nearly_one_interval(monkeypatch, limit):
    source = generator(7, "ranks")
    truth = source.integers(1, 11, 80)
    values = np.clip(np.repeat(truth, 3) + source.integers(-1, 2, 240), 1, 10)
    units = np.repeat(np.arange(80), 3)
    anew = alpha(values, units, units, "ordinal", rng=rng())
    monkeypatch.setattr(module, limit, 0)
    kept = alpha(values, units, units, "ordinal", rng=rng())
    assert anew.value == pytest.approx(kept.value)
    assert (anew.low, anew.high) == pytest.approx((kept.low, kept.high), abs=0.02)
    assert (anew.low, anew.high) != (kept.low, kept.high)


def test_full_agreement_is_not_certain():
    units = np.repeat(np.arange(30), 3)
    for level in LEVELS:
        found = alpha(units % 3, units, units, level, rng=rng())
        assert found.value == found.high == 1
        assert 0.5 < found.low < 0.99


def test_what_gives_no_number_says_why():
    assert alpha([1, 2, 3], [0, 1, 2], [0, 1, 2], "nominal", rng=rng()).why == "nothing rated by two or more"
    equal = alpha([4, 4, 4, 4], [0, 0, 1, 1], [0, 0, 1, 1], "interval", rng=rng())
    assert equal.value is None
    assert equal.why == "all ratings are equal, as chance would have them"
    with pytest.raises(UsageError, match="unknown level 'ratio'"):
        alpha([1], [1], [1], "ratio", rng=rng())
    with pytest.raises(UsageError, match="one of each a rating"):
        alpha([1, 2], [1], [1], "nominal", rng=rng())
