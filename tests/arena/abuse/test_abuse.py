"""Votes that may be nobody's opinion: what is found, what is not, and how often that is wrong."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import betabinom

from audiometry.arena.abuse.alarm import alarm
from audiometry.arena.abuse.chance import chance
from audiometry.arena.abuse.haste import MOST_IN_WINDOW, bursts, too_fast
from audiometry.arena.abuse.look import look
from audiometry.arena.abuse.minority import agreed
from audiometry.arena.abuse.one_side import one_side
from audiometry.stats.ranking.votes import of_codes

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "statistics" / "abuse.py"


@pytest.fixture(scope="module")
def abuse():
    spec = importlib.util.spec_from_file_location("abuse_simulated", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def cast(abuse):
    def call(seed, voters, each, bad=0.0, kind="coin", **more):
        return abuse.cast(np.random.default_rng(seed), abuse.World(voters, each, bad, kind, **more))

    return call


@pytest.mark.parametrize("kind", ["coin", "three buttons", "contrary"])
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_of_voters_at_random_four_of_five_are_found_after_fifty_votes(abuse, kind, share):
    caught, honest, _ = abuse.found(abuse.World(100, 50, share, kind), int(2 / share))
    assert caught >= 0.8
    assert honest <= 0.05


@pytest.mark.parametrize("share", [0.1, 0.2])
def test_a_minority_with_an_order_of_its_own_is_told_and_not_taken_for_coins(abuse, cast, share):
    taken, honest, _ = abuse.found(abuse.World(100, 50, share, "own order"), 15)
    assert taken <= 0.3  # of 0.75 who do not choose as the others
    assert honest <= 0.05
    votes, own = cast(5, 100, 50, share, "own order")
    found = chance(votes)
    assert found.of_their_own[own].mean() >= 0.3
    assert not found.of_their_own[~own].any()
    assert not (found.of_their_own & (found.at_random | found.like_others)).any()


def test_who_agrees_is_asked_again_by_those_alone_who_agree():
    who = np.repeat(np.arange(4), 50)
    asked = []

    def told_by(some):
        asked.append(some.tolist())
        among_coins = np.array([0.7, 0.7, 0.5, 0.5])[who]  # of whom the third agrees once the fourth has no say
        return among_coins if some[3] else np.array([0.7, 0.7, 0.7, 0.5])[who]

    found = np.ones(4, bool)
    own = agreed(found, who, np.full(200, 0.4), told_by, np.log(20))
    assert own.tolist() == [True, True, True, False]
    assert asked[0] == [True] * 4
    assert asked[1] == [True, True, False, False]
    turned = agreed(found, who, np.full(200, 0.3), told_by, np.log(20))  # whoever turned all round says it as well
    assert not turned.any()
    assert not agreed(np.zeros(4, bool), who, np.full(200, 0.4), told_by, np.log(20)).any()


def test_coins_and_those_who_turn_all_round_are_no_minority(cast):
    for kind, share in (("coin", 0.2), ("three buttons", 0.2), ("contrary", 0.05), ("contrary", 0.2)):
        told = [chance(cast(seed, 100, 50, share, kind)[0]).of_their_own.sum() for seed in range(5)]
        assert sum(told) <= 0.05 * 5 * share * 100, kind


def test_the_order_of_the_rows_has_no_say_where_times_are_not_known(cast):
    votes, _ = cast(4, 30, 40, 0.2)
    first = np.random.default_rng(1).integers(-1, 2, votes.n).astype(np.int8)
    rng = np.random.default_rng(2)
    found = []
    for _ in range(4):
        rows = rng.permutation(votes.n)
        turned = rng.random(votes.n) < 0.5
        said = np.where(turned & (votes.outcome < 2), 1 - votes.outcome, votes.outcome).astype(np.int8)
        shown = np.where(turned & (first >= 0), 1 - first, first).astype(np.int8)
        a, b = np.where(turned, votes.b, votes.a), np.where(turned, votes.a, votes.b)
        other = of_codes(votes.models, a[rows], b[rows], said[rows], voter=votes.voter[rows], first=shown[rows])
        seen = look(other, line=rows)
        found.append((seen.chance.at_random.tolist(), seen.chance.like_others.tolist(), len(seen.voters)))
        assert seen.alarm is None
    assert found[1:] == found[:-1]
    assert any(found[0][0])


def test_where_times_are_known_votes_are_taken_by_them(cast):
    votes, _ = cast(4, 30, 40, 0.2)
    at = np.arange(votes.n) * 100.0
    rows = np.random.default_rng(3).permutation(votes.n)
    shuffled = of_codes(votes.models, votes.a[rows], votes.b[rows], votes.outcome[rows], voter=votes.voter[rows])
    one, other = look(votes, at=at).chance, look(shuffled, at=at[rows]).chance
    assert one.at_random.tolist() == other.at_random.tolist() == chance(votes).at_random.tolist()
    assert one.like_others.tolist() == other.like_others.tolist()


@pytest.mark.parametrize(("voters", "each", "taste"), [(50, 20, 0.0), (300, 10, 0.3), (60, 200, 0.3), (12, 50, 0.0)])
def test_of_honest_voters_at_most_one_in_twenty_is_taken_for_a_coin(abuse, voters, each, taste):
    _, honest, _ = abuse.found(abuse.World(voters, each, taste=taste), 8)
    assert honest <= 0.05


@pytest.mark.parametrize(("voters", "each", "models"), [(20, 50, 20), (8, 200, 20), (10, 100, 10), (5, 100, 5)])
@pytest.mark.parametrize("scale", [0.0, 0.3, 1.0])
def test_what_few_votes_say_of_many_or_like_systems_is_not_taken_for_others_opinion(abuse, voters, each, models, scale):
    _, honest, _ = abuse.found(abuse.World(voters, each, scale=scale, models=models), 10)
    assert honest <= 0.06


def test_where_systems_are_nearly_equal_it_cannot_be_told(cast):
    votes, _ = cast(1, 100, 50, 0.1, scale=0.03)
    found = chance(votes)
    assert not found.at_random.any()
    assert not found.like_others.any()
    assert found.needed > 1_000
    apart, _ = cast(1, 100, 50)
    assert chance(apart).needed < 25
    assert chance(apart).like_others.mean() > 0.8


def test_a_lone_voter_and_unknown_voters_are_never_found(cast):
    votes, _ = cast(2, 1, 200)
    assert not chance(votes).at_random.any()
    nobody = of_codes(votes.models, votes.a, votes.b, votes.outcome)
    assert chance(nobody).at_random.shape == (0,)
    assert (look(nobody).reason == -1).all()


def firmness(votes):
    """The virtual wins under which all pairs' counts are most probable, tried one by one."""
    pairs = {}
    for a, b, said in zip(votes.a, votes.b, votes.outcome, strict=True):
        if said < 2:
            wins = pairs.setdefault((min(a, b), max(a, b)), [0, 0])
            wins[int((said == 0) != (a < b))] += 1
    tried = {
        s: sum(betabinom.logpmf(won, won + lost, s, s) for won, lost in pairs.values()) for s in 2.0 ** np.arange(13)
    }
    return max(tried, key=tried.get)


