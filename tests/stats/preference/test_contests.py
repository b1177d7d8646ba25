import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.stats.preference.contests import contests

A = np.array([0, 1, 0, 2, 1, 0])
B = np.array([1, 0, 1, 0, 2, 2])
SHARE = np.array([1.0, 1.0, 0.5, 0.0, 1.0, 0.0])
VOTER = np.array([7, 7, 3, 3, 7, 9])


def test_votes_are_counted_by_pair_whichever_side_a_system_stood_on():
    found = contests(A, B, SHARE, 3)
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert found.won.tolist() == [1.5, 1.0, 1.0]
    assert found.lost.tolist() == [1.5, 1.0, 0.0]
    swapped = contests(B, A, 1 - SHARE, 3)
    assert swapped.won.tolist() == found.won.tolist()
    assert found.n_votes == 6


def test_of_known_voters_a_row_a_voter_and_pair_and_together_the_same():
    found = contests(A, B, SHARE, 3, voter=VOTER)
    assert len(found.won) == 5
    assert found.voter is not None
    together, plain = found.of_pairs, contests(A, B, SHARE, 3)
    assert together.won.tolist() == plain.won.tolist()
    assert together.voter is None


def test_votes_among_some_of_the_systems():
    found = contests(A, B, SHARE, 3, voter=VOTER).among(np.array([0, 2]))
    assert found.n_systems == 2
    assert found.pairs.tolist() == [[0, 1]]
    assert found.of_pairs.won.tolist() == [1.0]
    assert found.of_pairs.lost.tolist() == [1.0]
    assert sorted(found.voter.tolist()) == [0, 1]
    turned = contests(A, B, np.array([1.0, 1, 1, 0, 1, 1]), 3).among(np.array([2, 0]))
    ((first, second),) = turned.pairs.tolist()
    assert {first: turned.won[0], second: turned.lost[0]} == {0: 0.0, 1: 2.0}


def test_rows_that_stand_for_several_votes():
    found = contests(np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.5]), 2, times=np.array([3.0, 4.0]))
    assert (found.won.tolist(), found.lost.tolist()) == ([5.0], [2.0])
    assert contests(np.zeros(0, int), np.zeros(0, int), np.zeros(0), 2).n_votes == 0


def test_a_system_against_itself_and_columns_of_other_lengths_are_refused():
    with pytest.raises(UsageError, match="met itself"):
        contests(np.array([1]), np.array([1]), np.array([1.0]), 2)
    with pytest.raises(UsageError, match="one length"):
        contests(np.array([1]), np.array([0, 1]), np.array([1.0]), 2)
