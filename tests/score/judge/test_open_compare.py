"""Two runs of open questions, judged alike, compared in pairs on the judges' scale."""

import json

import msgspec
import numpy as np
import pytest

from audiometry import seeds
from audiometry.errors import UsageError
from audiometry.score import compare
from audiometry.stats.compare import compare as paired
from audiometry.stats.parts import Scale, means, ratio

TASKS = ("speech_QA", "sound_QA", "speech_and_sound_QA")
SCORES_A = [3, 9, 5, 7, 8, 2, 6, 10, 4, 9, 7, 5, 8, 3, 6, 9, 2, 7]
SCORES_B = [2, 7, 5, 6, 8, 1, 4, 9, 4, 6, 7, 3, 8, 2, 5, 7, 2, 4]
ALL = {"a", "b", "n_items", "n_clusters", "difference", "interval", "p", "detectable", "tasks"}


@pytest.fixture
def runs(make_benchmark, make_open_run, make_run):
    """Two runs over one benchmark folder, of 18 items in three tasks."""
    made = make_open_run([(TASKS[n % 3], f"reply {n} [q={score}]") for n, score in enumerate(SCORES_A)])
    folder = made.info.benchmark.source

    def other(scores=SCORES_B, **changes):
        from pathlib import Path

        replies = {
            f"item-{n:05}": score if isinstance(score, dict) else f"other {n} [q={score}]"
            for n, score in enumerate(scores)
            if score is not None
        }
        from audiometry.score.opened import open_run

        return open_run(make_run(Path(folder), replies, **changes))

    return made, other


def test_the_difference_is_that_of_the_paired_test_on_the_judges_scale(runs, judge_it):
    a, other = runs
    b = other()
    judge_it(a)
    judge_it(b)
    found = compare(a.folder.path, b.folder.path)
    assert set(json.loads(msgspec.json.encode(found))) >= ALL
    first, second = np.array(SCORES_A, float), np.array(SCORES_B, float)
    task = np.arange(18) % 3
    assert found.difference == pytest.approx((first - second).mean())  # three categories of six items each
    assert (found.score_a, found.score_b) == (pytest.approx(first.mean()), pytest.approx(second.mean()))
    assert (found.n_items, found.n_clusters, found.range) == (18, 18, (1, 10))
    assert found.judges[0].startswith("openai/judge-0 (judge-0-")
    sides = [means(scores, np.arange(18), task) for scores in (first, second)]
    rng = seeds.generator(0, "compare")
    expected = paired(*sides, ratio, np.ones(3), Scale("bounded", 1, 10), rng)
    assert found.interval == pytest.approx(expected.interval)
    assert found.p == pytest.approx(expected.p, abs=1e-12)  # stored with twelve places
    assert found.detectable == pytest.approx(expected.detectable)
    assert list(found.tasks) == list(TASKS)
    for code, row in enumerate(found.tasks.values()):
        assert row.difference == pytest.approx((first - second)[task == code].mean())
        assert row.p_corrected >= row.p
    (warning,) = found.warnings
    assert warning.startswith("the runs differ on few clips (worth 10 equal ones); below 100, ")


def test_items_without_a_score_on_one_side_are_left_out_and_failures_told(runs, judge_it):
    a, other = runs
    late = {"error": {"kind": "timeout", "message": "late"}}
    b = other([*SCORES_B[:-3], late, 5, 6])
    judge_it(a, {"says": {"reply 0 [q=3]": "good", "reply 1 [q=9]": "fine"}, "again": {}})
    script = {"says": {"other 2 [q=5]": "so"}, "again": {"other 2 [q=5]": "so again"}}
    judge_it(b, script)
    found = compare(a.folder.path, b.folder.path)
    assert found.n_items == 17
    first, second = (warning.partition(": ")[2] for warning in found.warnings[:2])
    assert first.startswith("5.6 % of the replies failed and count as the lowest score; run ")
    assert second.startswith("the judge failed at 5.6 % of the ")
    assert found.warnings[-2] == "1 item does not count in both runs under the rules of strict and is left out"
    official = compare(a.folder.path, b.folder.path, "airbench")
    assert official.range == (0, 10)
    assert official.n_items == 14  # its rules take first verdicts only, and leave out what failed


def test_runs_that_were_judged_differently_are_refused(runs, judge_it):
    a, other = runs
    b = other()
    judge_it(a)
    with pytest.raises(UsageError, match="has not been judged"):
        compare(a.folder.path, b.folder.path)
    judge_it(b, {}, {})
    with pytest.raises(UsageError, match="judged differently"):
        compare(a.folder.path, b.folder.path)
    assert compare(a.folder.path, b.folder.path, judge="openai/judge-0").panel == ""
    judge_it(a, {}, {})
    assert compare(a.folder.path, b.folder.path, panel="median").panel == "median"
    with pytest.raises(UsageError, match="there is nothing to align"):
        compare(a.folder.path, b.folder.path, align="judge")


def test_no_item_in_both(runs, judge_it):
    a, other = runs
    b = other(tasks=("sound_QA",))
    judge_it(b)
    c = other(tasks=("speech_QA",))
    judge_it(c)
    with pytest.raises(UsageError, match="have no item in common"):
        compare(b.folder.path, c.folder.path)
    judge_it(a)
    part = compare(a.folder.path, b.folder.path)
    assert part.n_items == 6
    assert part.warnings[0] == "12 items were asked in one run only and are left out"


def test_the_command_prints_scores_and_not_shares(runs, judge_it, cli):
    a, other = runs
    b = other()
    judge_it(a)
    judge_it(b)
    said = cli("compare", a.folder.path, b.folder.path)
    assert said.code == 0
    rows = [line.split() for line in said.out.splitlines()]
    assert ["all", "18", "6.11", "5.00", "+1.11"] in [row[:5] for row in rows]
    assert "judged by openai/judge-0 (judge-0-" in said.out
    assert "judge-score: judge's score, 1 to 10, higher is better." in said.out
    assert "%" not in said.out.replace("95 %", "")
    assert cli("compare", a.folder.path, b.folder.path, "--json").json["range"] == [1, 10]
