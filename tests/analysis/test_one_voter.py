"""When it is told that one voter has a large part in shares."""

import numpy as np
import pytest

from audiometry.analysis.one_voter import told


def cast(most, others):
    """One voter with so many rows, and others with one each."""
    return np.concatenate([np.zeros(most, np.int64), np.arange(1, others + 1)])


@pytest.mark.parametrize(("most", "others", "said"), [(15, 85, False), (16, 84, True), (50, 50, True), (1, 2, True)])
def test_more_than_three_of_twenty_are_told(most, others, said):
    assert bool(list(told(cast(most, others), "queries"))) == said


def test_the_sentence_counts_and_rows_of_nobody_known_are_in_the_whole():
    voter = np.concatenate([cast(40, 10), np.full(50, -1)])
    (line,) = told(voter, "queries")
    assert line.startswith("one voter has 40 of 100 queries: ")
    assert not list(told(np.concatenate([cast(40, 10), np.arange(-300, 0)]), "queries"))


@pytest.mark.parametrize("voter", [[], [-1, -2, -3], [4, 4, 4]])
def test_nobody_known_and_one_alone_are_told_elsewhere(voter):
    assert not list(told(np.array(voter, np.int64), "votes"))
