"""Tasks of labels: what their card may say, and what their items' answers have to be."""

import pytest

from audiometry import bench
from audiometry.errors import BenchmarkError

CARD = """
[benchmark]
name = "made"
[[task]]
name = "emotion"
kind = "label"
labels = ["angry", "happy", "neutral"]
[task.synonyms]
angry = ["furious", "mad"]
"""
RANGES = ('angry = ["furious", "mad"]\n', 'angry = ["furious", "mad"]\n[task.ranges]\n{} = [{}, {}]\n')
ROW = {"task": "emotion", "question": "Which emotion?", "options": []}


def rows(*answers):
    return [ROW | {"answer": answer} for answer in answers]


def test_a_task_names_labels_synonyms_and_measure(make_benchmark):
    loaded = bench.load(make_benchmark(rows("angry", "happy"), card=CARD + '[[task]]\nname = "x"\nmeasure = "wer"\n'))
    task = loaded.card.task_named("emotion")
    assert task.labels == ("angry", "happy", "neutral")
    assert task.synonyms == {"angry": ("furious", "mad")}
    assert (task.measure, loaded.card.task_named("x").measure) == ("", "wer")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('"happy", ', '"happy", "Angry ", '), "has the label 'angry' twice, the second time as 'Angry '"),
        (('["angry", "happy", "neutral"]', '["angry"]'), "has one label only, 'angry'; it needs 2"),
        (('"neutral"', '" "'), "has an empty label"),
        (("angry = [", "anrgy = ["), r"has synonyms of 'anrgy', which is none of its labels; did you mean 'angry'"),
        (('"mad"', '"Happy"'), "has the name 'Happy' for both 'happy' and 'angry'; keep one"),
        (('"mad"', '""'), "has an empty synonym of 'angry'"),
        (('kind = "label"', 'kind = "open"'), 'has labels or synonyms, but is of the kind open; write kind = "label"'),
        (("synonyms", "synonims"), "unknown key 'synonims' in entry 1 of 'task'; did you mean 'synonyms'"),
        ((RANGES[0], RANGES[1].format("anrgy", 1, 3)), "has a range of 'anrgy', which is none of its labels"),
        (
            (RANGES[0], RANGES[1].format("angry", 3, 1)),
            "has the range 3 to 1 of 'angry'; numbers up to 10000 that rise",
        ),
        ((RANGES[0], RANGES[1].format("angry", 3, 10**9)), "has the range 3 to 1000000000 of 'angry'; numbers up to"),
        (
            (RANGES[0], RANGES[1].format("angry", 1, 3) + "happy = [3, 5]\n"),
            "has the number 3 for both 'angry' and 'happy'",
        ),
    ],
)
def test_a_slip_in_the_labels_of_a_card_is_one_line(make_benchmark, change, says):
    assert change[0] in CARD
    folder = make_benchmark(rows("angry"), card=CARD.replace(*change))
    with pytest.raises(BenchmarkError, match=says) as found:
        bench.load(folder)
    assert "\n" not in str(found.value)
    assert "benchmark.toml" in str(found.value)


def test_synonyms_of_labels_that_may_occur_need_no_list_of_labels(make_benchmark):
    card = CARD.replace('labels = ["angry", "happy", "neutral"]\n', "")
    loaded = bench.load(make_benchmark(rows("angry", "happy"), card=card))
    assert loaded.card.task[0].synonyms == {"angry": ("furious", "mad")}


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("Angry", "'angry' differs from it only in case, blanks or a full stop: write them alike"),
        ("hapy", "'hapy', which is none of the labels of its task; did you mean 'happy'?"),
        ("bored", "'bored', which is none of the labels of its task; known: angry, happy, neutral"),
        (None, "has no answer; give its label"),
    ],
)
def test_an_answer_outside_the_labels_is_left_out_and_named(make_benchmark, cli, tmp_path, answer, says):
    folder = make_benchmark(rows("angry", answer, "neutral"), card=CARD)
    loaded = bench.load(folder)
    assert [item.answer for item in loaded] == ["angry", "neutral"]
    (problem,) = loaded.problems
    assert says in problem.what
    checked = cli("check", folder, "--headers", "--json")
    assert any(says in f"{one['what']}; {one['do']}" for one in checked.json["findings"])
    ran = cli("run", folder, "--model", "scripted/oracle", "--dry-run", "-o", tmp_path / "run")
    assert "1 of 3" in ran.err + ran.out


def test_of_a_task_without_labels_any_answer_is_one(make_benchmark):
    card = CARD.partition("labels = ")[0]
    assert len(bench.load(make_benchmark(rows("angry", "bored"), card=card))) == 2


SPEECH = '[benchmark]\nname = "made"\n[[task]]\nname = "emotion"\nkind = "transcript"\n'


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"answer": " "}, "has no answer; give the words that are said"),
        ({}, "has no answer; give the words that are said"),
        ({"transcript": "a cat"}, "has no answer, but 'transcript'; if that is it, call it answer"),
        ({"text": "a cat"}, "has no answer, but 'text'; if that is it, call it answer"),
    ],
)
def test_a_transcript_without_a_reference_is_left_out_and_named_before_anybody_is_asked(
    make_benchmark, cli, tmp_path, row, says
):
    kept = [ROW | {"answer": "a cat"}, ROW | {"answer": None, "tags": {"references": ["a dog", ""]}}]
    folder = make_benchmark([*kept, ROW | {"answer": None} | row], card=SPEECH)
    loaded = bench.load(folder)
    assert [item.references for item in loaded] == [("a cat",), ("a dog",)]
    assert [problem.what for problem in loaded.problems] == [says]
    bare = make_benchmark([ROW | {"answer": None} | row] * 2, card=SPEECH)
    said = cli("run", bare, "--model", "scripted/constant", "-o", tmp_path / "run")
    assert (said.code, says in said.err) == (2, True)
    assert not (tmp_path / "run").exists()
    assert cli("check", bare, "--headers", "--json").json["n_errors"] == 2


def test_check_warns_of_references_without_a_word(make_benchmark, cli):
    rows = [ROW | {"answer": answer} for answer in ("!!", "…", "7", "猫")]
    found = cli("check", make_benchmark(rows, card=SPEECH), "--headers", "--json").json
    (said,) = [one for one in found["findings"] if one["code"] == "no-words"]
    assert (said["severity"], said["n_items"]) == ("warning", 2)
    assert "2 of its 4 references hold no word" in said["what"]


@pytest.mark.parametrize("kind", ["label", "transcript", "open"])
def test_check_warns_of_a_kind_that_options_overrule(make_benchmark, cli, kind):
    card = SPEECH.replace("transcript", kind)
    choice = ROW | {"answer": "a", "options": ["a", "b"]}
    found = cli("check", make_benchmark([choice, ROW | {"answer": "a"}], card=card), "--headers", "--json").json
    (said,) = [one for one in found["findings"] if one["code"] == "kind"]
    assert said["severity"] == "warning"
    assert f"is of the kind {kind}, but 1 of its 2 items have options: they are choices" in said["what"]
    clean = cli("check", make_benchmark([ROW | {"answer": "a"}], card=card), "--headers", "--json").json
    assert not [one for one in clean["findings"] if one["code"] == "kind"]
