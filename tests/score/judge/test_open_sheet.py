"""What became of replies to open items: counted by variant, and apart from items with options."""

import pytest

from audiometry.errors import UsageError
from audiometry.score import score
from audiometry.score.opened import has_open, has_options, open_positions, open_run, with_options
from audiometry.score.outcome import outcome

LATE = {"error": {"kind": "timeout", "message": "late"}}
BOTH = """
[benchmark]
name = "both"
version = "1"

[[task]]
name = "pick"

[[task]]
name = "tell"
kind = "open"
"""


@pytest.fixture
def both(make_benchmark, make_run):
    """Two items with options, one of them right, and two open ones."""
    items = [
        {"task": "pick", "answer": "dog"},
        {"task": "tell", "options": [], "answer": "A hen."},
        {"task": "pick", "answer": "dog"},
        {"task": "tell", "options": [], "answer": "A cow."},
    ]
    replies = {"item-00000": "dog", "item-00001": "A hen, I think.", "item-00002": "cat", "item-00003": ""}
    return open_run(make_run(make_benchmark(items, card=BOTH), replies))


def test_failures_of_variants_without_the_clip_are_not_those_of_the_score(make_open_run, judge_it):
    run = make_open_run(
        [("speech_QA", "yes"), ("speech_QA", LATE)], variants=("plain", "silence")
    )  # no reply at all in silence
    assert judge_it(run).scores["strict"].failures == {"timeout": 1}
    counted = outcome(run)
    assert (counted.n_replies, counted.n_failed, counted.n_not_asked, counted.failures) == (2, 1, 0, {"timeout": 1})


def test_items_with_options_and_open_ones_are_kept_apart(both):
    assert has_open(both)
    assert has_options(both)
    assert open_positions(both) == [1, 3]
    assert with_options(both).positions == [0, 2]
    scores = score(both)
    assert scores.n_unscored == 2
    strict = scores.scores["strict"]
    assert (strict.value, strict.n_items, list(strict.tasks)) == (0.5, 2, ["pick"])
    counted = outcome(both)
    assert (counted.n_items, counted.n_answered, counted.n_empty) == (2, 1, 1)
    assert list(counted.tasks) == ["tell"]


def test_of_each_task_items_are_counted_and_those_that_no_judge_can_compare(make_open_run):
    run = make_open_run(
        [
            ("speech_QA", "yes", {"answer": " "}),
            ("sound_QA", "no"),
            ("sound_QA", LATE, {"answer": None}),
            ("sound_QA", None),
            ("sound_QA", "I'm sorry, but I can't help with that."),
        ],
        variants=("plain", "order-1"),
    )
    counted = outcome(run)
    assert {name: (one.n_items, one.n_replies) for name, one in counted.tasks.items()} == {
        "speech_QA": (1, 2),
        "sound_QA": (4, 8),
    }
    assert (counted.n_items, counted.n_without_reference) == (5, 2)
    sound = counted.tasks["sound_QA"]
    assert (sound.n_answered, sound.n_refused, sound.n_failed, sound.n_not_asked) == (1, 1, 1, 5)


def test_with_a_judge_each_kind_has_a_score_of_its_own(both, judge_it):
    found = judge_it(both, {"scores": {"A hen, I think.": 7}})
    assert list(found.scores) == ["strict", "judge-score@strict"]
    assert found.n_unscored == 0
    assert (found.scores["strict"].value, found.scores["strict"].kinds) == (0.5, ("choice",))
    judged = found.scores["judge-score@strict"]
    assert (judged.value, judged.kinds, judged.n_empty) == (4.0, ("open",), 1)  # 7, and 1 for an empty reply
    assert list(judge_it(both, names=("evalscope",)).scores) == ["evalscope"]  # these are rules for choices alone


def test_what_has_no_options_at_all_cannot_be_scored_by_rules(make_open_run):
    run = make_open_run([("speech_QA", "yes")])
    assert not has_options(run)
    with pytest.raises(UsageError, match=r"are open, no rule can score them; see audiometry score .* --judge MODEL"):
        score(run)
