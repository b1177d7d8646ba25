from __future__ import annotations

import itertools
import math
import statistics

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from scipy.stats import t as student
from sklearn.metrics import f1_score

from audiometry.errors import UsageError
from audiometry.score.measures.balanced_accuracy import MEASURE as BALANCED
from audiometry.stats.compare import Paired, _agreed, compare
from audiometry.stats.estimate import estimate
from audiometry.stats.f1 import macro_f1
from audiometry.stats.parts import SHARE, Parts, Scale, means, ratio
from audiometry.stats.wilson import wilson

F1 = Scale("f1")


def rng():
    return np.random.default_rng(11)


def shares(a, b, clusters=None, leaf=None, weights=(1,), **how) -> Paired:
    clusters = np.arange(len(a)) if clusters is None else clusters
    return compare(means(a, clusters, leaf), means(b, clusters, leaf), ratio, weights, SHARE, rng(), **how)


def labels(gold, said, classes, clusters=None):
    sums = np.zeros((len(gold), 1, 3 * classes))
    rows = np.arange(len(gold))
    sums[rows, 0, 3 * gold] += said == gold
    sums[rows, 0, 3 * gold + 1] += 1
    sums[rows, 0, 3 * said + 2] += 1
    clusters = rows if clusters is None else clusters
    return Parts(sums, clusters, np.zeros(len(gold), np.int64), np.ones(len(gold)))


def draw_pair(seed, n, clusters, agreement, leaves):
    """Scores of two models, clusters, tasks and their weights, from a seed: much faster to draw than lists."""
    source = np.random.default_rng(seed)
    a, other = source.choice([0.0, 0.5, 1.0], (2, n))
    b = np.where(source.random(n) < agreement, a, other)
    return a, b, source.integers(0, clusters, n), source.integers(0, leaves, n), source.uniform(0.1, 4, leaves)


PAIRS = st.builds(
    draw_pair,
    st.integers(0, 2**32),
    st.integers(1, 70),
    st.integers(1, 41),
    st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    st.sampled_from([1, 3]),
)


def figures(found):
    return found.difference, found.low, found.high, found.p, found.se, found.detectable, found.n_differing


@settings(deadline=None)
@given(sample=PAIRS, confidence=st.sampled_from([0.9, 0.95]))
def test_the_interval_leaves_out_0_exactly_where_p_is_below_the_level(sample, confidence):
    found = shares(*sample, swaps=199, confidence=confidence)
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert 0 < found.p <= 1
    assert (found.low > 0 or found.high < 0) == (found.p < 1 - confidence)
    assert found.difference == pytest.approx(found.a - found.b, abs=1e-12)
    assert found.detectable is None or 0 < found.detectable <= 1


@settings(deadline=None)
@given(sample=PAIRS)
def test_models_exchanged_change_the_sign_and_nothing_else(sample):
    a, b, *rest = sample
    one, other = (shares(x, y, *rest, swaps=199) for x, y in ((a, b), (b, a)))
    assert figures(other) == pytest.approx(
        (-one.difference, -one.high, -one.low, one.p, one.se, one.detectable, one.n_differing), abs=1e-6
    )


@settings(deadline=None)
@given(sample=PAIRS, seed=st.integers(0, 50))
@example(sample=draw_pair(0, 9, 3, 0.0, 3), seed=0)  # where rounding leaves dust of a difference that does not vary
def test_order_of_items_and_names_of_clusters_do_not_matter(sample, seed):
    a, b, clusters, leaf, weights = sample
    order = np.random.default_rng(seed).permutation(len(a))
    one = shares(*sample, swaps=199)
    other = shares(a[order], b[order], (7 * clusters[order]) % 41, leaf[order], 5 * weights, swaps=199)
    assert figures(other) == pytest.approx(figures(one), abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 9))
