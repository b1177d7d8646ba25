"""Open questions with reference answers, written from what is known of the clip."""

import json
from collections import Counter

import pytest

from audiometry import bench
from audiometry.builder.abilities import ABILITIES

CHAT = """
name = "ward_QA"
category = "{}"
make = "chat"
"""
SOUND, SPEECH, MUSIC, MIXED = (CHAT.format(name) for name in ("sound", "speech", "music", "mixed"))
SPOKEN = 'transcript = "said", emotion = "mood"'


def spoken(n):
    return [
        {"file": f"birds/{k}.wav", "said": f"good morning number {k}", "mood": "glad", "station": k} for k in range(n)
    ]


def reply(question, answer, **more):
    return json.dumps({"question": question, "answer": answer} | more)


def test_questions_are_written_from_all_that_is_known_and_as_many_of_each_ability(written, cli, tmp_path):
    said, items, rejected, server = written({"wrap": "Sure! ```json\n{}\n```"}, SOUND, n=20)
    assert said.code == 0, said.err
    assert (len(items), rejected) == (20, [])
    assert Counter(item["tags"]["ability"] for item in items) == dict.fromkeys(
        ("events", "scene", "cause", "action"), 5
    )
    for item in items:
        assert item["meta"] == f"species: {item['tags']['species']}\ncaption: {item['tags']['caption']}"
        assert item["provenance"]["model"] == "openai/pen"
        assert "options" not in item
    assert {"what they would do" in line["text"] for line in server.log()} == {True, False}
    assert bench.load(tmp_path / "out").card.task[0].kind == "open"
    run = cli("run", tmp_path / "out", "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe")
    assert run.code == 0, run.err


def test_an_even_quota_is_kept_where_fewer_are_wanted_and_some_are_no_good(written):
    script = {"holds": {"call 3 at": "no", "call 8 at": "no", "call 13 at": "no", "call 20 at": "no"}}
    _, items, _, server = written(script, SOUND + "n = 12", n=40)
    assert {*Counter(item["tags"]["ability"] for item in items).values()} == {3}
    assert len(server.log()) < 12 + 2 * 5 + 1


def test_what_is_not_spread_evenly_or_fewer_than_is_wanted_is_said(written):
    said, items, _, _ = written({"holds": {"what they would do": "no"}}, SOUND + "n = 12", n=20)
    assert len(items) == 12
    flat = " ".join(said.out.split())
    assert "not evenly spread (0 of action, 4 of events)" in flat
    assert "that it wants" not in flat
    said, items, _, _ = written({}, SOUND + "n = 12", n=8, name="b")
    flat = " ".join(said.out.split())
    assert "task ward_QA: 8 items of the 12 that it wants" in flat
    assert "not evenly" not in flat


def test_speech_with_a_transcript_is_asked_for_transcription_and_translation_too(written):
    _, items, _, _ = written({}, SPEECH, n=10, rows=spoken(10), facts=SPOKEN)
    by_ability = Counter(item["tags"]["ability"] for item in items)
    assert by_ability == dict.fromkeys(("content", "speaker", "inference", "transcription", "translation"), 2)
    for item in items:
        if item["tags"]["ability"] == "transcription":
            assert item["answer"] == item["tags"]["transcript"]
    rows = [row | {"said": "", "mood": ""} for row in spoken(3)] + spoken(4)[3:]
    _, items, rejected, _ = written({}, SPEECH, n=4, rows=rows, facts=SPOKEN, name="b")
    assert len(items) == 4 - len(rejected)
    _, items, _, _ = written({}, SPEECH + 'abilities = ["speaker"]', n=4, rows=spoken(4), facts=SPOKEN, name="c")
    assert {item["tags"]["ability"] for item in items} == {"speaker"}


def test_music_asks_for_creative_writing_and_mixes_for_what_is_louder(written):
    _, items, _, server = written({}, MUSIC, n=4)
    assert {item["tags"]["ability"] for item in items} == {one.name for one in ABILITIES["music"]}
    assert any("a verse" in line["text"] for line in server.log())
    facts = 'caption = "caption", louder = "louder", ahead = "ahead", transcript = "said"'
    rows = [row | {"caption": "rain", "louder": "a", "ahead": "b"} for row in spoken(4)]
    _, items, _, _ = written({}, MIXED, n=4, rows=rows, facts=facts, name="b")
    assert {item["tags"]["ability"] for item in items} == {one.name for one in ABILITIES["mixed"]}


