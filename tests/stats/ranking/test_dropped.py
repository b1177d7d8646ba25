"""How few votes would change the leader, against leaving out every set of votes there is."""

import itertools

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.stats import bradley_terry
from audiometry.stats.ranking.dropped import fewest
from audiometry.stats.ranking.votes import chosen, coded


def drawn(seed, n, models=3):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, models, n)
    b = (a + rng.integers(1, models, n)) % models
    said = rng.choice(["model_a", "model_b", "tie"], n, p=[0.45, 0.4, 0.15])
    voter = [f"v{i}" for i in rng.integers(0, 8, n)]
    return coded([f"m{i}" for i in a], [f"m{i}" for i in b], said.tolist(), voter=voter)


def leads(votes, ties, over=None):
    """Who leads by more than rounding, whoever must have a place too; None if nobody does."""
    try:
        board = bradley_terry(votes, ties=ties)
    except UsageError:  # Davidson's ties have no answer
        return None
    placed = {one.model for one in board.models}
    if len(placed) < 2 or over not in {None, *placed} or board.models[0].rating - board.models[1].rating < 1e-6:
        return None
    return board.models[0].model


def by_force(votes, leader, units, most, ties):
    """The fewest units without which another leads, by trying all sets."""
    names = np.unique(units)
    for n in range(1, most + 1):
        for gone in itertools.combinations(names.tolist(), n):
            kept = ~np.isin(units, gone)
            if kept.any() and leads(chosen(votes, kept), ties, leader) not in {None, leader}:
                return n
    return None


@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("by_voter", [False, True])
def test_no_set_of_fewer_votes_or_voters_changes_the_leader(ties, by_voter):
    held = 0
    for seed in range(12):
        votes = drawn(seed, 12)
        leader = leads(votes, ties)
        if leader is None or len(bradley_terry(votes).models) < 3:
            continue
        found = fewest(votes, ties=ties, by_voter=by_voter)
        units = votes.voter if by_voter else np.arange(votes.n)
        least = by_force(votes, leader, units, 2, ties)
        if least is None:
            assert found is None or found.n > 2
        elif found is not None:  # where models lose their places on the way, nothing is claimed
            assert found.n == least
            assert found.leader == leader
            assert found.of == (len(np.unique(votes.voter)) if by_voter else votes.n)
            held += 1
    assert held >= 3


@pytest.mark.slow
def test_of_six_models_leaving_out_the_best_vote_again_and_again_takes_no_fewer():
    rng = np.random.default_rng(32)
    a = rng.integers(0, 6, 200)
    b = (a + rng.integers(1, 6, 200)) % 6
    strength = rng.normal(0, 0.7, 6)
    won = rng.random(200) < 1 / (1 + np.exp(strength[b] - strength[a]))
    votes = coded([f"m{i}" for i in a], [f"m{i}" for i in b], np.where(won, "model_a", "model_b").tolist())
    found = fewest(votes)
    kept, n = np.ones(votes.n, bool), 0
    kinds = list(zip(votes.a, votes.b, votes.outcome, strict=True))

    def lead():
        by = {one.model: one.rating for one in bradley_terry(chosen(votes, kept)).models}
        return by[found.leader] - by[found.challenger]

    while lead() > 0:
        leads_without = {}
        for row in {kinds[row]: row for row in np.flatnonzero(kept).tolist()}.values():
            kept[row] = False
            leads_without[row] = lead()
            kept[row] = True
        kept[min(leads_without, key=leads_without.get)] = False
        n += 1
    assert found.n <= n


def test_the_published_leader_stands_on_211_of_5000_votes(talk_arena):
    found = fewest(talk_arena)
    assert (found.leader, found.challenger, found.unit, found.n, found.of, found.votes) == (
        "DiVA",
        "GPT-4o",
        "votes",
        211,
        5000,
        211,
    )
    between = {"DiVA", "GPT-4o"}
    names = np.array(talk_arena.models)
    own = np.array([{x, y} == between for x, y in zip(names[talk_arena.a], names[talk_arena.b], strict=True)])
    won = (
        own
        & (names[np.where(talk_arena.outcome == 0, talk_arena.a, talk_arena.b)] == "DiVA")
        & (talk_arena.outcome < 2)
    )
    rows = np.flatnonzero(won)[:211]  # wins over the challenger hold the leader up most
    kept = np.ones(talk_arena.n, bool)
    kept[rows] = False
    board = bradley_terry(chosen(talk_arena, kept))
    assert board.models[0].model == "GPT-4o"
    kept[rows[0]] = True
    assert bradley_terry(chosen(talk_arena, kept)).models[0].model == "DiVA"


def test_of_two_models_the_number_is_the_lead_in_votes_and_one():
    votes = coded(["x"] * 10, ["y"] * 10, ["model_a"] * 7 + ["model_b"] * 3)
    assert fewest(votes).n == 5
    assert fewest(coded(["x"] * 10, ["y"] * 10, ["tie"] * 4 + ["model_a"] * 4 + ["model_b"] * 2)).n == 3


def test_nothing_is_claimed_where_nothing_is_ranked_or_no_voter_is_known():
    assert fewest(coded(["x"] * 3, ["y"] * 3, ["model_a"] * 3)) is None
    assert fewest(coded(["x", "x", "x"], ["y", "y", "y"], ["model_a", "model_a", "model_b"]), by_voter=True) is None