def test_p_of_few_clusters_is_that_of_every_swap(seed, n):
    source = np.random.default_rng(seed)
    gold = np.r_[0, 1, source.integers(0, 2, n)]
    one, other = source.integers(0, 2, (2, n + 2))
    clusters = np.r_[0, 1, source.integers(0, n, n)]
    found = compare(labels(gold, one, 2, clusters), labels(gold, other, 2, clusters), macro_f1, [1], F1, rng())

    def by_hand(read):  # of hundreds of patterns; scikit-learn takes a millisecond for each
        return np.mean([2 * np.sum((gold == c) & (read == c)) / np.sum([gold == c, read == c]) for c in (0, 1)])

    def apart(swapped):
        x, y = np.where(swapped, other, one), np.where(swapped, one, other)
        return abs(by_hand(x) - by_hand(y))

    codes = np.unique(clusters)
    patterns = [
        np.isin(clusters, codes[list(chosen)]) for chosen in itertools.product((False, True), repeat=len(codes))
    ]
    observed = apart(np.zeros(n + 2, bool))
    p = np.mean([apart(swapped) >= observed - 1e-12 for swapped in patterns])
    assert found.difference == pytest.approx(
        f1_score(gold, one, average="macro", zero_division=0) - f1_score(gold, other, average="macro", zero_division=0)
    )
    assert found.p >= p - 1e-12
    widest = found.interval == (-1, 1) or found.low <= 0 <= found.high
    assert found.p == pytest.approx(p) or widest


@pytest.mark.parametrize(("b01", "b10"), [(0, 8), (3, 9), (6, 10), (1, 1)])
def test_the_exact_swaps_of_single_items_are_mcnemars(b01, b10):
    a, b = np.zeros(400), np.zeros(400)
    a[:b10], b[b10 : b10 + b01] = 1, 1
    assert shares(a, b).p == pytest.approx(binomtest(b01, b01 + b10).pvalue, rel=0.35)
    assert shares(a, b).p >= binomtest(b01, b01 + b10).pvalue - 1e-12


@pytest.mark.parametrize("n", [30, 200])
def test_more_items_on_which_only_one_model_is_right_give_a_smaller_p(n):
    found = [shares((np.arange(n) < k).astype(float), np.zeros(n), swaps=999) for k in range(17)]
    assert [one.p for one in found] == sorted((one.p for one in found), reverse=True)


def test_identical_replies_show_no_difference_but_do_not_prove_that_there_is_none():
    same = np.tile([1.0, 0.0], 100)
    found = shares(same, same, np.repeat(np.arange(50), 4))
    assert (found.difference, found.p, found.se, found.n_differing) == (0.0, 1.0, 0.0, 0.0)
    assert found.interval == pytest.approx((-wilson(0, 50)[1], wilson(0, 50)[1]))
    assert binom.sf(5, 50, found.detectable) == pytest.approx(0.8, abs=1e-4)
    assert found.skewed


def test_of_models_without_a_difference_what_is_detectable_would_be_found_four_times_in_five():
    """At least six clusters have to differ, which of six on average only every second sample has."""
    stated = shares(np.ones(30), np.ones(30)).detectable
    luck = np.random.default_rng(2).random((150, 30))
    found = [shares(np.ones(30), (one >= stated).astype(float), swaps=199).p < 0.05 for one in luck]
    assert np.mean(found) >= 0.8 - 3 * math.sqrt(0.16 / 150)


def test_what_is_detectable_in_one_of_several_tests_is_so_at_holms_first_level():
    luck = np.random.default_rng(3).random((2, 60))
    a, b = (luck < [[0.8], [0.6]]).astype(float)
    one, twelve = (shares(a, b, tests=tests) for tests in (1, 12))
    alone = shares(a, b, confidence=1 - 0.05 / 12)
    assert twelve.detectable == pytest.approx(alone.detectable)
    assert twelve.detectable > one.detectable
    assert (twelve.p, twelve.interval) == (one.p, one.interval)
    assert shares(np.ones(8), np.zeros(8), tests=12).detectable is None  # 2 / 2^8 is more than 0.05 / 12


def test_models_that_always_differ_keep_an_interval():
    found = shares(np.ones(80), np.zeros(80), np.repeat(np.arange(20), 4))
    assert found.difference == found.high == 1
    assert 0 < found.low < 0.9
    assert found.p < 1e-3


@pytest.mark.parametrize("sign", [1, -1])
def test_few_clusters_that_differ_all_one_way_leave_room_beyond(sign):
    a, b = (np.arange(500) < 8).astype(float), np.zeros(500)
    found = shares(a, b) if sign > 0 else shares(b, a)
    near, far = sorted((abs(found.low), abs(found.high)))
    assert 2 / 2**8 <= found.p < 0.05
    assert near > 0
    assert far == pytest.approx(wilson(8 / 500, 500)[1], rel=0.05)


