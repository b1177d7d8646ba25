from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from audiometry.stats.f1 import counted, macro_f1
from audiometry.stats.influence import leaf_values, of_leaves
from audiometry.stats.parts import Parts, Scale
from audiometry.stats.swaps import swap_test


def sums(gold, said, classes):
    out = np.zeros(3 * classes)
    for g, s in zip(gold, said, strict=True):
        out[3 * g + 1] += 1
        if s >= 0:
            out[3 * s + 2] += 1
            out[3 * g] += g == s
    return out


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 60), classes=st.integers(2, 7), unread=st.booleans())
def test_it_is_scikit_learns_over_the_classes_that_occur_in_gold(seed, n, classes, unread):
    source = np.random.default_rng(seed)
    gold, said = source.integers(0, classes, n), source.integers(-1 if unread else 0, classes, n)
    expected = f1_score(gold, said, labels=np.unique(gold), average="macro", zero_division=0)
    assert macro_f1(sums(gold, said, classes)) == pytest.approx(expected)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 60))
def test_of_labels_it_is_scikit_learns_with_replies_that_are_none_and_labels_that_are_never_right(seed, n):
    source = np.random.default_rng(seed)
    gold = source.choice(["happy", "sad", "angry", "neutral"], n).tolist()
    read = [None if one == "" else one for one in source.choice(["happy", "sad", "angry", "bored", ""], n).tolist()]
    said = [one or "(none)" for one in read]
    expected = f1_score(gold, said, labels=sorted(set(gold)), average="macro", zero_division=0)
    assert macro_f1(counted(gold, read)) == pytest.approx(expected)


def test_columns_of_labels_are_as_long_as_one_another():
    with pytest.raises(ValueError, match="shorter"):
        counted(["sad", "sad"], ["sad"])


def test_it_takes_any_number_of_sums_at_once_and_has_none_without_gold():
    some = np.stack([sums([0, 1], [0, 1], 2), sums([0, 1], [1, 0], 2), np.zeros(6)])
    assert macro_f1(some).tolist() == pytest.approx([1, 0, np.nan], nan_ok=True)
    assert macro_f1(some.reshape(3, 1, 6)).shape == (3, 1)


def rare(seed, n=40):
    """Gold labels of which one stands in the last cluster alone, replies that name it and a fourth, and clusters."""
    source = np.random.default_rng(seed)
    gold = np.r_[source.integers(0, 2, n - 2), 2, 2]
    clusters = np.r_[np.arange(n - 2) // 2, n, n]
    replies = [np.where(source.random(n) < share, gold, source.integers(0, 4, n)) for share in (0.7, 0.5)]
    for said in replies:
        said[-2] = 2  # else its F1 is 0 and none can see whether it goes
    return gold, replies, clusters


def oracle(gold, said, weight=None):
    return f1_score(gold, said, labels=[0, 1, 2], average="macro", zero_division=0, sample_weight=weight)


def of_items(gold, said):
    return np.stack([sums([g], [s if s < 3 else -1], 3) for g, s in zip(gold, said, strict=True)])


@pytest.mark.parametrize("seed", range(5))
def test_leaving_a_cluster_out_keeps_the_classes_of_the_whole(seed):
    """With the cluster that alone has a class nothing is averaged over fewer: that would raise or lower all others."""
    gold, (said, _), clusters = rare(seed)
    every = of_items(gold, said)[:, None]
    parts, n = Parts(every, clusters, np.zeros(len(gold), np.int64), np.ones(len(gold))), len(gold)
    whole, values = leaf_values(parts, macro_f1, 1)
    assert values[0] == pytest.approx(oracle(gold, said))
    found = of_leaves(parts, macro_f1, whole, values, np.ones(1), Scale("f1"))
    little = 1e-3
    for cluster, residual, weight in zip(
        np.unique(clusters)[found.cell_cluster], found.residual, found.cell_weight, strict=True
    ):
        less = oracle(gold, said, np.where(clusters == cluster, 1 - little, 1.0))
        moved = (oracle(gold, said) - less) / little * (1 - weight * little)
        assert residual * np.sqrt(1 - weight) == pytest.approx(moved, abs=2e-3 / n)


@pytest.mark.parametrize("seed", range(5))
def test_swapping_replies_keeps_the_classes_of_the_whole(seed):
    gold, (one, other), clusters = rare(seed, 12)
    halves = (of_items(gold, one) - of_items(gold, other)) / 2
    middle = (of_items(gold, one) + of_items(gold, other)).sum(axis=0) / 2
    names = np.unique(clusters)
    half = np.stack([halves[clusters == name].sum(axis=0) for name in names])
    p, exact = swap_test(middle, half, lambda a, b: macro_f1(a) - macro_f1(b), rng=np.random.default_rng(1), swaps=99)
    apart = []
    for pattern in itertools.product((False, True), repeat=len(names)):
        swapped = np.isin(clusters, names[list(pattern)])
        above, below = np.where(swapped, other, one), np.where(swapped, one, other)
        apart.append(abs(oracle(gold, above) - oracle(gold, below)))
    assert exact
    assert p == pytest.approx(np.mean(np.array(apart) >= apart[0] - 1e-9))
