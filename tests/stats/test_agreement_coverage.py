"""The intervals of agreement hold the truth as often as they say, in simulated studies whose truth is known."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "statistics" / "agreement.py"
SPEC = importlib.util.spec_from_file_location("statistics_agreement", SCRIPT)
simulation = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = simulation
SPEC.loader.exec_module(simulation)
Setting = simulation.Setting
simulation.LARGE = 100_000  # of the truth the tests need less than the tables


def noise(replicates, times=3):
    return times * math.sqrt(0.93 * 0.07 / replicates)


def test_the_simulated_truth_is_what_arithmetic_says():
    setting = Setting("choices", 100, right=0.9)
    both = 0.9 * 0.9 + (1 - 0.9 * 0.9) / 4
    assert simulation.truth(setting, "share") == pytest.approx(both, abs=0.003)
    assert simulation.truth(setting, "kappa") == pytest.approx((both - 0.25) / 0.75, abs=0.004)
    assert simulation.truth(setting, "alpha, nominal") == pytest.approx((both - 0.25) / 0.75, abs=0.004)


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        (Setting("choices", 100, right=0.9), "kappa"),
        (Setting("choices", 50, right=0.99), "kappa"),
        (Setting("choices", 100, right=0.6), "alpha, nominal"),
        (Setting("scores", 100, noise=1.0), "tau-b"),
        (Setting("scores", 60, 4, noise=1.0), "rho"),
        (Setting("scores", 100, noise=1.0), "alpha, interval"),
    ],
    ids=str,
)
def test_a_95_percent_interval_holds_the_truth(setting, name, monkeypatch):
    monkeypatch.setattr(simulation, "RESAMPLES", 300)
    assert simulation.coverage(setting, name, 120) >= 0.93 - noise(120)


@pytest.mark.slow
@pytest.mark.parametrize("setting", [s for s in simulation.grid() if s.items > 20], ids=str)
def test_the_promise_is_kept_over_the_grid(setting):
    for name in simulation.STATISTICS[setting.what]:
        assert simulation.coverage(setting, name, 200) >= 0.92 - noise(200, 4), name  # the lowest of some 120
