"""What is lost on the way is made good from clips that are left; else it is said how many are missing and why."""

import json
from collections import Counter

import numpy as np
import pytest
import soundfile

NEAR = """
name = "species"
make = "near"
about = "species"
question = ["Which bird is heard?"]
"""
LABEL = """
name = "label"
make = "label"
about = "species"
question = ["Which of these birds is heard?"]
n = 6
"""
SOUND = """
name = "ward_QA"
category = "sound"
make = "chat"
"""


def flat(said):
    return " ".join(said.out.split())


def test_items_that_a_filter_sets_aside_are_replaced_by_others_and_none_is_asked_twice(written, tmp_path, cli):
    own = '[filter]\ntext = ["scripted/constant?text=robin"]'
    said, items, rejected, pen = written({}, f"{NEAR}n = 20", own, n=40)
    assert said.code == 0, said.err
    assert len(items) == 20
    assert "robin" not in {item["answer"] for item in items}
    assert {one["item"]["answer"] for one in rejected} == {"robin"}
    assert "missing" not in flat(said)
    (told,) = json.loads((tmp_path / "out/build/build.json").read_text())["filtered"]
    assert (told["items"], told["right"]) == (20 + len(rejected), len(rejected))
    asked, whole = len(pen.log()), (tmp_path / "out/metadata.jsonl").read_bytes()
    assert asked == 20 + len(rejected)
    assert cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out").code == 0
    assert (len(pen.log()), (tmp_path / "out/metadata.jsonl").read_bytes()) == (asked, whole)
    places = Counter(item["options"].index(item["answer"]) for item in items)
    assert max(places.values()) - min(places.values()) <= 1


def test_a_filter_that_hears_is_asked_about_the_others_with_clips_of_the_build(written, chat_server):
    ears = chat_server(answer="robin")
    own = f'[filter]\naudio = ["openai/ears@{ears.url}"]'
    said, items, rejected, _ = written({}, f"{NEAR}n = 8", own, n=20)
    assert said.code == 0, said.err
    assert len(items) == 8
    assert {one["item"]["answer"] for one in rejected} == {"robin"}
    assert len(ears.log()) == 2 * 4 * (8 + len(rejected))


def test_items_that_break_a_rule_of_all_items_are_replaced(written, captioned):
    rows = [row | {"who": "owl parrot" if k == 3 else "nobody here"} for k, row in enumerate(captioned(12))]
    columns = 'audio = "file", group = ["who"], private = ["who"]'
    script = {"holds": {"call 5 at": '{"wrong": ["owl parrot", "hen", "gull"]}'}}
    said, items, rejected, _ = written(script, f"{NEAR}n = 11", n=12, rows=rows, columns=columns)
    assert said.code == 0, said.err
    assert (len(items), [one["rule"] for one in rejected]) == (11, ["private"])


def test_the_quota_of_an_ability_is_filled_from_clips_that_others_do_not_need(written):
    script = {"holds": {f"call {k} at": "no" for k in range(16, 40)}}
    said, items, rejected, _ = written(script, SOUND + "n = 12", n=40)
    assert said.code == 0, said.err
    assert Counter(item["tags"]["ability"] for item in items) == dict.fromkeys(
        ("events", "scene", "cause", "action"), 3
    )
    assert len({item["file_name"] for item in items}) == 12
    assert {one["rule"] for one in rejected} == {"unreadable"}


def test_a_writer_of_which_nothing_is_good_is_asked_in_few_rounds_and_what_is_missing_is_said(written):
    said, items, rejected, server = written({"reply": '{"reject": "gives-away"}'}, SOUND + "n = 4", n=20)
    assert (said.code, items) == (1, [])
    assert len(server.log()) == len(rejected) == 80  # each clip for each of four abilities
    assert "no item could be made, all 20 clips are rejected (gives-away 80)" in flat(said)


def test_what_is_missing_is_said_with_the_reasons(written):
    said, items, _, _ = written({"holds": {"call 1 at": "no", "call 2 at": "no"}}, f"{NEAR}n = 9", n=10)
    assert len(items) == 8
    assert "8 items of the 9 that it wants, 1 missing: all 10 clips were used (rejected: unreadable 2)" in flat(said)


def test_a_dry_run_says_how_many_calls_there_are_at_least_and_at_most(written, cli, tmp_path):
    written({}, SOUND + "n = 12", n=20)
    said = cli("build", tmp_path / "spec.toml", "--dry-run")
    assert "12 calls of openai/pen if nothing is rejected, 80 at most" in flat(said)
    assert "12 calls in all" in flat(said)
    found = cli("build", tmp_path / "spec.toml", "--dry-run", "--json").json
    assert (found["calls"], found["asked"][0]["most"]) == (12, 80)


@pytest.mark.parametrize(
    ("samples", "rule", "why"),
    [
        (np.zeros(4800), "silent", "nothing can be heard in it"),
        (np.full(4800, 0.9999999), "clipped", "% of its samples stand at full scale"),
        (np.full(4800, np.nan), "not-numbers", "birds/0.wav: samples that are not numbers"),
    ],
)
def test_a_clip_without_a_sound_to_ask_about_is_rejected_before_a_model_is_asked(written, tmp_path, samples, rule, why):
    def spoil():
        soundfile.write(tmp_path / "birds/0.wav", samples, 16_000, subtype="FLOAT")

    said, items, rejected, server = written({}, f"{NEAR}n = 9", LABEL, n=10, spoil=spoil)
    assert said.code == 0, said.err
    assert Counter(item["task"] for item in items) == {"species": 9, "label": 6}
    assert {(one["rule"], one["where"]) for one in rejected} == {(rule, "rows, row 2")}
    assert why in rejected[0]["reason"]
    assert len(server.log()) == 9


def test_silence_is_asked_about_where_the_task_says_so(written, tmp_path):
    def quiet():
        soundfile.write(tmp_path / "birds/0.wav", np.zeros(4800), 16_000)

    _, items, rejected, _ = written({}, f"{NEAR}silence = true", n=4, spoil=quiet)
    assert (len(items), rejected) == (4, [])
