"""MuChoMusic's recipe: a question, the right answer and one distractor of each kind, with dimensions."""

import json
from collections import Counter

import pytest

from audiometry import bench

MUSIC = 'name = "music_QA"\ncategory = "music"\nmake = "music"\nper_clip = 2\n'
GOOD = {
    "question": "Which instrument leads in the recording?",
    "answer": "a flute",
    "related": "a trumpet",
    "true": "a slow waltz",
    "neither": "a fast polka",
    "knowledge": ["Instruments", "weather"],
    "reasoning": [],
}


def replied(*questions):
    return json.dumps({"summary": "A waltz.", "questions": questions})


def test_each_question_has_a_distractor_of_each_kind_and_its_dimensions(written, cli, tmp_path):
    said, items, rejected, server = written({}, MUSIC, n=6)
    assert said.code == 0, said.err
    assert (len(items), rejected, len(server.log())) == (12, [], 6)
    for item in items:
        kinds = dict(zip(item["kinds"], item["options"], strict=True))
        assert {*kinds} == {"", "IR", "CU", "IU"}
        assert kinds[""] == item["answer"]
        assert kinds["CU"].startswith("true ")
        assert (item["tags"]["knowledge"], item["tags"]["reasoning"]) == (["metre and rhythm"], ["genre and style"])
    assert sorted(Counter(item["options"].index(item["answer"]) for item in items).values()) == [3, 3, 3, 3]
    card = bench.load(tmp_path / "out").card
    assert [one.tag for one in card.dimension] == ["knowledge", "reasoning"]
    assert card.distractors == {
        "IR": "incorrect but related",
        "CU": "correct but unrelated",
        "IU": "incorrect and unrelated",
    }
    words = ("run", tmp_path / "out", "--model", "scripted/oracle", "--variant", "distractors", "--no-probe")
    run = cli(*words, "-o", tmp_path / "run", "--json")
    assert run.code == 0, run.err
    assert run.json["scores"]["strict"]["value"] == 1.0


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"related": "dawn"}, "distractor-true"),
        ({"neither": "A Trumpet."}, "repeated"),
        ({"question": "Which piece is a flute piece?"}, "gives-away"),
        ({"question": "Sure, here is a question: which instrument plays?"}, "residue"),
        ({"question": "What is described in the caption?"}, "not-about-audio"),
        ({"true": "这首歌很慢"}, "language"),
        ({"answer": ""}, "unreadable"),
    ],
)
def test_a_question_that_is_no_good_is_kept_apart_and_the_others_stay(written, change, rule):
    other = GOOD | {"question": "How does the piece sound?", "answer": "solemn", "related": "merry"}
    _, items, rejected, _ = written({"reply": replied(other, GOOD | change)}, MUSIC, n=1)
    assert [item["question"] for item in items] == ["How does the piece sound?"]
    assert [one["rule"] for one in rejected] == [rule]
    assert rejected[0]["item"]["kinds"] == ["", "IR", "CU", "IU"]


def test_what_is_true_of_the_clip_may_be_the_distractor_that_is_to_be_true(written):
    _, items, rejected, _ = written({"reply": replied(GOOD | {"true": "at dawn"})}, MUSIC, n=1)
    assert (len(items), rejected) == (1, [])


@pytest.mark.parametrize("said", ["", "no JSON", '{"questions": []}', replied({"question": "Which?"})])
def test_what_cannot_be_read_is_asked_for_once_more(written, said):
    _, items, rejected, server = written({"reply": said}, MUSIC, n=2)
    assert (items, [one["rule"] for one in rejected], len(server.log())) == ([], ["unreadable"] * 2, 4)


def test_a_question_without_the_list_around_it_is_read(written):
    _, items, _, _ = written({"reply": f"Here you go: {json.dumps(GOOD)}"}, MUSIC, n=1)
    assert len(items) == 1


def test_a_question_has_four_options(written):
    said, _, _, _ = written({}, MUSIC + "options = 5", n=1)
    assert "has options = 5; a question about music has 4, one wrong of each kind" in said.err
