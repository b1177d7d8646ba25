import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import contests
from audiometry.stats.preference.left_out import LeftOut, by_one, by_the_best, by_weights, foretold, ridge
from audiometry.stats.preference.together import standardised


def votes_of(merit, each, rng):
    first, second = np.triu_indices(len(merit), 1)
    a, b = np.repeat(first, each), np.repeat(second, each)
    share = (rng.random(len(a)) < special.expit(merit[a] - merit[b])).astype(float)
    return contests(a, b, share, len(merit))


def test_what_goes_along_foretells_and_what_does_not_does_not():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 3))
    merit = 0.9 * x[:, 1] + rng.normal(0, 0.1, 12)
    votes = votes_of(merit, 100, rng)
    good, bad = foretold(votes, x, by_one(1, "b")), foretold(votes, x, by_one(0, "a"))
    assert good.q2 > 0.9
    assert bad.q2 < 0.3
    assert good.log_loss < good.log_loss_of_none < bad.log_loss_of_none + 1e-9
    chosen = foretold(votes, x, by_the_best("abc"))
    assert set(chosen.by) == {"b"}
    assert chosen.q2 == pytest.approx(good.q2)
    assert foretold(votes, x, by_weights("abc")).q2 > 0.7


def test_the_best_of_many_that_hold_nothing_foretells_nothing_since_it_is_chosen_without_the_system_left_out():
    rng = np.random.default_rng(2)
    merit = rng.normal(0, 0.7, 9)
    votes, x = votes_of(merit, 100, rng), rng.normal(size=(9, 200))
    best = np.abs(standardised(x).T @ (merit - merit.mean())).argmax()
    assert np.corrcoef(x[:, best], merit)[0, 1] ** 2 > 0.6  # what looks good on all systems
    assert foretold(votes, x, by_the_best([str(n) for n in range(200)])).q2 < 0.3


def test_nothing_of_the_system_that_is_left_out_is_seen():
    rng = np.random.default_rng(3)
    x = np.arange(9.0)[:, None]
    seen = []

    def how(rows, merits):
        seen.append((sorted(rows[:, 0].tolist()), len(merits)))
        return (lambda one: 0.0), ""

    found = foretold(votes_of(rng.normal(size=9), 5, rng), x, how)
    assert seen == [([n for n in range(9) if n != out], 8) for out in range(9)]
    assert found.q2 == pytest.approx(0.0)
    assert found.log_loss == pytest.approx(found.log_loss_of_none)


def test_weights_are_those_of_scikit_learns_ridge_with_the_penalty_of_leaving_out():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(10, 30))
    y = x[:, 0] + rng.normal(0, 0.3, 10)
    y -= y.mean()
    weights, centre = ridge(x, y)
    own = standardised(x)
    scale = np.trace(own @ own.T) / 10
    errors = {}
    for penalty in scale * np.logspace(-3, 4, 29):
        predicted = cross_val_predict(Ridge(alpha=penalty), own, y, cv=LeaveOneOut())
        errors[penalty] = ((predicted - y) ** 2).sum()
    best = Ridge(alpha=min(errors, key=errors.get)).fit(own, y)
    assert (x - centre) @ weights == pytest.approx(best.predict(own), abs=1e-6)


def test_p_of_what_holds_nothing_is_seldom_small_and_of_what_holds_all_as_small_as_can_be():
    rng = np.random.default_rng(6)
    merit = rng.normal(0, 0.7, 9)
    out, how = LeftOut(votes_of(merit, 60, rng)), by_the_best("abcdef")
    found = [out.p(rng.normal(size=(9, 6)), how, 39, seed) for seed in range(30)]
    assert sum(p <= 0.05 for p in found) <= 5
    assert 0.25 < np.mean(found) < 0.75
    assert out.p(merit[:, None], by_one(0, "a"), 39, 1) == pytest.approx(1 / 40)


def test_fewer_than_eight_systems_are_refused():
    rng = np.random.default_rng(5)
    with pytest.raises(UsageError, match="7 systems are too few"):
        foretold(votes_of(rng.normal(size=7), 5, rng), np.zeros((7, 1)), by_one(0, "a"))
