"""The official script's and the port's rules for judged answers, by what is known of them."""

import pytest

from audiometry.score.door import score

ALL = ("strict", "airbench", "lmms-eval")


def rows_of(run, judge_it, script):
    return judge_it(run, script, names=("all",)).scores


def test_the_official_script_drops_what_it_cannot_read_and_means_each_order_by_itself(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a [q=6]"), ("sound_QA", "b [q=8.5]"), ("sound_QA", "c [q=3]")])
    # with a bias of one half only answers in second place and references come out whole
    found = rows_of(run, judge_it, {})
    assert list(found) == list(ALL)
    assert found["strict"].value == pytest.approx((6 + 8.5 + 3) / 3)
    official = found["airbench"]
    assert official.value == pytest.approx((6 + 3) / 2)
    assert (official.n_counted, official.n_unjudged) == (2, 1)
    assert next(iter(official.extras.judges.values())).failures == {"not-whole-numbers": 2}


def test_zero_is_a_score_for_the_official_script_only(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a"), ("sound_QA", "b [q=5]")])
    found = rows_of(run, judge_it, {"says": {"a": "0 0"}, "again": {"a": "0 0"}})
    assert found["airbench"].value == pytest.approx(2.5)
    assert found["strict"].n_unjudged == 1
    assert found["strict"].value == 5
    assert found["lmms-eval"].categories["sound"].value == pytest.approx(2.5)  # unread, adds 0, counts


def test_a_score_below_0_or_of_400_digits_is_no_verdict_and_no_end(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a"), ("sound_QA", "b [q=5]"), ("sound_QA", "c")])
    endless = f"-{'9' * 400} 5"
    found = rows_of(run, judge_it, {"says": {"a": endless, "c": "-3 5"}, "again": {"a": endless, "c": "-3 5"}})
    official = found["airbench"]
    assert (official.value, official.n_counted, official.n_unjudged) == (5, 1, 2)
    assert next(iter(official.extras.judges.values())).failures == {"below-0": 4}
    assert (official.bounds[0] >= 0, official.bounds[1] <= 10) == (True, True)
    assert found["strict"].n_unjudged == 2


def test_the_port_reads_integers_anywhere_and_has_no_overall_mean(make_open_run, judge_it):
    run = make_open_run(
        [
            ("sound_QA", "a"),
            ("speech_and_sound_QA", "b [q=4]"),
            ("speech_and_music_QA", "c [q=10]"),
            ("speech_and_music_QA", "d [q=10]"),
        ]
    )
    port = rows_of(run, judge_it, {"says": {"a": "I give 3 and then 9."}})["lmms-eval"]
    # reference first: the second number is the model's; reference second: the first one is
    assert port.categories["sound"].value == pytest.approx((9 + 3) / 2)
    assert port.categories["mixed"].value == pytest.approx((4 + 10 + 10) / 3)  # items, not tasks
    assert port.value is None
    assert port.average == "none"


def test_failed_and_empty_replies_under_others_rules(make_open_run, judge_it):
    run = make_open_run(
        [
            ("sound_QA", "a [q=6]"),
            ("sound_QA", ""),
            ("sound_QA", {"text": None, "error": {"kind": "x", "message": "y"}}),
        ]
    )
    found = rows_of(run, judge_it, {"other": 2})
    assert found["strict"].value == pytest.approx((6 + 1 + 1) / 3)
    assert found["airbench"].value == pytest.approx((6 + 2) / 2)  # the empty one is judged, the failed one skipped
    assert found["lmms-eval"].value == pytest.approx((6 + 2 + 0) / 3)
    assert found["airbench"].bounds == (pytest.approx(8 / 3), pytest.approx(18 / 3))


def test_only_the_first_answer_of_the_judge_counts_for_others(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a"), ("sound_QA", "b [q=5]")])
    found = rows_of(run, judge_it, {"says": {"a": "Well."}, "again": {"a": "7 7"}})
    assert found["strict"].value == pytest.approx(6)
    assert found["airbench"].value == 5


def test_rules_are_told_apart_in_the_signature(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a [q=6]")])
    found = rows_of(run, judge_it, {})
    assert len({one.signature for one in found.values()}) == 3
    assert all(one.signature.startswith(f"{name}.1+made-chat-1-") for name, one in found.items())
    assert all("judge-judge-0-" in one.signature for one in found.values())
    assert set((run.folder.path / "scores").iterdir()) == {
        run.folder.score_path(name, one.signature) for name, one in found.items()
    }
    again = score(run, ALL, judges=judge_it.servers)
    assert {name: one.value for name, one in again.scores.items()} == {n: o.value for n, o in found.items()}


@pytest.mark.parametrize("name", ALL)
def test_each_reply_is_one_of_what_can_become_of_it_under_every_profile(make_open_run, judge_it, name):
    rows = [
        ("sound_QA", "good [q=7]"),
        ("sound_QA", "odd"),
        ("sound_QA", "I'm sorry, I can't help with that."),
        ("sound_QA", ""),
        ("sound_QA", {"error": {"kind": "timeout", "message": "late"}}),
    ]
    script = {"says": {"odd": "Fine."}, "again": {"odd": "Fine."}, "other": 2}
    row = judge_it(make_open_run(rows), script, names=(name,)).scores[name]
    counts = (row.n_answered, row.n_unjudged, row.n_refused, row.n_empty, row.n_failed)
    assert counts == (1, 1, 1, 1, 1)
    assert sum(counts) == row.n_replies
