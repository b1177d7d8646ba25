"""Votes as columns: coding from labels, choosing a part, and what is refused."""

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.stats.ranking.votes import Outcome, chosen, coded, of_codes


def test_labels_become_codes_in_order_of_name():
    votes = coded(
        ["y", "x", "z"],
        ["x", "z", "y"],
        ["model_a", "tie", "both_bad"],
        voter=["w", None, "v"],
        first=["model_b", "", "a"],
        propensity=[0.5, np.nan, 1.0],
        contrasts={"length": [[1, 2], [3, np.nan], [0, 0]]},
    )
    assert votes.models == ("x", "y", "z")
    assert votes.a.tolist() == [1, 0, 2]
    assert votes.b.tolist() == [0, 2, 1]
    assert votes.outcome.tolist() == [Outcome.A, Outcome.TIE, Outcome.BOTH_BAD]
    assert votes.voter.tolist() == [1, -1, 0]
    assert votes.first.tolist() == [1, -1, 0]
    assert votes.contrasts["length"].shape == (3, 2)
    assert votes.n == 3


def test_columns_of_numpy_are_taken_as_lists_are():
    plain = coded(["x", "y"], ["y", "x"], ["model_a", "tie"])
    arrays = coded(np.array(["x", "y"]), np.array(["y", "x"]), np.array(["model_a", "tie"]))
    assert arrays.models == plain.models
    assert arrays.a.tolist() == plain.a.tolist()


def test_a_part_keeps_its_columns_and_drops_models_without_votes():
    votes = coded(
        ["x", "y", "z"],
        ["y", "z", "x"],
        ["model_a"] * 3,
        voter=["p", "q", "p"],
        first=["a", "b", None],
        propensity=[0.5, 0.4, 0.3],
        contrasts={"length": np.ones((3, 2))},
    )
    part = chosen(votes, np.array([False, True, False]))
    assert part.models == ("y", "z")
    assert (part.a.tolist(), part.b.tolist(), part.voter.tolist(), part.first.tolist()) == ([0], [1], [1], [1])
    assert part.propensity.tolist() == [0.4]
    assert part.contrasts["length"].shape == (1, 2)
    assert chosen(votes, np.zeros(3, bool)).models == ()
    plain = chosen(coded(["x"], ["y"], ["tie"]), np.array([True]))
    assert plain.voter is plain.first is plain.propensity is None


def test_coded_columns_come_in_any_order_of_names():
    votes = of_codes(["z", "unused", "a"], np.array([0], np.int32), np.array([2], np.int32), np.array([1], np.int8))
    assert votes.models == ("a", "z")
    assert (votes.a.tolist(), votes.b.tolist()) == ([1], [0])
    with pytest.raises(UsageError, match="name each model once"):
        of_codes(["z", "z"], np.array([0], np.int32), np.array([1], np.int32), np.array([1], np.int8))
    with pytest.raises(UsageError, match="name every model"):
        of_codes(["z"], np.array([0], np.int32), np.array([1], np.int32), np.array([1], np.int8))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"winner": ["model_a", "draw"]}, "vote 2: 'winner' is 'draw'; known: model_a, model_b, tie, both_bad"),
        ({"winner": ["model_a", None]}, "vote 2: 'winner' is 'None'"),
        ({"model_b": ["y", "x"]}, "vote 2 sets 'x' against itself"),
        ({"model_b": ["y", ""]}, "is ''; a name is a text"),
        ({"model_b": ["y", 3]}, "is 3; a name is a text"),
        ({"model_b": ["y"]}, "'model_b' has shape"),
        ({"first": ["left", "a"]}, "vote 1: 'first' is 'left'; known: model_a, model_b, a, b"),
        ({"voter": ["p"]}, "'voter' has shape"),
        ({"propensity": [0.5, 0.0]}, "a propensity is a chance above 0"),
        ({"propensity": [0.5, 1.5]}, "a propensity is a chance above 0"),
        ({"contrasts": {"length": [1.0, 2.0]}}, "'length' has shape"),
        ({"contrasts": {"length": [[1.0, -2.0], [1, 1]]}}, "'length' is a finite size"),
        ({"contrasts": {"length": [[1.0, np.inf], [1, 1]]}}, "'length' is a finite size"),
    ],
)
def test_what_is_no_vote_is_refused_with_its_place(change, says):
    with pytest.raises(UsageError, match=says):
        coded(**{"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["model_a", "tie"], **change})
