"""Sheets and their rows: what became of every reply, what it is worth, and what is made of that."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiometry.choices.variant import shown_options
from audiometry.records import State
from audiometry.score.conditions import conditions
from audiometry.score.difference import Pairing
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.rows import ONE_CLUSTER, rows
from audiometry.score.sheet import CODE, UNPLANNED
from audiometry.score.table import Table

FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
CARD = """
[benchmark]
name = "made"
version = "1"
[[task]]
name = "words"
category = "speech"
[[task]]
name = "voices"
category = "speech"
[[task]]
name = "bells"
category = "sound"
"""
KINDS_OF_REPLY = {
    "right": State.ANSWERED,
    "wrong": State.ANSWERED,
    "no idea": State.UNANSWERED,
    "declines": State.REFUSED,
    "": State.EMPTY,
    "failed": State.FAILED,
    "missing": State.NOT_ASKED,
}

CAME = [kind for kind in KINDS_OF_REPLY if kind != "missing"]


def sheet_of(run, profile="strict"):
    return fill(open_run(run), PROFILES.named(profile), MEASURES.named("accuracy"))


def replies(kinds, variant="plain"):
    """A reply of each kind, for items whose gold letters are A, B, C, D in turn."""
    out = {}
    for number, kind in enumerate(kinds):
        gold, wrong = "ABCD"[number % 4], "ABCD"[(number + 1) % 4]
        body = {
            "right": gold,
            "wrong": wrong,
            "no idea": "Hmm, hard to say.",
            "declines": "I'm sorry, but I can't help with that.",
            "": "  ",
            "failed": FAILURE,
            "missing": None,
        }[kind]
        if body is not None:
            out[f"item-{number:05}", variant] = body
    return out


def test_every_state_is_told_from_every_other(make_benchmark, make_run):
    sheet = sheet_of(make_run(make_benchmark(7), replies(KINDS_OF_REPLY)))
    assert [list(State)[code] for code in sheet.state[:, 0]] == list(KINDS_OF_REPLY.values())
    assert sheet.parts[:, 0].tolist() == [[1, 1], *[[0, 1]] * 5, [0, 0]]
    assert sheet.counted[:, 0].tolist() == [True] * 6 + [False]
    assert sheet.why == {(5, 0): "timeout"}
    found = rows(sheet)
    assert (found.n_answered, found.n_unanswered, found.n_refused, found.n_empty) == (2, 1, 1, 1)
    assert (found.n_failed, found.n_not_asked, found.n_unjudged, found.n_replies) == (1, 1, 0, 7)


def test_a_stopped_run_has_bounds_and_no_headline(make_benchmark, make_run):
    found = rows(sheet_of(make_run(make_benchmark(4), replies(["right", "wrong", "right", "missing"]))))
    assert (found.value, found.interval, found.complete) == (None, None, False)
    assert found.bounds == (2 / 4, 3 / 4)


def test_of_a_stopped_run_a_task_asked_in_full_has_its_number(make_benchmark, make_run):
    folder = make_benchmark([{"task": "words"}] * 4 + [{"task": "bells"}] * 2, card=CARD)
    kinds = ["right", "right", "wrong", "right", "right", "missing"]
    found = rows(sheet_of(make_run(folder, replies(kinds))))
    assert (found.value, found.tasks["words"].value, found.tasks["bells"].value) == (None, 0.75, None)
    assert found.bounds == pytest.approx(((0.75 + 0.5) / 2, (0.75 + 1.0) / 2))
    assert found.left_out == ()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds=st.lists(st.sampled_from(CAME), min_size=1, max_size=12), at=st.data())
def test_a_failure_in_place_of_a_right_reply_never_raises_a_headline(make_benchmark, make_run, kinds, at):
    """Of every profile whose denominator is all replies: and the bounds always hold what it would have been."""
    folder = _folder(make_benchmark)
    kinds = ["right", *kinds]
    place = at.draw(st.integers(0, len(kinds) - 1))
    lacking = [("failed" if k == place else kind) for k, kind in enumerate(kinds)]
    padded = [*lacking, *["wrong"] * (13 - len(kinds))]
    whole = [*kinds, *["wrong"] * (13 - len(kinds))]
    one, other = make_run(folder, replies(whole)), make_run(folder, replies(padded))
    for profile in ("strict", "evalscope", "ultraeval", "muchomusic"):
        before, after = rows(sheet_of(one, profile)), rows(sheet_of(other, profile))
        assert after.value <= before.value + 1e-12
        low, high = after.bounds
        assert low - 1e-12 <= before.value <= high + 1e-12


_FOLDERS = {}


def _folder(make_benchmark):
    if "one" not in _FOLDERS:
        _FOLDERS["one"] = make_benchmark(13, clips=False)
    return _FOLDERS["one"]


def test_rows_are_those_of_an_independent_loop(make_benchmark, make_run):
    """Three tasks in two categories, two orders, shared clips: means of means, counted by hand in plain Python."""
    rng = np.random.default_rng(3)
    tasks = ["words"] * 9 + ["voices"] * 4 + ["bells"] * 6
    folder = make_benchmark([{"task": task, "group": f"g{k // 2}"} for k, task in enumerate(tasks)], card=CARD)
    variants = ("plain", "order-1")
    run = make_run(folder, {}, variants=variants)
    opened = open_run(run)
    right, lines = {}, []
    for k, item in enumerate(opened.benchmark):
        for variant in variants:
            shown = shown_options(item, seed=0, variant=variant)
            right[k, variant] = bool(rng.random() < 0.6)
            gold = shown.index(item.answer)
            letter = "ABCD"[gold if right[k, variant] else (gold + 1) % 4]
            lines.append(json.dumps({"item": item.id, "variant": variant, "text": letter}) + "\n")
    rng.shuffle(lines)
    (run / "replies.jsonl").write_text("".join(lines))
    found = rows(sheet_of(run))
    by_task = {}
    for task in dict.fromkeys(tasks):
        per_variant = [
            sum(right[k, variant] for k in range(len(tasks)) if tasks[k] == task) / tasks.count(task)
            for variant in variants
        ]
        by_task[task] = sum(per_variant) / 2
        assert found.tasks[task].value == pytest.approx(by_task[task])
    speech = (by_task["words"] + by_task["voices"]) / 2
    assert found.categories["speech"].value == pytest.approx(speech)
    assert found.value == pytest.approx((speech + by_task["bells"]) / 2)
    assert found.n_clusters == len({k // 2 for k in range(len(tasks))})
    low, high = found.interval
    assert 0 <= low <= found.value <= high <= 1
    items = rows(sheet_of(run, "evalscope"))
    assert items.value == pytest.approx(sum(right.values()) / len(right))
    assert items.average == "items"


def test_tags_slice_any_score_and_a_value_of_several_counts_under_each(make_benchmark, make_run):
    tags = [{"genre": "jazz"}, {"genre": ["jazz", "rock"]}, {"genre": "rock"}, {}]
    folder = make_benchmark([{"tags": one} for one in tags])
    run = open_run(make_run(folder, replies(["right", "wrong", "right", "wrong"])))
    from audiometry.score.filling import fill_all
    from audiometry.score.sheet import Wanted

    strict, accuracy = PROFILES.named("strict"), MEASURES.named("accuracy")
    wanted = Wanted(profile=strict, measure=accuracy, readers=strict.readers_for(accuracy))
    found = rows(fill_all(run, [wanted], ["genre"])[0], tags=["genre", "mood"])
    assert {value: (row.value, row.n_items) for value, row in found.by["genre"].items()} == {
        "jazz": (0.5, 2),
        "rock": (0.5, 2),
    }
    assert found.by["mood"] == {}


def test_items_without_a_clip_are_not_planned_where_it_is_replaced(make_benchmark, make_run):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\naudio = "optional"\n'
    folder = make_benchmark([{}, {"file_name": ""}], card=card)
    both = replies(["right", "right"]) | replies(["wrong"], "noise")
    sheet = sheet_of(make_run(folder, both, variants=("plain", "noise")))
    assert sheet.state[:, 1].tolist() == [CODE[State.ANSWERED], UNPLANNED]
    found = rows(sheet)
    assert (found.n_replies, found.n_not_asked, found.value) == (2, 0, 1.0)
    assert conditions(sheet)["noise"].n_items == 1


def test_a_smaller_sheet_keeps_what_belongs_to_each_place(make_benchmark, make_run):
    kinds = ["failed", "right", "failed", "wrong", "failed"]
    sheet = sheet_of(make_run(make_benchmark(5), replies(kinds)))
    sheet.worst[:, 0], sheet.best[:, 0] = [0.1, 0.2, 0.3], [0.6, 0.7, 0.8]
    for chosen in itertools.product([True, False], repeat=5):
        rows_ = np.array(chosen)
        if not rows_.any():
            continue
        small = sheet.of(rows_)
        lost = [k for k in (0, 2, 4) if chosen[k]]
        assert small.worst[:, 0].tolist() == [(0.1, 0.2, 0.3)[k // 2] for k in lost]
        assert len(small.why) == len(lost)
        assert [small.why[place] for place in sorted(small.why)] == ["timeout"] * len(lost)
        assert small.items.position.tolist() == np.flatnonzero(rows_).tolist()


def test_two_sheets_are_paired_on_items_that_count_in_both(make_benchmark, make_run):
    folder = make_benchmark(40)
    a = make_run(folder, replies(["right"] * 30 + ["wrong"] * 9 + ["missing"]))
    b = make_run(folder, replies(["right"] * 10 + ["wrong"] * 30))
    pair = Pairing(sheet_of(a), sheet_of(b))
    assert (pair.n_both, pair.n) == (40, 39)
    found = pair.whole()
    assert (found.n_items, found.score_a, found.score_b) == (39, pytest.approx(30 / 39), pytest.approx(10 / 39))
    assert found.difference == pytest.approx(20 / 39)
    assert found.p < 0.001
    assert found.interval[0] > 0
    back = Pairing(sheet_of(b), sheet_of(a)).whole()
    assert (back.difference, back.p) == (pytest.approx(-found.difference), found.p)


def test_orders_that_only_one_run_asked_are_averaged_first(make_benchmark, make_run):
    folder = make_benchmark(6)
    two = replies(["right"] * 6) | replies(["no idea"] * 6, "order-1")
    a, b = make_run(folder, two, variants=("plain", "order-1")), make_run(folder, replies(["right"] * 6))
    found = Pairing(sheet_of(a), sheet_of(b)).whole()
    assert (found.score_a, found.score_b) == (0.5, 1.0)


def test_what_a_condition_loses_leaves_out_replies_that_are_lost(make_benchmark, make_run):
    kinds = ["right"] * 8
    lacking = replies(["wrong"] * 6 + ["failed", "missing"], "noise")
    run = make_run(make_benchmark(8), replies(kinds) | lacking, variants=("plain", "noise"))
    found = conditions(sheet_of(run))["noise"]
    assert (found.n_failed, found.n_not_asked, found.value) == (1, 1, None)
    assert (found.difference.n_items, found.difference.difference) == (6, 1.0)
    assert found.difference.p == pytest.approx(found.difference.p_corrected)


def test_over_answered_and_chance_follow_the_tree(make_benchmark, make_run):
    rows_ = [{"task": "words"}] * 4 + [{"task": "bells", "options": ["dog", "cat"]}] * 2
    kinds = ["right", "wrong", "no idea", "declines", "right", "no idea"]
    made = replies(kinds)
    made["item-00004", "plain"] = "A"
    found = rows(sheet_of(make_run(make_benchmark(rows_, card=CARD), made)))
    assert found.over_answered == pytest.approx((1 / 2 + 1) / 2)
    assert found.chance == pytest.approx((1 / 4 + 1 / 2) / 2)


@pytest.mark.parametrize(("other", "bounds"), [("no idea", None), ("failed", (0.5, 0.75))])
def test_over_answered_and_bounds_are_made_variant_by_variant(make_benchmark, make_run, other, bounds):
    """And not item by item: the first item is right in both orders, the second wrong, and unread or lost."""
    folder = make_benchmark(2, clips=False)
    item = open_run(make_run(folder, {})).benchmark.items.at(0)
    gold = shown_options(item, seed=0, variant="order-1").index(item.answer)
    made = replies(["right", "wrong"]) | replies(["right", other], "order-1")
    made["item-00000", "order-1"] = "ABCD"[gold]
    found = rows(sheet_of(make_run(folder, made, variants=("plain", "order-1"))))
    assert (found.value, found.over_answered, found.bounds) == (0.5, 0.75, bounds)


def test_nothing_that_counts_has_no_value(make_benchmark, make_run):
    found = rows(sheet_of(make_run(make_benchmark(3), replies(["no idea"] * 3)), "airbench"))
    assert (found.value, found.interval, found.n_counted, found.n_clusters) == (None, None, 0, 0)
    assert found.left_out == ("sounds",)


def test_a_guess_is_drawn_for_what_failed_and_never_for_what_was_not_asked(make_benchmark, make_run):
    kinds = ["failed", "missing", "no idea", "right"]
    sheet = sheet_of(make_run(make_benchmark(4), replies(kinds)), "lmms-eval")
    assert sheet.guessed[:, 0].tolist() == [True, False, True, False]
    assert rows(sheet).n_guessed == 2


def test_one_cluster_leaves_everything_open(make_benchmark, make_run):
    folder = make_benchmark([{"group": "one"}] * 5)
    found = rows(sheet_of(make_run(folder, replies(["right"] * 4 + ["wrong"]))))
    assert (found.value, found.interval, found.n_clusters) == (0.8, (0.0, 1.0), 1)
    assert found.notes == (ONE_CLUSTER,)
    assert rows(sheet_of(make_run(make_benchmark(5), replies(["right"] * 5)))).notes == ()


def test_a_small_perfect_task_is_not_taken_for_certain(make_benchmark, make_run):
    """Half of the headline is a task of 15 right of 15: its own limits count in those of the headline."""
    folder = make_benchmark([{"task": "words"}] * 15 + [{"task": "bells"}] * 400, card=CARD, clips=False)
    found = rows(sheet_of(make_run(folder, replies(["right"] * 15 + (["right"] * 24 + ["wrong"]) * 16))))
    low, high = found.interval
    small = found.tasks["words"].interval
    assert low < found.value - 0.4 * (1 - small[0])
    assert high <= 1.0
    assert not math.isnan(low)


def test_the_table_of_a_sheet_without_categories_is_a_mean_of_tasks(make_benchmark, make_run):
    folder = make_benchmark([{"task": "a"}] * 3 + [{"task": "b"}])
    table = Table(sheet_of(make_run(folder, replies(["right", "right", "wrong", "right"]))))
    assert table.averaged_by == "tasks"
    assert table.whole().value == pytest.approx((2 / 3 + 1) / 2)
