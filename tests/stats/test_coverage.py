"""The promises of the statistics, measured: each test simulates runs whose truth is known.

The worlds are those of the tables in the documentation. Every one has a fixed seed, and its tolerance is three standard
errors of its own simulation beyond the promised 93 % and 6 %.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from audiometry.seeds import generator
from audiometry.stats.estimate import estimate

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "statistics"


def _loaded(name, file):
    spec = importlib.util.spec_from_file_location(name, FOLDER / file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


worlds = _loaded("worlds", "worlds.py")
coverage = _loaded("statistics_coverage", "coverage.py")  # plain "coverage" is the package that measures the tests
World = worlds.World
FEW, SOME = 250, 120  # replicates of an interval, of a comparison


def noise(rate, replicates):
    return 3 * math.sqrt(rate * (1 - rate) / replicates)


@pytest.mark.parametrize(
    "world",
    [
        World("accuracy", (20, 100, 500), rate=0.95),
        World("accuracy", (15, *(200,) * 8), rate=0.97, weights=(8, *(1,) * 8)),
        World("accuracy", (20,) * 5, "shared", 0.8, 0.97),
        World("accuracy", (390, 390), "ten", 0.8, 0.9),
        World("accuracy", (600,), "few 30", 0.8, 0.9),
        World("judged", (50,), shape="top"),
        World("judged", (100,), shape="five"),
        World("judged", (60,), shape="seven"),
        World("macro F1", (60,), rate=0.8, shape="7 even"),
        World("macro F1", (60,), rate=0.95, shape="2 halved"),
        World("balanced accuracy", (60,), rate=0.87, shape="2 tenths"),
        World("balanced accuracy", (1010,), rate=0.87, shape="3 tenths"),
        World("WER", (200,), rate=0.1, shape="gamma 2"),
    ],
    ids=str,
)
def test_a_95_percent_interval_holds_the_truth_in_at_least_93(world):
    assert coverage.covered(world, FEW).holds >= 0.93 - noise(0.93, FEW)


@pytest.mark.parametrize("world", [World("accuracy", (300,), "few 5", 0.3, 0.6), World("accuracy", (500,), rate=0.85)])
def test_where_there_is_enough_to_see_it_holds_it_in_no_more_than_97(world):
    assert coverage.covered(world, FEW).holds <= 0.97 + noise(0.97, FEW)


@pytest.mark.parametrize(
    "world",
    [
        World("accuracy", (600,), rate=0.6),
        World("accuracy", (15, *(200,) * 8), rate=0.9, weights=(8, *(1,) * 8)),
        World("macro F1", (60,), rate=0.5, shape="7 even"),
        World("balanced accuracy", (60,), rate=0.87, shape="2 tenths"),
        World("judged", (20, 100, 500), shape="middle"),
    ],
    ids=str,
)
def test_models_that_are_equal_differ_at_5_percent_in_at_most_6(world):
    found = coverage.compared(world, SOME, swaps=199)
    assert found.rejects <= 0.06 + noise(0.06, SOME)
    assert found.holds >= 0.93 - noise(0.93, SOME)


def test_a_true_difference_is_found_and_lies_in_its_interval():
    found = coverage.compared(World("accuracy", (600,), rate=0.6, gain=0.1), SOME, swaps=199)
    assert found.holds >= 0.93 - noise(0.93, SOME)
    assert found.rejects > 0.8


def test_the_naive_interval_would_fail_where_ours_holds():
    world, naive = World("accuracy", (400,), "few 8", 0.8, 0.7), 0
    rng = generator(1, "naive")
    for _ in range(100):
        run = worlds.draw(world, rng)
        run.a.cluster[:] = np.arange(400)
        e = estimate(run.a, world.value, world.tree, world.scale)
        naive += e.low <= run.truth <= e.high
    assert naive / 100 < 0.75
    assert coverage.covered(world, FEW).holds >= 0.93 - noise(0.93, FEW)


def test_the_coverage_of_single_items_is_a_binomial_sum():
    def held(k):
        e = estimate(worlds.means((np.arange(20) < k).astype(float), np.arange(20)), worlds.ratio, [1], worlds.SHARE)
        return e.low <= 0.9 <= e.high

    exact = sum(binom.pmf(k, 20, 0.9) for k in range(21) if held(k))
    assert coverage.exact_coverage(20, 0.9) == pytest.approx(exact)


@pytest.mark.parametrize("alike", ["luck", "beta"])
def test_the_simulated_items_are_as_alike_as_stated(alike):
    run = worlds.draw(World("accuracy", (20_000,), "few 2", 0.3, 0.7, alike=alike), generator(1, alike))
    right = run.a.sums[:, 0, 0]
    assert right.mean() == pytest.approx(0.7, abs=0.02)
    assert np.corrcoef(right[0::2], right[1::2])[0, 1] == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize(
    "world",
    [
        World("judged", (40_000,), shape="high", gain=0.05),
        World("WER", (40_000,), rate=0.1, shape="gamma 1"),
        World("WER", (40_000,), rate=0.1, shape="bursts 0.1"),
        World("macro F1", (40_000,), rate=0.8, shape="4 halved"),
        World("balanced accuracy", (40_000,), rate=0.8, shape="2 tenths"),
        World("accuracy", (20_000, 20_000), rate=0.8, gain=0.03),
    ],
    ids=str,
)
def test_the_stated_truth_is_what_many_items_give(world):
    run = worlds.draw(world, generator(2, repr(world)))
    values = [
        float(world.tree @ [world.value(p.sums[p.leaf == leaf].sum(axis=0))[0] for leaf in range(len(world.sizes))])
        for p in (run.a, run.b)
    ]
    assert values[0] == pytest.approx(run.truth, rel=0.03)
    assert values[0] - values[1] == pytest.approx(run.difference, abs=0.03 * run.truth)


@pytest.mark.slow
def test_the_intervals_keep_their_promise_in_every_world():
    every = [*coverage.headlines(), *coverage.alone(), *coverage.judged(), *coverage.labelled(), *coverage.balanced()]
    found = np.array([coverage.covered(world, 150).holds for world in every])
    assert found.min() >= 0.93 - 4 * math.sqrt(0.93 * 0.07 / 150)  # the lowest of some 280
    assert found.mean() >= 0.95


@pytest.mark.slow
def test_the_comparison_keeps_its_promise_in_every_world():
    found = [coverage.compared(world, 100, swaps=199) for world in coverage.pairs()]
    assert min(one.holds for one in found) >= 0.93 - 4 * math.sqrt(0.93 * 0.07 / 100)