def test_a_small_task_on_which_both_agree_leaves_room_for_a_difference():
    a = np.r_[np.ones(15), (np.arange(1600) % 10 != 0).astype(float)]
    b = np.r_[np.ones(15), (np.arange(1600) % 11 != 0).astype(float)]
    found = shares(a, b, None, np.repeat([0, 1], [15, 1600]), [1, 1])
    assert found.high - found.low > wilson(0, 15)[1]


def test_one_cluster_says_nothing():
    found = shares([1, 1, 1], [0, 0, 1], np.full(3, 4))
    assert (found.interval, found.p, found.detectable, found.undetectable) == ((-1.0, 1.0), 1.0, None, "never")
    errors = compare(means([1, 2], [3, 3]), means([4, 4], [3, 3]), ratio, [1], Scale("log"), rng())
    assert (errors.difference, errors.interval, errors.p, errors.detectable) == (-2.5, None, 1.0, None)


def test_five_clusters_can_never_reach_5_percent():
    found = shares(np.ones(5), np.zeros(5))
    assert found.p == pytest.approx(2 / 2**5)
    assert found.detectable is None
    assert found.low <= 0
    assert shares(np.ones(6), np.zeros(6)).p == pytest.approx(2 / 2**6)


def test_detectable_is_beyond_interval_and_swaps_and_leaves_room_for_four_in_five():
    source = np.random.default_rng(2)
    a, b, clusters = source.random(300) < 0.7, source.random(300) < 0.6, source.integers(0, 90, 300)
    found = shares(a.astype(float), b.astype(float), clusters)
    apart = a.astype(float) - b
    sums, size = np.bincount(clusters, apart - apart.mean(), 90), np.bincount(clusters, minlength=90) / 300
    z = statistics.NormalDist().inv_cdf
    assert found.low > 0  # so that it was not moved to agree with p
    assert found.se == pytest.approx(math.sqrt((sums**2 / (1 - size)).sum()) / 300)
    swapped = np.bincount(clusters, apart, 90)
    squares, one = (swapped**2).sum() / 300**2, (swapped**2).sum() / np.abs(swapped).sum() / 300
    d, stated = found.difference, found.detectable
    assert d > stated  # of which less would be seen, and more by chance
    more = found.se**2 * (d**2 - stated**2) / (1 - d**2)
    limit, reached = student.ppf(0.975, 89), 0.0
    limit *= math.sqrt(90 / (limit**2 + 89))
    for _ in range(30):
        left = squares + more - (d**2 - reached**2) * (size**2).sum()
        reached = limit * math.sqrt(left)
    significant = max((found.high - found.low) / 2, reached + one * math.sqrt(left / squares))
    assert stated == pytest.approx(significant + z(0.80) * math.sqrt(found.se**2 + more), rel=1e-3)


@pytest.mark.parametrize(("clusters", "items", "tests"), [(15, 5, 1), (15, 5, 12), (20, 10, 1), (60, 1, 1)])
def test_what_is_detectable_does_not_grow_with_what_was_seen(clusters, items, tests):
    luck = np.random.default_rng(5).random((25, 2, clusters * items))
    clips, seen = np.repeat(np.arange(clusters), items), []
    for rates in ([0.74, 0.22], [0.48, 0.48]):
        pairs = (luck < np.reshape(rates, (1, 2, 1))).astype(float)
        found = [shares(*pair, clips, swaps=199, tests=tests).detectable for pair in pairs]
        seen.append(np.median(found))
    assert seen[0] == pytest.approx(seen[1], rel=0.2)


@pytest.mark.parametrize(
    ("sizes", "stated"),
    [
        ([40, 20, 13, 10, 8, 7, 6, 5, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 1, 1], False),
        ([60] + [1] * 20, False),
        ([60] + [1] * 200, False),
        ([10] * 14, False),
        ([10] * 15, True),
        ([1] * 30, True),
        ([4] * 5 + [1] * 60, True),
    ],
)
def test_where_one_clip_has_over_a_fifteenth_what_would_be_found_is_unclear(sizes, stated):
    clips = np.repeat(np.arange(len(sizes)), sizes)
    a, b = (np.random.default_rng(1).random((2, len(clips))) < [[0.7], [0.6]]).astype(float)
    found = shares(a, b, clips, swaps=199)
    assert (found.detectable is None, found.undetectable) == ((False, "") if stated else (True, "unclear"))
    assert found.interval is not None
    same = shares(a, a, clips)
    assert same.undetectable == found.undetectable


