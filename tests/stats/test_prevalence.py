"""A share corrected for a coder's errors: the formula backwards, and coverage of the interval by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.prevalence import corrected_share

HITS = st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(st.floats(0, 1), st.floats(1, 1e6), HITS, HITS)
def test_limits_hold_the_value_and_stay_between_0_and_1(share, n, sensitivity, specificity):
    found = corrected_share(share, n, sensitivity, specificity)
    if sensitivity[0] * specificity[1] + specificity[0] * sensitivity[1] <= sensitivity[1] * specificity[1]:
        assert found is None  # no better than chance
        return
    value, low, high = found
    assert 0 <= low <= value <= high <= 1


@given(st.floats(0.05, 0.95), st.integers(60, 100), st.integers(60, 100))
def test_the_share_that_a_coder_would_see_leads_back_to_the_true_one(true, se, sp):
    seen = true * se / 100 + (1 - true) * (1 - sp / 100)
    assert corrected_share(seen, 1000, (se, 100), (sp, 100))[0] == pytest.approx(true)


def test_a_coder_without_errors_changes_nothing():
    assert corrected_share(0.3, 500, (100, 100), (100, 100))[0] == pytest.approx(0.3)


@pytest.mark.parametrize("true", [0.5, 0.77, 0.9])
def test_the_interval_holds_the_true_share(true):
    draw = generator(7, "prevalence", str(true))
    se, sp, n = 0.95, 0.8, 300
    hits = 0
    for _ in range(2000):
        seen = draw.binomial(n, true * se + (1 - true) * (1 - sp)) / n
        found = corrected_share(seen, n, (int(draw.binomial(93, se)), 93), (int(draw.binomial(53, sp)), 53))
        hits += found is not None and found[1] <= true <= found[2]
    assert 0.94 <= hits / 2000 <= 0.985
    assert np.isfinite(hits)


@pytest.mark.parametrize(
    ("share", "n", "se"), [(1.2, 10, (1, 2)), (0.5, 0, (1, 2)), (0.5, 10, (3, 2)), (0.5, 10, (0, 0))]
)
def test_what_cannot_be_is_refused(share, n, se):
    with pytest.raises(UsageError):
        corrected_share(share, n, se, (1, 2))
