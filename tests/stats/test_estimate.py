from __future__ import annotations

import math
import tracemalloc

import msgspec
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.score.measures.balanced_accuracy import MEASURE as BALANCED
from audiometry.stats.estimate import estimate
from audiometry.stats.f1 import macro_f1
from audiometry.stats.parts import SHARE, Parts, Scale, means, ratio
from audiometry.stats.quantile import student_quantile
from audiometry.stats.wilson import wilson

JUDGED = Scale("bounded", 1, 10)
ERRORS = Scale("log")


def shares(scores, clusters=None, leaf=None, weights=(1,), **how):
    clusters = np.arange(len(scores)) if clusters is None else clusters
    return estimate(means(scores, clusters, leaf), ratio, weights, SHARE, **how)


def words(errors, of, clusters=None):
    parts = np.stack((errors, of), axis=1).astype(float)[:, None]
    clusters = np.arange(len(parts)) if clusters is None else clusters
    return Parts(parts, clusters, np.zeros(len(parts), np.int64), np.asarray(of, float))


def labels(gold, said, classes, clusters=None, leaf=None):
    gold, said = np.asarray(gold), np.asarray(said)
    said = said[:, None] if said.ndim == 1 else said
    rows, variants = said.shape
    sums = np.zeros((rows, variants, 3 * classes))
    at, of = np.indices(said.shape)
    sums[at, of, 3 * gold[:, None]] += said == gold[:, None]
    sums[at, of, 3 * gold[:, None] + 1] += 1
    known = said >= 0
    sums[at[known], of[known], 3 * said[known] + 2] += 1
    clusters = np.arange(rows) if clusters is None else clusters
    where = np.zeros(rows, np.int64) if leaf is None else leaf
    return Parts(sums, np.asarray(clusters), where, np.ones(rows))


def draw_sample(seed, n, clusters, values, leaves):
    """Scores, clusters, tasks and their weights from a seed: much faster to draw than lists."""
    source = np.random.default_rng(seed)
    leaf = source.integers(0, leaves, n)
    return source.choice(values, n), source.integers(0, clusters, n), leaf, source.uniform(0.1, 5, leaves)


def samples(*values):
    return st.builds(
        draw_sample,
        st.integers(0, 2**32),
        st.integers(1, 60),
        st.integers(1, 13),
        st.sampled_from(values),
        st.sampled_from([1, 4]),
    )


