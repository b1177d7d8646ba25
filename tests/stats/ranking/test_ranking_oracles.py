"""Strengths, ties, terms and their errors held against other packages and against plain maximisation."""

import choix
import evalica
import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.stats import t

from audiometry.seeds import generator
from audiometry.stats.ranking import bradley_terry, coded
from audiometry.stats.ranking.result import ELO

LABELS = np.array(["model_a", "model_b", "tie", "both_bad"])
CODES = np.array([1.0, 0.0, 0.5])


def drawn(n=1500, models=6, voters=40, tied=0.18, first=0.3, length=0.5, seed=5):
    """Votes of voters with tastes of their own, as arrays: sides, outcome, voter, side shown first, lengths."""
    rng = generator(seed, "oracle")
    strength, taste = rng.normal(0, 0.6, models), rng.normal(0, 0.5, (voters, models))
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    voter, shown = rng.integers(0, voters, n), rng.integers(0, 2, n)
    lengths = rng.lognormal(3, 0.5, (n, 2)) * np.exp(0.2 * strength[np.stack((a, b), axis=1)])
    relative = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    each = strength + taste
    odds = each[voter, a] - each[voter, b] + first * (1 - 2 * shown) + length * relative / relative.std()
    outcome = np.where(rng.random(n) < tied, 2, rng.random(n) > 1 / (1 + np.exp(-odds)))
    return a, b, outcome, voter, shown, lengths


def votes_of(a, b, outcome, voter=None, shown=None, lengths=None, **columns):
    return coded(
        [f"m{i}" for i in a],
        [f"m{i}" for i in b],
        LABELS[outcome].tolist(),
        voter=None if voter is None else [f"v{i:03}" for i in voter],
        first=None if shown is None else ["ab"[i] for i in shown],
        contrasts=None if lengths is None else {"length": lengths},
        **columns,
    )


def glm(a, b, outcome, voter, extra=(), weight=None):
    """Binomial regression of half votes on who took part, the first model being 0; errors clustered by voter."""
    n, models = len(a), max(a.max(), b.max()) + 1
    x = np.zeros((n, models))
    x[np.arange(n), a] = 1
    x[np.arange(n), b] = -1
    x = np.column_stack((x[:, 1:], *extra))
    weight = np.ones(n) if weight is None else weight
    fit = sm.GLM(CODES[outcome], x, family=sm.families.Binomial(), freq_weights=weight).fit(tol=1e-12)
    residual = (CODES[outcome] - fit.mu) * weight
    sums = np.stack([np.bincount(voter, residual * column) for column in x.T], axis=1)
    groups = len(sums)
    bread = np.linalg.inv((x * (weight * fit.mu * (1 - fit.mu))[:, None]).T @ x)
    return fit.params, groups / (groups - 1) * bread @ sums.T @ sums @ bread, fit, x


def centred(params, covariance, models):
    """The regression's strengths as ratings that average 0, with their covariance."""
    to = np.eye(models)[:, 1:] - 1 / models
    strengths = slice(0, models - 1)
    return to @ params[strengths], to @ covariance[strengths, strengths] @ to.T


def test_strengths_are_those_of_evalica_and_choix():
    a, b, outcome, *_ = drawn()
    board = bradley_terry(votes_of(a, b, outcome))
    winners = [(evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw)[one] for one in outcome]
    found = evalica.bradley_terry([f"m{i}" for i in a], [f"m{i}" for i in b], winners, tolerance=1e-13, limit=10_000)
    theirs = np.log(found.scores[list(board.names)].to_numpy())
    assert board.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-8)
    table = board.matrix.wins + board.matrix.ties / 2
    theirs = choix.ilsr_pairwise_dense(table.astype(float), tol=1e-12, max_iter=1000)
    assert board.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-8)


def test_the_sandwich_is_that_of_a_regression_clustered_by_voter():
    a, b, outcome, voter, *_ = drawn()
    board = bradley_terry(votes_of(a, b, outcome, voter))
    params, covariance, _, x = glm(a, b, outcome, voter)
    strength, spread = centred(params, covariance, 6)
    assert board.strengths == pytest.approx(strength, abs=1e-8)
    assert board.covariance == pytest.approx(spread, rel=1e-6, abs=1e-12)
    assert (board.clusters, board.n_clusters) == ("voters", 40)
    robust = sm.GLM(CODES[outcome], x, family=sm.families.Binomial()).fit(
        tol=1e-12, cov_type="cluster", cov_kwds={"groups": voter, "use_correction": False}
    )
    assert covariance == pytest.approx(robust.cov_params() * 40 / 39, rel=1e-6, abs=1e-12)
    low, high = board.models[0].interval
    assert (high - low) / 2 == pytest.approx(2.02269 * ELO * np.sqrt(spread.diagonal()[int(board.models[0].model[1])]))


