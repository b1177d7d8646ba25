"""Answer equivalence by a judge that is shown the reference, through the command line and a server that plays it."""

import hashlib
import json

import pytest

from audiometry import bench
from audiometry.records import Item, ReplyRecord, State
from audiometry.score.judge.equivalence import content, words
from audiometry.score.judge.question import AGAIN, FIRST
from audiometry.score.readers import Said
from audiometry.score.readers.equivalence import EquivalenceReader

CARD = """
[benchmark]
name = "made/answers"
version = "1"

[[task]]
name = "facts"
kind = "open"
measure = "token-f1"
"""
FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
NAME = "equivalence"
SAID = {
    0: ("It was in nineteen sixty-five.", "CORRECT"),
    1: ("reference 1", "Correct."),
    2: ("The reference is another.", "INCORRECT"),
    3: ("I'm sorry, I can't help with that.", "incorrect"),
}


@pytest.fixture
def folder(make_benchmark):
    rows = [
        {
            "question": f"What is fact {n}?",
            "options": [],
            "answer": f"reference {n}",
            "task": "facts",
            "meta": f"clip {n}",
        }
        for n in range(6)
    ]
    rows[1]["tags"] = {"references": ["the first", "number one"]}
    return make_benchmark(rows, card=CARD, clips=False)


@pytest.fixture
def judging(folder, chat_server):
    """``judging({number: (reply, what the judge says first, and when asked again)})``: a server that says that."""

    def start(said):
        items = list(bench.load(folder, absent=()))
        answers = {}
        for number, (reply, *spoken) in said.items():
            about = content(items[number], reply)
            for which, text in zip((FIRST, AGAIN), (*spoken, spoken[0]), strict=False):
                answers[hashlib.sha256(words(about, which).encode()).hexdigest()] = text
        return chat_server(answers=answers, answer="I was not asked that.")

    return start


def replies(said, **more):
    return {f"item-{n:05}": reply for n, (reply, *_) in said.items()} | more


def score(cli, run, server, *more):
    return cli("score", run, "--profile", NAME, "--judge", "openai/mock", "--base-url", server.url, *more)


def test_a_share_of_all_items_is_what_the_judge_finds_equivalent(folder, judging, make_run, cli):
    run = make_run(folder, replies(SAID) | {"item-00004": "  ", "item-00005": FAILURE})
    server = judging(SAID)
    found = score(cli, run, server, "--json")
    assert found.code == 1  # one of six failed
    assert list(found.json["scores"]) == [NAME, "token-f1"]
    row = found.json["scores"][NAME]
    assert (row["value"], row["measure"], row["kinds"]) == (pytest.approx(2 / 6), "judge-equivalence", ["open"])
    counts = {key: row[f"n_{key}"] for key in ("answered", "refused", "empty", "failed", "unjudged", "unanswered")}
    assert counts == {"answered": 3, "refused": 1, "empty": 1, "failed": 1, "unjudged": 0, "unanswered": 0}
    assert row["signature"].startswith(f"{NAME}.1+")
    assert "judge-mock-" in row["signature"]
    assert len(server.log()) == 4
    assert score(cli, run, server, "--json").json["scores"][NAME] == row
    assert len(server.log()) == 4
    (ratings,) = (run / "ratings").glob("equivalence-mock-*.jsonl")
    lines = [json.loads(line) for line in ratings.read_text(encoding="utf-8").splitlines()]
    assert {line["item"][-1]: line["score"] for line in lines} == {"0": 1, "1": 1, "2": 0, "3": 0}


def test_the_judge_is_shown_every_reference_and_what_is_known_of_the_clip(folder, judging, make_run, cli):
    server = judging(SAID)
    score(cli, make_run(folder, {"item-00001": "reference 1"}, n_items=6), server)
    (asked,) = [one["text"] for one in server.log()]
    for text in ("What is fact 1?", "reference 1\n(or) the first\n(or) number one", "clip 1"):
        assert f"\n{text}\n" in asked


def test_a_verdict_that_cannot_be_read_is_a_failure_of_the_judge_with_bounds(folder, judging, make_run, cli):
    said = SAID | {4: ("woof", "7", "8 of 10"), 5: ("moo", "Hard to say", "INCORRECT")}
    server = judging(said)
    found = score(cli, make_run(folder, replies(said)), server, "--json")
    row = found.json["scores"][NAME]
    assert found.code == 1
    assert (row["n_unjudged"], row["n_answered"], row["bounds"]) == (1, 4, pytest.approx([2 / 6, 3 / 6]))
    assert row["rankable"] is False
    assert len(server.log()) == 8  # two were asked again


def test_it_needs_one_judge_and_asks_nobody_unless_it_is_named(folder, judging, make_run, cli):
    run, server = make_run(folder, replies(SAID)), judging(SAID)
    said = cli("score", run, "--profile", NAME)
    assert (said.code, "profile equivalence needs a judge: --judge MODEL" in said.err) == (2, True)
    two = score(cli, run, server, "--judge", "openai/other")
    assert (two.code, "takes one judge, not 2" in two.err) == (2, True)
    every = cli("score", run, "--profile", "all", "--json").json["scores"]
    assert not [name for name in every if NAME in name]
    asked = cli("score", run, "--measure", "judge-equivalence")
    assert (asked.code, "give --judge MODEL in place of --measure" in asked.err) == (2, True)
    assert server.log() == []


def test_runs_are_compared_and_shown_by_what_the_judge_said_and_nobody_is_asked(
    folder, judging, make_run, cli, tmp_path
):
    other = dict.fromkeys(range(4), ("It is so.", "CORRECT"))
    a, b = make_run(folder, replies(SAID), n_items=6), make_run(folder, replies(other))
    bare = cli("compare", a, b, "--profile", NAME)
    assert bare.code == 2
    assert f"holds no judge's words for profile {NAME}; ask with audiometry score" in bare.err
    servers = [judging(SAID), judging(other)]
    for run, server in zip((a, b), servers, strict=True):
        score(cli, run, server)
    asked = [len(server.log()) for server in servers]
    found = cli("compare", a, b, "--profile", NAME, "--json").json
    assert (found["score_a"], found["score_b"]) == (2 / 4, 1.0)  # of the four items that both were asked
    assert list(found["also"]) == ["token-f1"]
    page = tmp_path / "report.html"
    assert cli("report", a, b, "--profile", NAME, "-o", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "Every reply is read by a judge" in text
    assert "Answer equivalence" in text
    assert [len(server.log()) for server in servers] == asked


def test_what_has_no_words_or_no_reference_is_put_to_nobody():
    reader = EquivalenceReader()
    item = Item(id="i", task="t", question="?", answer="a")
    spoken = ReplyRecord(item="i", text="A.")
    assert len(reader.asks(spoken, item, ())) == 1
    assert reader.asks(spoken, Item(id="i", task="t", question="?"), ()) == ()
    for record in (None, ReplyRecord(item="i", text=" "), ReplyRecord(item="i", text="<think>a</think>")):
        assert reader.asks(record, item, ()) == ()
    assert reader.read(None, item, ()).state == State.NOT_ASKED
    declines = ReplyRecord(item="i", text="I'm sorry, I can't help with that.")
    assert reader.read(declines, item, (), [Said(first="INCORRECT", readable=True)]).state == State.REFUSED
    assert reader.read(declines, item, (), [Said(first="CORRECT", readable=True)]).state == State.ANSWERED
    assert reader.read(spoken, item, ()).state == State.UNJUDGED
