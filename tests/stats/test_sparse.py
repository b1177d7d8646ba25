"""Numbers that are nearly all 0: what is made of them is what is made of the whole table."""

import msgspec
import numpy as np
import pytest

from audiometry.stats.estimate import estimate
from audiometry.stats.f1 import macro_f1
from audiometry.stats.parts import Parts, Scale, ratio
from audiometry.stats.sparse import Sparse, by_class, of_dense

N, VARIANTS, CLASSES, LEAVES = 90, 3, 7, 4


def spread(table):
    """The same as `Sparse`, of ``float64[rows, V, k]``."""
    flat = of_dense(table.reshape(-1, table.shape[-1]))
    return msgspec.structs.replace(flat, n_variants=table.shape[1])


@pytest.fixture
def table():
    source = np.random.default_rng(11)
    full = source.integers(1, 5, (N, VARIANTS, 3 * CLASSES)).astype(float)
    return full * (source.random(full.shape) < 0.1)


def test_what_is_left_out_comes_back(table):
    sparse = spread(table)
    assert sparse.shape == table.shape
    assert len(sparse.value) == (table != 0).sum()
    assert np.array_equal(sparse.dense(), table)
    rows = np.arange(N) % 3 == 1
    assert np.array_equal(sparse[rows].dense(), table[rows])
    lines = np.array([5, 0, 5, 7])
    assert np.array_equal(sparse.at(lines).dense()[:, 0], table.reshape(-1, 3 * CLASSES)[lines])


def test_totals_are_those_of_the_rows(table):
    codes = np.arange(N) % LEAVES
    expected = [table[codes == code].sum(axis=0) for code in range(LEAVES)]
    assert np.array_equal(spread(table).totals(codes, LEAVES), expected)


@pytest.mark.parametrize("each", [2, 3])
def test_classes_are_found_alike_in_both(table, each):
    table = table[..., : each * CLASSES]
    for one, other in zip(by_class(table, each), by_class(spread(table), each), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("each", [2, 3])
def test_of_nothing_there_are_no_classes(each):
    nothing = np.zeros((4, 2, each * 5))
    for found in (by_class(nothing, each), by_class(spread(nothing), each)):
        assert [len(one) for one in found] == [0, 0, 0]
    assert spread(nothing).totals(np.zeros(4, np.int64), 1).dtype == np.float64


@pytest.mark.parametrize(("kind", "each"), [("f1", 3), ("recall", 2)])
def test_estimates_are_the_same(kind, each):
    source = np.random.default_rng(3)
    gold, said = source.integers(0, CLASSES, N), source.integers(-1, CLASSES, (N, VARIANTS))
    table = np.zeros((N, VARIANTS, each * CLASSES))
    for n, v in np.ndindex(N, VARIANTS):
        here = table[n, v]
        here[each * gold[n] + 1] = 1
        here[each * gold[n]] = said[n, v] == gold[n]
        if kind == "f1" and said[n, v] >= 0:
            here[each * said[n, v] + 2] = 1
    size = (np.arange(N) % 10 > 0).astype(float)
    parts = Parts(table, np.arange(N) // 2, np.arange(N) % LEAVES, size)
    value = macro_f1 if kind == "f1" else balanced
    whole = estimate(parts, value, [1, 2, 0, 1], Scale(kind))
    assert whole.interval is not None
    assert estimate(msgspec.structs.replace(parts, sums=spread(table)), value, [1, 2, 0, 1], Scale(kind)) == whole


def balanced(sums):
    each = ratio(sums.reshape(*sums.shape[:-1], -1, 2))
    return np.nanmean(each, axis=-1)


def test_a_sparse_table_holds_no_more_than_its_numbers():
    found = spread(np.eye(50)[:, None, :])
    assert isinstance(found, Sparse)
    assert (len(found.column), len(found.value), len(found.ends)) == (50, 50, 51)
