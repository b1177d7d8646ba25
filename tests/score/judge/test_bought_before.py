"""Answers that judges gave to an earlier version are found again: journals, their names and keys are as they were.

``bought/`` was written by the code before judged answers were scored on the sheet.
"""

import shutil
from pathlib import Path

import pytest

from audiometry.score.door import score
from audiometry.score.judge.settings import JudgeSettings
from audiometry.score.opened import open_run

BOUGHT = Path(__file__).with_name("bought")


def given(run, kind):
    (run.folder.path / "judge").mkdir()
    for path in BOUGHT.glob(f"{kind}-*.jsonl"):
        shutil.copy(path, run.folder.path / "judge")
    return run


@pytest.fixture
def silent(chat_server):
    """A judge that answers nothing of use, and a look at what it was asked."""
    server = chat_server(answer="Hm.")
    return server, lambda name: JudgeSettings(name=name, base_urls=(server.url,), max_tries=1)


def test_verdicts_and_trials_on_open_answers(make_open_run, silent):
    server, judge = silent
    run = given(make_open_run([("sound_QA", "good [q=9]"), ("sound_QA", "odd"), ("speech_QA", "fair [q=6]")]), "chat")
    strict = score(run, judges=[judge("openai/judge-0")], injections=1).scores["strict"]
    assert server.log() == []
    assert strict.value == pytest.approx(((9 + 6) / 2 + 6) / 2)
    assert strict.extras.judges["openai/judge-0"].injection.n_items == 1


def test_letters_of_choices(make_benchmark, make_run, silent):
    server, judge = silent
    replies = {"item-00000": "It goes moo.", "item-00001": "It goes woof, woof.", "item-00002": "B"}
    run = given(open_run(make_run(make_benchmark(3), replies)), "align")
    one = score(run, judges=[judge("openai/mock")], align="judge").scores["strict"]
    assert server.log() == []
    assert (one.n_answered, one.n_unjudged, one.extras.alignment.n_chosen) == (3, 0, 2)
