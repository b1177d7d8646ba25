"""The likelihood against its own definition, and its derivatives against differences of it."""

import numpy as np
import pytest

from audiometry.seeds import generator
from audiometry.stats.ranking import coded
from audiometry.stats.ranking.likelihood import Point, expected, gradient, information, log_likelihood
from audiometry.stats.ranking.prepared import prepared


def drawn(*, davidson, terms, prior):
    """A design of votes between four models, its tally, and a point that is not the best one."""
    draw, n = generator(5, "derivatives"), 80
    a = draw.integers(0, 4, n)
    b = (a + draw.integers(1, 4, n)) % 4
    votes = coded(
        [f"m{i}" for i in a],
        [f"m{i}" for i in b],
        np.array(["model_a", "model_b", "tie"])[draw.integers(0, 3, n)].tolist(),
        first=["ab"[i] for i in draw.integers(0, 2, n)],
        contrasts={"length": draw.lognormal(3, 0.5, (n, 2))},
    )
    ties = "davidson" if davidson else "half"
    contrasts = ("length",) if terms else ()
    design = prepared(votes, ties=ties, prior=prior, first=terms, contrasts=contrasts, by_voter=False).design
    at = Point(
        strength=draw.normal(0, 0.8, (1, 4)),
        terms=draw.normal(0, 0.5, (1, len(design.terms))),
        log_nu=np.array([0.3 if davidson else -np.inf]),
    )
    return design, design.tally()[None], at


CASES = pytest.mark.parametrize(
    ("davidson", "terms", "prior"), [(False, False, 0), (False, True, 1.5), (True, False, 1.5), (True, True, 0)]
)


@CASES
def test_the_likelihood_is_what_its_model_says_of_each_vote(davidson, terms, prior):
    design, tally, at = drawn(davidson=davidson, terms=terms, prior=prior)
    value = 0.0
    for row, (won, lost, tied) in enumerate(tally[0]):
        low, high = design.low[design.pair[row]], design.high[design.pair[row]]
        e = float(at.strength[0][low] - at.strength[0][high] + design.x[row] @ at.terms[0])
        parts = np.exp([e / 2, -e / 2, at.log_nu[0]])
        each = np.log(parts[:2] / parts.sum())
        of_tie = np.log(parts[2] / parts.sum()) if davidson else each.mean()
        value += won * each[0] + lost * each[1] + tied * of_tie
    against = 1 / (1 + np.exp(-at.strength[0]))  # of the prior: against one of strength 0, half won and half lost
    value += prior / 2 * float(np.log(against * (1 - against)).sum())
    assert log_likelihood(tally, expected(design, at), at, prior)[0] == pytest.approx(value)


@CASES
def test_derivatives_are_those_of_the_likelihood(davidson, terms, prior):
    design, tally, at = drawn(davidson=davidson, terms=terms, prior=prior)
    q, width = 4 + len(design.terms) + davidson, 1e-5

    def differences(of):
        steps = np.eye(q)[:, None] * width
        return np.array([(of(at.moved(s, davidson=davidson)) - of(at.moved(-s, davidson=davidson))) for s in steps]) / (
            2 * width
        )

    def slope(there):
        return gradient(design, tally, expected(design, there), there, prior, davidson=davidson)[0]

    value = differences(lambda there: log_likelihood(tally, expected(design, there), there, prior)[0])
    assert slope(at) == pytest.approx(value, rel=1e-6, abs=1e-6)
    curve = information(design, tally.sum(axis=-1), expected(design, at), at, prior, davidson=davidson)[0]
    assert curve == pytest.approx(-differences(slope), rel=1e-6, abs=1e-6)
