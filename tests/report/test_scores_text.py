"""The table of a score whatever its measure, read at 80 columns."""

import io

import pytest
from msgspec import structs

from audiometry.records import BenchmarkInfo, Card, Task
from audiometry.render.console import Terminal
from audiometry.report.numbers import Scale, scale
from audiometry.report.said import about, incomplete, lacks
from audiometry.report.views.scored import missing, scored
from audiometry.score.extras import Against, Beside, Extras
from audiometry.score.result import Condition, Row, Scored, Scores

CARD = Card(benchmark=BenchmarkInfo(name="made"), task=(Task(name="read", title="Read speech", category="speech"),))


def row(value, **changes):
    fields = {"interval": None, "n_items": 5, "n_clusters": 5, "n_replies": 5, "n_answered": 5, "n_counted": 5}
    fields |= dict.fromkeys(("n_unanswered", "n_refused", "n_empty", "n_failed", "n_not_asked", "n_unjudged"), 0)
    return Row(value=value, **(fields | changes))


def measured(value=0.25, **changes):
    plain = row(value, interval=(0.1, 0.4))
    fields = {name: getattr(plain, name) for name in Row.__struct_fields__}
    fields |= {"signature": "wer.1+made", "profile": "strict", "measure": "wer", "unit": "errors per reference word"}
    fields |= {"kinds": ("open",), "direction": "down", "range": (0.0, None), "average": "items", "complete": True}
    fields |= {"rankable": True, "failures": {}, "categories": {}, "tasks": {"read": plain}}
    fields |= {"extras": Extras(ratings="ratings/metric-wer.jsonl")}
    return Scored(**(fields | changes))


def printed(*found, width=80, **changes):
    scores = {f"wer{n or ''}": one for n, one in enumerate(found)}
    fields = {"run": "runs/x", "benchmark": "made", "model": "made/by-hand", "asked": "made/by-hand", "n_items": 5}
    fields |= {"n_without_clip": 0, "n_left_out": 0, "n_clips_cut": 0, "left_out": {}}
    file = io.StringIO()
    every = Scores(scores=scores, **(fields | changes))
    Terminal(width, file).show([*scored(every, CARD), *missing(every)])
    return file.getvalue()


def cells(text, first):
    line = next(line for line in text.splitlines() if line.strip().startswith(first))
    return line.split()


def test_one_task_is_its_row_and_the_whole():
    text = printed(measured())
    assert "Errors per reference word, 0 or more; lower is better." in text
    assert cells(text, "task") == ["task", "word", "error", "rate", "95", "%", "items", "answered"]
    assert cells(text, "Read speech") == ["Read", "speech", "0.250", "0.100", "to", "0.400", "5", "5/5"]
    assert cells(text, "All items") == ["All", "items", "0.250", "0.100", "to", "0.400", "5", "5/5"]
    assert "one corpus" not in text
    assert "Every item's score: ratings/metric-wer.jsonl" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_categories_the_corpus_and_tasks_without_a_number_are_said():
    tasks = {"read": row(0.1), "silent": row(None)}
    groups = {"speech": row(0.1), "sound": row(12.34)}
    extras = Extras(corpus=0.2)
    text = printed(measured(tasks=tasks, categories=groups, average="categories", extras=extras, left_out=("silent",)))
    assert cells(text, "silent") == ["silent", "none", "5", "5/5"]
    assert cells(text, "sound") == ["sound", "12.340", "5", "5/5"]
    assert cells(text, "Mean of categories")[:3] == ["Mean", "of", "categories"]
    assert "All items as one corpus: 0.200." in text
    assert "there is nothing to measure by in 1 of 2 tasks" in " ".join(text.split())
    assert "left out of the averages: silent." in " ".join(text.split())
    none = printed(measured(tasks=tasks | {"silent": row(None, n_counted=0)}, left_out=("silent",)))
    assert "no reply counts in 1 of 2 tasks" in " ".join(none.split())


@pytest.mark.parametrize(
    ("average", "over"),
    [("categories", "; of all, the mean of categories"), ("tasks", "; of all, the mean of tasks"), ("items", "")],
)
def test_what_wins_of_all_are_a_mean_over_is_said(average, over):
    against = Against(reference=8.0, orders={}, win=0.5, tie=0.0, loss=0.5)
    beside = Beside(all=against, categories={}, tasks={"read": against}, folders={})
    (line,) = [
        line for line in about(measured(average=average, extras=Extras(beside=beside)), Scale(1, 10)) if "Win" in line
    ]
    assert line == f"Win/tie/loss against the reference answer, in % of items{over}."


def test_what_a_lost_reply_counts_as_is_said_in_the_words_of_its_kind():
    def said(unit="errors per reference word", **changes):
        one = measured(unit=unit, **({"complete": False, "n_replies": 40, "n_failed": 3} | changes))
        return lacks(one, scale(one))

    assert said() == "3 of 40 replies failed and count as empty answers."
    assert said(kinds=("label",)) == "3 of 40 replies failed and count as wrong."
    share = {"unit": "share correct", "range": (0.0, 1.0), "kinds": ("choice",)}
    assert said(**share) == "3 of 40 replies failed and do not count as correct."
    unread = {"judge-unreadable": 2}
    assert said(**share, n_failed=0, n_unjudged=2, failures=unread) == (
        "2 of 40 replies are unjudged (2 × the judge's answer cannot be read) and do not count as correct."
    )
    assert "4 of 40 replies failed or are unjudged and" in said(**share, n_unjudged=1)
    none = {"value": None, "interval": None, "bounds": (0.0, None), "n_failed": 40, "failures": {"timeout": 40}}
    assert said(**none) == "40 of 40 replies failed (40 × no reply in time), so there is no number."
    late = {"n_failed": 10, "n_not_asked": 30, "failures": {}}
    assert said(**(none | late)) == (
        "30 of 40 replies are not asked for yet, so there is no number. 10 of 40 replies failed."
    )


