"""Items asked without their clips are scored apart, and never in the headline."""

import numpy as np
import pytest

from audiometry import seeds
from audiometry.score import compare, score
from audiometry.score.judge.needed import needs_judge
from audiometry.score.profiles import PROFILES
from audiometry.stats import compare as paired
from audiometry.stats.parts import SHARE, means, ratio

NAMES = [f"item-{n:05}" for n in range(12)]
GOLD = "ABCD" * 3
REAL = {(name, "plain"): letter for name, letter in zip(NAMES, GOLD, strict=True)}


def wrong(letter):
    return "B" if letter == "A" else "A"


def column(variant, right):
    return {(name, variant): g if ok else wrong(g) for name, g, ok in zip(NAMES, GOLD, right, strict=True)}


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark(12)


def test_the_headline_is_that_of_the_real_clips_whatever_the_others_say(folder, make_run):
    alone = score(make_run(folder, REAL), ["all"])
    several = {**REAL, **column("noise", [False] * 12), **column("text-only", [True] * 6 + [False] * 6)}
    with_others = score(make_run(folder, several, variants=("plain", "noise", "text-only")), ["all"])
    for name, row in alone.scores.items():
        other = with_others.scores[name]
        assert (other.value, other.interval, other.n_replies, other.extras) == (
            row.value, row.interval, row.n_replies, row.extras,
        )  # fmt: skip
        assert other.signature == row.signature
        assert row.variants == {}
        assert list(other.variants) == ["noise", "text-only"]
    strict = with_others.scores["strict"].variants
    assert (strict["noise"].value, strict["text-only"].value) == (0.0, 0.5)
    assert (strict["noise"].n_items, strict["noise"].n_replies, strict["noise"].n_failed) == (12, 12, 0)


def test_the_difference_is_that_of_the_paired_test(folder, make_run):
    right = [True] * 3 + [False] * 9
    run = make_run(folder, {**REAL, **column("silence", right)}, variants=("plain", "silence"))
    found = score(run).scores["strict"].variants["silence"].difference
    sides = [means(scores, np.arange(12)) for scores in (np.ones(12), np.array(right, float))]
    by_hand = paired.compare(*sides, ratio, [1.0], SHARE, seeds.generator(0, "compare"))
    assert (found.score_a, found.difference, found.p) == (1.0, by_hand.difference, by_hand.p)
    assert found.interval == pytest.approx(by_hand.interval)
    assert found.p == 2 / 2**9
    assert (found.n_items, found.n_clusters, found.p_corrected) == (12, 12, found.p)


def test_words_alone_are_in_no_family_with_the_sounds(make_benchmark, make_run):
    """Neither p nor the drop that would be found is that of one of several tests; those of two sounds are."""
    folder, sides = make_benchmark(40), ("plain", "text-only", "noise", "silence")
    said = {
        (f"item-{n:05}", side): "ABCD"[n % 4] if side == "plain" or n % 3 else wrong("ABCD"[n % 4])
        for n in range(40)
        for side in sides
    }
    alone = score(
        make_run(folder, {key: text for key, text in said.items() if key[1] in sides[:2]}, variants=sides[:2])
    )
    first = alone.scores["strict"].variants["text-only"].difference
    each = score(make_run(folder, said, variants=sides)).scores["strict"].variants
    assert each["text-only"].difference == first
    assert first.p_corrected == first.p
    assert each["noise"].difference.p_corrected == pytest.approx(2 * first.p)
    assert each["noise"].difference.detectable > first.detectable


CATEGORIES = """
[benchmark]
name = "two"
version = "1"
[[task]]
name = "few"
category = "sound"
audio = "optional"
[[task]]
name = "many"
category = "speech"
audio = "optional"
"""


def test_the_difference_is_that_of_the_headlines_whatever_is_averaged(make_benchmark, make_run):
    items = [{"task": "few" if n < 3 else "many"} for n in range(12)]
    real, noise = ([n in places for n in range(12)] for places in ({0, 1, 3, 4, 5, 6}, {0, 3, 7, 8}))
    said = {**column("plain", real), **column("noise", noise)}
    found = score(make_run(make_benchmark(items, card=CATEGORIES), said, variants=("plain", "noise")), ["all"]).scores
    assert {row.average for row in found.values()} == {"categories", "items"}
    for row in found.values():
        drop = row.variants["noise"].difference
        assert drop.score_a == pytest.approx(row.value)
        assert drop.difference == pytest.approx(row.value - row.variants["noise"].value)
    assert found["strict"].value == pytest.approx((2 / 3 + 4 / 9) / 2)


def test_a_run_of_which_no_item_names_a_clip_was_not_asked_without_it(make_benchmark, make_run):
    bench = make_benchmark([{"task": "few", "file_name": ""} for _ in range(12)], card=CATEGORIES)
    found = score(make_run(bench, REAL, variants=("plain", "noise")))
    assert (found.scores["strict"].variants, found.listening) == ({}, None)


def test_p_is_corrected_over_the_variants(folder, make_run):
    several = {**REAL, **column("noise", [False] * 12), **column("silence", [True] * 12)}
    found = score(make_run(folder, several, variants=("plain", "noise", "silence"))).scores["strict"].variants
    assert found["noise"].difference.p_corrected == 2 * found["noise"].difference.p
    assert found["silence"].difference.p_corrected == 1.0


def test_missing_replies_leave_their_own_condition_alone_without_a_number(folder, make_run):
    half = {key: text for key, text in column("noise", [True] * 12).items() if key[0] < "item-00006"}
    strict = score(make_run(folder, REAL | half, variants=("plain", "noise"))).scores["strict"]
    assert strict.complete
    assert strict.n_failed == 0
    assert strict.failures == {}
    noise = strict.variants["noise"]
    assert (noise.n_not_asked, noise.n_failed, noise.value, noise.bounds) == (6, 0, None, (0.5, 1.0))
    assert (noise.difference.n_items, noise.difference.difference) == (6, 0.0)


def test_orders_are_averaged_and_variants_are_not(folder, make_run):
    several = REAL | {(name, "order-1"): "no letter at all" for name in NAMES} | column("noise", [True] * 12)
    strict = score(make_run(folder, several, variants=("plain", "order-1", "noise"))).scores["strict"]
    assert (strict.value, strict.n_replies) == (0.5, 24)
    assert strict.variants["noise"].difference.score_a == 1.0  # of plain, whose order of options noise has
    assert strict.variants["noise"].difference.difference == 0.0


def test_rules_that_drop_what_they_cannot_read_may_leave_nothing_to_compare(folder, make_run):
    several = REAL | {(name, "noise"): "- -" for name in NAMES}
    found = score(make_run(folder, several, variants=("plain", "noise")), ["airbench", "strict"]).scores
    assert found["airbench"].variants["noise"].value is None
    assert found["airbench"].variants["noise"].difference is None
    assert found["strict"].variants["noise"].difference.difference == 1.0


def test_every_profile_has_its_conditions(folder, make_run):
    several = {**REAL, **column("other-clip", [False] * 12)}
    run = make_run(folder, several, variants=("plain", "other-clip"))
    found = score(run, ["all"]).scores
    assert set(found) == {
        name for name, one in PROFILES.all().items() if "choice" in one.readers and not needs_judge(one)
    }
    assert all(row.variants["other-clip"].value == 0.0 for row in found.values())


def test_runs_are_compared_over_real_clips(folder, make_run):
    a = make_run(folder, REAL)
    b = make_run(folder, {**REAL, **column("noise", [False] * 12)}, variants=("plain", "noise"))
    found = compare(a, b)
    assert (found.difference, found.warnings) == (0.0, ())
