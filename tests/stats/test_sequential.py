"""Running likelihood ratios by group."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audiometry.stats.sequential import ends, tops, walks

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), max_size=40)


@given(rows)
def test_sums_run_within_groups_only(some):
    group = np.array([one for one, _ in some], np.int64)
    steps = np.array([float(step) for _, step in some])
    walked = walks(steps, group)
    stands, highest, at = [0.0] * 5, [0.0] * 5, []
    for one, step in some:
        stands[one] += step
        highest[one] = max(highest[one], stands[one])
        at.append(stands[one])
    assert walked.tolist() == at
    assert ends(walked, group, 5).tolist() == stands
    assert tops(walked, group, 5).tolist() == highest


def test_a_ratio_that_is_looked_at_after_each_row_is_wrong_no_more_often_than_stated():
    rng = np.random.default_rng(5)
    likely, other = 0.6, 0.4
    said = rng.random((4_000, 200)) < likely
    steps = np.where(said, np.log(other / likely), np.log((1 - other) / (1 - likely))).ravel()
    group = np.repeat(np.arange(4_000), 200)
    ever = tops(walks(steps, group), group, 4_000) >= np.log(20)
    assert ever.mean() <= 0.05
    assert ever.mean() > 0.02  # and not by never being right: overshoot alone makes it less than 5 %