@pytest.mark.parametrize(
    ("said", "rule", "by"),
    [
        ('{"reject": "not-about-audio"}', "not-about-audio", "openai/pen"),
        ('{"reject": "answerable-without", "why": "all dogs bark"}', "answerable-without", "openai/pen"),
        (reply("What is heard?", "A call.", reject="gives-away"), "gives-away", "openai/pen"),
        ('{"reject": "too hard"}', "declined", "openai/pen"),
        ("I cannot hear the recording, sorry.", "unreadable", "openai/pen"),
        (reply("", "A call."), "unreadable", "openai/pen"),
        (reply("…", "…"), "unreadable", "openai/pen"),
        (reply("What is heard?", 3), "unreadable", "openai/pen"),
        (reply("What is heard? \ud800", "A call."), "unreadable", "openai/pen"),  # which nobody can write down
        (reply("What is the capital of France?", "Paris"), "not-about-audio", "build"),
        (reply("According to the caption, what is heard?", "A call"), "residue", "build"),
        (reply("What sound is described in the text?", "A call"), "not-about-audio", "build"),
        (reply("Was hört man in der Aufnahme, und wer ist das?", "Einen Ruf"), "language", "build"),
        (reply("这段录音里有什么声音？", "A call"), "language", "build"),
        (reply("When a call at dawn is heard, what is it?", "a call at dawn"), "gives-away", "build"),
        (reply("The question can be modified to: what is heard?", "A call"), "residue", "build"),
        (reply("Sure, here is a question: what is heard?", "A call"), "residue", "build"),
        (reply("What is heard in the clip?", "As an AI, I cannot listen to the audio."), "residue", "build"),
        # of a real model of 135 M parameters
        (
            reply(
                "What is heard, and what is said, but what is said, and what is said" + ", and what is said" * 9,
                "A call",
            ),
            "residue",
            "build",
        ),
        (reply("What is heard?", "What is the answer to the question: " * 5), "residue", "build"),
        (
            reply(
                "What is heard, and in what order?",
                "The answer is what somebody who listened well would say, in one to three sentences.",
            ),
            "residue",
            "build",
        ),
    ],
)
def test_what_a_bad_writer_writes_is_kept_apart_with_its_rule(written, said, rule, by):
    found, items, rejected, server = written({"reply": said}, SOUND, n=3)
    assert (found.code, items) == (1, [])
    assert {(one["rule"], one.get("by", "build")) for one in rejected} == {(rule, by)}
    assert len(server.log()) == (6 if rule == "unreadable" else 3)
    if by == "build":
        assert rejected[0]["item"]["question"] == json.loads(said)["question"]
    else:
        assert rejected[0]["reply"] == said


def test_a_writer_that_says_the_same_of_every_clip_is_believed_once(written):
    _, items, rejected, _ = written({"reply": reply("What is heard in the clip?", "A bird.")}, SOUND, n=5)
    assert len(items) == 1
    assert [one["rule"] for one in rejected] == ["repeated"] * 4


def test_a_reply_that_repeats_a_private_value_is_kept_nowhere(written, tmp_path, captioned):
    rows = [row | {"who": "Anna Meyer"} for row in captioned(3)]
    said = reply("What does Anna Meyer hear in the clip?", "A call.")
    columns = 'audio = "file", group = ["who"], private = ["who"]'
    _, items, rejected, _ = written({"reply": said}, SOUND, n=3, rows=rows, columns=columns)
    assert items == []
    assert "private" in {one["rule"] for one in rejected}
    there = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*.json*") if "asked" not in str(path))
    assert b"Anna" not in there


@pytest.mark.parametrize(
    ("task", "what"),
    [
        (CHAT.format("sounds"), "did you mean 'sound'"),
        (SOUND + 'abilities = ["acton"]', "did you mean 'action'"),
        (SOUND + 'question = ["What?"]', "has question, which does nothing where a model writes the questions"),
    ],
)
def test_what_is_wrong_with_a_task_is_said_before_anybody_is_asked(written, task, what):
    said, _, _, server = written({}, task, n=2)
    assert (said.code, server.log()) == (2, [])
    assert what in said.err
