"""Rows against counts made by hand and by an independent loop."""

import json
import math
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audiometry.audio.target import CUT
from audiometry.files.run_folder import RunFolder
from audiometry.score import score
from audiometry.score.filling import fill_all
from audiometry.score.judge.planning import Judges, planned
from audiometry.score.opened import open_run
from audiometry.score.result import FORMAT
from audiometry.score.rows import rows

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


def strict(path):
    return score(path).scores["strict"]


def letter(number):
    return "ABCD"[number % 4]


def test_the_five_verdicts_are_counted_apart(make_benchmark, make_run):
    folder = make_benchmark(6)
    run = make_run(
        folder,
        {
            "item-00000": "A",  # right
            "item-00001": "C",  # wrong
            "item-00002": "Hmm, hard to say.",  # unanswered
            "item-00003": "I'm sorry, but I can't help with that.",  # refused
            "item-00004": FAILURE,
            # item-00005 was never asked
        },
    )
    found = strict(run)
    assert (found.n_items, found.n_replies, found.n_answered) == (6, 6, 2)
    assert (found.n_unanswered, found.n_refused, found.n_failed, found.n_not_asked) == (1, 1, 1, 1)
    assert (found.value, found.interval) == (None, None)  # of a run that is not finished
    assert found.over_answered == pytest.approx(1 / 2)
    assert found.bounds == pytest.approx((1 / 6, 3 / 6))
    assert found.failures == {"timeout": 1}
    assert not found.complete
    assert not found.rankable


@pytest.mark.parametrize(("lost", "ranked"), [(0, True), (1, True), (2, False)])
def test_a_run_is_ranked_with_one_in_a_hundred_lost_and_not_with_more(make_benchmark, make_run, lost, ranked):
    kinds = [FAILURE] * lost + ["A"] * (100 - lost)
    found = strict(make_run(make_benchmark(100, clips=False), {f"item-{k:05}": kind for k, kind in enumerate(kinds)}))
    assert (found.n_failed, found.rankable, found.complete) == (lost, ranked, not lost)


def test_of_tasks_that_were_not_asked_in_full_a_row_says_how_many_items_were(make_benchmark, make_run):
    folder = make_benchmark([{"task": "words"}] * 2 + [{"task": "bells"}] * 3, clips=False)
    ids = [f"item-{k:05}" for k in range(5)]
    every = strict(make_run(folder, dict.fromkeys(ids, "A")))
    some = strict(make_run(folder, dict.fromkeys(ids[:3], "A"), limit=3, n_items=3))
    assert (every.asked_of, every.whole) == ({}, True)
    assert (some.asked_of, some.whole, some.complete) == ({"bells": (1, 3)}, False, True)


def test_a_part_of_the_benchmark_is_told_beside_the_number_wherever_it_stands(make_benchmark, make_run, cli, tmp_path):
    folder = make_benchmark([{"task": "words"}] * 2 + [{"task": "bells"}] * 3, clips=False)
    ids = [f"item-{k:05}" for k in range(5)]
    every = make_run(folder, dict.fromkeys(ids, "A"))
    some = make_run(folder, dict.fromkeys(ids[:3], "A"), limit=3, n_items=3)
    task = make_run(folder, dict.fromkeys(ids[:2], "A"), tasks=("words",), n_items=2)
    assert [strict(run).part for run in (every, some, task)] == ["", "3 of 5 items", "1 of 2 tasks"]
    page = tmp_path / "page.html"
    for run, part in ((some, "3 of 5 items"), (task, "1 of 2 tasks")):
        assert f", {part}  " in cli("score", run).out
        assert f"Rules side by side · {part}\n" in cli("score", run, "--profile", "strict", "--profile", "airbench").out
        assert cli("report", run, "-o", page).code == 0
        assert f"Asked <strong>{part}</strong>" in page.read_text()
    assert cli("report", every, some, task, "-o", page).code == 0
    for part in ("3 of 5 items", "1 of 2 tasks"):
        above, tasks, _ = re.split('<section id="(?:tasks|comparison)"', page.read_text())
        assert re.findall(f'data-label="asked" class="left"><bdi>{part}</bdi>', above)  # side by side
        assert re.findall(f'<span class="ci">{part}</span>', tasks)


