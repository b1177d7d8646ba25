"""The published pair counts, ranked: the golden numbers."""

import pytest

from audiometry.stats import bradley_terry
from audiometry.stats.ranking import reversals

HALF = {
    "DiVA": (1143.0, 1129.8, 1156.8),
    "GPT-4o": (1073.7, 1062.5, 1085.3),
    "Gemini-1.5-Pro": (1054.3, 1042.3, 1066.1),
    "Qwen2-Audio": (984.8, 972.7, 996.7),
    "Typhoon-Audio": (744.2, 727.9, 759.4),
}
DAVIDSON = {
    "DiVA": 1171.2,
    "GPT-4o": 1088.6,
    "Gemini-1.5-Pro": 1065.5,
    "Qwen2-Audio": 982.8,
    "Typhoon-Audio": 691.8,
}


@pytest.mark.parametrize("bootstrap", [0, 1000])
def test_ratings_and_intervals_are_the_published_ones(talk_arena, bootstrap):
    board = bradley_terry(talk_arena, bootstrap=bootstrap)
    assert [one.model for one in board.models] == list(HALF)
    for one in board.models:
        rating, low, high = HALF[one.model]
        assert one.rating == pytest.approx(rating, abs=0.06)
        assert one.interval == pytest.approx((low, high), abs=2)
    assert [one.rank for one in board.models] == [1, 2, 3, 4, 5]
    assert [one.rank_range for one in board.models] == [(1, 1), (2, 3), (2, 3), (4, 4), (5, 5)]
    assert board.converged
    assert board.nu is None
    assert (board.clusters, board.n_clusters, board.votes, board.kish_n) == ("votes", 5000, 5000, 5000)
    assert board.intervals == ("bootstrap" if bootstrap else "sandwich")


def test_by_davidson_ties_have_a_rate_of_their_own(talk_arena):
    board = bradley_terry(talk_arena, ties="davidson")
    for one in board.models:
        assert one.rating == pytest.approx(DAVIDSON[one.model], abs=0.06)
    assert board.nu == pytest.approx(0.360, abs=5e-4)


def test_the_published_pairs_do_not_fit_one_scale(talk_arena):
    half = bradley_terry(talk_arena).fit
    assert (half.chi2, half.df) == (pytest.approx(66.3, abs=0.05), 6)
    assert half.p < 1e-11
    binomial = sum(p.n * (p.observed - p.expected) ** 2 / (p.expected * (1 - p.expected)) for p in half.pairs)
    assert binomial == pytest.approx(46.8, abs=0.05)
    davidson = bradley_terry(talk_arena, ties="davidson").fit
    assert (davidson.chi2, davidson.df) == (pytest.approx(95.8, abs=0.05), 15)
    assert half.pairs[0].chi2 == max(pair.chi2 for pair in half.pairs)
    assert half.thin == 0


@pytest.mark.parametrize(("ties", "lead", "without"), [("half", 19.4, 3.1), ("davidson", 23.1, 3.7)])
def test_the_order_that_the_two_models_own_votes_contradict_is_named(talk_arena, ties, lead, without):
    (found,) = reversals(talk_arena, ties=ties)
    assert (found.above, found.below, found.n) == ("GPT-4o", "Gemini-1.5-Pro", 500)
    assert found.share == pytest.approx(0.473)
    assert found.interval == pytest.approx((0.43, 0.517), abs=1e-3)
    assert found.elo == pytest.approx(lead, abs=0.05)
    assert found.without[0][1] == pytest.approx(without, abs=0.05)
    assert [name for name, _ in found.without] == ["DiVA", "Typhoon-Audio", "Qwen2-Audio"]
