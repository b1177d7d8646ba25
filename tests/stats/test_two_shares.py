"""Two shares of clustered observations: against other formulas, and how often chance alone is called a difference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, t

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.two_shares import same_share


def by_hand(has, group, clusters):
    """The same in loops: pooled proportions, the variance times the design effect, and Fisher's test."""
    n, within = len(has), sum(group)
    pooled = sum(has) / n
    weights = [1 / within if g else -1 / (n - within) for g in group]
    residuals = [(y - pooled) * w for y, w in zip(has, weights, strict=True)]
    sums = {}
    for c, r in zip(clusters, residuals, strict=True):
        sums[c] = sums.get(c, 0.0) + r
    effect = max(1.0, len(sums) / (len(sums) - 1) * sum(s * s for s in sums.values()) / sum(r * r for r in residuals))
    difference = sum(y * w for y, w in zip(has, weights, strict=True))
    z = difference / math.sqrt(pooled * (1 - pooled) * (1 / within + 1 / (n - within)) * effect)
    a = sum(y for y, g in zip(has, group, strict=True) if g)
    b = sum(has) - a
    exact = fisher_exact([[a, within - a], [b, n - within - b]]).pvalue
    return min(1.0, max(2 * t.sf(abs(z), len(sums) - 1), exact))


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=40), st.randoms())
def test_it_is_what_the_formula_says_in_whatever_order(rows, random):
    has, group, clusters = map(list, zip(*rows, strict=True))
    found = same_share(has, group, clusters)
    told = 0 < sum(has) < len(has) and 0 < sum(group) < len(group) and len(set(clusters)) > 1
    assert (found is not None) == told
    if found is not None:
        assert found == pytest.approx(by_hand(has, group, clusters), rel=1e-9)
        random.shuffle(rows)
        assert same_share(*map(list, zip(*rows, strict=True))) == pytest.approx(found, rel=1e-9)
        assert same_share(has, [not one for one in group], clusters) == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize(("n", "voters", "share"), [(40, 40, 0.1), (200, 40, 0.2), (300, 15, 0.3)])
def test_chance_alone_is_called_a_difference_in_no_more_than_a_twentieth(n, voters, share):
    """Voters differ in how often they name a reason, and in which model's replies they meet."""
    draw = generator(3, "two shares", str(n))
    wrong = 0
    for _ in range(300):
        habit = draw.beta(4 * share, 4 * (1 - share), voters)
        met = draw.beta(2, 6, voters)
        who = draw.integers(0, voters, n)
        p = same_share(draw.random(n) < habit[who], draw.random(n) < met[who], who)
        wrong += p is not None and p < 0.05
    assert wrong / 300 <= 0.07  # 5 % and what 300 draws leave open


def test_a_true_difference_is_found():
    draw = generator(4, "two shares")
    group = draw.random(400) < 0.25
    assert same_share(draw.random(400) < np.where(group, 0.4, 0.2), group, draw.integers(0, 80, 400)) < 0.01


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(UsageError, match="one entry an observation"):
        same_share([1, 0], [1], [1, 2])
