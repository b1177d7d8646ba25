"""Judges' rules of another package, in at most 25 lines: a profile whose reader of open answers has them."""

import re

import pytest

from audiometry.registry import BrokenPackageWarning
from audiometry.report import html
from audiometry.score.profiles import PROFILES

RULES = """
from audiometry.score.judge.rules import JudgeRules
from audiometry.score.judge.scores import Scores
from audiometry.score.profiles import Profile
from audiometry.score.readers.judged import JudgedReader


def halves(said):
    numbers = [float(word) for word in said.split() if word.isdecimal()]
    return Scores(*[number / 2 for number in numbers], "halved") if len(numbers) == 2 else Scores(how="no two")


PROFILE = Profile(
    name="halved",
    about="half of what the judge says, a missing answer scores 1",
    readers={"open": JudgedReader(rules=JudgeRules(name="halved", about="half", read=halves, both=True, failed=1.0))},
)
"""
FAILURE = {"text": None, "error": {"kind": "timeout", "message": "late"}}


def test_judges_rules_of_another_package_score_and_have_their_page(make_open_run, judge_it, announce, tmp_path):
    assert len(RULES.strip().splitlines()) <= 25
    announce("audiometry.profiles", "halved = halves:PROFILE", halves=RULES)
    run = make_open_run([("speech_QA", "a reply [q=6]"), ("sound_QA", "another [q=4]"), ("sound_QA", FAILURE)])
    found = judge_it(run, names=("halved", "strict"), panel="mean").scores
    assert found["strict"].tasks["speech_QA"].value == 2 * found["halved"].tasks["speech_QA"].value
    assert found["halved"].tasks["sound_QA"].value == (found["strict"].tasks["sound_QA"].value * 2 - 1) / 4 + 0.5
    assert found["halved"].signature.startswith("halved.1+")
    page = html.write([run.folder.path], tmp_path / "page.html", profile="halved").read_text(encoding="utf-8")
    assert "half" in page


def test_scores_have_the_scale_of_the_rules_everywhere(make_open_run, judge_it, announce, cli, tmp_path):
    code = RULES.replace("failed=1.0", "lowest=0.5, highest=5.0, failed=0.5")
    announce("audiometry.profiles", "halved = halves:PROFILE", halves=code)
    runs = []
    for n in range(2):
        run = make_open_run(
            [("speech_QA", "a reply [q=6]"), *[("sound_QA", f"another [q={4 + n}]")] * 4, ("sound_QA", FAILURE)]
        )
        lost = make_open_run([("sound_QA", FAILURE)] * 6)
        found = judge_it(run, names=("halved",), panel="mean").scores["halved"]
        assert (found.range, found.interval[0] >= 0.5, found.interval[1] <= 5.0) == ((0.5, 5.0), True, True)
        assert (found.bounds[0] >= 0.5, found.bounds[1] <= 5.0) == (True, True)
        none = judge_it(lost, names=("halved",), panel="mean").scores["halved"]
        assert (none.value, none.interval, none.bounds[0]) == (None, None, 0.5)
        runs.append(run.folder.path)
    said = cli("compare", *runs, "--profile", "halved")
    assert "judge's score, 0.5 to 5, higher is better." in " ".join(said.out.split())
    apart = cli("compare", *runs, "--profile", "halved", "--json").json
    assert (apart["range"], max(map(abs, apart["interval"])) <= 4.5) == ([0.5, 5], True)
    assert "1 to 10" not in html.write(runs, tmp_path / "page.html", profile="halved").read_text(encoding="utf-8")


@pytest.mark.parametrize("measure", ["token-f1", "wer"])
def test_what_judges_say_is_measured_as_such(announce, measure):
    code = RULES.replace('    name="halved",\n', f'    name="halved",\n    measures={{"open": "{measure}"}},\n')
    announce("audiometry.profiles", "halved = halves:PROFILE", halves=code)
    with pytest.warns(BrokenPackageWarning, match=f"its measure of open is {measure}, which does not fit it"):
        assert "halved" not in PROFILES.all()


WRONG = {
    "raise RuntimeError('boom')": r"failed at what a judge said \(RuntimeError: boom\)",
    "return 7.0": "gives no Scores but int|gives no Scores but float",
    "return Scores(70.0, 2.0, 'x')": "reads a score of 70.0, and scores are 1 to 10",
    "return Scores(float('nan'), 2.0, 'x')": "reads a score of nan",
    "return Scores(10**400, 2.0, 'x')": "reads a score of 1000",
    "return Scores(2.0, 2.0, 5)": "says how it read a judge in 5, which is no text",
    "return Scores(2.0, 2.0, type('S', (str,), {'__str__': lambda self: 1 / 0})())": "in '', which is no text",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_broken_rules_cost_their_own_score_alone_and_nothing_that_was_paid(make_open_run, judge_it, announce, wrong):
    code = RULES.replace("    numbers =", f"    {wrong}\n    numbers =")
    announce("audiometry.profiles", "halved = halves:PROFILE", halves=code)
    run = make_open_run([("speech_QA", "a reply [q=6]"), ("sound_QA", "another [q=4]")])
    found = judge_it(run, names=("halved", "strict"), panel="mean")
    assert list(found.scores) == ["strict"]
    assert re.search(f"profile 'halved' .* ({WRONG[wrong]})", found.broken["halved"])
    assert sum(len(path.read_text().splitlines()) for path in (run.folder.path / "judge").glob("*.jsonl")) == 4


@pytest.mark.parametrize("kind", ["JudgedReader", "JudgeRules"])
def test_rules_are_rules_and_no_methods_that_nobody_looks_at(announce, kind):
    code = RULES.replace("PROFILE =", f"class Own({kind}, frozen=True, kw_only=True):\n    pass\n\n\nPROFILE =")
    code = code.replace(f"{kind}(rules", "Own(rules").replace(f"{kind}(name", "Own(name")
    announce("audiometry.profiles", "halved = halves:PROFILE", halves=code)
    with pytest.warns(BrokenPackageWarning, match=f"Own is no {kind}, but one made of {kind}"):
        assert "halved" not in PROFILES.all()


@pytest.mark.parametrize(
    ("says", "wrong"),
    [
        ("read", "read=7"),
        ("failed", "failed='1'"),
        ("lowest", "lowest=float('nan')"),
        ("once", "once='yes'"),
        ("both", "both=1"),
        ("lowest", "lowest=10.0"),
        ("failed", "failed=0.5"),
        ("unread", "unread=10.5"),
    ],
)
def test_what_rules_say_of_themselves_is_looked_at_when_they_are_loaded(announce, says, wrong):
    code = RULES.replace("read=halves, both=True, failed=1.0", f"**{{**dict(read=halves), **dict({wrong})}}")
    announce("audiometry.profiles", "halved = halves:PROFILE", halves=code)
    with pytest.warns(BrokenPackageWarning, match=f"profile 'halved' is announced as .*: its {says} "):
        assert "halved" not in PROFILES.all()
