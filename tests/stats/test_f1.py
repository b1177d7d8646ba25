from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from audiometry.stats.f1 import counted, macro_f1


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