def by_hand(votes, voter):
    """A voter's evidence, vote after vote, from counts of all others and of the voter's own past."""
    prior = firmness(votes)
    beat = {}
    for a, b, said, who in zip(votes.a, votes.b, votes.outcome, votes.voter, strict=True):
        if who != voter and said < 2:
            win, lose = (a, b) if said == 0 else (b, a)
            beat[win, lose] = beat.get((win, lose), 0) + 1
    total = 0.0
    for a, b, said, who in zip(votes.a, votes.b, votes.outcome, votes.voter, strict=True):
        if who == voter and said < 2:
            win, lose = (a, b) if said == 0 else (b, a)
            won, lost = beat.get((win, lose), 0), beat.get((lose, win), 0)
            total += np.log(0.5) - np.log((won + prior) / (won + lost + 2 * prior))
            beat[win, lose] = won + 1
    return total


@pytest.mark.parametrize("scale", [0.4, 1.0])
def test_evidence_is_that_of_counting_by_hand(cast, scale):
    votes, _ = cast(3, 8, 15, scale=scale)
    found = chance(votes)
    assert not found.at_random.any()  # else those found are not among the others
    assert found.evidence.tolist() == pytest.approx([by_hand(votes, one) for one in range(8)])


@given(st.integers(0, 50))
def test_which_side_is_called_a_does_not_matter(abuse, seed):
    votes, _ = abuse.cast(np.random.default_rng(seed), abuse.World(10, 12, 0.2))
    rng = np.random.default_rng(seed + 1)
    turned = rng.random(votes.n) < 0.5
    said = np.where(turned & (votes.outcome < 2), 1 - votes.outcome, votes.outcome).astype(np.int8)
    a, b = np.where(turned, votes.b, votes.a), np.where(turned, votes.a, votes.b)
    other = of_codes(votes.models, a.astype(np.int32), b.astype(np.int32), said, voter=votes.voter)
    assert chance(votes).evidence.tolist() == pytest.approx(chance(other).evidence.tolist())


def sided(chosen, first=None, voter=None):
    n = len(chosen)
    a = np.arange(n, dtype=np.int32) % 3
    return of_codes(
        ["x", "y", "z"],
        a,
        (a + 1) % 3,
        np.array(chosen, np.int8),
        voter=np.zeros(n, np.int32) if voter is None else voter,
        first=np.zeros(n, np.int8) if first is None else first,
    )


