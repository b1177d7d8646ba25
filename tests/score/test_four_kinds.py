"""A run of four kinds of task: a score for each, by the measure that a card names or the profile has."""

import json
import re

import pytest

from audiometry.errors import BenchmarkError, UsageError
from audiometry.report.html import write
from audiometry.report.rows_text import said_of_failures
from audiometry.score import compare, score
from audiometry.score.opened import open_run

CARD = """
[benchmark]
name = "made"
version = "1"
[[task]]
name = "bells"
[[task]]
name = "letters"
measure = "macro-f1"
[[task]]
name = "emotion"
kind = "label"
labels = ["angry", "happy", "sad"]
[[task]]
name = "sex"
kind = "label"
labels = ["female", "male"]
measure = "balanced-accuracy"
[[task]]
name = "speech"
kind = "transcript"
[[task]]
name = "talk"
kind = "open"
[[task]]
name = "facts"
kind = "open"
measure = "token-f1"
"""
ITEMS = [
    ("bells", "dog", "A"),
    ("bells", "cat", "A"),
    ("letters", "dog", "A"),
    ("letters", "cat", "A"),
    ("emotion", "angry", "The speaker is angry."),
    ("emotion", "happy", "sad"),
    ("emotion", "happy", "I can't tell."),
    ("emotion", "sad", {"error": {"kind": "timeout", "message": "late"}}),
    ("sex", "female", "a female voice"),
    ("sex", "male", "female"),
    ("speech", "a cat sat on the mat", "a a cat sits on mat"),
    ("talk", "It is a dog.", "A dog barks."),
    ("facts", "in the red house", "the red house"),
]


@pytest.fixture
def four(make_benchmark, make_run):
    kept = {}

    def make(card=CARD, **changes):
        rows = [
            {"task": task, "answer": answer, "question": "What?"}
            | ({} if task in {"bells", "letters"} else {"options": []})
            for task, answer, _ in ITEMS
        ]
        replies = {f"item-{k:05}": reply for k, (_, _, reply) in enumerate(ITEMS)}
        if card not in kept:
            kept[card] = make_benchmark(rows, card=card)
        return make_run(kept[card], replies, **changes)

    return make


@pytest.mark.parametrize(
    ("kinds", "then"),
    [
        (("timeout", "http-400"), "The same audiometry run as before asks for what is missing."),
        (("no-options", "http-400"), "Trying again as it is will not help."),
        (("audio-unreadable",), "Mend these clips, then the same audiometry run as before asks for them."),
    ],
)
def test_a_page_says_what_is_missing_a_line_a_kind_and_once_what_helps(make_benchmark, make_run, tmp_path, kinds, then):
    rows = [{"task": task, "answer": answer, "options": []} for task, answer, _ in ITEMS[4:11]]
    said = {f"item-{k:05}": {"error": {"kind": kinds[k % len(kinds)], "message": "no"}} for k in (0, 4, 6)}
    run = make_run(make_benchmark(rows, card=CARD), {f"item-{k:05}": "happy" for k in range(6)} | said)
    page = write([run], tmp_path / "page.html").read_text()
    notes = re.findall(r'<p class="finding against">(.*?)</p>', page.partition("<table")[0])
    first, *missing = [re.sub("<.*?>", "", note).strip() for note in notes]
    assert first == f"This run is incomplete. {then}"
    assert [one.partition(".")[0] for one in missing] == [
        "Labels: macro F1", "Labels: balanced accuracy", "Transcripts: word error rate",
    ]  # fmt: skip
    why = said_of_failures({kinds[6 % len(kinds)]: 1})
    assert missing[-1].endswith(f"failed ({why}), so there is no number.")


def test_each_kind_has_its_score_and_none_is_over_several(four):
    found = score(four())
    tasks = {name: list(one.tasks) for name, one in found.scores.items()}
    assert tasks == {
        "strict": ["bells"],
        "macro-f1": ["letters", "emotion"],
        "balanced-accuracy": ["sex"],
        "wer": ["speech"],
        "token-f1": ["facts"],
    }
    assert {name: one.measure for name, one in found.scores.items()} == {
        name: "accuracy" if name == "strict" else name for name in tasks
    }
    assert (found.n_unscored, found.unscored) == (1, {"open": 1})
    assert found.scores["strict"].value == 0.5
    assert found.scores["balanced-accuracy"].value == 0.5
    assert found.scores["macro-f1"].tasks["letters"].value == pytest.approx((2 / 3 + 0) / 2)
    assert found.scores["macro-f1"].signature.startswith("macro-f1.1+")
    assert "strict.1" in found.scores["macro-f1"].signature
    emotion = found.scores["macro-f1"].tasks["emotion"]
    assert (emotion.n_answered, emotion.n_refused, emotion.n_failed) == (2, 1, 1)