@pytest.mark.parametrize(("clips", "shape", "stated"), [(12, 1.0, False), (30, 0.3, False), (200, 1.0, True)])
def test_where_one_clip_has_over_a_fifteenth_of_the_errors_what_would_be_found_is_unclear(clips, shape, stated):
    source = np.random.default_rng(2)
    of, hard = source.poisson(20, clips) + 1, source.gamma(shape, 1 / shape, clips)
    sides = [
        Parts(np.stack((source.poisson(0.3 * of * hard), of), 1)[:, None].astype(float), np.arange(clips),
              np.zeros(clips, np.int64), of.astype(float))
        for _ in range(2)
    ]  # fmt: skip
    found = compare(*sides, ratio, [1], Scale("log"), rng(), swaps=199)
    assert (found.detectable is not None) == (found.undetectable == "") == stated


@pytest.mark.parametrize("tests", [1, 12])
def test_what_is_detectable_is_found_four_times_in_five_though_alike_models_spread_less(tests):
    """A true difference makes more items differ than were seen to."""
    source = np.random.default_rng(11)
    a, b = source.random((2, 90, 60)) < 0.95
    stated = np.mean(
        [shares(*map(np.float64, pair), swaps=199, tests=tests).detectable for pair in zip(a, b, strict=True)]
    )
    worse = b & (source.random((90, 60)) >= stated / 0.95)
    level = 0.05 / tests
    hits = [shares(*map(np.float64, pair), swaps=1999).p < level for pair in zip(a, worse, strict=True)]
    assert np.mean(hits) >= 0.8 - 2 * math.sqrt(0.16 / 90)


def test_clusters_that_differ_are_counted_as_kish_does():
    a, b = np.zeros(300), np.zeros(300)
    a[:120] = 1
    assert shares(a, b).n_differing == pytest.approx(120)
    assert not shares(a, b).skewed
    heavy = np.r_[np.zeros(90), np.arange(210)]
    assert shares(a, b, heavy).n_differing == pytest.approx(120**2 / (91**2 + 29))
    assert shares(a, b, heavy).skewed


def test_a_leaf_that_one_has_no_value_of_is_left_out_of_both():
    a = means([1, 1, 0, 1, 1, 1], np.arange(6), [0, 0, 0, 1, 1, 1])
    b = means([1, 0, 0, 0, 0, 0], np.arange(6), [0, 0, 0, 1, 1, 1])
    without = msgspec.structs.replace(b, sums=b.sums * (b.leaf == 0)[:, None, None])
    found = compare(a, without, ratio, [1, 3], SHARE, rng())
    assert (found.a, found.b) == pytest.approx((2 / 3, 1 / 3))
    assert found.n_clusters == 3
    nothing = compare(a, without, ratio, [0, 1], SHARE, rng())
    assert (nothing.difference, nothing.interval, nothing.p) == (None, None, None)


def test_error_rates_are_compared_in_their_own_unit():
    source = np.random.default_rng(3)
    of, clusters = source.integers(5, 30, 200).astype(float), np.arange(200)
    one, other = (
        Parts(np.stack((e, of), 1)[:, None], clusters, np.zeros(200, np.int64), of)
        for e in (source.poisson(4, 200).astype(float), source.poisson(2, 200).astype(float))
    )
    found = compare(one, other, ratio, [1], Scale("log"), rng())
    assert found.difference == pytest.approx((one.sums[..., 0] - other.sums[..., 0]).sum() / of.sum())
    assert found.p == pytest.approx(1e-4)
    assert 0 < found.low < found.difference < found.high < 0.3


@pytest.mark.parametrize(("differing", "says"), [(0, "exact"), (16, "exact"), (17, "199 patterns")])
def test_the_method_says_which_patterns_were_looked_at(differing, says):
    found = shares((np.arange(60) < differing).astype(float), np.zeros(60), swaps=199)
    assert found.method == f"swaps of 60 clusters, {says}"


