"""What people said of a run's replies: whose words count, which are passed over, and what is refused."""

import json
import math

import numpy as np
import pytest

from audiometry.errors import UsageError
from audiometry.files.ratings import read
from audiometry.score.people.said import people_said

ITEMS = {f"item-{n}": n for n in range(5)}


@pytest.fixture
def said(tmp_path):
    """``said({…}, {…})``: what people said of the run of `m`, by lines of a rating file."""

    def go(*lines, models=("m",)):
        path = tmp_path / "people.jsonl"
        path.write_text("".join(json.dumps({"rater": "anna"} | line) + "\n" for line in lines))
        return people_said(read([path]), models, ITEMS.get, len(ITEMS))

    return go


def scores(found):
    return [None if math.isnan(one) else round(float(one), 6) for one in found.score]


def test_an_item_has_the_mean_over_raters_each_over_orders_and_by_their_last_word(said):
    found = said(
        {"item": "item-0", "score": 2},
        {"item": "item-0", "score": 8},  # she thought again
        {"item": "item-0", "rater": "ben", "order": "reference-first", "score": 2},
        {"item": "item-0", "rater": "ben", "order": "reference-second", "score": 4},
        {"item": "item-3", "rater": "ben", "score": 10},
    )
    assert scores(found) == [5.5, None, None, 10, None]
    assert (found.n_ratings, found.raters, found.propensity, found.notes) == (4, 2, None, ())


def test_only_peoples_scores_of_this_model_count(said):
    found = said(
        {"item": "item-0", "model": "m", "score": 7},
        {"item": "item-1", "model": "other", "score": 9},
        {"item": "item-2", "model": "m", "rater": "gpt", "kind": "judge", "score": 9},
        {"item": "item-3", "model": "m", "choice": "A"},
        {"item": "item-4", "score": 9},
    )
    assert scores(found) == [7, None, None, None, None]
    whole = said({"item": "item-1", "score": 6}, {"item": "item-0", "score": 7})
    assert scores(whole) == [7, 6, None, None, None]  # no line says whose reply: they are this run's
    full = said(
        {"item": "item-0", "model": "m", "score": 7},
        {"item": "item-0", "model": "m, as its makers", "score": 3},
        models=("m, as its makers", "m"),
    )
    assert scores(full)[0] == 3


def test_items_of_other_runs_and_odd_scales_are_told(said):
    found = said({"item": "item-0", "score": 4}, {"item": "x", "score": 99}, {"item": "y", "score": 5})
    assert scores(found)[0] == 4
    assert "x, y: 2 of the rated items are not in this run, and passed over" in found.notes
    assert any("no person gave more than 4" in note for note in found.notes)
    torn = said({"item": "item-0", "score": 9}, {"item": "item-1", "score": "nine"})
    assert any("1 lines could not be used (line 2: " in note for note in torn.notes)


def test_the_ends_of_the_scale_are_on_it_and_long_lists_are_cut(said):
    found = said(
        {"item": "item-0", "score": 1},
        {"item": "item-1", "score": 10},
        *({"item": f"x{n}", "score": 5} for n in range(5)),
    )
    assert scores(found)[:2] == [1, 10]
    assert "x0, x1, x2 and 2 more: 5 of the rated items" in found.notes[0]
    found = said(*({"item": f"x{n}", "score": 5} for n in range(3)), {"item": "item-0", "score": 5.5})
    assert "x0, x1, x2: 3 of the rated items" in found.notes[0]


def test_how_likely_an_item_was_to_be_rated(said):
    found = said(
        {"item": "item-0", "score": 4, "propensity": 0.5},
        {"item": "item-0", "rater": "ben", "score": 6, "propensity": 0.5},
        {"item": "item-2", "score": 6, "propensity": 0.1},
    )
    assert found.propensity == pytest.approx([0.5, math.nan, 0.1, math.nan, math.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([{"item": "item-0", "choice": "A"}], r"has no scores by people, from 1 to 10 \(it has choice\)"),
        (
            [{"item": "item-0", "preferred": "a", "model_a": "m", "model_b": "n"}],
            r"no scores by people, from 1 to 10 \(it has preferred\)",
        ),
        ([{"item": "item-0", "kind": "judge", "score": 4}], "it has no word of a person"),
        ([{"item": "x", "score": 4}], r"rates no item of this run \(x\)"),
        ([{"item": "item-0", "model": "n", "score": 4}], r"rates no replies of m \(it has those of n\)"),
        ([{"item": "item-0", "score": 11}, {"item": "item-1", "score": 0}], r"anna gives item-\d .* \(2 do not\)"),
        ([{"item": "item-0", "score": 4, "propensity": 0.5}, {"item": "item-1", "score": 4}], "item-1 has no `propen"),
        (
            [
                {"item": "item-0", "score": 4, "propensity": 0.5},
                {"item": "item-0", "rater": "ben", "score": 4, "propensity": 0.4},
            ],
            "item-0 has more than one `propensity`",
        ),
    ],
)
def test_what_says_nothing_of_the_run_is_refused_in_one_line(said, lines, reason):
    with pytest.raises(UsageError, match=reason) as problem:
        said(*lines)
    assert "\n" not in str(problem.value)


def test_hostile_names_are_shown_and_not_printed(said):
    with pytest.raises(UsageError) as problem:
        said({"item": "item-0", "rater": "\x1b[31mred", "score": 11})
    assert "\x1b" not in str(problem.value)
    assert np.isnan(said({"item": "item-0", "score": 5}).score[1:]).all()