def test_without_voters_each_vote_is_a_cluster():
    a, b, outcome, voter, *_ = drawn()
    _, covariance, *_ = glm(a, b, outcome, np.arange(len(a)))
    spread = centred(np.zeros(5), covariance, 6)[1]
    for board in (
        bradley_terry(votes_of(a, b, outcome)),
        bradley_terry(votes_of(a, b, outcome, voter), by_voter=False),
    ):
        assert board.covariance == pytest.approx(spread, rel=1e-6)
        assert (board.clusters, board.n_clusters) == ("votes", len(a))


def test_a_vote_of_nobody_known_is_a_cluster_of_its_own():
    a, b, outcome, voter, *_ = drawn()
    voter[np.flatnonzero(voter == 7)[1:]] = 8  # and who voted once is one too
    known = voter < 25
    votes = coded(
        [f"m{i}" for i in a],
        [f"m{i}" for i in b],
        LABELS[outcome].tolist(),
        voter=[f"v{i:03}" if i < 25 else None for i in voter],
    )
    board = bradley_terry(votes)
    single = np.where(known, voter, 25 + np.cumsum(~known) - 1)
    assert (board.clusters, board.n_clusters) == ("voters and votes", 25 + int((~known).sum()))
    assert board.covariance == pytest.approx(centred(np.zeros(5), glm(a, b, outcome, single)[1], 6)[1], rel=1e-6)


def test_a_voter_known_by_no_vote_in_the_fit_is_no_cluster():
    a, b, outcome, *_ = drawn()
    sides = [[f"m{i}" for i in one] for one in (a, b)]
    board = bradley_terry(
        coded(
            [*sides[0], "unbeaten"],
            [*sides[1], "m0"],
            [*LABELS[outcome].tolist(), "model_a"],
            voter=[None] * len(a) + ["anna"],
        )
    )
    assert (board.clusters, board.n_clusters, board.votes) == ("votes", len(a), len(a))
    assert board.covariance == pytest.approx(bradley_terry(votes_of(a, b, outcome)).covariance, rel=1e-9)


@pytest.mark.parametrize("with_length", [False, True])
def test_terms_are_those_of_the_regression(with_length):
    a, b, outcome, voter, shown, lengths = drawn()
    relative = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    scale = np.sqrt((relative**2).mean())
    extra = (1.0 - 2 * shown, relative / scale) if with_length else (1.0 - 2 * shown,)
    board = bradley_terry(
        votes_of(a, b, outcome, voter, shown, lengths), first=True, contrasts=("length",) if with_length else ()
    )
    params, covariance, *_ = glm(a, b, outcome, voter, extra)
    strength, spread = centred(params, covariance, 6)
    assert board.strengths == pytest.approx(strength, abs=1e-8)
    assert board.covariance == pytest.approx(spread, rel=1e-6, abs=1e-12)
    terms = (board.first, *board.contrasts)
    assert [term.name for term in terms] == ["first", "length"][: len(terms)]
    for j, term in enumerate(terms, 5):
        error = ELO * np.sqrt(covariance[j, j])
        assert term.elo == pytest.approx(ELO * params[j])
        assert term.interval == pytest.approx((term.elo - 2.02269 * error, term.elo + 2.02269 * error), abs=1e-3)
        assert term.p == pytest.approx(2 * t.sf(abs(term.elo) / error, 39))
    if with_length:
        assert board.contrasts[0].scale == pytest.approx(scale)


def test_weights_are_inverse_propensities():
    a, b, outcome, voter, *_ = drawn()
    rng = generator(2, "propensity")
    table = rng.uniform(0.02, 0.2, (6, 6))
    propensity = (table + table.T)[a, b]
    weight = 1 / propensity
    board = bradley_terry(votes_of(a, b, outcome, voter, propensity=propensity))
    params, covariance, *_ = glm(a, b, outcome, voter, weight=weight / weight.mean())
    strength, spread = centred(params, covariance, 6)
    assert board.weighted
    assert board.strengths == pytest.approx(strength, abs=1e-8)
    assert board.covariance == pytest.approx(spread, rel=1e-6, abs=1e-12)
    assert board.kish_n == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    single = bradley_terry(votes_of(a, b, outcome, propensity=propensity))
    _, covariance, *_ = glm(a, b, outcome, np.arange(len(a)), weight=weight / weight.mean())
    assert single.covariance == pytest.approx(centred(params, covariance, 6)[1], rel=1e-6)


def test_one_unknown_propensity_and_none_is_used():
    a, b, outcome, *_ = drawn()
    propensity = np.full(len(a), 0.1)
    propensity[[3, 7]] = np.nan
    board = bradley_terry(votes_of(a, b, outcome, propensity=propensity))
    assert (board.weighted, board.no_propensity, board.kish_n) == (False, 2, len(a))
    assert board.strengths == pytest.approx(bradley_terry(votes_of(a, b, outcome)).strengths)


