"""The verdict on listening: how often it is wrong, what it rests on, and what it says."""

import json
from collections import Counter

import numpy as np
import pytest

from audiometry import bench, seeds
from audiometry.records import State
from audiometry.score.conditions import conditions
from audiometry.score.door import score
from audiometry.score.items import ItemTable
from audiometry.score.listening import LEVEL, MARGIN, TESTED, listening
from audiometry.score.measures import MEASURES
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import CODE, Sheet

CANNOT_TELL = "cannot tell on these items"


def table(n, chance=0.25, **changes):
    """Items of one task, each its own cluster."""
    fields = {
        "position": np.arange(n),
        "task": np.zeros(n, np.int64),
        "kind": np.zeros(n, np.int64),
        "cluster": np.arange(n),
        "chance": np.full(n, chance),
        "reference": np.ones(n, np.bool_),
        "clip": np.ones(n, np.bool_),
        "tasks": ("t",),
        "categories": ("",),
        "pools": ("t",),
        "shape": np.zeros(n, np.int64),
    }
    return ItemTable(**(fields | changes))


@pytest.fixture(scope="module")
def mini():
    """Tasks, clusters, weights and chances of the shipped benchmark."""
    loaded = list(bench.load("mini"))
    tasks = list(dict.fromkeys(item.task for item in loaded))
    card = bench.load("mini").card
    clusters = {}
    return table(
        len(loaded),
        task=np.array([tasks.index(item.task) for item in loaded]),
        cluster=np.array([clusters.setdefault(item.cluster, len(clusters)) for item in loaded]),
        chance=np.array([1 / len(item.options) for item in loaded]),
        tasks=tuple(tasks),
        categories=tuple(card.task_named(name).category for name in tasks),
        pools=tuple(tasks),
    )


def some(items, n):
    """``n`` of the items, spread over the tasks."""
    rows = np.zeros(len(items), np.bool_)
    rows[np.random.default_rng(0).permutation(len(items))[:n]] = True
    return items.of(rows)


class Replies:
    """What became of the items in one variant."""

    def __init__(self, right, failed=None, unread=None):
        self.right = np.asarray(right, np.bool_)
        none = np.zeros(len(self.right), np.bool_)
        self.failed = none if failed is None else np.asarray(failed)
        self.unread = none if unread is None else np.asarray(unread)


def decide(real, without, items, profile="strict"):
    """The verdict on a sheet that is made of these replies."""
    sides = {"plain": real, **without}
    state = np.stack(
        [
            np.where(one.failed, CODE[State.FAILED], np.where(one.unread, CODE[State.UNANSWERED], CODE[State.ANSWERED]))
            for one in sides.values()
        ],
        axis=1,
    ).astype(np.int8)
    right = np.stack([one.right & ~one.failed for one in sides.values()], axis=1)
    n_lost = int((state == CODE[State.FAILED]).sum())
    none = np.full(state.shape, -1, np.int8)
    sheet = Sheet(
        run=None,
        profile=PROFILES.named(profile),
        measure=MEASURES.named("accuracy"),
        items=items,
        variants=tuple(sides),
        state=state,
        parts=np.stack([right, np.ones(right.shape)], axis=2).astype(float),
        counted=np.ones(state.shape, np.bool_),
        worst=np.tile([0.0, 1.0], (n_lost, 1)),
        best=np.ones((n_lost, 2)),
        letter=none,
        gold=none,
        option=none,
        guessed=np.zeros(state.shape, np.bool_),
        why={},
        blocked=frozenset(),
        left_out={},
    )
    return listening(sheet, conditions(sheet))


def asked(kind, items, seed, conditions=TESTED, profile="strict"):
    """The verdict on one run of a made-up model."""
    draw = seeds.generator(seed, "made-up", kind)
    n = len(items)
    guess = lambda: draw.random(n) < items.chance  # noqa: E731  a word for a draw
    if kind == "listens":
        return decide(Replies(draw.random(n) < 0.7), {name: Replies(guess()) for name in conditions}, items, profile)
    known = {"knows all": np.ones(n, np.bool_), "knows half": draw.random(n) < 0.5, "guesses": np.zeros(n, np.bool_)}
    without = {name: Replies(known[kind] | guess()) for name in conditions}
    return decide(Replies(known[kind] | guess()), without, items, profile)


def verdicts(kind, items, seeds_, conditions=TESTED):
    return Counter(asked(kind, items, seed, conditions).verdict for seed in range(seeds_))