def test_replies_to_the_beginning_of_a_clip_are_counted_and_no_others(make_benchmark, make_run):
    cut, other = {"text": "A", "audio_changes": [f"{CUT}30 s of 60 s"]}, {"text": "A", "audio_changes": ["mono"]}
    replies = {"item-00000": cut, "item-00001": other, "item-00002": cut | FAILURE, "item-00003": "A"}
    noise = {(item, "noise"): cut for item in replies}
    run = make_run(make_benchmark(4), replies | noise, variants=("plain", "noise"))
    assert score(run).n_clips_cut == 1


@pytest.mark.parametrize("missing", range(3))
def test_a_reply_that_was_not_asked_for_is_missed_wherever_it_stands(make_benchmark, make_run, missing):
    run = make_run(make_benchmark(3, clips=False), {f"item-{k:05}": "A" for k in range(3) if k != missing})
    found = strict(run)
    assert (found.n_not_asked, found.n_answered, found.value) == (1, 2, None)


def test_a_content_filter_is_a_refusal_and_not_a_wrong_answer(make_benchmark, make_run):
    folder = make_benchmark(3)
    run = make_run(
        folder,
        {
            "item-00000": {"text": "", "finish_reason": "content_filter"},
            "item-00001": {"text": "No comment.", "finish_reason": "refusal"},
            "item-00002": {"text": "A", "finish_reason": "content_filter"},
        },
    )
    found = strict(run)
    assert (found.n_refused, found.n_answered, found.n_unanswered, found.n_failed) == (3, 0, 0, 0)


def test_an_empty_reply_is_unanswered_and_complete(make_benchmark, make_run):
    found = strict(make_run(make_benchmark(1), {"item-00000": ""}))
    assert (found.n_empty, found.n_unanswered, found.complete, found.bounds) == (1, 0, True, None)


