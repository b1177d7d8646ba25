"""What must not matter to a ranking: names, sides, order, how often all was said."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry.stats.ranking import bradley_terry, coded, reversals

LABELS = ("model_a", "model_b", "tie", "both_bad")
OTHER = {"model_a": "model_b", "model_b": "model_a", "tie": "tie", "both_bad": "both_bad"}


@st.composite
def battles(draw):
    """A row a vote: two models, label, voter, side shown first, lengths of both."""
    models = "abcde"[: draw(st.integers(2, 5))]
    row = st.tuples(
        st.permutations(models).map(lambda order: tuple(order[:2])),
        st.sampled_from(LABELS),
        st.sampled_from("pqrs"),
        st.sampled_from("ab"),
        st.tuples(st.integers(1, 50), st.integers(1, 50)),
    )
    return draw(st.lists(row, min_size=1, max_size=60))


def votes_of(rows):
    pairs, says, voters, first, lengths = zip(*rows, strict=True)
    return coded(*zip(*pairs, strict=True), says, voter=voters, first=first, contrasts={"length": np.array(lengths)})


def end(limit):
    return np.inf if limit is None else limit


def told(board, name=lambda name: name):
    """All that a board says of each model, by name."""
    placed = {
        name(one.model): (
            one.rating,
            *map(end, one.interval or ()),
            one.battles,
            one.wins,
            one.losses,
            one.ties,
            one.both_bad,
        )
        for one in board.models
    }
    return {k: pytest.approx(v, rel=1e-6, abs=1e-4) for k, v in placed.items()}, {
        name(one.model): (one.reason, sorted(map(name, one.group))) for one in board.unplaced
    }


def plainly(board):
    placed, apart = told(board)
    return {k: v.expected for k, v in placed.items()}, apart


def same(board, other, name=lambda name: name):
    placed, apart = told(other, name)
    mine, mine_apart = plainly(board)
    assert mine == placed
    assert mine_apart == apart


SETTINGS = st.fixed_dictionaries({"ties": st.just("half"), "prior": st.sampled_from([0.0, 1.0])})


@given(battles(), SETTINGS)
@settings(max_examples=60)
def test_sides_may_be_swapped_in_any_vote(rows, chosen):
    swapped = [
        (pair[::-1], OTHER[says], voter, "ba"["ab".index(first)], lengths[::-1])
        if i % 2
        else (pair, says, voter, first, lengths)
        for i, (pair, says, voter, first, lengths) in enumerate(rows)
    ]
    one, other = (bradley_terry(votes_of(some), **chosen, bootstrap=10) for some in (rows, swapped))
    same(one, other)
    assert one.models == other.models
    assert one.fit == other.fit


@given(battles(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_votes_does_not_matter(rows, random):
    mixed = list(rows)
    random.shuffle(mixed)
    one, other = (bradley_terry(votes_of(some), bootstrap=10) for some in (rows, mixed))
    same(one, other)
    assert reversals(votes_of(rows)) == reversals(votes_of(mixed))


@given(battles(), SETTINGS)
@settings(max_examples=60)
def test_names_do_not_matter(rows, chosen):
    to = dict(zip("abcde", "dbeca", strict=True))
    renamed = [(tuple(to[one] for one in pair), *rest) for pair, *rest in rows]
    one, other = (bradley_terry(votes_of(some), **chosen) for some in (rows, renamed))
    back = {v: k for k, v in to.items()}
    sizes = {m.model for m in one.models} == {back[m.model] for m in other.models}
    if sizes:  # of two groups that are alike in size and votes, the first by name is ranked
        same(one, other, back.__getitem__)
    else:
        assert len(one.models) == len(other.models)


@given(battles())
@settings(max_examples=60)
def test_said_twice_all_ratings_stay(rows):
    one, other = bradley_terry(votes_of(rows)), bradley_terry(votes_of(rows + rows))
    assert other.names == one.names
    assert other.strengths == pytest.approx(one.strengths, abs=1e-7)
    if one.covariance is not None:  # of the same voters: no vote more is independent
        assert other.covariance == pytest.approx(one.covariance, rel=1e-6, abs=1e-9)


@given(battles())
@settings(max_examples=60)
def test_ratings_average_1000_and_an_interval_holds_its_rating(rows):
    for bootstrap in (0, 10):
        board = bradley_terry(votes_of(rows), bootstrap=bootstrap)
        if not board.models:
            continue
        assert np.mean([one.rating for one in board.models]) == pytest.approx(1000)
        assert board.converged
        for one in board.models:
            low, high = one.interval or (None, None)
            assert low is None or low <= one.rating
            assert high is None or one.rating <= high
            assert one.rank_range[0] <= one.rank <= one.rank_range[1] <= len(board.models)
            assert one.battles == one.wins + one.losses + one.ties + one.both_bad
        assert [one.rating for one in board.models] == sorted((one.rating for one in board.models), reverse=True)


@given(battles())
@settings(max_examples=60)
def test_fitted_scores_are_those_of_the_votes(rows):
    """At the highest likelihood each model has as many wins (ties half) as are expected of it."""
    board = bradley_terry(votes_of(rows))
    if board.fit is None:
        return
    off = dict.fromkeys(board.names, 0.0)
    for pair in board.fit.pairs:
        off[pair.a] += pair.n * (pair.observed - pair.expected)
        off[pair.b] -= pair.n * (pair.observed - pair.expected)
    assert list(off.values()) == pytest.approx([0.0] * len(off), abs=1e-6)


def test_sides_may_be_swapped_with_terms_in_the_fit():
    """Centring a covariate would have its mean hang on which model is on side a."""
    rng = np.random.default_rng(4)
    rows = [
        (tuple(rng.permutation(list("abc"))[:2]), LABELS[rng.integers(0, 3)], "pqrstu"[i % 6], "ab"[i % 2], lengths)
        for i, lengths in enumerate(map(tuple, rng.integers(1, 90, (240, 2))))
    ]
    swapped = [
        (pair[::-1], OTHER[says], voter, "ba"["ab".index(first)], lengths[::-1])
        if lengths[0] < lengths[1]
        else (pair, says, voter, first, lengths)
        for pair, says, voter, first, lengths in rows
    ]
    for ties in ("half", "davidson"):
        one, other = (
            bradley_terry(votes_of(some), ties=ties, first=True, contrasts=["length"]) for some in (rows, swapped)
        )
        same(one, other)
        for mine, theirs in zip((one.first, *one.contrasts), (other.first, *other.contrasts), strict=True):
            assert (mine.elo, mine.p, mine.scale) == pytest.approx((theirs.elo, theirs.p, theirs.scale))
