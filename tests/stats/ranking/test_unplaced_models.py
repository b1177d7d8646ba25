"""Models that votes cannot place, and votes that can rank nobody: listed or refused in one line, nothing lost."""

import numpy as np
import pytest

from audiometry import stats
from audiometry.errors import UsageError
from audiometry.stats.ranking import bradley_terry, chosen, coded, reversals
from audiometry.stats.ranking.connected import chains


def votes(*battles, **columns):
    """``"x>y"``, ``"x=y"`` or ``"x!y"`` (both bad), each as often as the number behind it says."""
    rows = []
    for battle, times in battles:
        sign = next(one for one in ">=!" if one in battle)
        a, b = battle.split(sign)
        rows += [(a, b, {">": "model_a", "=": "tie", "!": "both_bad"}[sign])] * times
    return coded(*zip(*rows, strict=True), **columns)


CORE = (("a>b", 6), ("b>a", 3), ("b>c", 5), ("c>b", 2), ("a=c", 2))


def told(board):
    return {one.model: (one.reason, one.group) for one in board.unplaced}


@pytest.mark.parametrize(
    ("more", "reasons"),
    [
        ((("a>z", 4), ("b>z", 1)), {"z": ("never won", ())}),
        ((("z>a", 4), ("z>b", 1)), {"z": ("never lost", ())}),
        ((("z=a", 4), ("z=b", 1)), {"z": ("only ties", ())}),
        ((("z!a", 4),), {"z": ("no votes that count", ())}),
        ((("y>z", 2), ("z>y", 1)), {"y": ("not connected", ("z",)), "z": ("not connected", ("y",))}),
        ((("y>z", 2),), {"y": ("not connected", ()), "z": ("not connected", ())}),
        (
            (("y>z", 2), ("z>y", 1), ("a>z", 1)),
            {"y": ("no win over a ranked model", ("z",)), "z": ("no win over a ranked model", ("y",))},
        ),
        (
            (("y>z", 2), ("z>y", 1), ("z>a", 1)),
            {"y": ("no loss to a ranked model", ("z",)), "z": ("no loss to a ranked model", ("y",))},
        ),
        (
            (("a>z", 1), ("x>y", 1), ("y>x", 1), ("x>z", 1)),
            {"x": ("no chain of votes", ("y",)), "y": ("no chain of votes", ("x",)), "z": ("never won", ())},
        ),
    ],
)
def test_what_has_no_place_is_listed_apart_and_the_rest_ranked(more, reasons):
    board = bradley_terry(votes(*CORE, *more))
    assert told(board) == reasons
    assert [one.model for one in board.models] == ["a", "b", "c"]
    alone = bradley_terry(votes(*CORE))
    assert board.strengths == pytest.approx(alone.strengths, abs=1e-9)
    assert board.covariance == pytest.approx(alone.covariance, abs=1e-9)
    assert (board.votes, board.set_aside + board.both_bad) == (18, sum(times for _, times in more))


def test_each_vote_is_counted_once_for_both_models():
    board = bradley_terry(votes(*CORE, ("a>z", 4), ("z!b", 2)))
    (apart,) = board.unplaced
    assert (apart.battles, apart.wins, apart.losses, apart.ties, apart.both_bad) == (6, 0, 4, 0, 2)
    first = board.models[0]
    assert (first.model, first.battles, first.wins, first.losses, first.ties) == ("a", 15, 10, 3, 2)
    assert (board.both_bad, board.both_bad_share) == (2, pytest.approx(2 / 24))
    everyone = [*board.models, *board.unplaced]
    assert sum(one.battles for one in everyone) == 2 * 24
    assert board.matrix.n.sum() == 2 * 24
    assert board.matrix.both_bad[board.matrix.models.index("z"), board.matrix.models.index("b")] == 2


def test_both_bad_votes_change_no_rating():
    plain = bradley_terry(votes(*CORE))
    more = bradley_terry(votes(*CORE, ("a!b", 50), ("b!c", 3)))
    assert more.strengths == pytest.approx(plain.strengths, abs=1e-12)
    assert more.covariance == pytest.approx(plain.covariance, abs=1e-12)
    assert more.votes == plain.votes


@pytest.mark.parametrize(
    ("battles", "reasons"),
    [
        ((("a=b", 5), ("b=c", 5)), {"only ties"}),
        ((("a>b", 5),), {"never won", "never lost"}),
        ((("a!b", 5),), {"no votes that count"}),
        ((("a>b", 5), ("c>d", 5)), {"never won", "never lost"}),
    ],
)
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_where_nobody_can_be_ranked_everybody_is_listed(battles, reasons, ties):
    board = bradley_terry(votes(*battles), ties=ties, bootstrap=10)
    assert board.models == ()
    assert board.names == ()
    assert {one.reason for one in board.unplaced} == reasons
    assert (board.fit, board.covariance, board.first, board.nu) == (None, None, None, None)
    assert not board.converged
    assert reversals(votes(*battles), ties=ties) == ()