def test_fourteen_choices_of_one_side_are_enough_and_thirteen_are_not():
    assert not one_side(sided([0] * 13))[0]
    assert one_side(sided([0] * 14))[0]
    assert one_side(sided([1] * 14))[0]
    assert not one_side(sided([0, 0, 0, 1] * 20))[0]
    assert one_side(sided([0] * 10 + [2] * 30 + [0] * 4))[0]  # ties are of no side


def test_the_side_is_the_one_shown_first_and_where_that_is_not_known_nobody_is_found():
    first = np.array([0, 1] * 10, np.int8)
    assert one_side(sided([0, 1] * 10, first=first))[0]
    assert not one_side(sided([0, 1] * 10))[0]
    assert not one_side(sided([0] * 20, first=np.full(20, -1, np.int8)))[0]
    votes = sided([0] * 20)
    assert not one_side(of_codes(votes.models, votes.a, votes.b, votes.outcome, voter=votes.voter))[0]


def test_one_in_twenty_with_a_strong_leaning_is_taken_for_one_who_always_takes_a_side():
    rng = np.random.default_rng(7)
    voters, each = 2_000, 100
    said = np.where(rng.random(voters * each) < 0.75, 0, 1)
    votes = sided(said, voter=np.repeat(np.arange(voters, dtype=np.int32), each))
    assert one_side(votes).mean() <= 0.05
    fair = sided(rng.integers(0, 2, voters * each), voter=votes.voter)
    assert one_side(fair).mean() <= 0.002


def test_a_vote_before_the_replies_can_be_read_is_too_fast():
    seconds = np.array([0.5, 1.5, np.nan, 5, 50])
    assert too_fast(seconds).tolist() == [True, False, False, False, False]
    assert too_fast(seconds, np.array([10, 10, 10, 1000, 1000.0])).tolist() == [True, False, False, True, False]
    assert too_fast(seconds, np.array([np.nan] * 5)).tolist() == [True, False, False, False, False]


def counted(voter, at):
    """Votes of any stretch of a minute with more than may be, by trying each."""
    out = np.zeros(len(at), bool)
    for one in range(len(at)):
        near = [k for k in range(len(at)) if voter[k] == voter[one] >= 0 and 0 <= at[k] - at[one] < 60]
        if len(near) > MOST_IN_WINDOW:
            out[near] = True
    return out


@example([(0, at) for at in range(0, 65, 5)] + [(-1, at) for at in range(13)])
@example([(0, at) for at in [*range(0, 55, 5), 59, 60, 61]])
@example([(1, at) for at in [*range(13), *range(100, 113)]])
@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 200)), max_size=60))
def test_bursts_are_the_votes_of_crowded_minutes(some):
    voter = np.array([one for one, _ in some], np.int32)
    at = np.array([float(when) for _, when in some])
    assert bursts(voter, at).tolist() == counted(voter, at).tolist()


def test_each_vote_has_its_first_reason_and_voters_are_listed_with_their_lines(cast):
    votes, _ = cast(0, 40, 60, 0.05, "contrary")
    at = np.arange(votes.n) * 100.0
    crowd = np.flatnonzero(votes.voter == 7)[:20]
    at[crowd] = at[crowd[0]] + np.arange(20)
    seconds = np.full(votes.n, 9.0)
    seconds[crowd[-1] + 1] = 0.2
    found = look(votes, at=at, seconds=seconds)
    by = {one.voter: one for one in found.voters}
    assert by[0].reason == by[1].reason == "chance"
    assert (by[0].apart, by[0].votes, by[0].line) == (60, 60, 1)
    assert (by[7].reason, by[7].apart, by[7].line) == ("burst", 20, 8)
    assert found.n("too fast") == 1
    assert found.n("burst") == 20
    assert found.stands.sum() == votes.n - found.n("chance") - 21 - found.n("one side")
    assert found.known == 40


def test_an_alarm_is_raised_when_the_share_jumps_and_only_then():
    rng = np.random.default_rng(4)
    calm = rng.random(2_000) < 0.02
    assert alarm(calm) is None
    broken = np.concatenate([calm, np.ones(60, bool), np.zeros(140, bool)])
    found = alarm(broken)
    assert found.recent == pytest.approx(0.3)
    assert found.p < 1e-6
    assert alarm(np.ones(399, bool)) is None
    assert alarm(np.concatenate([np.zeros(200, bool), np.ones(200, bool)])).n == 200  # as few as there may be
    false = sum(alarm(np.random.default_rng(seed).random(1_000) < 0.05) is not None for seed in range(300))
    assert false <= 2


def test_the_alarm_is_fishers():
    from scipy.stats import fisher_exact

    apart = np.zeros(1_000, bool)
    apart[[5, 50, 500]] = True
    apart[-30:] = True
    table = [[30, 170], [3, 797]]
    assert alarm(apart).p == pytest.approx(fisher_exact(table, alternative="greater").pvalue)
