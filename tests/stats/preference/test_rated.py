"""Ratings of systems explained by scores, held against least squares of statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from audiometry.errors import UsageError
from audiometry.stats.preference.fits import fit
from audiometry.stats.preference.left_out import LeftOut, by_one
from audiometry.stats.preference.rated import Ratings


def world(n=9, columns=2, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, columns))
    return x, 3 + x @ np.arange(1, columns + 1) + rng.normal(size=n)


def test_effects_limits_and_r2_are_those_of_statsmodels():
    x, values = world()
    found = fit(Ratings(values=values), x)
    theirs = sm.OLS(values, sm.add_constant(x)).fit()
    assert [one.value for one in found.effects] == pytest.approx(theirs.params[1:])
    assert np.array([one.interval for one in found.effects]) == pytest.approx(theirs.conf_int()[1:])
    assert [one.p for one in found.effects] == pytest.approx(theirs.pvalues[1:])
    assert (found.sigma, found.df) == (pytest.approx(np.sqrt(theirs.mse_resid)), theirs.df_resid)
    assert (found.r2_marginal, found.r2_conditional) == (pytest.approx(theirs.rsquared), None)
    assert found.merits == pytest.approx(theirs.resid)


def test_without_scores_merits_are_ratings_about_their_mean():
    _, values = world()
    found = fit(Ratings(values=values), np.zeros((9, 0)))
    assert found.merits == pytest.approx(values - values.mean())
    assert found.sigma == pytest.approx(values.std(ddof=1))
    assert fit(Ratings(values=np.full(4, 2.0)), np.ones((4, 1)) * [[0.0], [1], [2], [5]]).r2_marginal == 0


def test_what_so_few_systems_do_not_identify_is_refused():
    x, values = world(4, 3)
    with pytest.raises(UsageError, match="3 effects of 4 systems leave no contrast"):
        fit(Ratings(values=values), x)
    with pytest.raises(UsageError, match="2 columns of rank 1: 4 systems give 3 contrasts"):
        fit(Ratings(values=values), x[:, [0, 0]])


def test_a_system_left_out_is_foretold_from_the_others_ratings():
    x, values = world(10, 1)
    found = LeftOut(Ratings(values=values)).foretell(x, by_one(0, "it"))
    predicted = np.zeros(10)
    for out in range(10):
        kept = np.delete(np.arange(10), out)
        slope, level = np.polyfit(x[kept, 0], values[kept], 1)
        predicted[out] = slope * x[out, 0] + level
    left = values - (values.sum() - values) / 9
    assert found.q2 == pytest.approx(1 - ((values - predicted) ** 2).sum() / (left**2).sum())
    assert (found.log_loss, found.log_loss_of_none) == (None, None)


def test_of_null_scores_five_in_a_hundred_are_significant():
    rng = np.random.default_rng(8)
    small = [fit(Ratings(values=rng.normal(size=6)), rng.normal(size=(6, 1))).effects[0].p < 0.05 for _ in range(2_000)]
    assert 0.035 < np.mean(small) < 0.065
