"""The reader of judged answers, and the measure of what it reads."""

import math

import numpy as np
import pytest

from audiometry.records import Failure, Item, ReplyRecord, State
from audiometry.score.filling import fill_all
from audiometry.score.judge.answers import Answers
from audiometry.score.judge.comparisons import COMPARISONS
from audiometry.score.measures.judge_score import MEASURE
from audiometry.score.opened import open_run
from audiometry.score.profiles import PROFILES
from audiometry.score.readers import Said
from audiometry.score.readers.judged import JudgedReader
from audiometry.score.sheet import Wanted

ALL = ("strict", "airbench", "lmms-eval")
STRICT = PROFILES.named("strict").readers["open"]
ITEM = Item(id="i", task="t", question="What is heard?", answer="a dog [q=8]", meta="a dog barks")


def sheet_of(run, name, panel="mean"):
    """Filled from the verdicts that the folder holds."""
    profile = PROFILES.named(name)
    journals = [Answers(COMPARISONS, path) for path in sorted((run.folder.path / "judge").glob("chat-*.jsonl"))]
    reader = JudgedReader(rules=profile.readers["open"].rules, panel=panel)

    def words(reply, item, shown):
        asked = {pair.key: pair for pair in reader.asks(reply, item, shown)}
        return [one.of(key, about) for one in journals for key, about in asked.items()]

    measure = MEASURE[profile.measures["open"]]
    wanted = Wanted(profile=profile, measure=measure, readers={"open": reader}, words=words, with_reference=True)
    return fill_all(open_run(run.folder.path), [wanted])[0]


def value(sheet, rows=slice(None)):
    found = float(sheet.measure.value(sheet.parts[rows].sum(axis=(0, 1))))
    return None if math.isnan(found) else found


@pytest.mark.parametrize(
    ("panel", "scores", "score"),
    [
        ("mean", (2, 7, 9), 6),
        ("median", (2, 7, 9), 7),
        ("majority", (2, 6.5, 7.4), 7),
        ("majority", (2, 7, 9), 7),  # none has more than half: the median
        ("majority", (1, 1, 9, 9), 5),
        ("mean", (2, 7, None), None),
        ("majority", (7, 7, None), None),
    ],
)
def test_a_panel_is_settled_before_anything_is_measured(panel, scores, score):
    reader = JudgedReader(rules=STRICT.rules, panel=panel)
    said = [
        Said(first="prose" if one is None else words, readable=True)
        for one in scores
        for words in (f"8 {one}", f"{one} 8")
    ]
    found = reader.read(reply(), ITEM, (), said)
    assert found.scores == (() if score is None else (score, score))
    assert found.state == (State.UNJUDGED if score is None else State.ANSWERED)


def test_bounds_take_the_ends_of_the_scale(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a [q=6]"), ("sound_QA", {"text": None, "error": {"kind": "x", "message": "y"}})])
    before = judge_it(run, {"other": 2}, names=ALL).scores
    for name in ALL:
        sheet = sheet_of(run, name)
        low, high = before[name].tasks["sound_QA"].bounds
        for end, bound in ((sheet.worst, low), (sheet.best, high)):
            parts = sheet.parts.copy()
            parts[sheet.lost] = end
            assert float(sheet.measure.value(parts.sum(axis=(0, 1)))) == pytest.approx(bound)


def test_an_item_without_a_reference_is_no_part_of_it(make_open_run, judge_it):
    run = make_open_run([("sound_QA", "a [q=6]"), ("sound_QA", "b [q=2]", {"answer": None})])
    judge_it(run)
    sheet = sheet_of(run, "strict")
    assert (len(sheet.items), value(sheet), sheet.left_out) == (1, 6.0, {"no reference answer": 1})


def reply(text="a cat", **more):
    return ReplyRecord(item="i", text=text, **more)


@pytest.mark.parametrize(
    ("said", "state", "scores"),
    [
        (("8 6", "4 8"), State.ANSWERED, (6.0, 4.0)),
        (("8 6", "no"), State.UNJUDGED, ()),
        (("no", "no"), State.UNJUDGED, ()),
    ],
)
def test_both_orders_or_none(said, state, scores):
    words = [Said(first=text, readable=True) for text in said]
    found = STRICT.read(reply(), ITEM, (), words)
    assert (found.state, found.scores) == (state, scores)


def test_the_scripts_rules_keep_the_order_that_was_read():
    words = [Said(first="8 6", readable=True), Said(first="no", readable=True)]
    found = PROFILES.named("airbench").readers["open"].read(reply(), ITEM, (), words)
    assert (found.state, found.how) == (State.UNJUDGED, "not-two-words")
    assert found.scores == (6.0, pytest.approx(math.nan, nan_ok=True))
    assert found.references == (8.0, pytest.approx(math.nan, nan_ok=True))


def test_nobody_is_asked_about_what_rules_decide():
    failed = ReplyRecord(item="i", error=Failure(kind="timeout", message="late"))
    for text, rules, n in (("a cat", "strict", 2), ("", "strict", 0), ("", "airbench", 2)):
        assert len(PROFILES.named(rules).readers["open"].asks(reply(text), ITEM, ())) == n
    assert STRICT.asks(None, ITEM, ()) == STRICT.asks(failed, ITEM, ()) == ()
    assert STRICT.read(None, ITEM, ()).state == State.NOT_ASKED
    assert STRICT.read(reply(""), ITEM, ()).scores == (1.0, 1.0)


def test_a_value_is_the_mean_of_the_orders_that_have_one():
    sums = np.array([[12.0, 2, 9, 3], [0, 0, 9, 3], [0, 0, 0, 0]])
    assert MEASURE["judge-score"].value(sums).tolist() == [4.5, 3.0, pytest.approx(math.nan, nan_ok=True)]