def test_a_measure_that_is_asked_for_is_of_all_that_it_fits_and_not_of_the_cards_tasks_alone(four):
    found = score(four(), measures=["token-f1"]).scores
    assert [name for name in found if name.startswith("token-f1")] == ["token-f1"]
    assert {"talk", "facts"} <= set(found["token-f1"].tasks)


def test_what_is_measured_of_other_tasks_has_a_signature_of_its_own_and_loses_no_rating(four):
    run = four()
    asked = {name: score(run, measures=[name]).scores[name] for name in ("wer", "macro-f1", "token-f1")}
    one = score(run, measures=["cer"]).scores
    usual = score(run).scores
    for name, its in asked.items():
        assert set(its.tasks) > set(usual[name].tasks)
        assert its.signature.replace(f"+of-{'-'.join(sorted(its.kinds))}", "") == usual[name].signature != its.signature
    assert len(list((run / "scores").glob("wer--*.json"))) == 2
    assert "+of-" not in one["cer"].signature + one["strict"].signature
    lines = [json.loads(line) for line in (run / "ratings" / "metric-wer.jsonl").read_text().splitlines()]
    assert sorted(line["item"] for line in lines) == ["item-00010", "item-00011", "item-00012"]
    some = four(CARD.replace('measure = "token-f1"', 'measure = "wer"'))
    assert score(some, measures=["cer"]).scores["wer"] == score(some).scores["wer"]


@pytest.mark.parametrize("name", ["exact-match", "rouge-l", "cer"])
def test_a_measure_that_is_named_is_one_more_and_takes_no_other_away(four, name):
    run = four()
    usual, more = score(run).scores, score(run, measures=[name]).scores
    assert {*more} == {*usual, name}
    assert {one: more[one].signature for one in usual if one != name} == {
        one: its.signature for one, its in usual.items() if one != name
    }


def test_a_profile_for_open_questions_names_the_tasks_that_were_not_asked(make_benchmark, make_run, cli):
    run = make_run(make_benchmark([{"task": "bells"}], card=CARD), {"item-00000": "A"})
    for command in ("score", "report"):
        said = cli(command, run, "--profile", "equivalence")
        assert said.code == 2
        assert "is for open questions with reference answers (of made: talk, facts), and none was asked" in said.err


def test_what_is_mistaken_for_what_is_counted(four, cli):
    run = four()
    found = score(run).scores
    emotion = found["macro-f1"].extras.confusion["emotion"]
    assert emotion.labels == ("angry", "happy", "sad")
    assert emotion.counts == ((1, 0, 0), (0, 0, 1), (0, 0, 0))
    assert emotion.without_label == (0, 1, 0)
    errors = found["wer"].extras.errors
    assert (errors.substitutions, errors.deletions, errors.insertions, errors.reference) == (1, 1, 1, 6)
    said = cli("score", run, "--json")
    extras = {name: one["extras"] for name, one in said.json["scores"].items()}
    assert extras["macro-f1"]["confusion"]["emotion"]["counts"] == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert extras["wer"]["errors"] == {"substitutions": 1, "deletions": 1, "insertions": 1, "reference": 6}
    assert "confusion" not in extras["strict"]
    terminal = cli("score", run).out
    assert "Of 6 words of the references: 1 substituted, 1 deleted, 1 inserted." in terminal
    assert "Most often mistaken in emotion: happy read as sad (1)." in terminal


def test_all_profiles_score_labels_once(four):
    found = score(four(), ["all"]).scores
    assert [name for name, one in found.items() if "label" in one.kinds and "choice" not in one.kinds] == [
        "balanced-accuracy"
    ]
    assert found["macro-f1@airbench"].kinds == ("choice",)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('measure = "balanced-accuracy"', 'measure = "balanced-acuracy"', "is none; did you mean 'balanced-accuracy'?"),
        ('measure = "balanced-accuracy"', 'measure = "wer"', "fits tasks of the kind open or transcript, and this"),
        ('measure = "token-f1"', 'measure = "exec/touch /tmp/x"', "which is none"),
    ],
)
def test_a_measure_that_does_not_fit_is_refused_before_anybody_is_asked(four, cli, tmp_path, old, new, says):
    run = four(CARD.replace(old, new))
    with pytest.raises(BenchmarkError, match=says) as found:
        score(run)
    assert "\n" not in str(found.value)
    folder = open_run(run).benchmark.root
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "r")
    assert said.code == 2
    assert says.split(";")[0] in said.err
    assert not (tmp_path / "r").exists()
    checked = cli("check", folder, "--headers", "--json")  # beside all else that it finds
    assert (checked.code, checked.json["n_errors"], checked.json["n_items"]) == (1, 1, len(ITEMS))
    listed = checked.json["findings"][0]
    assert (listed["severity"], listed["code"], listed["where"]) == ("error", "measure", "benchmark.toml")
    assert says.split(";")[0] in listed["what"]


