"""Variance components, held to formulas of two factors, to simulation and to statsmodels."""

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.stats.crossed import components


def drawn(rng, shape, sizes):
    """Crossed values: a factor's effects of these standard deviations, by the axes that they vary over."""
    values = np.zeros(shape)
    for axes, size in sizes.items():
        values = values + rng.normal(0, size, [n if axis in axes else 1 for axis, n in enumerate(shape)])
    return values


SIZES = {(0,): 1.0, (1,): 0.5, (2,): 0.3, (0, 1): 0.7, (0, 2): 0.4, (1, 2): 0.2, (0, 1, 2): 0.6, (0, 1, 2, 3): 0.8}


def test_components_are_unbiased_in_a_crossed_design():
    rng, sums = np.random.default_rng(7), {}
    n = 300
    for _ in range(n):
        for one in components(drawn(rng, (30, 3, 4, 2), SIZES), ("item", "wording", "order")):
            sums.setdefault(one.factors, []).append(one.variance)
    names = ("item", "wording", "order")
    for axes, size in SIZES.items():
        factors = () if 3 in axes else tuple(names[axis] for axis in axes)
        found = np.array(sums[factors])
        assert abs(found.mean() - size**2) < 4 * found.std() / np.sqrt(n), factors


def test_two_factors_are_the_textbook_formulas():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(12, 4, 1)) + rng.normal(size=(12, 1, 1))
    table = values[:, :, 0]
    rows, columns, whole = table.mean(1), table.mean(0), table.mean()
    ms_rows = 4 * ((rows - whole) ** 2).sum() / 11
    ms_columns = 12 * ((columns - whole) ** 2).sum() / 3
    ms_rest = ((table - rows[:, None] - columns + whole) ** 2).sum() / 33
    found = {one.factors: one for one in components(values, ("item", "wording"))}
    assert found[("item",)].variance == pytest.approx((ms_rows - ms_rest) / 4)
    assert found[("wording",)].variance == pytest.approx((ms_columns - ms_rest) / 12)
    assert found[()].variance == pytest.approx(ms_rest)
    assert (found[("item",)].df, found[("wording",)].df, found[()].df) == (11, 3, 33)


def test_what_is_left_has_the_degrees_of_freedom_of_the_repeats():
    found = components(np.random.default_rng(3).normal(size=(5, 4, 3)), ("item", "wording"))
    assert [one.df for one in found] == [4, 3, 12, 5 * 4 * (3 - 1)]


def test_mean_squares_are_those_of_statsmodels():
    pd = pytest.importorskip("pandas")
    ols = pytest.importorskip("statsmodels.formula.api").ols
    anova = pytest.importorskip("statsmodels.stats.anova").anova_lm
    values = drawn(np.random.default_rng(5), (6, 3, 2, 2), SIZES)
    index = np.array(list(np.ndindex(values.shape)))
    frame = pd.DataFrame({"y": values.ravel(), "i": index[:, 0], "w": index[:, 1], "o": index[:, 2]})
    by = anova(ols("y ~ C(i) * C(w) * C(o)", frame).fit())
    squares = by["mean_sq"]
    found = {one.factors: one.variance for one in components(values, ("i", "w", "o"))}
    assert found[()] == pytest.approx(squares["Residual"])
    top = squares["C(i):C(w):C(o)"]
    assert found[("i", "w", "o")] == pytest.approx((top - squares["Residual"]) / 2)
    assert found[("i", "w")] == pytest.approx((squares["C(i):C(w)"] - top) / 4)
    assert found[("i",)] == pytest.approx((squares["C(i)"] - squares["C(i):C(w)"] - squares["C(i):C(o)"] + top) / 12)


def test_what_each_source_adds_to_the_mean_adds_up_to_its_variance_over_repetitions():
    rng = np.random.default_rng(11)
    means, told = [], []
    for _ in range(400):
        values = drawn(rng, (20, 3, 2, 2), SIZES)
        means.append(values.mean())
        told.append(sum(one.of_mean for one in components(values, ("i", "w", "o"))))
    assert np.mean(told) == pytest.approx(np.var(means, ddof=1), rel=0.2)


def test_a_factor_of_one_level_is_passed_over():
    found = components(np.arange(8.0).reshape(8, 1, 1, 1), ("item", "wording", "order"))
    assert [one.factors for one in found] == [()]
    assert found[0].variance == pytest.approx(6.0)
    assert found[0].of_mean == pytest.approx(6.0 / 8)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((1, 1, 1)), "no factor has two levels"),
        (np.zeros((3, 2)), "fits|for 2 factors"),
        (np.full((3, 2, 1), np.nan), "finite"),
    ],
)
def test_what_cannot_be_split_is_refused(values, words):
    with pytest.raises(UsageError, match=words):
        components(values, ("item", "wording"))
