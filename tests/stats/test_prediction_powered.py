"""The mean of labels that some items have, by predictions of all: against ppi-python, by properties, by simulation."""

from __future__ import annotations

import importlib.util
import math
import os
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry.errors import UsageError
from audiometry.seeds import generator
from audiometry.stats.balance import balance
from audiometry.stats.prediction_powered import best_tuning, prediction_powered, sample
from audiometry.stats.quantile import student_quantile
from audiometry.stats.wilson import wilson

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "statistics" / "prediction_powered.py"
SPEC = importlib.util.spec_from_file_location("statistics_prediction_powered", SCRIPT)
simulation = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = simulation
SPEC.loader.exec_module(simulation)
Setting = simulation.Setting

WIDE = (-1e6, 1e6)  # a scale that clips nothing


@pytest.fixture(scope="module")
def ppi():
    """The package ppi-python; what it compiles with numba is none of what is asked of it here."""
    if importlib.util.find_spec("ppi_py") is None:
        missing = pytest.fail if os.environ.get("CI", "").lower() == "true" else pytest.skip
        missing("ppi-python is missing; `make dev` installs it")
    numba = types.ModuleType("numba")
    numba.njit = lambda function=None, **_: function or (lambda one: one)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "numba", numba)
        yield importlib.import_module("ppi_py.ppi")


def drawn(seed: int, n: int = 40, others: int = 300, slope: float = 0.7):
    """Predictions of all items, of which the first ``n`` have labels; independent items of one task."""
    rng = generator(seed, "ppi")
    f = rng.normal(5, 2, n + others)
    y = slope * f[:n] + rng.normal(0, 1, n)
    return f, y, alike(n, n + others)


