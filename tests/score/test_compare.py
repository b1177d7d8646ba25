"""Paired comparison of two runs."""

import itertools

import pytest

from audiometry.errors import UsageError
from audiometry.records import State
from audiometry.score import compare, score
from audiometry.score.difference import compare as compare_sheets
from audiometry.score.filling import fill
from audiometry.score.measures import MEASURES
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.sheet import CODE


def letters(right, n):
    return {f"item-{i:05}": "ABCD"[i % 4 if i in right else (i + 1) % 4] for i in range(n)}


def test_a_difference_and_its_exact_p(make_benchmark, make_run):
    """Eight items, A right on all, B on three: five clusters differ, all one way, so p = 2 / 2^5."""
    folder = make_benchmark(8)
    a, b = make_run(folder, letters(range(8), 8)), make_run(folder, letters(range(3), 8))
    found = compare(a, b)
    signs = list(itertools.product((1, -1), repeat=5))
    exact = sum(abs(sum(s)) >= 5 for s in signs) / len(signs)
    assert found.difference == pytest.approx(5 / 8)
    assert (found.n_items, found.n_clusters) == (8, 8)
    assert found.p == pytest.approx(exact)
    assert found.tasks["sounds"].p_corrected == pytest.approx(exact)


def test_swapping_the_runs_changes_the_sign_only(make_benchmark, make_run):
    folder = make_benchmark(20)
    a, b = make_run(folder, letters(range(12), 20)), make_run(folder, letters(range(5, 12), 20))
    forth, back = compare(a, b), compare(b, a)
    assert forth.difference == pytest.approx(-back.difference)
    assert forth.p == pytest.approx(back.p)
    assert forth.interval == pytest.approx((-back.interval[1], -back.interval[0]), abs=1e-6)


def test_a_run_against_its_like_shows_nothing(make_benchmark, make_run):
    folder = make_benchmark(10)
    found = compare(*(make_run(folder, letters(range(5), 10)) for _ in range(2)))
    assert (found.difference, found.p) == (0.0, 1.0)
    assert found.interval[0] <= 0 <= found.interval[1]


def test_tasks_are_corrected_together(make_benchmark, make_run):
    folder = make_benchmark([{"task": f"task-{i % 3}"} for i in range(60)])
    a, b = make_run(folder, letters(range(60), 60)), make_run(folder, letters(range(0, 60, 2), 60))
    found = compare(a, b)
    assert len(found.tasks) == 3
    alone = make_benchmark(20)
    one = compare(make_run(alone, letters(range(20), 20)), make_run(alone, letters(range(0, 20, 2), 20)))
    for row in found.tasks.values():
        assert row.p_corrected >= row.p == one.p
        assert row.detectable > one.detectable == one.tasks["sounds"].detectable


def test_only_items_that_both_were_asked_count_and_the_rest_is_said(make_benchmark, make_run):
    folder = make_benchmark(10)
    a = make_run(folder, letters(range(10), 10))
    b = make_run(folder, letters(range(4), 4), limit=4, n_items=4)
    found = compare(a, b)
    assert found.n_items == 4
    assert found.difference == 0
    assert any("6 items" in warning for warning in found.warnings)


def test_items_that_either_run_alone_was_asked_are_all_counted(make_benchmark, make_run):
    folder = make_benchmark([{"task": task} for task in "aabbbccc"])
    one = make_run(folder, letters(range(8), 5), tasks=("a", "b"), n_items=5)
    other = {name: text for name, text in letters(range(8), 8).items() if name > "item-00001"}
    both = make_run(folder, other, tasks=("b", "c"), n_items=6)
    assert "5 items were asked in one run only and are left out" in compare(one, both).warnings


def test_failures_are_warned_about(make_benchmark, make_run):
    folder = make_benchmark(10)
    late = {f"item-{n:05}": {"text": None, "error": {"kind": "timeout", "message": "late"}} for n in range(5, 10)}
    a, b = make_run(folder, letters(range(10), 10)), make_run(folder, letters(range(5), 5) | late)
    found = compare(a, b)
    assert any("50.0 % of the replies failed and count as wrong" in warning for warning in found.warnings)
    assert (found.n_items, found.difference) == (10, 0.5)


@pytest.mark.parametrize("state", [State.FAILED, State.UNJUDGED])
@pytest.mark.parametrize(("lost", "warned"), [(1, False), (2, True)])
def test_more_than_one_lost_in_a_hundred_is_warned_about(make_benchmark, make_run, state, lost, warned):
    folder = make_benchmark(100, clips=False)
    a, b = (
        fill(open_run(make_run(folder, letters(range(n), 100))), PROFILES.named("strict"), MEASURES.named("accuracy"))
        for n in (100, 40)
    )
    b.state[:lost] = CODE[state]
    said = [one for one in compare_sheets(a, b).warnings if "before you rank it" in one]
    assert len(said) == warned
    assert all(one.startswith(f"{b.run.folder.path}: ") and "2.0 %" in one for one in said)


def test_variants_that_only_one_run_asked_are_said(make_benchmark, make_run):
    folder = make_benchmark(4)
    one = letters(range(4), 4)
    both = one | {(item, "order-1"): text for item, text in one.items()}
    a, b, c = (make_run(folder, both if two else one, variants=("plain", "order-1")[: 1 + two]) for two in (0, 1, 1))
    said = "the runs asked different variants (plain / 2 orders): each has its own mean over them, on the items of "
    said += "both"
    assert said in compare(a, b).warnings
    assert said not in compare(b, c).warnings
    assert (compare(a, b).in_pairs, compare(b, c).in_pairs) == (False, True)


