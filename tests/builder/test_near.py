"""Near misses that a model writes: good ones become options, bad ones are kept apart with the rule that they break."""

import json
from collections import Counter

import pytest

from audiometry.builder.build import build
from audiometry.builder.writer import HowAsked
from audiometry.score.judge.settings import JudgeSettings

NEAR = """
name = "species"
category = "sound"
make = "near"
about = "species"
question = ["Which bird is heard?"]
"""
FACTS = 'species = "species", caption = "caption"'


def wrong(*texts):
    return json.dumps({"wrong": texts})


def test_near_misses_are_the_wrong_options_and_who_wrote_them_is_kept(written, cli, tmp_path):
    said, items, rejected, server = written({}, NEAR, n=10)
    assert said.code == 0, said.err
    assert (len(items), rejected) == (10, [])
    for item in items:
        assert item["answer"] == item["tags"]["species"]
        assert sum(option.startswith("near miss") for option in item["options"]) == 3
        assert item["provenance"]["model"] == "openai/pen"
        assert len(item["provenance"]["prompt_sha256"]) == 64
    places = Counter(item["options"].index(item["answer"]) for item in items)
    assert sorted(places.values()) == [2, 2, 3, 3]
    assert len(server.log()) == 10
    assert {line["parameters"]["temperature"] for line in server.log()} == {0.0}
    run = cli("run", tmp_path / "out", "--model", "scripted/oracle", "-o", tmp_path / "run", "--json")
    assert run.json["scores"]["strict"]["value"] == 1.0


def test_what_was_written_is_not_asked_for_again(written, cli, tmp_path, spec):
    said, _, _, server = written({}, NEAR, n=6)
    before = len(server.log())
    again = cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out")
    assert (said.code, again.code) == (0, 0)
    assert len(server.log()) == before
    (tmp_path / "out/build/build.json").unlink()
    journal = next((tmp_path / "out/build/asked").iterdir())
    journal.write_bytes(journal.read_bytes()[:-30])  # torn by a power cut: one reply is asked for again
    whole = (tmp_path / "out/metadata.jsonl").read_bytes()
    assert cli("build", tmp_path / "spec.toml", "-o", tmp_path / "out").code == 0
    assert len(server.log()) == before + 1
    assert (tmp_path / "out/metadata.jsonl").read_bytes() == whole


@pytest.mark.parametrize(
    "reply",
    [
        'Sure, here are three wrong options:\n```json\n{"wrong": ["owl", "hen", "gull"]}\n```\nLet me know!',
        '<think>{"wrong": ["a"]}</think>{"wrong": ["owl", "hen", "gull"], "why": {"owl": 1}}',
        '[{"wrong": ["owl", "hen", "gull"]}] {"wrong": ["owl", "hen", "gull"]}',
        '{"wrong": ["owl ", "hen", "gull", "dove"]} {{{',
    ],
)
def test_json_is_found_in_prose(written, reply):
    said, items, _, server = written({"reply": reply}, NEAR)
    assert said.code == 0, said.err
    assert all({"owl", "hen", "gull"} < {*item["options"]} for item in items)
    assert len(server.log()) == 5


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("I would choose an owl, a hen and a gull.", "unreadable"),
        ('{"wrong": ["owl", "hen", "gu', "unreadable"),
        ('{"wrong": ["owl", "hen"]}', "unreadable"),
        ('{"wrong": ["…", "…", "…"]}', "unreadable"),
        ('{"wrong": ["owl", "hen", "gull"]} {"wrong": ["owl", "hen", "dove"]}', "unreadable"),
        ("", "unreadable"),
        (wrong("猫头鹰", "母鸡", "海鸥"), "language"),
        (wrong("Here are the options: owl", "hen", "gull"), "residue"),
        (wrong("owl", "Owl.", "gull"), "repeated"),
        (wrong("owl", "hen", "at dawn"), "distractor-true"),
    ],
)
def test_a_bad_writer_is_asked_once_more_if_it_cannot_be_read_and_its_words_are_kept(written, reply, rule):
    said, items, rejected, server = written({"reply": reply}, NEAR)
    assert said.code == 1
    assert items == []
    assert {one["rule"] for one in rejected} == {rule}
    assert "5 rejected" in said.out
    if rule == "unreadable":
        assert len(server.log()) == 10
        assert [one.get("reply", "") for one in rejected] == [reply] * 5
        assert rejected[0]["by"] == "openai/pen"
    else:
        assert len(server.log()) == 5
        assert {*rejected[0]["item"]["options"]} > {json.loads(reply)["wrong"][2]}