def test_under_a_prior_everybody_with_a_vote_that_counts_is_ranked():
    board = bradley_terry(votes(*CORE, ("a>y", 3), ("x=w", 2), ("v!a", 1)), prior=1.0)
    assert {one.model for one in board.models} == {"a", "b", "c", "w", "x", "y"}
    assert told(board) == {"v": ("no votes that count", ())}
    assert np.mean([one.rating for one in board.models]) == pytest.approx(1000)
    rating = {one.model: one for one in board.models}
    assert rating["y"].rating < rating["a"].rating
    assert rating["w"].rating == pytest.approx(rating["x"].rating)
    low, high = rating["w"].interval  # of ties alone the prior is all that says how far apart they may be
    assert high - low > 200


def test_two_groups_of_equal_size_and_the_one_with_more_votes_is_ranked():
    board = bradley_terry(votes(("a>b", 2), ("b>a", 2), ("x>y", 3), ("y>x", 3)))
    assert [one.model for one in board.models] == ["x", "y"]
    assert {one.reason for one in board.unplaced} == {"not connected"}
    assert board.models[0].rank == board.models[1].rank == 1


def test_the_larger_group_is_ranked_however_many_votes_a_smaller_one_has():
    board = bradley_terry(votes(("a>b", 1), ("b>c", 1), ("c>a", 1), ("x>y", 900), ("y>x", 900)))
    assert [one.model for one in board.models] == ["a", "b", "c"]


def test_an_anchor_moves_all_ratings_and_has_no_interval():
    plain, anchored = bradley_terry(votes(*CORE)), bradley_terry(votes(*CORE), anchor=("b", 1200.0))
    assert anchored.anchor == "b"
    by = 1200 - next(one.rating for one in plain.models if one.model == "b")
    for one, other in zip(plain.models, anchored.models, strict=True):
        assert other.rating == pytest.approx(one.rating + by)
        if other.model == "b":
            assert other.interval is None
        else:
            assert other.interval == pytest.approx((one.interval[0] + by, one.interval[1] + by))
        assert other.rank_range == one.rank_range


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"anchor": ("q", 1000)}, "the anchor 'q' has no vote; known: a, b, c, z"),
        ({"anchor": ("z", 1000)}, r"the anchor 'z' can not be placed \(never won\)"),
        ({"prior": -1}, "the prior is a number of virtual votes"),
        ({"prior": float("nan")}, "the prior is a number of virtual votes"),
        ({"ties": "third"}, "ties count as 'half'"),
        ({"bootstrap": -1}, "resamples are 0 or more"),
        ({"confidence": 1.0}, "confidence lies between 0 and 1"),
        ({"first": True}, "no vote says which reply was shown first"),
        ({"contrasts": ["length"]}, "no vote has the covariate 'length'; these votes have none"),
    ],
)
def test_impossible_settings_are_refused_in_one_line(settings, says):
    with pytest.raises(UsageError, match=says) as raised:
        bradley_terry(votes(*CORE, ("a>z", 3)), **settings)
    assert "\n" not in str(raised.value)


def test_no_votes_are_refused():
    with pytest.raises(UsageError, match="no votes to rank from"):
        bradley_terry(chosen(votes(*CORE), np.zeros(18, bool)))


def test_more_models_than_tables_of_pairs_hold_are_refused():
    names = [f"m{i}" for i in range(1002)]
    with pytest.raises(UsageError, match="1,002 models are more than the 1,000"):
        bradley_terry(coded(names[::2], names[1::2], ["tie"] * 501))


def test_a_single_voter_gives_ratings_without_intervals():
    board = bradley_terry(votes(*CORE, voter=["p"] * 18), bootstrap=20)
    assert [one.interval for one in board.models] == [None] * 3
    assert [one.rank_range for one in board.models] == [(1, 3)] * 3
    assert (board.clusters, board.n_clusters, board.covariance) == ("voters", 1, None)
    known = votes(*CORE, voter=["p"] * 18, first=["a", "b"] * 9)
    term = bradley_terry(known, first=True).first
    assert (term.interval, term.p) == (None, None)