def test_both_models_answer_the_same_items():
    one = means([0, 1], [0, 1])
    for other in (means([0, 1, 1], [0, 1, 2]), means([0, 1], [1, 0]), means([0, 1], [0, 1], [1, 0])):
        with pytest.raises(UsageError, match="not the same items"):
            compare(one, other, ratio, [1, 1], SHARE, rng())
    with pytest.raises(UsageError, match="swaps are at least 1"):
        compare(one, one, ratio, [1], SHARE, rng(), swaps=0)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_room_for_clusters_not_met_never_contradicts_p(sign):
    clusters = np.repeat(np.arange(30), 10)
    ahead = ((np.arange(300) % 10 == 0) & (clusters < 6)).astype(float)
    found = shares(ahead, np.zeros(300), clusters) if sign > 0 else shares(np.zeros(300), ahead, clusters)
    assert found.p >= 2 / 2**6
    assert (found.low > 0 or found.high < 0) == (found.p < 0.05)
    assert max(abs(found.low), abs(found.high)) > 0.06


@pytest.mark.slow
def test_a_difference_as_large_as_the_detectable_one_is_found_four_times_in_five():
    source = np.random.default_rng(4)
    clusters = np.repeat(np.arange(150), 3)
    hits, stated, gain = 0, [], 0.0725
    for _ in range(400):
        luck, own = source.random(450), source.random(450)
        a, b = luck < 0.6 + gain, np.where(source.random(450) < 0.5, luck, own) < 0.6
        found = compare(means(a, clusters), means(b, clusters), ratio, [1], SHARE, source, swaps=499)
        hits += found.p < 0.05
        stated.append(found.detectable)
    assert np.mean(stated) == pytest.approx(gain, rel=0.05)
    assert hits / 400 == pytest.approx(0.80, abs=0.06)


def test_a_task_of_one_item_does_not_hide_what_the_others_show():
    leaf, luck = np.r_[np.repeat(np.arange(18), 40), 18], np.random.default_rng(3).random((2, 721))
    a, b = (luck < [[0.85], [0.65]]).astype(float)
    found = shares(a, b, leaf=leaf, weights=np.ones(19))
    assert found.difference > found.detectable
    assert 0.1 < found.low < found.high < 0.4


def test_balanced_accuracies_are_compared_as_tasks_that_are_the_classes():
    gold, luck = np.repeat([0, 1], [60, 6]), np.random.default_rng(5).random((2, 66))
    a, b = (luck < [[0.9], [0.6]]).astype(float)
    sums, rows = np.zeros((2, 66, 1, 4)), np.arange(66)
    sums[:, rows, 0, 2 * gold], sums[:, rows, 0, 2 * gold + 1] = (a, b), 1
    sides = [Parts(one, rows, np.zeros(66, np.int64), np.ones(66)) for one in sums]
    found = compare(*sides, BALANCED.value, [1], Scale("recall"), rng(), swaps=199)
    assert figures(found) == pytest.approx(figures(shares(a, b, leaf=gold, weights=[1, 1], swaps=199)))


def test_values_are_the_measures_own_where_a_class_was_not_asked_in_every_variant():
    """The mean over variants of a mean over classes is not that of the classes' means over variants."""
    source, n = np.random.default_rng(6), 60
    gold = np.repeat([0, 1, 2], [40, 15, 5])
    sides = []
    for rate in (0.9, 0.5):
        sums, rows = np.zeros((n, 2, 6)), np.arange(n)
        for variant in range(2):
            asked = (gold < 2) | (variant == 0)  # the third class in one variant only
            sums[rows, variant, 2 * gold] = (source.random(n) < rate) & asked
            sums[rows, variant, 2 * gold + 1] = asked
        sides.append(Parts(sums, rows, np.zeros(n, np.int64), np.ones(n)))
    found = compare(*sides, BALANCED.value, [1], Scale("recall"), rng(), swaps=199)
    own = [estimate(side, BALANCED.value, [1], Scale("recall")).value for side in sides]
    assert (found.a, found.b) == pytest.approx(own)
    assert found.difference == found.a - found.b
    assert found.low < found.difference < found.high


@pytest.mark.parametrize(("p", "confidence"), [(0.05, 0.95), (0.1, 0.9), (0.01, 0.99)])
def test_p_on_the_level_itself_is_not_below_it_and_the_interval_holds_zero(p, confidence):
    found, said = _agreed(lambda _: (0.1, 0.5), p, 0.3, confidence)
    assert (found, said) == ((0.0, 0.5), p)
    found, said = _agreed(lambda _: (0.1, 0.5), p - 1e-4, 0.3, confidence)
    assert found == (0.1, 0.5)
    assert said < p


def test_p_of_an_interval_that_holds_zero_at_every_level_is_1_and_not_nearly():
    assert _agreed(lambda _: (-0.4, 0.8), 0.5, 0.3, 0.95) == ((-0.4, 0.8), 1.0)