def test_a_writer_that_is_right_when_asked_once_more_is_believed(written):
    said, items, rejected, server = written({"again": wrong("owl", "hen", "gull"), "reply": "Well…"}, NEAR)
    assert (said.code, len(items), rejected) == (0, 5, [])
    assert len(server.log()) == 10


def test_a_writer_that_never_answers_stops_the_build_and_one_that_fails_at_times_does_not(written, cli, tmp_path):
    said, items, _, _ = written({}, NEAR, faults=["503"], more=("--max-tries", 1))
    assert (said.code, items) == (1, [])
    assert "writer openai/pen" in said.err
    assert "what was written before is kept" in said.err
    said, items, rejected, _ = written({}, NEAR, faults=["400:items-0.3"], name="b", n=12)
    assert said.code == 0, said.err
    assert {one["rule"] for one in rejected} == {"no-reply"}
    assert len(items) + len(rejected) == 12


def test_a_prompt_that_would_tell_a_private_value_is_not_sent(written, captioned):
    rows = [
        row | {"who": f"Anna Meyer {k}", "caption": f"by Anna Meyer {k}" if k == 2 else "x"}
        for k, row in enumerate(captioned(5))
    ]
    columns = 'audio = "file", group = ["who"], private = ["who"]'
    _, items, rejected, server = written({}, NEAR, rows=rows, columns=columns)
    assert len(items) == 4
    assert [one["rule"] for one in rejected] == ["private"]
    assert len(server.log()) == 4
    assert not any("Anna" in line["text"] for line in server.log())


def test_no_more_is_asked_for_than_is_wanted_and_what_is_rejected_is_made_good(written):
    holds = {"call 1 at": "no", "call 7 at": "no", "call 11 at": "no"}
    _, items, rejected, server = written({"holds": holds}, NEAR + "n = 8", n=20)
    assert len(items) == 8
    assert len(server.log()) == 8 + 2 * len(rejected)


def test_a_dry_run_says_what_would_be_asked_whom_and_what_it_would_cost(
    written, cli, tmp_path, recordings, spec, captioned
):
    recordings(5)
    path = spec(captioned(5), NEAR, facts=FACTS)
    url = "http://127.0.0.1:9/v1"
    said = cli("build", path, "--dry-run")
    assert said.code == 2
    assert "needs a language model that writes; name one under [writer]" in said.err
    (tmp_path / "prices.toml").write_text('["openai/pen"]\ntokens_in = 5000\ntokens_out = 10000\n')
    prices = ("--prices", tmp_path / "prices.toml")
    words = ("build", path, "--dry-run", "--writer", f"openai/pen@{url}", *prices)
    said = cli(*words)
    assert said.code == 0, said.err
    flat = " ".join(said.out.split())
    assert "127.0.0.1:9" in flat
    assert "would be told the columns rows: species, caption" in flat
    assert "[right answer " in flat
    assert '{"wrong": ["…", "…", "…"]}' in flat
    assert "5 calls in all, about $" in flat
    found = cli(*words, "--json").json
    assert found["calls"] == 5
    assert found["price_usd"] > 0
    assert list(found["hosts"].values()) == [{"rows": ["species", "caption"]}]
    assert "Which bird is heard?" in found["asked"][0]["sample"]
    assert not (tmp_path / "out").exists()


def test_the_same_replies_give_the_same_bytes(written, tmp_path):
    written({}, NEAR, n=6, name="a")
    written({}, NEAR, n=6, name="b")
    assert (tmp_path / "a/metadata.jsonl").read_bytes() == (tmp_path / "b/metadata.jsonl").read_bytes()


def test_the_library_asks_as_the_command_does(recordings, spec, tmp_path, chat_server, metadata, captioned):
    recordings(5)
    server = chat_server(writer="{}")
    asked = HowAsked(model="openai/pen", settings=lambda name: JudgeSettings(name=name, base_urls=(server.url,)))
    build(spec(captioned(5), NEAR, facts=FACTS), tmp_path / "out", asked=asked)
    assert len(metadata(tmp_path / "out")) == 5
