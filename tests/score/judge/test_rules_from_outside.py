"""Judges' rules of another package, in at most 25 lines: a profile whose reader of open answers has them."""

from audiometry.report import html

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