def test_nobody_known_among_voters_is_as_no_voters():
    board = bradley_terry(votes(*CORE, voter=[None] * 18))
    assert (board.clusters, board.n_clusters) == ("votes", 18)
    assert board.covariance == pytest.approx(bradley_terry(votes(*CORE)).covariance)


def test_davidson_without_a_tie_is_the_plain_model():
    few = votes(("a>b", 6), ("b>a", 3), ("b>c", 5), ("c>b", 2), ("c>a", 2))
    board, plain = bradley_terry(few, ties="davidson", bootstrap=20), bradley_terry(few)
    assert board.nu == 0
    assert board.strengths == pytest.approx(plain.strengths)
    assert board.covariance == pytest.approx(plain.covariance)


def test_davidson_refuses_where_wins_and_ties_go_one_way():
    with pytest.raises(UsageError, match="Davidson's ties have no answer here"):
        bradley_terry(votes(("a>b", 5), ("a=b", 5)), ties="davidson")
    assert len(bradley_terry(votes(("a>b", 5), ("a=b", 5))).models) == 2


@pytest.mark.parametrize("term", ["first", "length"])
def test_a_term_that_explains_every_vote_is_refused(term):
    many = 30
    rows = [("a", "b"), ("a", "b"), ("b", "c"), ("b", "c")] * many
    votes = coded(
        *zip(*rows, strict=True),
        ["model_a", "model_b"] * (2 * many),
        first=["a", "b"] * (2 * many),
        contrasts={"length": [[9, 3], [3, 9]] * (2 * many)},
    )
    with pytest.raises(UsageError, match=f"'{term}' alone explains every vote"):
        bradley_terry(votes, first=term == "first", contrasts=["length"] if term == "length" else [])


def test_a_term_that_only_tells_models_apart_is_refused():
    rows = [("a", "b"), ("b", "a")] * 20
    says = ["model_a", "model_a", "model_b", "model_a"] * 10
    lengths = [[9, 3], [3, 9]] * 20
    votes = coded(*zip(*rows, strict=True), says, contrasts={"length": lengths}, first=["a", "b"] * 20)
    with pytest.raises(UsageError, match="'length' differs between models and not between their votes"):
        bradley_terry(votes, contrasts=["length"])
    with pytest.raises(UsageError, match="'first' differs between models"):
        bradley_terry(votes, first=True)


def test_a_covariate_that_never_differs_or_is_never_known_is_refused():
    same, unknown = np.full((18, 2), 4.0), np.full((18, 2), np.nan)
    zero = np.zeros((18, 2))
    few = votes(*CORE, contrasts={"same": same, "unknown": unknown, "zero": zero})
    for name in ("same", "zero"):
        with pytest.raises(UsageError, match=f"'{name}' is the same on both sides of every vote"):
            bradley_terry(few, contrasts=[name])
    with pytest.raises(UsageError, match="no vote has values of unknown on both sides"):
        bradley_terry(few, contrasts=["unknown"])
    with pytest.raises(UsageError, match="no vote has the covariate 'sam'; did you mean 'same'"):
        bradley_terry(few, contrasts=["sam"])


def test_votes_without_a_covariate_are_left_out_and_told():
    lengths = np.random.default_rng(1).uniform(1, 9, (22, 2))
    lengths[4, 0] = lengths[20, 1] = np.nan
    board = bradley_terry(votes(*CORE, ("c!a", 1), ("a>b", 3), contrasts={"length": lengths}), contrasts=["length"])
    assert (board.votes, board.set_aside, board.both_bad) == (19, 2, 1)
    assert board.side_unknown == 0


def test_where_the_first_side_is_sometimes_unknown_it_is_told():
    first = ["a", "b", None] * 6
    board = bradley_terry(votes(*CORE, first=first), first=True)
    assert board.side_unknown == 6
    assert board.first.name == "first"


def test_chains_of_many_links_are_followed():
    ring = np.roll(np.eye(33, dtype=bool), 1, axis=1)[None]
    assert chains(ring).all()
    path = np.triu(np.ones((9, 9), bool), 1) & ~np.triu(np.ones((9, 9), bool), 2)
    assert (chains(path[None])[0] == np.triu(np.ones((9, 9), bool))).all()


def test_of_many_models_none_is_left_out_in_turn():
    ring = [(f"m{i:03}>m{(i + 1) % 101:03}", 2) for i in range(101)]
    back = [(f"m{(i + 1) % 101:03}>m{i:03}", 1) for i in range(0, 101, 2)]
    found = reversals(votes(*ring, *back))
    assert found
    assert all(one.without == () for one in found)


def test_what_the_statistics_do_not_have_is_said():
    with pytest.raises(AttributeError, match="no attribute 'elo'"):
        _ = stats.elo