BINARY = ([0.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [1.0])
ANY = (*BINARY, [0.0, 0.25, 1 / 3, 0.5, 1.0], [0.1])


def figures(e):
    return pytest.approx((e.value, e.low, e.high, e.se, e.design_effect), abs=1e-7)


@settings(deadline=None)
@given(correct=st.lists(st.booleans(), min_size=2, max_size=200), confidence=st.floats(0.5, 0.99))
def test_single_items_of_one_task_have_the_plain_wilson_interval(correct, confidence):
    e = shares(np.array(correct, float), confidence=confidence)
    assert e.interval == pytest.approx(wilson(np.mean(correct), len(correct), confidence), abs=1e-9)
    assert e.design_effect == pytest.approx(1)


@settings(deadline=None)
@given(sample=samples(*ANY), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_holds_the_value_and_nothing_is_nan(sample, confidence):
    scores, clusters, leaf, weights = sample
    e = shares(scores, clusters, leaf, weights, confidence=confidence)
    assert 0 <= e.low <= e.value <= e.high <= 1
    assert e.high - e.low > 0.01
    assert math.isfinite(e.se)
    assert e.se >= 0
    assert e.design_effect >= 1 - 1e-9
    there = np.unique(leaf)
    by_task = [scores[leaf == code].mean() for code in there]
    assert e.value == pytest.approx(np.average(by_task, weights=weights[there]), abs=1e-12)
    assert e.n_clusters == len(set(clusters.tolist()))


@settings(deadline=None)
@given(sample=samples(*ANY), seed=st.integers(0, 99))
def test_order_of_items_and_names_of_clusters_do_not_matter(sample, seed):
    scores, clusters, leaf, weights = sample
    e = shares(scores, clusters, leaf, weights)
    order = np.random.default_rng(seed).permutation(len(scores))
    other = shares(
        scores[order], (7 * clusters[order] + 3) % 13 - 40, (len(weights) - 1 - leaf)[order], 3 * weights[::-1]
    )
    assert (other.value, other.low, other.high, other.se, other.design_effect) == figures(e)


@settings(deadline=None)
@given(sample=samples(*ANY))
def test_right_and_wrong_exchanged_mirror_the_interval(sample):
    scores, clusters, leaf, weights = sample
    e, other = shares(scores, clusters, leaf, weights), shares(1 - scores, clusters, leaf, weights)
    assert other.interval == pytest.approx((1 - e.high, 1 - e.low), abs=1e-7)


@settings(deadline=None)
@given(sample=samples(*ANY))
@example(sample=draw_sample(2017, 9, 2, [0.1], 4))  # of which one scale has dust of rounding, the other none
def test_a_longer_scale_stretches_the_interval_and_changes_nothing_else(sample):
    scores, clusters, leaf, weights = sample
    e = shares(scores, clusters, leaf, weights)
    judged = estimate(means(1 + 9 * scores, clusters, leaf), ratio, weights, JUDGED)
    assert (judged.value, *judged.interval) == pytest.approx([1 + 9 * x for x in (e.value, *e.interval)], abs=1e-6)
    assert judged.se == pytest.approx(9 * e.se, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(sample=samples(*BINARY), times=st.integers(2, 5))
def test_copies_of_items_in_their_clusters_are_no_evidence(sample, times):
    *columns, weights = sample
    scores, clusters, leaf = (np.tile(column, 2) for column in columns)  # a clip's only item tells nothing of likeness
    e = shares(scores, clusters, leaf, weights)
    assume(e.design_effect > 1 + 1e-9)  # else items of a clip are less alike than strangers, by chance; copies are not
    more = shares(*(np.tile(column, times) for column in (scores, clusters, leaf)), weights)
    assert more.value == pytest.approx(e.value)
    assert more.high - more.low >= (0.93 if len(weights) == 1 else 0.85) * (e.high - e.low)


@settings(max_examples=60, deadline=None)
@given(sample=samples(*ANY))
def test_variants_that_say_the_same_are_no_evidence(sample):
    scores, clusters, leaf, weights = sample
    e, one = shares(scores, clusters, leaf, weights), means(scores, clusters, leaf)
    three = estimate(msgspec.structs.replace(one, sums=np.repeat(one.sums, 3, axis=1)), ratio, weights, SHARE)
    assert (three.value, three.low, three.high, three.se, three.design_effect) == figures(e)


def test_items_that_are_alike_count_as_their_clips():
    rng = np.random.default_rng(3)
    clips = (rng.random(200) < 0.7).astype(float)
    e = shares(np.repeat(clips, 5), np.repeat(np.arange(200), 5))
    assert e.design_effect == pytest.approx(5, rel=0.02)
    t = student_quantile(0.95, 199)
    assert e.interval == pytest.approx(wilson(clips.mean(), 200, quantile=t), abs=1e-3)


def test_all_right_and_all_wrong_rest_on_the_number_of_clips():
    clips = np.repeat(np.arange(30), 4)
    e = shares(np.ones(120), clips)
    assert e.interval == pytest.approx(wilson(1.0, 30))
    assert e.se == 0
    assert e.design_effect == pytest.approx(4)
    assert shares(np.zeros(120), clips).high == pytest.approx(1 - e.low)


def test_a_perfect_task_of_15_items_never_looks_certain_beside_large_ones():
    scores = np.r_[np.ones(15), (np.arange(1600) % 30 != 0).astype(float)]
    e = shares(scores, None, np.repeat([0, 1], [15, 1600]), [1, 1])
    assert e.value - e.low > (1 - wilson(1.0, 15)[0]) / 2
    assert e.high > e.value


def test_tasks_that_share_clips_are_less_sure_than_tasks_of_their_own():
    rng = np.random.default_rng(1)
    clip = rng.random(60) < 0.7
    scores, leaf = np.tile(clip, 4).astype(float), np.repeat(np.arange(4), 60)
    shared, own = (shares(scores, clips, leaf, np.ones(4)) for clips in (np.tile(np.arange(60), 4), np.arange(240)))
    one = shares(clip.astype(float))
    assert shared.high - shared.low == pytest.approx(one.high - one.low, rel=0.05)
    assert own.high - own.low == pytest.approx((one.high - one.low) / 2, rel=0.1)


def test_many_clips_with_one_wrong_item_do_not_say_that_none_is_wrong_throughout():
    clips = np.repeat(np.arange(20), 30)
    scores = np.ones(600)
    scores[[0, 30, 60, 90, 120, 150]] = 0
    assert shares(scores, clips).low < 0.9


def test_partial_scores_carry_more_than_right_or_wrong():
    partial = np.random.default_rng(5).choice([0.25, 0.5, 0.75], 300)
    e = shares(partial)
    low, high = wilson(partial.mean(), 300)
    assert e.high - e.low < 0.5 * (high - low)


def test_one_cluster_is_the_whole_scale_where_it_has_ends_and_nothing_where_not():
    one = np.full(4, 3)
    assert shares([1, 1, 0, 1], one).interval == (0, 1)
    assert estimate(means([4, 8], [1, 1]), ratio, [1], JUDGED).interval == (1, 10)
    assert estimate(labels([0, 1], [0, 0], 2, [5, 5]), macro_f1, [1], Scale("f1")).interval == (0, 1)
    for scale in (ERRORS, Scale("plain")):
        e = estimate(words([1, 2, 0, 1], [5, 5, 5, 5], one), ratio, [1], scale)
        assert (e.value, e.interval) == (0.2, None)
        assert "one cluster" in e.method


def test_leaves_without_a_value_take_their_weight_away():
    parts = means([1, 0, 1, 1], np.arange(4), [0, 0, 2, 2])
    e = estimate(parts, ratio, [1, 5, 3], SHARE)
    assert e.value == pytest.approx(0.5 / 4 + 3 / 4)
    one = estimate(parts, ratio, [1, 0, 0], SHARE)
    assert (one.value, one.n_clusters) == (0.5, 2)
    nothing = estimate(parts, ratio, [0, 1, 0], SHARE)
    assert (nothing.value, nothing.interval, nothing.n_clusters) == (None, None, 0)


def test_rows_of_size_0_do_not_count():
    sums = np.array([[[1, 1]], [[0, 1]], [[9, 9]]], float)
    parts = Parts(sums, np.arange(3), np.zeros(3, np.int64), np.array([1.0, 1.0, 0.0]))
    e = estimate(parts, ratio, [1], SHARE)
    assert (e.value, e.n_clusters) == (0.5, 2)


def test_error_rates_have_limits_on_the_log_scale():
    rng = np.random.default_rng(2)
    of, errors = rng.integers(5, 30, 200), rng.poisson(2, 200)
    e = estimate(words(errors, of), ratio, [1], ERRORS)
    assert e.value == pytest.approx(errors.sum() / of.sum())
    assert e.value / e.low == pytest.approx(e.high / e.value)
    assert (e.high - e.low) / 4 == pytest.approx(e.se, rel=0.05)


def test_an_error_rate_may_exceed_1_and_says_how_few_clips_hold_half_of_the_errors():
    e = estimate(words([60, 2, 3, 0, 1, 0], [10] * 6), ratio, [1], ERRORS)
    assert e.high > 1.1
    assert e.half_in == 1
    assert estimate(words([2, 2, 2, 2, 2, 2], [10] * 6), ratio, [1], ERRORS).half_in == 3
    assert estimate(words([0, 0], [10, 10]), ratio, [1], ERRORS).half_in is None
    assert shares([1, 0]).half_in is None


def test_no_error_in_few_clips_is_no_certainty():
    e = estimate(words(np.zeros(20), np.full(20, 10)), ratio, [1], ERRORS)
    assert (e.value, e.low) == (0, 0)
    assert e.high == pytest.approx(wilson(0, 20)[1])


def test_macro_f1_of_few_items_of_a_class_is_unsure_on_both_sides():
    gold = np.repeat([0, 1, 2], [200, 200, 6])
    said = gold.copy()
    said[::10] = (said[::10] + 1) % 3
    e = estimate(labels(gold, said, 3), macro_f1, [1], Scale("f1"))
    assert 0 <= e.low < e.value - 0.05 < e.value + 0.02 < e.high <= 1
    perfect = estimate(labels(gold, gold, 3), macro_f1, [1], Scale("f1"))
    assert perfect.value == perfect.high == 1
    assert perfect.low == pytest.approx(1 - (1 - 2 * wilson(1, 6)[0] / (1 + wilson(1, 6)[0])) / 3, abs=0.01)


def test_a_class_that_never_occurs_in_gold_has_no_say_of_its_own():
    gold, said = [0, 0, 1, 1, 1, 0], [0, 2, 1, 2, 0, 0]
    e = estimate(labels(gold, said, 3), macro_f1, [1], Scale("f1"))
    assert e.value == pytest.approx((2 * 2 / (3 + 3) + 2 * 1 / (3 + 1)) / 2)
    assert estimate(labels(gold, said, 9), macro_f1, [1], Scale("f1")).interval == pytest.approx(e.interval)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
def test_confidence_lies_between_0_and_1(confidence):
    with pytest.raises(UsageError, match="confidence"):
        shares([1, 0], confidence=confidence)


def test_the_interval_states_its_confidence_and_widens_with_it():
    clips, scores, leaf = np.repeat(np.arange(20), 3), np.tile([1.0, 1.0, 0.0, 1.0], 15), np.arange(60) % 2
    found = [shares(scores, clips, leaf, [1, 1], confidence=c) for c in (0.8, 0.95, 0.99)]
    assert [e.confidence for e in found] == [0.8, 0.95, 0.99]
    widths = [e.high - e.low for e in found]
    assert widths == sorted(widths)


GOOD = means([1, 0], [0, 1])


@pytest.mark.parametrize(
    ("parts", "weights", "says"),
    [
        (msgspec.structs.replace(GOOD, cluster=np.arange(3)), [1], "one entry a row"),
        (msgspec.structs.replace(GOOD, sums=GOOD.sums[:, 0]), [1], "rows, variants, columns"),
        (msgspec.structs.replace(GOOD, leaf=np.array([0, 1])), [1], "one weight each"),
        (msgspec.structs.replace(GOOD, leaf=np.array([-1, 0])), [1], "one weight each"),
        (msgspec.structs.replace(GOOD, sums=GOOD.sums * np.nan), [1], "no numbers"),
        (msgspec.structs.replace(GOOD, size=np.array([1, np.inf])), [1], "sizes"),
        (msgspec.structs.replace(GOOD, size=np.array([1.0, -1])), [1], "sizes"),
        (GOOD, [-1], "not negative"),
        (GOOD, [0], "not all 0"),
        (GOOD, [np.nan], "finite"),
        (GOOD, 1.0, "one finite number a leaf"),
    ],
)
def test_what_does_not_belong_together_is_refused_in_one_line(parts, weights, says):
    with pytest.raises(UsageError, match=says):
        estimate(parts, ratio, weights, SHARE)


def test_a_measure_that_gives_no_value_of_some_sums_warns_of_nothing():
    def share(sums):
        return sums[..., 0] / sums[..., 1]

    e = estimate(means([1, 0, 1], [0, 1, 2], [0, 0, 2]), share, [1, 1, 1], SHARE)
    assert e.value == 0.75
    endless = estimate(GOOD, lambda sums: sums[..., 0] / (sums[..., 1] - 2), [1], SHARE)
    assert (endless.value, endless.interval) == (None, None)


def test_a_measure_that_gives_something_else_than_one_number_is_named_as_that():
    with pytest.raises(UsageError, match="one number for each row of sums"):
        estimate(GOOD, lambda sums: sums, [1], SHARE)
    with pytest.raises(UsageError, match="one number for each row of sums"):
        estimate(GOOD, lambda sums: 1.0, [1], SHARE)


def test_a_scale_without_known_ends_has_students_limits():
    scores = np.random.default_rng(4).normal(30, 5, 40)
    e = estimate(means(scores, np.arange(40)), ratio, [1], Scale("plain"))
    assert e.value == pytest.approx(scores.mean())
    assert e.se == pytest.approx(scores.std(ddof=1) / math.sqrt(40))
    assert e.high - e.value == pytest.approx(e.value - e.low)
    assert 2.02 < (e.high - e.value) / e.se < 2.2
    assert estimate(means(np.full(40, 30.0), np.arange(40)), ratio, [1], Scale("plain")).interval is None


@pytest.mark.parametrize("size", [1, 30])
def test_a_task_of_one_clip_widens_the_headline_by_its_own_weight_and_no_more(size):
    leaf, clusters = np.r_[np.repeat(np.arange(18), 40), np.full(size, 18)], np.r_[np.arange(720), np.full(size, 720)]
    e = shares((np.arange(len(leaf)) % 5 > 0).astype(float), clusters, leaf, np.ones(19))
    assert 1 / 19 < e.high - e.low < 0.13


def test_a_headline_of_tasks_of_one_item_each_says_something():
    e = shares(np.r_[np.ones(16), np.zeros(4)], leaf=np.arange(20), weights=np.ones(20))
    assert (e.low, e.high) == pytest.approx(wilson(0.8, 20), abs=0.1)


def recalls(gold, right, classes, leaf=None):
    gold, rows = np.asarray(gold), np.arange(len(gold))
    sums = np.zeros((len(gold), 1, 2 * classes))
    sums[rows, 0, 2 * gold], sums[rows, 0, 2 * gold + 1] = right, 1
    return Parts(sums, rows, np.zeros(len(gold), np.int64) if leaf is None else leaf, np.ones(len(gold)))


def test_balanced_accuracy_is_as_sure_as_the_mean_of_tasks_that_are_its_classes():
    gold, right = np.repeat([0, 1, 2], [40, 7, 3]), np.arange(50) % 4 > 0
    leaf = np.r_[np.zeros(45, np.int64), np.ones(5, np.int64)]  # in the second two classes only
    e = estimate(recalls(gold, right, 4, leaf), BALANCED.value, [1, 2], Scale("recall"))
    tasks = shares(right.astype(float), leaf=3 * leaf + gold, weights=[1, 1, 0, 0, 2, 2])
    assert (e.value, e.low, e.high, e.se) == pytest.approx((tasks.value, tasks.low, tasks.high, tasks.se))


@pytest.mark.parametrize("sizes", [(60,), (20, 100, 500), (20,) * 5, (40,) * 19])
def test_all_right_is_no_surer_by_macro_f1_or_balanced_accuracy_than_by_accuracy(sizes):
    leaf, gold = np.repeat(np.arange(len(sizes)), sizes), np.concatenate([np.arange(n) % 4 for n in sizes])
    weights, clusters, alike = np.ones(len(sizes)), np.arange(len(leaf)), np.ones(len(leaf))
    plain = shares(alike, clusters, leaf, weights)
    f1 = estimate(Parts(labels(gold, gold, 4).sums, clusters, leaf, alike), macro_f1, weights, Scale("f1"))
    recall = estimate(recalls(gold, alike, 4, leaf), BALANCED.value, weights, Scale("recall"))
    assert (f1.low, f1.high) == pytest.approx((plain.low, plain.high))
    assert recall.low < plain.low
    assert recall.high == 1


@pytest.mark.parametrize("lonely", [0, 1, 2, 3])
def test_tasks_of_one_clip_each_are_taken_together_wherever_they_stand(lonely):
    draw = np.random.default_rng(1)
    gold, said = draw.integers(0, 2, 60), draw.integers(0, 2, 60)
    task = np.r_[np.zeros(30, np.int64), np.ones(24, np.int64), np.repeat([2, 3, 4], 2)]
    clip = np.r_[np.arange(54), np.repeat([60, 70, 80], 2)]
    kept = task < 2 + lonely
    several = []
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        parts = labels(gold[kept], said[kept], 2, clip[kept], np.array(order)[task[kept]])
        weights = np.zeros(5)
        weights[np.unique(np.array(order)[task[kept]])] = 1
        several.append(estimate(parts, macro_f1, weights, Scale("f1")))
    assert several[0].interval == pytest.approx(several[1].interval)
    assert 0 <= several[0].low < several[0].value < several[0].high <= 1


def test_a_perfect_class_of_few_items_has_a_limit_of_its_own():
    e = estimate(recalls(np.repeat([0, 1], [1000, 5]), np.ones(1005), 2), BALANCED.value, [1], Scale("recall"))
    assert (e.value, e.high) == (1, 1)
    assert 1 - e.low >= (1 - wilson(1, 5)[0]) / 2


def test_two_tasks_of_one_item_are_taken_together_as_far_as_their_weight_goes():
    scores = np.r_[1.0, 0.0, np.arange(80) % 10 > 0]
    e = shares(scores, leaf=np.r_[0, 1, np.repeat([2, 3], 40)], weights=np.ones(4))
    assert e.high - e.low < 0.55


def test_error_rates_of_tasks_of_one_clip_each_have_an_interval_together():
    parts = words([3, 1, 2, 0, 4], [10, 10, 10, 10, 10])
    e = estimate(msgspec.structs.replace(parts, leaf=np.arange(5)), ratio, np.ones(5), ERRORS)
    alike = estimate(parts, ratio, [1], ERRORS)
    assert (e.low, e.value, e.high) == pytest.approx((alike.low, alike.value, alike.high))


def test_an_estimate_holds_few_numbers_a_row_at_a_time():
    """Beside the parts it was given; 30 when copies of all rows and both sides of the scale were held at once."""
    n, leaves = 20_000, 19
    source = np.random.default_rng(5)
    parts = means(source.integers(0, 2, n), np.arange(n) // 3, np.arange(n) % leaves)
    estimate(parts, ratio, np.ones(leaves), SHARE)
    tracemalloc.start()
    estimate(parts, ratio, np.ones(leaves), SHARE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 22 * 8 * n


def test_clusters_may_have_any_codes():
    scores, clusters = [1, 0, 1, 1, 0, 1, 1], np.array([4, 4, 0, 7, 7, 9, 9])
    e = shares(scores, clusters)
    assert e.n_clusters == 4
    for codes in (clusters - 5, clusters * 1_000_000, clusters / 2, np.array(list("ccabbdd"))):
        assert shares(scores, codes) == e


def test_two_clusters_are_enough_for_students_limits():
    e = estimate(means([3.0, 5.0], [0, 1]), ratio, [1], Scale("plain"))
    assert e.interval == pytest.approx((4 - 12.7062, 4 + 12.7062), abs=1e-3)
    rate = estimate(words([3, 5], [10, 10]), ratio, [1], ERRORS)
    assert rate.low * rate.high == pytest.approx(rate.value**2)
    assert math.log(rate.high / rate.value) == pytest.approx(12.7062 * 0.1 / 0.4, abs=1e-3)


def test_macro_f1_of_several_variants_lies_where_the_mean_of_theirs_does():
    rng = np.random.default_rng(3)
    gold = np.repeat([0, 1, 2], [40, 30, 30])
    good = np.where(rng.random(100) < 0.9, gold, (gold + 1) % 3)
    poor = np.where(rng.random(100) < 0.4, gold, rng.integers(0, 3, 100))
    each = labels(gold, np.stack([good, poor], axis=1), 3)
    at_once = msgspec.structs.replace(each, sums=each.sums.sum(axis=1, keepdims=True))
    e, other = (estimate(parts, macro_f1, [1], Scale("f1")) for parts in (each, at_once))
    shift = e.value - other.value
    assert abs(shift) > 0.001
    assert (e.low - other.low, e.high - other.high) == pytest.approx((shift, shift), abs=2e-4)


def test_a_leaf_without_a_value_leaves_the_interval_of_the_others():
    scores, leaf = np.arange(40) % 5 > 0, np.repeat([0, 2], [10, 30])
    e = shares(scores.astype(float), leaf=leaf, weights=[1, 5, 3])
    others = shares(scores.astype(float), leaf=leaf // 2, weights=[1, 3])
    assert (e.value, e.low, e.high, e.se) == pytest.approx((others.value, others.low, others.high, others.se))


@pytest.mark.parametrize(("scores", "clusters"), [([1, 0], [0, 1, 2]), (np.ones((2, 2)), np.ones((2, 2)))])
def test_a_mean_needs_one_column_of_one_length(scores, clusters):
    with pytest.raises(UsageError, match="one entry an item"):
        means(scores, clusters)
