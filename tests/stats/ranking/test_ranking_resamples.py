"""Bootstraps against resampling the votes themselves, open ends, and rank ranges against counting by hand."""

import msgspec
import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.ranking import bradley_terry, chosen, coded
from audiometry.stats.ranking.ranges import critical, rank_ranges
from audiometry.stats.ranking.resamples import limits

LABELS = ("model_a", "model_b", "tie")


def some(n, seed=3, models=4, voters=20, **columns):
    rng = generator(seed, "resamples")
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    ahead = rng.random(n) < 1 / (1 + np.exp(-0.5 * (b - a)))
    says = np.where(rng.random(n) < 0.15, 2, np.where(ahead, 0, 1))
    taste = rng.integers(0, voters, n)
    return coded(
        [f"m{i}" for i in a],
        [f"m{i}" for i in b],
        [LABELS[i] for i in says],
        voter=[f"v{i:02}" for i in taste],
        first=["ab"[i] for i in rng.integers(0, 2, n)],
        propensity=rng.choice([0.1, 0.3], n),
        contrasts={"length": rng.integers(1, 90, (n, 2))},
    )


def ends(board):
    return np.array([one.interval for one in sorted(board.models, key=lambda one: one.model)])


def by_hand(votes, resamples, *, by_voter, **settings):
    """2.5 and 97.5 % of ratings of votes that are drawn one by one, or voter by voter."""
    rng = generator(8, "by hand")
    rows = [np.flatnonzero(votes.voter == one) for one in range(votes.voter.max() + 1)]
    rows = rows if by_voter else [np.array([i]) for i in range(votes.n)]
    found = []
    for _ in range(resamples):
        drawn = np.concatenate([rows[i] for i in rng.integers(0, len(rows), len(rows))])
        board = bradley_terry(chosen(votes, drawn), by_voter=False, **settings)
        found.append([one.rating for one in sorted(board.models, key=lambda one: one.model)])
    return np.quantile(found, [0.025, 0.975], axis=0).T


@pytest.mark.parametrize("by_voter", [False, True])
@pytest.mark.parametrize(
    "settings",
    [{"ties": "half"}, {"ties": "davidson"}, {"first": True}, {"prior": 3.0}],
    ids=lambda one: next(iter(one)),
)
def test_resamples_of_tallies_are_resamples_of_votes(by_voter, settings):
    plain = some(600, voters=150)
    votes = coded(
        [plain.models[i] for i in plain.a],
        [plain.models[i] for i in plain.b],
        [LABELS[i] for i in plain.outcome],
        voter=[f"{i:03}" for i in plain.voter],
        first=["ab"[i] for i in plain.first],
    )
    board = bradley_terry(votes, bootstrap=2000, by_voter=by_voter, **settings)
    hand = by_hand(votes, 250, by_voter=by_voter, **settings)
    assert ends(board) == pytest.approx(hand, abs=12)
    assert (board.intervals, board.resamples) == ("bootstrap", 2000)


@pytest.mark.parametrize("by_voter", [False, True])
def test_weighted_votes_are_drawn_with_their_weights(by_voter):
    votes = some(800, voters=200)
    board = bradley_terry(votes, bootstrap=1500, by_voter=by_voter)
    assert board.weighted
    assert ends(board) == pytest.approx(ends(bradley_terry(votes, by_voter=by_voter)), abs=9)


def test_terms_have_intervals_of_resamples_too():
    votes = some(600, voters=150)
    settings = {"first": True, "contrasts": ["length"]}
    drawn, plain = bradley_terry(votes, bootstrap=200, **settings), bradley_terry(votes, **settings)
    for one, other in zip((drawn.first, *drawn.contrasts), (plain.first, *plain.contrasts), strict=True):
        assert one.elo == other.elo
        assert one.interval == pytest.approx(other.interval, abs=12)


def test_the_same_seed_draws_the_same():
    votes = some(300)
    one, same, other = (bradley_terry(votes, bootstrap=50, seed=seed) for seed in (1, 1, 2))
    assert (ends(one) == ends(same)).all()
    assert (ends(one) != ends(other)).any()


@pytest.mark.parametrize(("label", "open_end"), [("model_a", 1), ("model_b", 0)])
@pytest.mark.parametrize("voters", [False, True])
def test_an_interval_is_open_where_resamples_lose_the_models_place(label, open_end, voters):
    """One vote of twenty ties z to the others: a third of the resamples are without it."""
    rows = [("a", "b", "model_a"), ("a", "b", "model_b")] * 40 + [("z", "a", label)] * 19
    rows.append(("z", "a", "model_b" if label == "model_a" else "model_a"))
    votes = coded(*zip(*rows, strict=True), voter=[str(i) for i in range(len(rows))] if voters else None)
    board = bradley_terry(votes, bootstrap=200)
    interval = {one.model: one.interval for one in board.models}
    assert interval["z"][open_end] is None
    assert interval["z"][1 - open_end] is not None
    assert None not in interval["a"] + interval["b"]
    assert {one.model for one in board.models} == {"a", "b", "z"}