def test_a_run_of_labels_alone_is_scored_without_a_judge(make_benchmark, make_run, cli):
    card = CARD.replace('[[task]]\nname = "bells"\n[[task]]\nname = "letters"\nmeasure = "macro-f1"\n', "")
    rows = [{"task": "emotion", "answer": answer, "options": []} for answer in ("angry", "sad")]
    run = make_run(make_benchmark(rows, card=card, clips=False), {"item-00000": "angry", "item-00001": "sad"})
    said = cli("score", run, "--json")
    assert said.code == 0, said.err
    assert said.json["scores"]["macro-f1"]["value"] == 1
    assert said.json["n_unscored"] == 0
    assert cli("score", run).code == 0


def test_runs_of_labels_are_compared_by_their_measure(make_benchmark, make_run, cli):
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "emotion"\nkind = "label"\nlabels = ["angry", "sad"]\n'
    speech = '[[task]]\nname = "speech"\nkind = "transcript"\n'
    rows = [{"task": "emotion", "answer": answer, "options": []} for answer in ("angry", "sad", "sad")]
    said = [{f"item-{k:05}": reply for k, reply in enumerate(one)} for one in (["angry"] * 3, ["angry", "sad", "sad"])]
    a, b = (make_run(folder, one) for folder in [make_benchmark(rows, card=card, clips=False)] for one in said)
    found = compare(a, b)
    assert (found.measure, found.score_a, found.score_b) == ("macro-f1", pytest.approx(0.25), 1.0)
    assert not [line for line in found.warnings if "left out" in line]
    rows.append({"task": "speech", "answer": "a cat", "options": []})
    folder = make_benchmark(rows, card=card + speech, clips=False)
    a, b = (make_run(folder, one | {"item-00003": "a cat"}) for one in said)
    found = compare(a, b, measure="macro-f1")
    assert found.n_items == 3
    assert not found.also
    assert not [line for line in found.warnings if "left out" in line]
    assert "these profiles do not read" in cli("score", a, "--profile", "airbench").err
    rows.append({"task": "talk", "answer": "a cat", "options": []})
    talk = '[[task]]\nname = "talk"\nkind = "open"\n'
    run = make_run(make_benchmark(rows, card=card + speech + talk, clips=False), said[0])
    why = cli("score", run, "--profile", "airbench").err
    assert f"profile airbench needs a judge; see audiometry score {run} --profile airbench --judge MODEL" in why


def test_runs_of_several_kinds_are_compared_by_every_kind(four, cli):
    a, b = four(), four()
    found = compare(a, b)
    every = {found.measure: found} | {one.measure: one for one in found.also.values()}
    assert list(every) == ["accuracy", "macro-f1", "balanced-accuracy", "token-f1"]
    own = {one.measure: one.value for one in score(a).scores.values()}
    assert {name: one.score_a for name, one in every.items()} == pytest.approx({name: own[name] for name in every})
    assert list(found.also) == ["macro-f1", "balanced-accuracy", "token-f1"]
    (alone,) = [line for line in found.warnings if "nothing can be told of the difference" in line]  # one transcript
    assert alone.startswith("not compared by wer: ")
    assert "by wer:" in alone
    said = cli("compare", a, b, "--json").json
    assert list(said["also"]) == list(found.also)
    assert (said["measure"], said["n_items"], said["also"]["macro-f1"]["n_items"]) == ("accuracy", 2, 6)
    text = cli("compare", a, b).out
    assert [text.count(f"\n{name}: ") for name in every] == [1] * 4
    flat = " ".join(text.split())
    assert "not compared: 1 item that both were asked (open questions):" in flat
    assert flat.count("not compared") == 2


def test_what_only_one_run_was_asked_is_said_and_what_both_were_is_compared(four, cli):
    kinds = {"bells": ("bells", "emotion"), "speech": ("emotion", "speech")}
    a, b = (four(tasks=tasks) for tasks in kinds.values())
    found = compare(a, b)
    assert (found.measure, found.n_items, found.also) == ("macro-f1", 4, {})
    assert "not compared, as the runs were not asked the same: 2 items by strict, 1 item by wer" in found.warnings
    with pytest.raises(UsageError, match=r"4 items in common \(emotion\), and none that is scored by airbench"):
        compare(a, b, "airbench")
    said = cli("compare", a, b, "--measure", "wer")
    assert said.code == 2
    assert "and this run of made was asked none; leave it out" in said.err
    with pytest.raises(UsageError, match="no item in common"):
        compare(four(tasks=("bells",)), b)