def test_a_scale_of_unknown_ends_has_no_interval_where_nothing_varies_and_the_same_one_whatever_its_unit():
    """Nothing says how far apart two such values can be but those that were met."""
    rows, source = np.arange(40), np.random.default_rng(5)

    def told(one, other):
        return compare(means(one, rows), means(other, rows), ratio, [1], Scale("plain"), rng(), swaps=199)

    alike = told(np.full(40, 50.0), np.full(40, 50.0))
    assert (alike.difference, alike.interval, alike.detectable, alike.p) == (0.0, None, None, 1.0)
    assert told(np.full(40, 50.0), np.full(40, 40.0)).interval is None
    a, b = source.normal(50, 10, (2, 40))
    small, large = told(a / 1000, b / 1000), told(a, b)
    assert large.interval == pytest.approx([1000 * end for end in small.interval])
    assert large.detectable == pytest.approx(1000 * small.detectable)


@pytest.mark.parametrize("n", [6, 7, 11, 12, 19, 27, 40])
def test_all_right_against_all_wrong_has_a_width_for_every_number_of_clusters(n):
    """What rounding leaves in sums of n shares of 1 / n is no variance that says how sure the difference is."""
    found = shares(np.ones(n), np.zeros(n), swaps=199)
    reach = wilson(1, n)[0]
    assert (found.low, found.high) == (pytest.approx(1 - math.hypot(1 - reach, 1 - reach)), 1.0)


def test_twenty_tasks_of_one_item_beside_a_large_one_are_compared_by_what_they_differ_in():
    leaf, luck = np.r_[np.arange(20), np.full(500, 20)], np.random.default_rng(3).random(520)
    a, b = (luck < 0.9).astype(float), (luck < 0.7).astype(float)
    found = shares(a, b, leaf=leaf, weights=np.ones(21), swaps=199)
    assert found.high - found.low < 0.5
    assert 0 < found.se < 0.12


def test_a_task_of_two_items_costs_no_more_than_its_weight():
    leaf, luck = np.r_[0, 0, np.repeat(np.arange(1, 19), 40)], np.random.default_rng(3).random((2, 722))
    a, b = (luck < [[0.85], [0.65]]).astype(float)
    found = shares(a, b, leaf=leaf, weights=np.ones(19), swaps=199)
    assert found.high - found.low < 2 / 19 + 0.08


@pytest.mark.parametrize(("tasks", "items", "gain"), [(12, 8, 0.164), (1, 30, 0.34), (20, 1, 0.435)])
def test_what_is_detectable_in_small_tasks_is_found_four_times_in_five(tasks, items, gain):
    source, leaf = np.random.default_rng(7), np.repeat(np.arange(tasks), items)
    found = []
    for _ in range(150):
        luck, own, other = source.random((3, tasks * items))
        shared = source.random(tasks * items) < 0.5
        a, b = np.where(shared, luck, own) < 0.8, np.where(shared, luck, other) < 0.8 - gain
        found.append(shares(a.astype(float), b.astype(float), leaf=leaf, weights=np.ones(tasks), swaps=199))
    assert np.mean([one.detectable for one in found]) == pytest.approx(gain, rel=0.05)
    assert np.mean([one.p < 0.05 for one in found]) >= 0.8 - 3 * math.sqrt(0.16 / 150)


def test_a_class_of_one_item_does_not_make_a_difference_of_macro_f1_unsure():
    """Without its item the class would be gone, and the mean one over two classes in place of three."""
    source, gold = np.random.default_rng(5), np.r_[np.repeat([0, 1], 60), 2]
    said = [np.where(source.random(121) < right, gold, 1 - gold % 2) for right in (0.9, 0.7)]
    said[0][-1], said[1][-1] = 2, 0
    both = [labels(gold, one, 3) for one in said]

    def apart(weight):
        a, b = (float(macro_f1((weight[:, None, None] * one.sums).sum(axis=0))[0]) for one in both)
        return a - b

    found = compare(*both, macro_f1, [1], F1, rng(), swaps=199)
    assert found.difference == pytest.approx(apart(np.ones(121)))
    little = 1e-5
    influence = [(found.difference - apart(1 - little * (np.arange(121) == row))) / little for row in range(121)]
    assert found.se == pytest.approx(math.hypot(*influence), rel=0.05)  # the infinitesimal jackknife