def test_what_could_be_anywhere_in_a_resample_is_open_at_both_ends():
    rows = [("a", "b", "model_a"), ("a", "b", "model_b")] * 40 + [("z", "a", "model_a"), ("z", "a", "model_b")]
    board = bradley_terry(coded(*zip(*rows, strict=True)), bootstrap=200)
    assert {one.model: one.interval for one in board.models}["z"] == (None, None)


def test_resamples_without_a_tie_or_without_an_end_are_no_traceback():
    rows = [("a", "b", "model_a"), ("a", "b", "model_b")] * 4 + [("a", "b", "tie")]
    board = bradley_terry(coded(*zip(*rows, strict=True)), ties="davidson", bootstrap=100)
    assert board.nu > 0
    few = coded(["a", "a", "a"], ["b", "b", "b"], ["model_a", "model_b", "model_a"], first=["a", "a", "b"])
    assert bradley_terry(few, bootstrap=50).models[0].interval[1] is None


def test_percentiles_are_widened_for_few_clusters():
    values = np.arange(1.0, 10_000.0)[:, None]
    for clusters in (5, 20, 1000):
        ((low, high),) = limits(values, np.array([5000.0]), clusters, 0.95)
        reach = student.ppf(0.975, clusters - 1) * np.sqrt(clusters / (clusters - 1))
        assert low == pytest.approx(10_000 * norm.cdf(-reach), abs=1)
        assert high == pytest.approx(10_000 * norm.cdf(reach), abs=1)


def test_the_largest_of_several_z_is_that_of_tukeys_range():
    """Of independent strengths of equal variance the largest z is the studentised range over the root of 2."""
    from scipy.stats import studentized_range

    for models, df in ((3, 59), (5, 1000), (10, 200)):
        exact = studentized_range.ppf(0.95, models, df) / np.sqrt(2)
        assert critical(np.eye(models) * 0.3, df, 0.95) == pytest.approx(exact, rel=0.025)
    assert critical(np.eye(2), 7, 0.9) == pytest.approx(student.ppf(0.95, 7))


def test_of_few_clusters_all_pairs_are_compared_by_bonferroni():
    assert critical(np.eye(5), 58, 0.95) == pytest.approx(student.ppf(1 - 0.025 / 10, 58))
    assert critical(np.eye(5), 59, 0.95) < student.ppf(1 - 0.025 / 10, 59) - 0.05


def test_voters_who_vote_unequally_often_count_for_fewer():
    votes = some(400, voters=40)
    whose = np.where(np.arange(400) < 200, 0, votes.voter).astype(np.int32)
    heavy = msgspec.structs.replace(votes, voter=whose, propensity=None)
    sizes = np.unique(heavy.voter, return_counts=True)[1]
    board = bradley_terry(heavy)
    assert board.kish_clusters == pytest.approx(400**2 / (sizes**2).sum())
    assert board.kish_clusters < 5 < board.n_clusters
    spread = board.covariance
    expected = rank_ranges(board.strengths, spread, int(board.kish_clusters) - 1, 0.95)
    ranges = {one.model: one.rank_range for one in board.models}
    assert [ranges[name] for name in board.names] == list(map(tuple, expected.tolist()))
    assert bradley_terry(heavy, by_voter=False).kish_clusters == 400


def test_a_rank_range_counts_who_is_surely_better_and_surely_worse():
    strength = np.array([0.0, 3.0, 2.9, -4.0, 0.3])
    ranges = rank_ranges(strength, np.eye(5) * 0.04, 500, 0.95)
    assert ranges.tolist() == [[3, 4], [1, 2], [1, 2], [5, 5], [3, 4]]
    apart = critical(np.eye(5) * 0.04, 500, 0.95) * np.sqrt(0.08)
    for gap, sure in ((apart * 0.999, False), (apart * 1.001, True)):
        two = rank_ranges(np.array([gap, 0.0, -9, -18, -27]), np.eye(5) * 0.04, 500, 0.95)
        assert two[:2].tolist() == ([[1, 1], [2, 2]] if sure else [[1, 2], [1, 2]])


def test_models_that_do_not_differ_at_all_are_never_surely_apart():
    flat = np.zeros((3, 3))
    assert rank_ranges(np.array([0.0, 1.0, 2.0]), flat, 9, 0.95).tolist() == [[1, 3]] * 3


def test_of_fewer_than_sixty_clusters_models_are_as_far_apart_as_bonferroni_has_it():
    few, enough = (student.ppf(1 - 0.025 / 10, df) for df in (58, 59))
    assert critical(np.eye(5), 58, 0.95) == pytest.approx(few)
    assert critical(np.eye(5), 59, 0.95) < enough * 0.99


def test_many_models_are_compared_with_fewer_draws():
    limit = critical(np.eye(150), 1000, 0.95)
    assert 4.0 < limit < student.ppf(1 - 0.025 / (150 * 149 / 2), 1000)


def test_many_voters_are_added_up_in_parts(monkeypatch):
    from audiometry.stats.ranking import sandwich

    votes = some(900, voters=200)
    whole = bradley_terry(votes).covariance
    monkeypatch.setattr(sandwich, "_AT_ONCE", 100)
    assert bradley_terry(votes).covariance == pytest.approx(whole, rel=1e-9, abs=1e-15)


def test_no_resample_is_refused():
    with pytest.raises(UsageError, match="resamples are 0 or more"):
        bradley_terry(some(50), bootstrap=-5)
