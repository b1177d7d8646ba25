import numpy as np
import pytest
from scipy import special
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import contests
from audiometry.stats.preference.together import components, plainly, standardised


def votes_of(merit, each, rng):
    first, second = np.triu_indices(len(merit), 1)
    a, b = np.repeat(first, each), np.repeat(second, each)
    share = (rng.random(len(a)) < special.expit(merit[a] - merit[b])).astype(float)
    return contests(a, b, share, len(merit))


def test_components_are_those_of_scikit_learn():
    x = np.random.default_rng(1).normal(size=(9, 4)) @ np.random.default_rng(2).normal(size=(4, 7))
    ours = components(x)
    theirs = PCA().fit(StandardScaler().fit_transform(x))
    m = ours.scores.shape[1]
    assert ours.shares == pytest.approx(theirs.explained_variance_ratio_[:m])
    assert sum(ours.shares) >= 0.8 > sum(ours.shares[:-1])
    assert ours.rank == 4
    assert np.abs(ours.loadings[:, 0]) == pytest.approx(
        [abs(np.corrcoef(column, ours.scores[:, 0])[0, 1]) for column in x.T]
    )
    assert ours.scores.std(axis=0, ddof=1) == pytest.approx(np.ones(m))


def test_components_leave_two_contrasts_and_need_three_systems():
    rng = np.random.default_rng(3)
    assert components(rng.normal(size=(6, 18))).scores.shape == (6, 3)
    assert components(rng.normal(size=(5, 18))).scores.shape == (5, 2)
    assert components(rng.normal(size=(3, 18))).scores.shape == (3, 1)
    assert components(rng.normal(size=(6, 18))).rank == 5
    with pytest.raises(UsageError, match="give 3 or more"):
        components(rng.normal(size=(2, 4)))
    with pytest.raises(UsageError, match="no column varies"):
        components(np.ones((5, 3)))


def test_three_means_of_six_systems_are_fitted_and_four_are_not_more_than_the_rank():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(6, 3))
    merit = standardised(x) @ np.array([0.6, 0.0, -0.3])
    found = plainly(votes_of(merit, 400, rng), x)
    assert [one.value for one in found.effects] == pytest.approx([0.6, 0.0, -0.3], abs=0.15)
    assert found.df == 2
    with pytest.raises(UsageError, match="18 columns of rank 5: 6 systems give 5 contrasts"):
        plainly(votes_of(merit, 4, rng), rng.normal(size=(6, 18)))
    with pytest.raises(UsageError, match="give 7 systems"):
        plainly(votes_of(merit, 4, rng), rng.normal(size=(6, 5)))


def test_a_constant_column_has_no_unit():
    assert standardised(np.array([[1.0, 2.0], [1.0, 4.0]])).tolist() == [
        [0, pytest.approx(-0.7071, abs=1e-4)],
        [0, pytest.approx(0.7071, abs=1e-4)],
    ]
    assert (standardised(np.full((5, 1), 0.1)) == 0).all()