def test_what_one_run_was_never_asked_is_no_failure_and_is_left_out(make_benchmark, make_run):
    folder = make_benchmark(10)
    a, b = make_run(folder, letters(range(10), 10)), make_run(folder, letters(range(5), 5))
    found = compare(a, b)
    assert (found.n_items, found.difference) == (5, 0.0)
    (said,) = [said for said in found.warnings if "left out" in said]  # one thing is said once
    assert f"{b} is not finished: 50.0 % of its replies are not asked for yet" in said
    assert "failed" not in " ".join(found.warnings)
    assert "wrong" not in " ".join(found.warnings)


@pytest.mark.parametrize("came", [0, 5, 40])
def test_a_run_does_not_differ_from_its_own_beginning(make_benchmark, make_run, came):
    """All plain replies come before the first of another order; what one run has not been asked counts in neither."""
    folder, orders = make_benchmark(60), ("plain", "order-1")
    right = letters(range(60), 60)
    every = {(item, "plain"): text for item, text in right.items()}
    every |= {(item, "order-1"): "ABCD"[(k + (k % 10 < 8)) % 4] for k, item in enumerate(right)}
    begun = {place: text for k, (place, text) in enumerate(every.items()) if k < 60 + came}
    a, b = (make_run(folder, replies, variants=orders) for replies in (every, begun))
    for found in (compare(a, b), compare(b, a)):
        assert (found.difference, found.p, found.n_effective) == (0.0, 1.0, 0.0)
        assert (found.n_items, found.n_came, found.n_waiting) == (60, 60, 60 - came)
        assert all(row.difference == 0 for row in found.tasks.values())
        (said,) = [said for said in found.warnings if "not finished" in said]
        assert f"these {60 - came} are left out of both runs" in said


def test_a_reply_that_the_rules_drop_on_one_side_is_dropped_on_the_other(make_benchmark, make_run):
    folder, orders = make_benchmark(40), ("plain", "order-1")
    right = letters(range(40), 40)
    a = {(item, variant): text for item, text in right.items() for variant in orders}
    a |= {(item, "order-1"): "ABCD"[(k + 1) % 4] for k, item in enumerate(right) if k % 5}
    b = a | {(item, "order-1"): "no idea" for k, item in enumerate(right) if k > 3}
    runs = [make_run(folder, replies, variants=orders) for replies in (a, b)]
    found = compare(*runs, "airbench")
    assert (found.n_items, found.difference, found.p) == (40, 0.0, 1.0)
    assert found.score_a == (1 + 1 / 4) / 2  # of order-1 the four that count in both
    assert any("36 replies do not count in both runs" in said for said in found.warnings)
    assert compare(*runs).difference > 0  # where they count as wrong nothing is left out


def test_different_benchmarks_cannot_be_compared(make_benchmark, make_run):
    a = make_run(make_benchmark(3), {})
    b = make_run(make_benchmark(4), {})
    with pytest.raises(UsageError, match="only runs of the same version"):
        compare(a, b)


def test_categories_are_compared_as_the_score_averages_them(make_benchmark, make_run):
    kinds = (("ring", "sound"), ("bark", "sound"), ("who", "speech"))
    items = [{"task": kinds[0 if i < 10 else 1 if i < 40 else 2][0]} for i in range(60)]
    names = "".join(f'\n[[task]]\nname = "{task}"\ncategory = "{category}"\n' for task, category in kinds)
    folder = make_benchmark(items, card=f'[benchmark]\nname = "three"\nversion = "1"\n{names}')
    a, b = make_run(folder, letters(range(60), 60)), make_run(folder, letters([*range(5), *range(20, 60)], 60))
    found = compare(a, b)
    own = score(open_run(b)).scores["strict"].categories
    assert list(found.categories) == ["sound", "speech"]
    assert {name: row.score_b for name, row in found.categories.items()} == {n: row.value for n, row in own.items()}
    assert found.categories["sound"].difference == pytest.approx((5 / 10 + 10 / 30) / 2)
    assert found.difference == pytest.approx(sum(row.difference for row in found.categories.values()) / 2)
    assert all(row.p_corrected >= row.p for row in found.categories.values())


FAILED = {"error": {"kind": "timeout", "message": "late"}}


def test_a_difference_of_failures_alone_is_told_as_that(make_benchmark, make_run):
    folder = make_benchmark(30)
    ids = [f"item-{i:05}" for i in range(30)]
    well, down = make_run(folder, letters(range(30), 30)), make_run(folder, dict.fromkeys(ids, FAILED))
    with pytest.raises(UsageError, match="no reply came, so there is nothing to compare"):
        compare(well, down)
    never = make_run(folder, {})  # whatever the rules
    with pytest.raises(UsageError, match=rf"^{never}: no reply came, so there is nothing to compare; audiometry run"):
        compare(well, never)
    most = make_run(folder, letters(range(30), 30) | dict.fromkeys(ids[:4], FAILED))
    few = make_run(folder, letters(range(30), 30) | dict.fromkeys(ids[4:], FAILED))
    found = compare(most, few)
    assert found.p < 0.05
    assert (found.by_failures, found.n_came) == (True, 0)
    assert found.verdict(found.p) == "differ by failures alone, since there is no item without one"
    part = make_run(folder, letters(range(30), 30) | dict.fromkeys(ids[10:], FAILED))
    found = compare(well, part)
    assert (found.by_failures, found.n_came) == (True, 10)
    assert "differ by failures alone: on the 10 items without one they cannot be told apart" in found.verdict(found.p)
    assert found.verdict(0.05) == "cannot be told apart on these items"
    worse = make_run(folder, letters([], 30) | {ids[0]: FAILED})
    found = compare(well, worse)
    assert (found.by_failures, found.n_came) == (False, 29)
    assert found.verdict(found.p) == "differ"
    assert not compare(well, make_run(folder, letters(range(29), 30))).by_failures
