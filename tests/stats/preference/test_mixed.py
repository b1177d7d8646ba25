import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import Contests, contests
from audiometry.stats.preference.mixed import LOGISTIC, fit
from audiometry.stats.preference.modes import modes
from audiometry.stats.preference.plain import plain

X = np.array([[-1.2], [0.3], [0.9]])


def votes_of(merit: np.ndarray, each: int, seed: int, voters: int = 0) -> Contests:
    """So many votes of every pair."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(len(merit), 1)
    a, b = np.repeat(first, each), np.repeat(second, each)
    share = (rng.random(len(a)) < special.expit(merit[a] - merit[b])).astype(float)
    voter = rng.integers(0, voters, len(a)) if voters else None
    return contests(a, b, share, len(merit), voter=voter)


def rows_of(found: Contests, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    own = found.of_pairs
    return (x[own.pairs[:, 0]] - x[own.pairs[:, 1]])[own.pair], np.stack([own.won, own.lost], axis=1)


def test_the_fixed_part_is_statsmodels_glm():
    found = votes_of(np.array([0.5, 0.1, -0.4, 0.3]), 60, 1)
    x = np.array([[0.2, 1.0], [1.4, -0.3], [-0.7, 0.1], [0.4, 0.6]])
    design, wins = rows_of(found, x)
    glm = sm.GLM(wins, design, family=sm.families.Binomial()).fit()
    ours = modes(found, x, 1e-5, None)
    assert ours.dense[:2] == pytest.approx(glm.params, abs=1e-5)
    assert np.sqrt(np.diag(ours.covariance)) == pytest.approx(glm.bse, abs=1e-5)
    assert ours.converged


def test_the_plain_specification_is_statsmodels_glm_with_errors_by_vote_and_by_pair():
    found = votes_of(np.array([0.5, 0.1, -0.4, 0.3]), 60, 2)
    x = np.array([0.2, 1.4, -0.7, 0.4])
    design, wins = rows_of(found, x[:, None])
    ours = plain(found, x)
    glm = sm.GLM(wins, design, family=sm.families.Binomial()).fit()
    assert ours.by_vote.value == pytest.approx(glm.params[0], abs=1e-9)
    assert ours.by_vote.interval == pytest.approx(glm.conf_int()[0], abs=1e-6)
    assert ours.by_vote.p == pytest.approx(glm.pvalues[0], abs=1e-6)
    robust = sm.GLM(wins, design, family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": np.arange(len(wins)), "use_correction": False}
    )
    assert ours.by_pair is not None
    reach = (ours.by_pair.interval[1] - ours.by_pair.interval[0]) / 2
    assert reach == pytest.approx(robust.bse[0] * math.sqrt(6 / 5) * 2.5706, rel=1e-4)


def quadrature(found: Contests, sigma: float) -> float:
    """The restricted likelihood of three systems, summed on a grid: the effect flat, the merits' differences normal."""
    effects, merits = np.linspace(-8, 8, 81), np.linspace(-6 * sigma, 6 * sigma, 61)
    one, two = merits[:, None, None], merits[None, :, None]
    covariance = np.linalg.inv(sigma**2 * np.array([[2, 1], [1, 2]]))
    merit = [one, two, np.zeros(1)]
    total = -0.5 * (covariance[0, 0] * one**2 + 2 * covariance[0, 1] * one * two + covariance[1, 1] * two**2)
    total = total - math.log(sigma) * 2
    own = found.of_pairs
    for (a, b), won, lost in zip(own.pairs, own.won, own.lost, strict=True):
        eta = merit[a] - merit[b] + (X[a, 0] - X[b, 0]) * effects[None, None]
        total = total + won * special.log_expit(eta) + lost * special.log_expit(-eta)
    return float(special.logsumexp(total)) + math.log((effects[1] - effects[0]) * (merits[1] - merits[0]) ** 2)


def test_the_random_part_is_that_of_numerical_quadrature():
    found = votes_of(np.array([0.8, -0.2, 0.1]), 40, 3)
    ours, exact = [], []
    for sigma in (0.2, 0.6, 1.2):
        at = modes(found, X, sigma, None)
        ours.append(at.penalised - 3 * math.log(sigma) - at.half_log_det)
        exact.append(quadrature(found, sigma))
    assert np.diff(ours) == pytest.approx(np.diff(exact), abs=0.03)