def davidson(params, a, b, outcome, models, prior=0.0):
    """Minus Davidson's log likelihood, written down plainly."""
    s, log_nu = np.concatenate(([0.0], params[: models - 1])), params[models - 1]
    shares = np.stack((np.exp(s[a]), np.exp(s[b]), np.exp(log_nu + (s[a] + s[b]) / 2)))
    return -np.log(shares[outcome, np.arange(len(a))] / shares.sum(axis=0)).sum()


def test_davidsons_strengths_and_ties_maximise_its_likelihood():
    a, b, outcome, voter, *_ = drawn(n=700)
    board = bradley_terry(votes_of(a, b, outcome, voter), ties="davidson")
    found = minimize(davidson, np.zeros(6), args=(a, b, outcome, 6), method="BFGS", options={"gtol": 1e-6})
    theirs = np.concatenate(([0.0], found.x[:5]))
    assert board.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-5)
    assert board.nu == pytest.approx(np.exp(found.x[5]), abs=1e-5)
    assert board.converged


def test_davidsons_sandwich_is_that_of_numerical_derivatives():
    a, b, outcome, voter, *_ = drawn(n=400, models=4)
    board = bradley_terry(votes_of(a, b, outcome, voter), ties="davidson")
    at = np.append(board.strengths[1:] - board.strengths[0], np.log(board.nu))
    step = 1e-4
    moves = step * np.eye(4)

    def slope(point, rows):
        """The derivative of the log likelihood of some votes."""
        parts = (a[rows], b[rows], outcome[rows], 4)
        return np.array([(davidson(point - m, *parts) - davidson(point + m, *parts)) / (2 * step) for m in moves])

    everybody = np.arange(len(a))
    curve = -np.stack([(slope(at + m, everybody) - slope(at - m, everybody)) / (2 * step) for m in moves])
    sums = np.stack([slope(at, np.flatnonzero(voter == one)) for one in np.unique(voter)])
    bread = np.linalg.inv(curve)
    whole = len(sums) / (len(sums) - 1) * bread @ sums.T @ sums @ bread
    assert board.covariance == pytest.approx(centred(np.zeros(4), whole, 4)[1], rel=1e-3)


def test_with_terms_davidson_maximises_too():
    a, b, outcome, _, shown, lengths = drawn(n=600, models=4)
    board = bradley_terry(
        votes_of(a, b, outcome, None, shown, lengths), ties="davidson", first=True, contrasts=["length"]
    )
    relative = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    x = np.column_stack((1.0 - 2 * shown, relative / np.sqrt((relative**2).mean())))

    def plain(params):
        s, terms, nu = np.concatenate(([0.0], params[:3])), params[3:5], np.exp(params[5])
        half = (s[a] - s[b] + x @ terms) / 2
        shares = np.stack((np.exp(half), np.exp(-half), np.full(len(a), nu)))
        return -np.log(shares[outcome, np.arange(len(a))] / shares.sum(axis=0)).sum()

    found = minimize(plain, np.zeros(6), method="BFGS", options={"gtol": 1e-6}).x
    theirs = np.concatenate(([0.0], found[:3]))
    assert board.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-5)
    assert [board.first.elo, board.contrasts[0].elo] == pytest.approx(ELO * found[3:5], abs=1e-2)
    assert board.nu == pytest.approx(np.exp(found[5]), abs=1e-5)
    assert board.covariance is not None
    assert board.fit.df == 2 * 6 - 3 - 1


@pytest.mark.parametrize("prior", [0.5, 4.0])
def test_a_prior_is_virtual_votes_against_one_more_model(prior):
    a, b, outcome, *_ = drawn(n=60, models=4)
    board = bradley_terry(votes_of(a, b, outcome), prior=prior)
    table = np.zeros((5, 5))
    table[:4, :4] = board.matrix.wins + board.matrix.ties / 2
    table[:4, 4] = table[4, :4] = prior / 2
    theirs = choix.ilsr_pairwise_dense(table, tol=1e-13, max_iter=1000)[:4]
    assert board.strengths == pytest.approx(theirs - theirs.mean(), abs=1e-7)
    assert board.prior == prior


def test_a_priors_votes_are_clusters_of_their_own():
    a, b, outcome, *_ = drawn(n=60, models=4)
    board = bradley_terry(votes_of(a, b, outcome), prior=4)
    each = np.eye(4)
    x = np.concatenate((each[a] - each[b], np.repeat(each, 4, axis=0)))  # of the prior, two won and two lost each
    y = np.concatenate((CODES[outcome], np.tile([1, 1, 0, 0], 4)))
    fit = sm.GLM(y, x, family=sm.families.Binomial()).fit(tol=1e-12)
    sums = x * ((y - fit.mu) * np.where(np.arange(len(y)) < 60, np.sqrt(60 / 59), 1))[:, None]
    bread = np.linalg.inv((x * (fit.mu * (1 - fit.mu))[:, None]).T @ x)
    to = each - 1 / 4
    assert board.covariance == pytest.approx(to @ bread @ sums.T @ sums @ bread @ to, rel=1e-6, abs=1e-12)