def test_a_success_after_a_failure_counts_and_a_failure_after_a_success_does_not(make_benchmark, make_run):
    folder = make_benchmark(2)
    run = make_run(folder, {})
    lines = [
        {"item": "item-00000", **FAILURE},
        {"item": "item-00000", "text": "A"},
        {"item": "item-00001", "text": "B"},
        {"item": "item-00001", **FAILURE},
    ]
    (run / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = strict(run)
    assert (found.n_failed, found.value, found.failures) == (0, 1.0, {})


def test_the_headline_is_the_mean_of_categories_of_tasks(make_benchmark, make_run):
    tasks = ["words"] * 8 + ["voices"] * 2 + ["bells"] * 5
    folder = make_benchmark([{"task": task} for task in tasks], card=CARD)
    right = {"words": 2, "voices": 2, "bells": 1}
    replies, left = {}, dict(right)
    for number, task in enumerate(tasks):
        good = left[task] > 0
        left[task] -= good
        replies[f"item-{number:05}"] = letter(number if good else number + 1)
    found = strict(make_run(folder, replies))
    speech = (Fraction(2, 8) + Fraction(2, 2)) / 2
    assert found.average == "categories"
    assert found.categories["speech"].value == pytest.approx(float(speech))
    assert found.value == pytest.approx(float((speech + Fraction(1, 5)) / 2))
    assert {name: row.n_items for name, row in found.tasks.items()} == Counter(tasks)


def test_without_categories_the_headline_is_the_mean_of_tasks(make_benchmark, make_run):
    folder = make_benchmark([{"task": "a"}] * 3 + [{"task": "b"}])
    found = strict(make_run(folder, {"item-00000": "A", "item-00001": "A", "item-00002": "A", "item-00003": "D"}))
    assert found.average == "tasks"
    assert found.value == pytest.approx((1 / 3 + 1) / 2)


def test_chance_follows_the_number_of_options_of_each_item_or_the_card(make_benchmark, make_run):
    rows = [{"options": ["yes", "no"]}, {"options": ["1", "2", "3"]}]
    assert strict(make_run(make_benchmark(rows), {})).chance == pytest.approx((1 / 2 + 1 / 3) / 2)
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "sounds"\nchance = 0.1\n'
    assert strict(make_run(make_benchmark(rows, card=card), {})).chance == pytest.approx(0.1)


def test_variants_of_an_item_are_averaged_before_anything_else(make_benchmark, make_run):
    folder = make_benchmark(2)
    variants = ("plain", "order-1")
    from audiometry import bench
    from audiometry.choices import letter_of
    from audiometry.choices.variant import shown_options

    item = bench.load(folder).item("item-00000")
    shown = shown_options(item, seed=0, variant="order-1")
    run = make_run(
        folder,
        {
            ("item-00000", "plain"): "A",
            ("item-00000", "order-1"): letter_of(shown, item.answer),
            ("item-00001", "plain"): "B",
            ("item-00001", "order-1"): "no idea",
        },
        variants=variants,
    )
    found = strict(run)
    assert (found.n_items, found.n_replies, found.value) == (2, 4, pytest.approx(0.75))


def test_items_that_share_a_clip_are_one_cluster(make_benchmark, make_run):
    clip = {"file_name": "audio/shared.wav", "sha256": "ab" * 32}
    folder = make_benchmark([clip] * 10 + [{}] * 10)
    found = strict(make_run(folder, {f"item-{n:05}": letter(n) for n in range(20)}))
    assert (found.n_items, found.n_clusters) == (20, 11)


def test_letter_bias_counts_gold_against_chosen(make_benchmark, make_run):
    folder = make_benchmark(8)
    found = strict(make_run(folder, {f"item-{n:05}": "A" for n in range(8)}))
    assert found.extras.letters.gold == {"A": 2, "B": 2, "C": 2, "D": 2}
    assert found.extras.letters.chosen == {"A": 8, "B": 0, "C": 0, "D": 0}


def test_a_limit_is_scored_over_what_was_planned_only(make_benchmark, make_run):
    folder = make_benchmark(10)
    found = strict(make_run(folder, {"item-00000": "A", "item-00001": "B"}, limit=2, n_items=2))
    assert (found.n_items, found.value, found.complete) == (2, 1.0, True)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kinds=st.lists(st.sampled_from(["right", "wrong", "vague", "refused", "failed"]), min_size=2, max_size=12),
    broken=st.integers(0, 11),
)
def test_turning_any_reply_into_a_failure_never_raises_the_headline(make_benchmark, make_run, kinds, broken):
    folder = make_benchmark(len(kinds))
    said = {"vague": "Hmm.", "refused": "I'm sorry, but I can't assist with that.", "failed": FAILURE}
    replies = {f"item-{n:05}": said.get(kind, letter(n if kind == "right" else n + 1)) for n, kind in enumerate(kinds)}
    before = strict(make_run(folder, replies))
    after = strict(make_run(folder, replies | {f"item-{broken % len(kinds):05}": FAILURE}))
    assert after.bounds is not None
    if all(kind == "failed" for n, kind in enumerate(kinds) if n != broken % len(kinds)):
        assert (after.value, after.interval) == (None, None)  # no reply came
        return
    assert after.value <= before.value
    assert before.value == pytest.approx(kinds.count("right") / len(kinds))
    assert 0 <= after.interval[0] <= after.value <= after.interval[1] <= 1
    assert after.bounds[0] == after.value
    assert not any(math.isnan(value) for value in (*after.interval, *after.bounds))


def test_scores_are_kept_beside_the_replies(make_benchmark, make_run):
    run = make_run(make_benchmark(1), {"item-00000": "A"})
    found = score(run)
    signature = found.scores["strict"].signature
    kept = json.loads(RunFolder(run).score_path("strict", signature).read_text())
    assert kept["scores"]["strict"]["value"] == 1.0
    assert kept["scores"]["strict"]["signature"] == signature
    assert kept["format"] == FORMAT


def test_the_one_row_over_everything_is_the_same_where_others_have_values_alone(make_benchmark, make_run):
    kinds = ["A", "B", FAILURE, "no idea"] * 6
    run = make_run(make_benchmark(24, clips=False), {f"item-{k:05}": kind for k, kind in enumerate(kinds)})
    opened = open_run(run)
    sheet = fill_all(opened, [planned(opened, ["strict"], Judges(), keep=False)[0].wanted])[0]
    every, alone = rows(sheet), rows(sheet, whole_only=True)
    others = {"tasks", "categories", "folders", "pools", "pooled"}
    assert every.tasks
    for kind in ("tasks", "categories"):
        values = {name: row.value for name, row in getattr(every, kind).items()}
        assert {name: row.value for name, row in getattr(alone, kind).items()} == values
        assert all(row.interval is None for row in getattr(alone, kind).values())
    same = [name for name in every.__struct_fields__ if name not in others]
    assert [getattr(alone, name) for name in same] == [getattr(every, name) for name in same]