def test_verdicts_over_a_few_seeds(mini):
    items = some(mini, 240)
    assert verdicts("listens", items, 10)["listens"] == 10
    assert verdicts("guesses", items, 10)["listens"] <= 1
    assert verdicts("knows half", items, 10)["listens"] <= 1
    assert verdicts("knows all", items, 1)["does not listen"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("conditions", [TESTED, ("noise",)], ids=["three", "one"])
@pytest.mark.parametrize("n", [717, 60])
def test_verdicts_over_200_seeds(mini, n, conditions):
    items = some(mini, n)
    assert verdicts("listens", items, 200, conditions)["listens"] >= 190
    for kind in ("guesses", "knows half"):
        assert verdicts(kind, items, 200, conditions)["listens"] <= 10, kind
    # a model that knows all is right always and everywhere: one seed stands for all; 60 items of 12 tasks are too few
    assert verdicts("knows all", items, 1, conditions)["does not listen"] == (n > 60)


def test_a_deaf_model_is_told_from_120_items_on(mini):
    assert asked("knows all", some(mini, 90), 0).verdict == CANNOT_TELL
    assert asked("knows all", some(mini, 120), 0).verdict == "does not listen"


def test_a_deaf_model_with_a_full_score_does_not_listen(mini):
    found = asked("knows all", mini, 0)
    assert (found.verdict, found.score, found.margin) == ("does not listen", 1.0, MARGIN)
    assert "less than 10.0 points" in found.reason
    assert {name: one.difference for name, one in found.conditions.items()} == dict.fromkeys(TESTED, 0.0)


def test_with_few_items_nothing_is_said():
    found = decide(Replies(np.ones(12)), {"noise": Replies(np.ones(12))}, table(12))
    assert found.verdict == CANNOT_TELL
    assert found.reason.endswith("ask more items")


def test_where_the_clips_are_too_few_more_items_of_them_are_not_asked_for():
    n = 200
    real, without = Replies(np.ones(n)), {"noise": Replies(np.arange(n) % 4 == 0)}
    few = decide(real, without, table(n, cluster=np.arange(n) % 5))
    assert few.verdict == CANNOT_TELL
    assert few.reason.endswith("so few clips (or groups) can show no drop: 5; ask items of more clips")
    assert decide(real, without, table(n, cluster=np.arange(n) % 10)).verdict == "listens"


def test_a_score_at_chance_has_nothing_to_lose():
    right = np.arange(400) % 4 == 0
    found = decide(Replies(right), {"noise": Replies(right)}, table(400))
    assert (found.verdict, found.margin) == (CANNOT_TELL, 0.0)
    assert "not above chance" in found.reason


def test_a_score_below_chance_has_no_margin_either():
    right = np.arange(400) % 5 == 0
    found = decide(Replies(right), {"noise": Replies(right)}, table(400))
    assert (found.verdict, found.score, found.margin) == (CANNOT_TELL, 0.2, 0.0)
    assert "not above chance" in found.reason


def test_where_nothing_was_asked_on_both_sides_there_is_no_score(make_benchmark, make_run):
    asked_ = {("item-00000", "plain"): "A", ("item-00001", "noise"): "B"}
    found = score(make_run(make_benchmark(2), asked_, variants=("plain", "noise"))).listening
    assert (found.verdict, found.score, found.margin, found.conditions) == (CANNOT_TELL, 0.0, 0.0, {})


def test_the_margin_is_a_quarter_of_what_is_above_chance():
    right = np.arange(400) % 100 < 45
    found = decide(Replies(right), {"noise": Replies(right)}, table(400))
    assert found.margin == pytest.approx(0.05)
    others = decide(Replies(right), {"noise": Replies(np.arange(400) % 100 >= 55)}, table(400))
    assert "45.0 % correct with the real clips, 45.0 % under noise: +0.0 points" in others.reason
    assert "nor within 5.0 points of nothing; ask more items" in others.reason


def test_the_score_is_that_of_all_real_clips_whatever_is_lost_without_them():
    right, lost = np.arange(400) >= 100, np.arange(400) < 100
    found = decide(Replies(right), {"noise": Replies(np.ones(400), failed=lost)}, table(400))
    assert (found.score, found.conditions["noise"].real) == (0.75, 1.0)
    assert found.margin == MARGIN


def test_the_score_of_a_stopped_run_is_that_of_what_can_be_compared(make_benchmark, make_run):
    asked_ = {f"item-{n:05}": "ABCD"[n % 4] for n in range(7)}
    without = {(f"item-{n:05}", "noise"): "ABCD"[(n + n // 4) % 4] for n in range(8)}
    found = score(make_run(make_benchmark(8), asked_ | without, variants=("plain", "noise"))).listening
    noise = found.conditions["noise"]
    assert (found.score, noise.real, noise.without) == (1.0, 1.0, pytest.approx(4 / 7))


def test_a_drop_of_nothing_is_none_although_failures_would_make_it_one():
    """One task wholly lost and one wholly gained: what failed in the second would have been neither."""
    n = 160
    second, lost = np.arange(n) >= 60, np.arange(n) >= 62
    two = table(n, task=second.astype(np.int64), tasks=("a", "b"), categories=("", ""), pools=("a", "b"))
    found = decide(Replies(~second | lost), {"noise": Replies(second, failed=lost)}, two)
    noise = found.conditions["noise"]
    assert (noise.difference, found.verdict) == (0.0, CANNOT_TELL)
    assert noise.p_least < LEVEL


def test_one_condition_is_enough_and_is_named():
    right, fewer = np.arange(100) < 80, np.arange(100) < 30
    found = decide(Replies(right), {"noise": Replies(right), "other-clip": Replies(fewer)}, table(100))
    assert found.verdict == "listens"
    assert "under other-clip: +50.0 points" in found.reason
    assert "corrected for 2" in found.reason
    assert found.conditions["noise"].p == 1.0
    assert found.conditions["other-clip"].p_corrected == pytest.approx(2 * found.conditions["other-clip"].p)


def test_the_test_is_exact_and_the_one_of_the_conditions():
    """Six items that only the real clip gets right, of twelve: two sign patterns of 64 are as far out."""
    found = decide(Replies(np.arange(12) < 9), {"noise": Replies(np.arange(12) < 3)}, table(12))
    assert found.conditions["noise"].p == pytest.approx(2 / 64)
    assert found.verdict == "listens"
    assert "corrected for" not in found.reason
    five = decide(Replies(np.arange(12) < 8), {"noise": Replies(np.arange(12) < 3)}, table(12))
    assert five.conditions["noise"].p == pytest.approx(2 / 32)
    assert five.conditions["noise"].p > LEVEL
    assert five.verdict == CANNOT_TELL


def test_a_gain_without_the_clip_is_no_evidence_and_no_equality():
    found = decide(Replies(np.arange(400) < 250), {"noise": Replies(np.arange(400) < 350)}, table(400))
    assert found.verdict == CANNOT_TELL
    assert found.conditions["noise"].p < LEVEL
    assert found.conditions["noise"].difference < 0


def test_words_alone_are_shown_and_decide_nothing():
    right, none = np.ones(200), np.zeros(200)
    found = decide(Replies(right), {"text-only": Replies(none)}, table(200))
    assert found.verdict == CANNOT_TELL
    assert "--variant noise" in found.reason
    assert found.conditions["text-only"].p_corrected == found.conditions["text-only"].p
    assert found.conditions["text-only"].difference == 1.0
    both = decide(Replies(right), {"noise": Replies(right), "text-only": Replies(none)}, table(200))
    assert both.verdict == "does not listen"
    assert both.conditions["noise"].p_corrected == 1.0


def test_failures_are_evidence_for_nothing():
    n = 400
    right, half = np.ones(n, np.bool_), np.arange(n) % 2 == 0
    failing = Replies(right & ~half, failed=half)
    lost = decide(Replies(right), {"noise": failing}, table(n))  # a server that drops every other noise clip
    assert lost.verdict == CANNOT_TELL
    noise = lost.conditions["noise"]
    assert (noise.n_lost, noise.n_items, noise.real, noise.without) == (200, 200, 1.0, 1.0)
    assert noise.limits[0] <= 0
    assert noise.limits[1] > 0.5
    assert noise.p_least == 1.0
    assert "200 replies did not come" in lost.reason
    assert decide(failing, {"noise": Replies(right)}, table(n)).verdict == CANNOT_TELL


def test_a_drop_holds_whatever_the_failures_would_have_been():
    n = 400
    lost = np.arange(n) < 40
    found = decide(Replies(np.ones(n)), {"noise": Replies(np.zeros(n), failed=lost)}, table(n))
    assert found.verdict == "listens"
    assert found.conditions["noise"].n_lost == 40


def test_what_failed_on_both_sides_is_left_out():
    n = 400
    broken = np.arange(n) < 100
    both = Replies(~broken, failed=broken)
    found = decide(both, {"noise": both, "silence": Replies(np.zeros(n), failed=np.ones(n, np.bool_))}, table(n))
    assert found.conditions["noise"].n_items == 300
    assert "silence" not in found.conditions  # all of it failed
    assert decide(both, {"noise": both}, table(n)).verdict == "does not listen"
    nothing = Replies(np.zeros(4), failed=np.ones(4, np.bool_))
    found = decide(nothing, {"noise": nothing}, table(4))
    assert (found.conditions, found.verdict) == ({}, CANNOT_TELL)


def test_a_drop_made_of_refusals_says_so():
    n = 200
    found = decide(Replies(np.ones(n)), {"noise": Replies(np.zeros(n), unread=np.ones(n, np.bool_))}, table(n))
    assert found.verdict == "listens"
    assert "200 of its replies there decline or cannot be read, 0 with the real clips" in found.reason


def test_clusters_count_once():
    """Ten clips with twenty items each say less than two hundred clips."""
    right, fewer = np.ones(200), np.arange(200) >= 60
    alone = decide(Replies(right), {"noise": Replies(fewer)}, table(200))
    shared = decide(Replies(right), {"noise": Replies(fewer)}, table(200, cluster=np.arange(200) // 20))
    assert alone.verdict == "listens"
    assert shared.verdict == CANNOT_TELL
    assert shared.conditions["noise"].p >= 2 / 8


def test_plain_is_compared_and_not_other_orders(make_benchmark, make_run):
    """A model that always says B: right where B is, which other orders of options change."""
    folder = make_benchmark([{"answer": "cat"} for _ in range(60)])
    variants = ("plain", "order-1", "noise")
    replies = {(f"item-{n:05}", v): "B" for n in range(60) for v in variants}
    found = score(make_run(folder, replies, variants=variants)).listening
    assert (found.score, found.conditions["noise"].difference) == (1.0, 0.0)
    orders = "; with the real clips only in the first order of options, the one that the others were asked in"
    assert found.reason.endswith(orders)
    one = {place: text for place, text in replies.items() if place[1] != "order-1"}
    assert orders not in score(make_run(folder, one, variants=("plain", "noise"))).listening.reason


def test_a_run_without_variants_says_nothing_of_it(make_benchmark, make_run):
    folder = make_benchmark(4)
    assert score(make_run(folder, {(f"item-{n:05}", "plain"): "A" for n in range(4)})).listening is None


def test_number_interval_and_p_are_those_of_the_condition(make_benchmark, make_run):
    folder = make_benchmark(40)
    variants = ("plain", "noise", "text-only")
    replies = {
        (f"item-{n:05}", v): "ABCD"[n % 4] if v == "plain" or n % 3 == 0 else "ABCD"[(n + 1) % 4]
        for n in range(40)
        for v in variants
    }
    found = score(make_run(folder, replies, variants=variants))
    for name, one in found.listening.conditions.items():
        shown = found.scores["strict"].variants[name].difference
        assert (one.n_items, one.n_clusters, one.difference) == (shown.n_items, shown.n_clusters, shown.difference)
        assert (one.interval, one.p, one.p_corrected) == (shown.interval, shown.p, shown.p_corrected)
    assert all(one.p_corrected == one.p for one in found.listening.conditions.values())  # one sound, and text alone


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "verdict"),
    [("deaf", "does not listen"), ("noisy-oracle", "listens"), ("oracle", "listens"), ("random", CANNOT_TELL)],
)
def test_scripted_models_on_mini(cli, tmp_path, model, verdict):
    said = cli(
        "run", "mini", "--model", f"scripted/{model}", "-o", tmp_path / "run", "--json", "--variant", "noise",
        "--variant", "other-clip",
    )  # fmt: skip
    assert said.json["listening"]["verdict"] == verdict
    assert score(tmp_path / "run").listening.verdict == verdict
    assert json.loads((tmp_path / "run" / "run.json").read_text())["variants"] == ["plain", "noise", "other-clip"]


@pytest.mark.parametrize(
    ("without", "passes", "told"),
    [
        ({"noise": 30, "other-clip": 80}, True, (("noise",), ("other-clip",), ())),
        ({"noise": 80, "other-clip": 30}, True, (("other-clip",), ("noise",), ())),
        ({"noise": 30, "other-clip": 20}, True, (("noise", "other-clip"), (), ())),
        ({"noise": 80, "other-clip": 80}, False, ((), ("noise", "other-clip"), ())),
        ({"noise": 95, "other-clip": 80}, False, ((), ("noise", "other-clip"), ())),  # a gain is no drop
        ({"noise": 80, "silence": 30, "other-clip": 80}, False, ((), ("noise", "other-clip"), ())),  # not of the test
        ({"noise": 30}, True, (("noise",), (), ("other-clip",))),
        ({"noise": 80}, None, ((), ("noise",), ("other-clip",))),
        ({"silence": 30}, None, ((), (), ("noise", "other-clip"))),
        ({"text-only": 30}, None, ((), (), ("noise", "other-clip"))),
    ],
)
def test_the_attention_test_of_muchomusic_is_passed_by_a_drop_under_noise_or_another_track(without, passes, told):
    replies = {name: Replies(np.arange(100) < n) for name, n in without.items()}
    found = decide(Replies(np.arange(100) < 80), replies, table(100), "muchomusic")
    test = found.attention
    assert (test.passes, (test.drops, test.not_shown, test.without_number)) == (passes, told)
    assert found.profile == "muchomusic"
    assert {name for name, one in found.conditions.items() if one.verdict == "drops"} == {
        name for name, n in without.items() if n < 80
    }
    ours = decide(Replies(np.arange(100) < 80), replies, table(100))
    assert (ours.profile, ours.attention) == ("strict", None)
    assert ours.conditions == found.conditions


def test_each_condition_has_a_verdict_of_its_own():
    right = np.arange(400) < 300
    replies = {
        "noise": Replies(right),
        "silence": Replies(np.arange(400) < 100),
        "other-clip": Replies(np.arange(400) < 335),
    }
    found = decide(Replies(right), replies, table(400))
    told = {name: one.verdict for name, one in found.conditions.items()}
    assert told == {"noise": "stays", "silence": "drops", "other-clip": "cannot tell"}
    assert {one.verdict for one in decide(Replies(right & False), replies, table(400)).conditions.values()} == {
        "cannot tell"
    }  # a score at chance has nothing to lose


def test_a_drop_has_to_survive_the_correction_over_all_sounds_that_were_asked():
    """p of .03 for one sound is .09 for three, also where others' packages made two of them."""
    n = 200
    right, fewer = np.arange(n) < 100, np.arange(n) < 94
    alone = decide(Replies(right), {"noise": Replies(fewer)}, table(n), "muchomusic")
    assert alone.conditions["noise"].p == pytest.approx(2 / 2**6)
    assert (alone.attention.passes, alone.verdict) == (True, "listens")
    for others, passes in ((("silence", "other-clip"), False), (("backwards", "sideways"), None)):
        without = {"noise": Replies(fewer)} | dict.fromkeys(others, Replies(right))
        found = decide(Replies(right), without, table(n), "muchomusic")
        assert found.conditions["noise"].p_corrected == pytest.approx(3 * 2 / 2**6)
        assert (found.attention.passes, found.verdict) == (passes, CANNOT_TELL)
    words = {"noise": Replies(fewer), "text-only": Replies(right)}
    assert decide(Replies(right), words, table(n), "muchomusic").attention.passes


def test_what_failed_passes_no_attention_test():
    n = 400
    lost = np.arange(n) % 2 == 0
    failing = {name: Replies(~lost, failed=lost) for name in ("noise", "other-clip")}
    found = decide(Replies(np.ones(n)), failing, table(n), "muchomusic")
    assert found.attention.passes is False
    nothing = {name: Replies(~lost, failed=np.ones(n, np.bool_)) for name in ("noise", "other-clip")}
    assert decide(Replies(np.ones(n)), nothing, table(n), "muchomusic").attention.without_number == (
        "noise",
        "other-clip",
    )


@pytest.mark.slow
@pytest.mark.parametrize("conditions", [("noise", "other-clip"), TESTED], ids=["two", "three"])
@pytest.mark.parametrize("kind", ["guesses", "knows half"])
def test_a_model_that_ignores_the_music_passes_in_six_of_a_hundred_at_most(kind, conditions):
    """As many questions as MuChoMusic has to a track; one or two a track."""
    items = table(300, cluster=np.arange(300) * 644 // 1187)
    passed = sum(asked(kind, items, seed, conditions, "muchomusic").attention.passes for seed in range(200))
    assert passed <= 12
    found = [asked("listens", items, seed, conditions, "muchomusic").attention.passes for seed in range(20)]
    assert all(found)