def test_what_is_lost_is_said_with_how_far_it_may_matter():
    lost = {"complete": False, "failures": {"timeout": 2, "crash": 1}, "n_unjudged": 1, "n_refused": 3}
    flat = " ".join(printed(measured(bounds=(0.1, 0.3), **lost), width=100).split())
    assert "Incomplete: 2 × no reply in time, 1 × crashed. At worst 0.300, at best 0.100." in flat  # less is better
    assert "task word error rate 95 % bounds items answered refused unjudged" in flat
    flat = " ".join(printed(measured(bounds=(0.1, None), **lost)).split())
    assert "1 × crashed. At best 0.100; nothing bounds it above." in flat
    assert "t worst" not in flat
    flat = " ".join(printed(measured(rankable=False, **lost)).split())
    assert "1 × crashed. More than 1 % failed, so this number is not to be ranked." in flat
    shown = printed(measured(value=None, interval=None, bounds=(0.0, 1.0), complete=False, n_not_asked=4))
    assert "Incomplete: 4 not asked. At worst 1.000, at best 0.000." in shown
    assert "not finished has no number; the same audiometry run as before goes on" in " ".join(shown.split())
    none = measured(n_replies=4, n_failed=4, bounds=(0.0, None), failures={"timeout": 4}, rankable=False)
    assert incomplete(none, scale(none)) == "Incomplete: 4 × no reply in time. No reply came, so there is no number."


def test_a_tag_without_a_value_or_without_a_row_is_said():
    text = printed(measured(by={"genre": {"": row(0.1), "jazz": row(0.2)}, "year": {}}))
    assert cells(text, "genre: (empty)")[2:4] == ["0.100", "5"]
    assert "No item of this table has the tag year." in text
    assert "has the tag genre" not in text


def test_failures_without_the_clip_are_told_as_failures():
    lost = row(1.0, n_answered=0, n_failed=5)
    text = printed(measured(variants={"silence": Condition(**structs.asdict(lost), difference=None)}))
    assert cells(text, "clip")[-2:] == ["answered", "failed"]
    assert cells(text, "without its clip: silence")[-2:] == ["0/5", "5"]


def test_items_without_a_part_in_a_score_are_said():
    text = " ".join(printed(measured(unscored_items={"no reference answer": 1234}, notes=("seen",))).split())
    assert "1,234 items left out: no reference answer." in text
    assert "Note: seen." in text
    choices = measured(kinds=("choice",), measure="accuracy", unit="share correct", range=(0.0, 1.0))
    none = "items are in none of these numbers"
    asks = "score --judge MODEL scores open questions."
    assert f"2 {none}: open questions; {asks}" in " ".join(printed(choices, n_unscored=2, unscored={"open": 2}).split())
    mixed = " ".join(printed(choices, n_unscored=5, unscored={"transcript": 3, "open": 2}).split())
    assert f"5 {none}: 3 transcripts, 2 open questions; {asks}" in mixed
    assert f"2 {none}: labels." in printed(choices, n_unscored=2, unscored={"label": 2})


def test_a_number_on_a_scale_says_its_ends_once():
    judged = {"unit": "judge's score", "range": (1.0, 10.0), "direction": "up"}
    assert "Judge's score, 1 to 10; higher is better." in printed(measured(**judged))
    for unit in ("mean F1", "mean F1, 0 to 1"):
        assert "Mean F1, 0 to 1; higher" in printed(measured(unit=unit, range=(0.0, 1.0), direction="up"))


@pytest.mark.parametrize(("value", "text"), [(0, "0.000"), (9.9996, "10.000"), (-12.34, "-12.340"), (100, "100.000")])
def test_numbers(value, text):
    assert Scale(0, None).number(value) == text


def test_no_number_is_minus_nothing():
    for its in (Scale(0, 1, share=True), Scale(1, 10), Scale(0, None), Scale(0, 100)):
        assert not its.number(-1e-9).startswith("-")
        assert its.change(-1e-9).startswith("+")
        assert its.changes((-1e-9, 0.1 + 0.2)).count("-") == 0


def test_of_several_scores_each_says_of_how_many_items_it_is_and_under_which_rules_they_stand_together():
    alone = printed(measured(), n_items=40)
    assert "·" not in alone  # what the run has stands above it
    both = printed(measured(), measured(measure="cer"), n_items=40)
    assert [line.rpartition(" · ")[2] for line in both.splitlines() if "·" in line] == ["5 of 40 items"] * 2
    rules = " ".join(printed(measured(), measured(profile="other", signature="wer.2+made"), width=200).split())
    assert "Rules side by side" in rules
    assert rules.index("wer ") < rules.index("wer1 ")


def test_what_is_lost_without_the_clip_is_told_once_by_the_listening_test_where_there_is_one():
    from audiometry.score.attention import Listening

    without = {"noise": Condition(**{name: getattr(row(0.5), name) for name in Row.__struct_fields__}, difference=None)}
    choice = {"kinds": ("choice",), "unit": "share correct", "range": (0.0, 1.0), "direction": "up"}
    heard = Listening(
        verdict="listens", reason="it does", score=0.5, chance=0.25, margin=0.1, level=0.025, conditions={}
    )
    told = [
        "without its clip: noise" in printed(measured(variants=without, **more))
        for more in (choice, choice | {"listening": heard}, {})
    ]
    assert told == [True, False, True]