def alike(n: int, whole: int):
    return sample(np.arange(whole) < n, np.arange(whole), np.zeros(whole, int), [1.0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_independent_items_give_what_ppi_python_gives(ppi, seed, lam):
    n, others = 40, 300
    f, y, of = drawn(seed, n, others)
    found = prediction_powered(f, y, of, scale=WIDE, tuning=lam * (n + others) / others)
    assert found.value == pytest.approx(ppi.ppi_mean_pointestimate(y, f[:n], f[n:], lam=lam), rel=1e-9)
    low, high = (float(limit[0]) for limit in ppi.ppi_mean_ci(y, f[:n], f[n:], alpha=0.3173105078629141, lam=lam))
    # its variances divide by n; ours by n - 1, each part by its own
    of_others = lam**2 * f[n:].var() / others
    of_labelled = ((high - low) / 2) ** 2 - of_others
    variance = of_others * others / (others - 1) + of_labelled * n / (n - 1)
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert found.df == pytest.approx(n - 1)
    # to its variance comes one label more at each end of the scale, predicted as well as those that were met
    error = y - lam * (n + others) / others * f[:n]
    unmet = math.sqrt(min(1.0, error.var() / y.var())) / n
    t, (lowest, highest) = student_quantile(0.95, found.df), WIDE
    assert found.value - found.low == pytest.approx(t * math.hypot(found.se, unmet * (found.value - lowest)))
    assert found.high - found.value == pytest.approx(t * math.hypot(found.se, unmet * (highest - found.value)))


@pytest.mark.parametrize("seed", range(3))
def test_items_drawn_unlike_weigh_as_in_ppi_python(ppi, seed):
    f, y, _ = drawn(seed)
    odds = generator(seed, "odds").uniform(0.05, 1, len(f))
    n = len(y)
    of = sample(np.arange(len(f)) < n, np.arange(len(f)), np.zeros(len(f), int), [1.0], odds)
    for lam in (0.0, 0.4, 1.0):
        (theirs,) = ppi.ppi_mean_pointestimate(y, f[:n], f, lam=lam, w=1 / odds[:n])
        assert prediction_powered(f, y, of, scale=WIDE, tuning=lam).value == pytest.approx(float(theirs), rel=1e-9)


@pytest.mark.parametrize("slope", [-0.5, 0.0, 0.7, 3.0])
def test_the_tuning_is_the_one_with_the_smallest_variance_and_near_ppi_pythons(ppi, slope):
    n, others = 400, 1600
    f, y, of = drawn(5, n, others, slope)
    t = best_tuning(f, y, of)
    lam = t * others / (n + others)
    assert 0 <= lam <= 1
    steps = np.linspace(0, (n + others) / others, 501)
    spread = [prediction_powered(f, y, of, scale=WIDE, tuning=step).se for step in steps]
    assert abs(t - steps[int(np.argmin(spread))]) <= steps[1]
    (theirs,) = ppi.ppi_mean_pointestimate(y, f[:n], f[n:])
    lam_of_theirs = (theirs - y.mean()) / (f[n:].mean() - f[:n].mean())
    assert lam == pytest.approx(lam_of_theirs, abs=0.05)  # it pools the variance of the predictions, we do not
    if slope < 0:
        assert t == 0  # predictions that mislead are not used


def test_tasks_are_weighted_and_each_is_set_right_by_its_own_labels():
    judge = np.array([9.0, 9, 9, 9, 4, 4, 4, 4])
    task = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    of = sample([True, True, False, False] * 2, np.arange(8), task, [3.0, 1.0])
    found = prediction_powered(judge, [7, 7, 5, 5], of, scale=(1, 10), tuning=1)
    assert found.value == pytest.approx((3 * 7 + 5) / 4)


@pytest.mark.parametrize("n_tasks", [2, 3])
def test_variances_of_tasks_add_up(n_tasks):
    rng = generator(9, "tasks")
    n = 90 * n_tasks
    task, weights = np.arange(n) % n_tasks, np.arange(1.0, n_tasks + 1)
    f = rng.normal(5 + task, 1 + task)
    known = rng.permutation(n) < n // 3
    y = f[known] + rng.normal(0, 1, int(known.sum()))
    whole = prediction_powered(f, y, sample(known, np.arange(n), task, weights), scale=WIDE, tuning=0.8)
    parts = []
    for code in range(n_tasks):
        here = task == code
        of = sample(known[here], np.arange(here.sum()), np.zeros(here.sum(), int), [1.0])
        parts.append(prediction_powered(f[here], y[here[known]], of, scale=WIDE, tuning=0.8))
    share = weights / weights.sum()
    assert whole.value == pytest.approx(share @ [one.value for one in parts])
    assert whole.se**2 == pytest.approx(share**2 @ [one.se**2 for one in parts])


def test_what_is_fitted_to_the_data_costs_a_degree_of_freedom():
    f, y, of = drawn(2)
    tuned = prediction_powered(f, y, of, scale=WIDE)
    assert 0 < tuned.tuning < 1
    assert tuned.df == pytest.approx(of.df - 1) == pytest.approx(38)
    assert prediction_powered(f, y, of, scale=WIDE, tuning=tuned.tuning).df == of.df


def test_degrees_of_freedom_are_the_clusters_less_the_tasks():
    known, task = np.tile([True, False], 60), np.repeat([0, 1], 60)
    assert sample(known, np.arange(120), task, [1.0, 1.0]).df == pytest.approx(60 - 2)
    assert sample(known, np.arange(120), task, [3.0, 1.0]).df == pytest.approx(29 * (9 + 1) ** 2 / (81 + 1))
    assert sample(known, np.arange(120), task, [1.0, 1.0]).df_others == pytest.approx(60 - 2)
    alone = sample([True, False, False], np.arange(3), np.zeros(3, int), [1.0])
    assert (alone.df, alone.df_others) == (1, 1)
    assert prediction_powered([1, 2, 3], [4], alone, scale=(1, 10)).df == 1


@pytest.mark.parametrize(("others", "guarded"), [(9, True), (10, False)])
def test_ten_clusters_that_differ_are_enough_to_go_by(others, guarded):
    labels = np.full(40, 10.0)
    labels[:others] = 9.0
    found = prediction_powered(np.full(400, 5.0), labels, alike(40, 400), scale=(1, 10))
    assert found.tuning == 0  # predictions that are all alike tell nothing
    plain = student_quantile(0.95, 39) * found.se  # above: the top is too near for one not met to count
    assert (found.high - found.value > 1.01 * plain) is guarded


def test_limits_leave_room_for_one_more_score_at_the_end_of_the_scale_that_was_not_met():
    """Among 40 scores of 7 and 8 there may just not have been the 1 that comes once in thirty."""
    labels, of = np.where(np.arange(40) % 2, 7.0, 8.0), alike(40, 400)
    t = student_quantile(0.95, 39)
    found = prediction_powered(np.full(400, 5.0), labels, of, scale=(1, 10))
    assert found.value - found.low == pytest.approx(t * math.hypot(found.se, 6.5 / 40))
    assert found.high - found.value == pytest.approx(t * math.hypot(found.se, 2.5 / 40))
    close = np.full(400, 7.5)
    close[:40] = labels + np.where(np.arange(40) % 4 < 2, 0.1, -0.1)  # by a judge that would have told it
    told = prediction_powered(close, labels, of, scale=(1, 10), tuning=1)
    assert told.value - told.low < (found.value - found.low) / 3


def test_the_spread_of_the_predictions_counts_beside_what_was_not_met():
    f = np.tile([1.0, 8.0], 150)
    chosen = sample(np.arange(300) % 5 == 0, np.arange(300), np.zeros(300, int), [1.0])
    found = prediction_powered(f, f[chosen.labelled] + 1, chosen, scale=(1, 10))
    assert found.tuning == pytest.approx(1, abs=0.02)
    steady = 1.959964 * 3.5 / math.sqrt(300)
    _, most = wilson(0.0, 60, quantile=student_quantile(0.95, found.df))
    assert found.value - found.low == pytest.approx(math.hypot(steady, most * 9), rel=0.02)
    f = np.tile([4.0, 6.0], 150)  # here the labels alone say more than predictions of whose errors nothing was seen
    y = f[chosen.labelled] + 1
    found, alone = (prediction_powered(f, y, chosen, scale=(1, 10), tuning=tuning) for tuning in (None, 0.0))
    assert found == alone


def test_items_of_a_cluster_are_one_piece_of_evidence():
    rng = generator(3, "clusters")
    f, y = rng.normal(5, 1, 200), rng.normal(5, 1, 40)
    known, one = np.arange(200) < 40, np.zeros(200, int)
    single = prediction_powered(f, y, sample(known, np.arange(200), one, [1.0]), scale=WIDE, tuning=1)
    both = sample(np.repeat(known, 3), np.repeat(np.arange(200), 3), np.zeros(600, int), [1.0])
    thrice = prediction_powered(np.repeat(f, 3), np.repeat(y, 3), both, scale=WIDE, tuning=1)
    assert thrice.se == pytest.approx(single.se)  # three items that say the same say no more than one
    assert (thrice.df, thrice.n_clusters, thrice.n) == (pytest.approx(single.df), 40, 120)


def test_a_cluster_with_and_without_labels_moves_as_one():
    """Half of each clip's items are labelled: what the predictions gain on the labelled they gain on the others too."""
    rng = generator(4, "halves")
    level = np.repeat(rng.normal(5, 2, 50), 2)
    known = np.tile([True, False], 50)
    together = sample(known, np.repeat(np.arange(50), 2), np.zeros(100, int), [1.0])
    apart = sample(known, np.arange(100), np.zeros(100, int), [1.0])
    found, naive = (prediction_powered(level, level[known], of, scale=WIDE, tuning=1).se for of in (together, apart))
    assert found == pytest.approx(level[known].std(ddof=1) / math.sqrt(50))
    assert naive < 0.8 * found


def test_with_every_label_known_predictions_say_nothing():
    f, y, _ = drawn(8, 60, 0)
    found = prediction_powered(f, y, alike(60, 60), scale=WIDE)
    assert (found.tuning, found.value) == (0, pytest.approx(y.mean()))
    assert not balance(f, alike(60, 60)).differ


def test_what_hardly_varies_is_not_taken_for_certain():
    judge = np.full(300, 9.0)
    found = prediction_powered(judge, np.full(30, 10.0), alike(30, 300), scale=(1, 10))
    assert (found.value, found.high, found.se) == (10, 10, 0)
    assert 8.5 < found.low < 9.2  # 0 of 30: as many as one in eight may lie anywhere on the scale
    labels = np.full(30, 10.0)
    labels[0] = 6
    assert prediction_powered(judge, labels, alike(30, 300), scale=(1, 10)).low < 9.4
    known = np.arange(300) >= 240  # a fifth are known to be 1 whatever is drawn; of the others 30, or 200, are
    for n, least in ((30, 0.9), (200, 0.15)):
        odds = np.where(known, 1.0, n / 240)
        of = sample(known | (np.arange(300) < n), np.arange(300), np.zeros(300, int), [1.0], odds)
        judge, labels = np.where(known, 1.0, 9.0), np.where(known, 1.0, 10.0)[of.labelled]
        mixed = prediction_powered(judge, labels, of, scale=(1, 10))
        assert mixed.value == pytest.approx(0.2 * 1 + 0.8 * 10)
        assert mixed.value - mixed.low > 0.8 * least  # as above, of four fifths
        assert of.drawn.sum() == n
        if n == 30:  # 0 of as many as were drawn, of four fifths of the weight, each wrong by as much as the scale
            _, most = wilson(0.0, n, quantile=student_quantile(0.95, mixed.df))
            assert mixed.value - mixed.low == pytest.approx(0.8 * most * 9)
    shifted = np.repeat([3.0, 7.0], 150)
    chosen = sample(np.tile([True] * 3 + [False] * 12, 20), np.arange(300), np.zeros(300, int), [1.0])
    sure = prediction_powered(shifted, shifted[chosen.labelled] + 1, chosen, scale=(1, 10))
    assert sure.high - sure.value > 0.5  # a judge that is one too low in all of 60 cases need not always be


@given(st.integers(0, 10_000), st.integers(30, 60), st.integers(1, 4), st.booleans())
@settings(max_examples=40, deadline=None)
def test_limits_hold_the_value_and_lie_on_the_scale_whatever_is_given(seed, n_labelled, n_tasks, weighed):
    rng = np.random.default_rng(seed)
    n = 200
    task = rng.integers(0, n_tasks, n)
    known = np.zeros(n, bool)
    known[rng.permutation(n)[:n_labelled]] = True
    known[[int(np.argmax(task == one)) for one in range(n_tasks)]] = True
    weights = rng.uniform(0.1, 1, n_tasks)
    odds = rng.uniform(0.01, 1, n) if weighed else None
    cluster = rng.integers(0, 80, n)
    f, y = rng.integers(1, 11, n).astype(float), rng.integers(1, 11, int(known.sum())).astype(float)
    of = sample(known, cluster, task, weights, odds)
    found = prediction_powered(f, y, of, scale=(1, 10))
    assert 1 <= found.low <= found.value <= found.high <= 10
    order = rng.permutation(n)
    mixed = sample(known[order], cluster[order], task[order], weights, None if odds is None else odds[order])
    labels = np.zeros(n)
    labels[known] = y
    again = prediction_powered(f[order], labels[order][known[order]], mixed, scale=(1, 10))
    assert again.low == pytest.approx(found.low, rel=1e-9)  # the order of lines says nothing
    moved = prediction_powered(3 * f + 2, y, of, scale=(1, 10))
    assert moved.value == pytest.approx(found.value, abs=1e-6) or moved.tuning != pytest.approx(found.tuning / 3)


def test_what_was_not_drawn_alike_is_told_by_what_is_known_of_all():
    n, rng = 400, generator(6, "balance")
    place = np.arange(n) / n
    first = alike(40, n)
    assert balance(place, first).differ
    assert balance(place, first).labelled < balance(place, first).everything == pytest.approx(place.mean())
    chosen = rng.permutation(n) < 40
    assert not balance(place, sample(chosen, np.arange(n), np.zeros(n, int), [1.0])).differ
    judge = rng.normal(5, 2, n)
    low = judge < np.sort(judge)[40]
    assert balance(judge, sample(low, np.arange(n), np.zeros(n, int), [1.0])).differ
    odds = np.where(judge < 5, 0.3, 0.05)
    asked = rng.random(n) < odds
    assert balance(judge, sample(asked, np.arange(n), np.zeros(n, int), [1.0])).differ
    assert not balance(judge, sample(asked, np.arange(n), np.zeros(n, int), [1.0], odds)).differ


@pytest.mark.parametrize("clusters", [30, 97, 99])
def test_items_drawn_alike_are_hardly_ever_said_not_to_be(clusters):
    told = 0
    for number in range(300):
        rng = generator(7, "alarm", str(number))
        judge = np.clip(np.round(rng.normal(8, 2, 200)), 1, 10)
        cluster = np.arange(200) // 2
        chosen = (rng.permutation(100) < clusters)[cluster]
        told += balance(judge, sample(chosen, cluster, np.arange(200) % 3, np.ones(3))).differ
    assert told <= 3  # a thousandth is promised, 0.3 expected


@pytest.mark.parametrize("same", [7.0, 1 / 3, -8.5e5])
def test_what_is_the_same_of_all_says_nothing_of_how_items_were_drawn(same):
    rng = generator(8, "the same of all", repr(same))
    for _ in range(20):
        task = np.unique(rng.integers(0, 5, 200), return_inverse=True)[1]
        chosen = rng.random(200) < 0.5
        of = sample(chosen, np.arange(200), task, np.bincount(task).astype(float))
        assert not balance(np.full(200, same), of).differ


def test_where_every_item_is_labelled_none_was_drawn():
    place, whole = np.arange(400) / 400, np.full(400, fill_value=True)
    assert not balance(place, sample(whole, np.arange(400), np.zeros(400, int), [1.0])).differ
    odds = np.where(place < 0.5, 0.01, 1.0)
    assert not balance(place, sample(whole, np.arange(400), np.zeros(400, int), [1.0], odds)).differ


@pytest.mark.parametrize(
    "given_wrong",
    [
        {"labelled": [True, False, False, False], "strata": [0, 0, 1, 1], "weights": [1, 1]},
        {"weights": [-1.0]},
        {"weights": [0.0]},
        {"weights": [math.nan]},
        {"propensity": [0.0, 1, 1, 1]},
        {"propensity": [5e-324, 1, 1, 1]},
        {"propensity": [1.5, 1, 1, 1]},
        {"propensity": [math.nan, 1, 1, 1]},
    ],
)
def test_what_no_mean_can_be_made_of_is_refused(given_wrong):
    usual = {"labelled": [True, True, False, False], "clusters": range(4), "strata": [0] * 4, "weights": [1.0]}
    with pytest.raises(UsageError):
        sample(**usual | given_wrong)


@pytest.mark.parametrize(
    ("f", "y"), [([1, 2, 3, math.nan], [1, 2]), ([1, 2, 3, 4], [1, 11]), ([1, 2, 3, 4], [1, math.nan])]
)
def test_numbers_off_the_scale_are_refused(f, y):
    with pytest.raises(UsageError):
        prediction_powered(f, y, alike(2, 4), scale=(1, 10))


@pytest.mark.parametrize(
    "setting",
    [
        Setting("lenient"),
        Setting("noisy", "high"),
        Setting("one order", "split"),
        Setting("people's", "split"),
        Setting("noisy", clusters=40, items=900, per_cluster=3),
        Setting("lenient", clusters=60, items=600, per_cluster=1, tasks=4),
        Setting("one order", clusters=60, drawn="propensity"),
        Setting("noisy", "seven", clusters=60),
    ],
    ids=str,
)
def test_a_95_percent_interval_holds_what_people_would_say(setting):
    replicates = 200
    covered, _, width, alone = simulation.coverage(setting, replicates)
    assert covered >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / replicates)
    assert width < 0.9 * alone or setting.judge == "noisy"  # what the judge is for
