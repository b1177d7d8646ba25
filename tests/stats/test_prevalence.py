"""A share corrected for a coder's errors: the formula backwards, and bias and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.prevalence import corrected_share

COUNTS = st.lists(st.integers(0, 40), min_size=9, max_size=9).map(lambda some: np.array(some).reshape(3, 3))
FOUR = np.array([[39, 1, 1, 0], [0, 52, 0, 0], [5, 4, 14, 0], [0, 3, 0, 27]])  # as the rules tell uses of queries


def of_two(share, n, sensitivity, specificity):
    (hit, of), (right, others) = sensitivity, specificity
    return corrected_share([share, 1 - share], n, [[hit, of - hit], [others - right, right]], [True, False])


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(sum), st.floats(1, 1e6), COUNTS)
def test_limits_hold_the_value_and_stay_between_0_and_1(told, n, counts):
    found = corrected_share(np.array(told) / sum(told), n, counts, [True, False, True])
    if found is not None:
        value, low, high = found
        assert 0 <= low <= value <= high <= 1


@given(st.floats(0.05, 0.95), st.integers(60, 100), st.integers(60, 100))
@example(0.6001416611465742, 60, 60)  # a hair beyond what the coder can say, where a search in steps hardly moves
def test_of_two_labels_it_is_rogans_and_gladens(seen, se, sp):
    expected = min(1.0, max(0.0, (seen + sp / 100 - 1) / (se / 100 + sp / 100 - 1)))
    assert of_two(seen, 1000, (se, 100), (sp, 100))[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("mix", [[0.25, 0.25, 0.5, 0], [0.25, 0.25, 0, 0.5], [0.4, 0.37, 0.1, 0.13], [0, 0, 0, 1]])
def test_what_a_coder_would_tell_leads_back_to_the_true_share_whatever_the_others_are(mix):
    told = np.array(mix) @ (FOUR / FOUR.sum(axis=1, keepdims=True))
    value, low, high = corrected_share(told, 1000, FOUR, [True, True, False, False])
    assert value == pytest.approx(sum(mix[:2]), abs=1e-4)
    assert low < value + 1e-9 < high


def test_of_two_labels_limits_are_those_of_the_delta_method_by_hand():
    z = 1.959963984540054
    se, sp, p = 90.5 / 101, 80.5 / 101, (600 + z * z / 2) / (1000 + z * z)  # drawn to the middle
    middle = (p + sp - 1) / (se + sp - 1)
    of_labelled = middle**2 * se * (1 - se) / 101 + (1 - middle) ** 2 * sp * (1 - sp) / 101
    reach = z * (p * (1 - p) / (1000 + z * z) + of_labelled) ** 0.5 / (se + sp - 1)
    _, low, high = of_two(0.6, 1000, (90, 100), (80, 100))
    assert (low, high) == pytest.approx((middle - reach, middle + reach))


def test_where_the_plain_solution_is_no_share_it_is_the_most_likely_one():
    told = np.array([0.02, 0.9, 0.08, 0.0])  # so many calls of the second, and so few of the third, that first is < 0
    answers = (FOUR + 0.25) / (FOUR + 0.25).sum(axis=1, keepdims=True)
    assert np.linalg.solve(answers.T, told).min() < 0
    rows = 400 * FOUR + 100  # the same answers without a cell that is never met
    answers = rows / rows.sum(axis=1, keepdims=True)

    def unlikely(logits):
        mix = np.exp(logits) / np.exp(logits).sum()
        return -told @ np.log(mix @ answers)

    best = minimize(unlikely, np.zeros(4), method="Nelder-Mead", options={"maxiter": 20_000, "xatol": 1e-9})
    mix = np.exp(best.x) / np.exp(best.x).sum()
    assert corrected_share(told, 1e6, rows, [True, True, False, False])[0] == pytest.approx(mix[:2].sum(), abs=1e-3)


def test_a_coder_without_errors_changes_nothing():
    assert of_two(0.3, 500, (100, 100), (100, 100))[0] == pytest.approx(0.3)


def test_more_of_either_sample_narrows_the_interval():
    def width(n, times):
        _, low, high = corrected_share([0.3, 0.4, 0.2, 0.1], n, times * FOUR, [True, True, False, False])
        return high - low

    assert width(100, 1) > width(1000, 1) > width(1000, 20)
    assert width(1e9, 1) > 0.05  # the labelled sample alone leaves so much open


@pytest.mark.parametrize(
    "counts",
    [
        [[5, 5], [5, 5]],  # no better than chance
        [[4, 6], [6, 4]],  # worse
        [[0, 9], [0, 9]],  # always the same
        [[9, 1], [0, 0]],  # nothing is known of the second label
    ],
)
def test_a_coder_that_tells_nothing_has_no_corrected_share(counts):
    assert corrected_share([0.5, 0.5], 100, counts, [True, False]) is None


def test_what_no_label_is_ever_told_as_has_no_explanation():
    assert corrected_share([0.4, 0.4, 0.2], 100, [[5, 1, 0], [1, 5, 0], [1, 0, 0]], [True, False, False]) is None


@pytest.mark.parametrize("true", [0.5, 0.77, 0.9])
def test_the_interval_holds_the_true_share(true):
    draw = generator(7, "prevalence", str(true))
    se, sp, n = 0.95, 0.8, 300
    hits = 0
    for _ in range(1000):
        seen = draw.binomial(n, true * se + (1 - true) * (1 - sp)) / n
        found = of_two(seen, n, (int(draw.binomial(93, se)), 93), (int(draw.binomial(53, sp)), 53))
        hits += found is not None and found[1] <= true <= found[2]
    assert 0.93 <= hits / 1000 <= 0.985


@pytest.mark.parametrize("mix", [[0.25, 0.25, 0.5, 0], [0.25, 0.25, 0, 0.5], [0.37, 0.4, 0.1, 0.13]])
def test_of_four_labels_bias_is_small_and_the_interval_holds_whatever_the_others_are(mix):
    draw = generator(7, "prevalence", "four", *map(str, mix))
    answers, n, so = (FOUR + 0.25) / (FOUR + 0.25).sum(axis=1, keepdims=True), 1000, [True, True, False, False]
    true, found = sum(mix[:2]), []
    for _ in range(150):
        told = draw.multinomial(n, np.array(mix) @ answers) / n
        labelled = [draw.multinomial(row.sum(), chances) for row, chances in zip(FOUR, answers, strict=True)]
        found.append(corrected_share(told, n, labelled, so))
    values, low, high = np.array(found).T
    assert abs(values.mean() - true) < 0.03  # of two labels put together: 0.10 and -0.08 in the first two
    assert ((low <= true) & (true <= high)).mean() >= 0.9


@pytest.mark.parametrize(
    ("told", "n", "counts"),
    [
        ([1.2, -0.2], 10, [[1, 0], [0, 1]]),
        ([0.5, 0.4], 10, [[1, 0], [0, 1]]),
        ([0.5, 0.5], 0, [[1, 0], [0, 1]]),
        ([0.5, 0.5], 10, [[1, -1], [0, 1]]),
        ([0.5, 0.5], 10, [[1, 0]]),
        ([0.5, 0.5], 10, [[1, float("nan")], [0, 1]]),
    ],
)
def test_what_cannot_be_is_refused(told, n, counts):
    with pytest.raises(UsageError):
        corrected_share(told, n, counts, [True, False])