def test_the_voters_part_is_that_of_numerical_quadrature():
    """Of two systems whose merits are next to nothing: one effect and a weight for each voter, summed on a grid."""
    rng = np.random.default_rng(4)
    a, b, voter = np.zeros(360, int), np.ones(360, int), np.repeat(np.arange(6), 60)
    weights = rng.normal(0, 0.8, 6)
    share = (rng.random(360) < special.expit(0.5 + weights[voter])).astype(float)
    found = contests(a, b, share, 2, voter=voter)
    x, effects, nodes = np.array([[1.0], [0.0]]), np.linspace(-6, 6, 601), np.polynomial.hermite_e.hermegauss(60)

    def exact(tau: float) -> float:
        total = np.zeros(len(effects))
        for won, lost in zip(found.won, found.lost, strict=True):
            eta = effects[:, None] + tau * nodes[0][None]
            each = won * special.log_expit(eta) + lost * special.log_expit(-eta)
            total += special.logsumexp(each, axis=1, b=nodes[1][None])
        return float(special.logsumexp(total))

    def laplace(tau: float) -> float:
        at = modes(found, x, 1e-4, tau)
        return at.penalised - 6 * math.log(tau) - at.half_log_det

    assert laplace(0.9) - laplace(0.3) == pytest.approx(exact(0.9) - exact(0.3), abs=0.03)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_relabelled_systems_and_swapped_sides_change_nothing(seed):
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(4, 1)
    a, b, share = np.repeat(a, 5), np.repeat(b, 5), rng.integers(0, 3, 30) / 2
    x, new = rng.normal(size=(4, 1)), rng.permutation(4)
    one = fit(contests(a, b, share, 4), x)
    flip = rng.random(30) < 0.5
    moved = contests(
        np.where(flip, new[b], new[a]), np.where(flip, new[a], new[b]), np.where(flip, 1 - share, share), 4
    )
    two = fit(moved, x[np.argsort(new)])
    assert two.effects[0].value == pytest.approx(one.effects[0].value, abs=1e-4)
    assert two.sigma == pytest.approx(one.sigma, abs=1e-3)
    assert two.merits[new] == pytest.approx(one.merits, abs=1e-3)


def test_r2_is_made_of_the_mean_square_about_zero():
    found = votes_of(np.array([0.8, -0.2, 0.1, 0.6, -0.9]), 80, 5)
    x = np.array([[1.0], [-0.4], [0.3], [0.8], [-1.1]])
    ours = fit(found, x)
    design, wins = rows_of(found, x)
    m = np.average((design[:, 0] * ours.effects[0].value) ** 2, weights=wins.sum(axis=1))
    whole = m + 2 * ours.sigma**2 + math.pi**2 / 3
    assert abs(LOGISTIC - math.pi**2 / 3) < 1e-12
    assert ours.r2_marginal == pytest.approx(m / whole)
    assert ours.r2_conditional == pytest.approx((m + 2 * ours.sigma**2) / whole)


def test_a_known_effect_is_found_with_voters_who_differ():
    rng = np.random.default_rng(6)
    n, x = 12, np.linspace(-1.5, 1.5, 12)
    a = rng.integers(0, n, 9_000)
    b = (a + rng.integers(1, n, 9_000)) % n
    voter = rng.integers(0, 150, 9_000)
    own, merit = rng.normal(0, 0.7, 150), rng.normal(0, 0.25, n)
    share = (rng.random(9_000) < special.expit((x[a] - x[b]) * (0.8 + own[voter]) + merit[a] - merit[b])).astype(float)
    found = fit(contests(a, b, share, n, voter=voter), x[:, None], by_voter=True)
    assert found.effects[0].interval[0] < 0.8 < found.effects[0].interval[1]
    assert found.tau == pytest.approx(0.7, abs=0.15)
    assert found.sigma == pytest.approx(0.25, abs=0.15)
    assert found.converged
    assert found.df == 10


def test_one_side_that_wins_every_vote_has_an_effect_that_is_finite_and_a_plain_one_that_is_refused():
    found = contests(np.array([0, 0, 1] * 9), np.array([1, 2, 2] * 9), np.ones(27), 3)
    x = np.array([1.0, 0.0, -1.0])
    assert np.isfinite(fit(found, x[:, None]).effects[0].value)
    with pytest.raises(UsageError, match="no finite effect"):
        plain(found, x)


def test_what_cannot_be_identified_is_refused():
    found = votes_of(np.array([0.8, -0.2, 0.1]), 4, 7)
    with pytest.raises(UsageError, match="2 columns of rank 1: 3 systems give 2 contrasts"):
        fit(found, np.hstack([X, 2 * X]))
    with pytest.raises(UsageError, match="leave no contrast"):
        fit(found, np.array([[1.0, 0], [0, 1], [0, 0]]))
    with pytest.raises(UsageError, match="give a finite row a system"):
        fit(found, np.full((3, 1), math.nan))
    with pytest.raises(UsageError, match="no vote"):
        fit(contests(np.zeros(0, int), np.zeros(0, int), np.zeros(0), 3), X)
    with pytest.raises(UsageError, match="no two systems that met differ"):
        plain(found, np.ones(3))


@pytest.mark.parametrize(
    ("systems", "trials"),
    [(5, 60), pytest.param(5, 1_500, marks=pytest.mark.slow), pytest.param(10, 1_000, marks=pytest.mark.slow)],
)
def test_of_null_scores_no_more_than_six_in_a_hundred_are_significant(systems, trials):
    rng = np.random.default_rng(8)
    false = by_pair = 0
    for _ in range(trials):
        found = votes_of(rng.normal(0, 0.6, systems), 100, int(rng.integers(1 << 30)))
        x = rng.normal(size=systems)
        false += fit(found, x[:, None]).effects[0].p < 0.05
        by_pair += plain(found, x).by_pair.p < 0.05
    slack = 3 * math.sqrt(0.05 * 0.95 / trials) if trials < 1_000 else 0.01
    assert false / trials <= 0.05 + slack
    assert by_pair / trials > 0.25  # why systems are random
