from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.agreement import cohen_kappa, quadratic_kappa
from audiometry.stats.wilson import wilson


def rng():
    return generator(5, "kappa")


def two_raters(seed, n, kinds, agree):
    source = np.random.default_rng(seed)
    a = source.integers(0, kinds, n)
    return a, np.where(source.random(n) < agree, a, source.integers(0, kinds, n))


def test_the_table_of_cohen_1960():
    # two clinicians, three diagnoses: 88, 14, 18 / 10, 40, 10 / 2, 6, 12 of 200
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    a = np.repeat(np.repeat([0, 1, 2], 3), table.ravel())
    b = np.repeat(np.tile([0, 1, 2], 3), table.ravel())
    found = cohen_kappa(a, b, range(200), rng=rng())
    assert found.value == pytest.approx(0.492, abs=5e-4)
    assert found.low < 0.492 < found.high
    theirs = cohens_kappa(table)
    assert found.value == pytest.approx(theirs.kappa)
    assert (found.low, found.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.015)


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 60),
    kinds=st.integers(1, 5),
    agree=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
)
def test_both_kappas_are_those_of_scikit_learn(seed, n, kinds, agree):
    a, b = two_raters(seed, n, kinds, agree)
    plain = cohen_kappa(a, b, range(n), rng=rng(), resamples=20)
    squared = quadratic_kappa(a, b, range(n), rng=rng(), resamples=20)
    if len(set(a) | set(b)) == 1:
        assert plain.value is squared.value is None
        assert plain.low is plain.high is None
        assert "equal" in plain.why
        return
    assert plain.value == pytest.approx(cohen_kappa_score(a, b), abs=1e-9)
    expected = cohen_kappa_score(a, b, weights="quadratic", labels=range(int(max(a.max(), b.max())) + 1))
    assert squared.value == pytest.approx(expected, abs=1e-9)
    for found in (plain, squared):
        if found.low is not None:
            assert -1 <= found.low <= found.value <= found.high <= 1
            assert not found.why


@given(seed=st.integers(0, 2**32), shift=st.sampled_from([0.0, 1e6]), scale=st.sampled_from([0.1, 1.0, 100.0]))
def test_swapping_raters_and_moving_or_stretching_the_scale_change_nothing(seed, shift, scale):
    a, b = two_raters(seed, 30, 4, 0.6)
    plain = quadratic_kappa(a, b, range(30), rng=rng(), resamples=10).value
    assert quadratic_kappa(b, a, range(30), rng=rng(), resamples=10).value == pytest.approx(plain, abs=1e-9)
    moved = quadratic_kappa(a * scale + shift, b * scale + shift, range(30), rng=rng(), resamples=10).value
    assert moved == pytest.approx(plain, abs=1e-6)


def test_full_agreement_is_not_certain():
    a = np.arange(50) % 4
    found = cohen_kappa(a, a, range(50), rng=rng())
    assert found.value == found.high == 1
    # what the Wilson interval leaves of 50 out of 50, over the disagreement that chance would make
    assert found.low == pytest.approx(1 - (1 - wilson(1.0, 50)[0]) / 0.7496, abs=1e-3)
    assert quadratic_kappa(a, a, range(50), rng=rng()).low < 1


def test_few_clusters_cost_width():
    a, b = two_raters(3, 200, 4, 0.7)
    alone = cohen_kappa(a, b, np.arange(200), rng=rng())
    alike = cohen_kappa(np.repeat(a[:20], 10), np.repeat(b[:20], 10), np.repeat(np.arange(20), 10), rng=rng())
    assert alike.n == alone.n == 200
    assert alike.n_clusters == 20
    assert alike.high - alike.low > 2 * (alone.high - alone.low)


def test_what_gives_no_number_says_why():
    assert cohen_kappa([], [], [], rng=rng()).why == "nothing rated in common"
    assert quadratic_kappa([], [], [], rng=rng()).value is None
    single = cohen_kappa([0, 1], [0, 0], [3, 3], rng=rng())
    assert (single.value, single.low) == (0, None)
    assert single.why == "no interval: a single item"
    rare = cohen_kappa([0, 1], [0, 1], [0, 1], rng=rng())
    assert rare.value == 1
    assert rare.low is None or rare.low < 0.5
    with pytest.raises(UsageError, match="one length"):
        cohen_kappa([1, 2], [1], [0, 0], rng=rng())
