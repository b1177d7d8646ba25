"""What the split of a score claims, on simulated runs of known truth; benchmarks/statistics has the long version."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "statistics" / "prompts.py"


@pytest.fixture(scope="module")
def simulated():
    spec = importlib.util.spec_from_file_location("prompts", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["prompts"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["prompts"]


def test_each_source_adds_what_the_score_moves_where_it_alone_is_drawn_anew(simulated):
    for setting in simulated.SETTINGS:
        true, ours = simulated.errors(setting, 60)
        both = dict(zip(simulated.SOURCES, zip(ours, true, strict=True), strict=True))
        for source in (("item",), ()):  # of three wordings and two orders less can be said in so few replicates
            mine, real = both[source]
            assert 0.75 < mine / real < 1.35, (setting.name, source)
        for source in (("wording",), ("order",), ("item", "wording"), ("item", "order")):
            mine, real = both[source]
            assert mine > 0.6 * real, (setting.name, source)
        assert 0.75 < np.sqrt((ours**2).sum() / (true**2).sum()) < 1.5, setting.name


def test_runs_that_are_alike_have_no_firm_places_however_few_clips_and_wordings_there_are(simulated):
    n = 150
    alike = [board for board in simulated.BOARDS if not board.ahead and board.items <= 200]
    assert max(simulated.firm(board, n, 200) for board in alike) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)
    (few,) = (board for board in simulated.BOARDS if board.ahead and board.wordings == 3)
    assert simulated.firm(few, n, 200) > 0.8


def test_best_against_worst_finds_nothing_where_wordings_do_nothing(simulated):
    n = 100
    found = [simulated.rejects(setting, n, swaps=199) for setting in simulated.SETTINGS[:3:2]]
    assert max(found) <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / n)
