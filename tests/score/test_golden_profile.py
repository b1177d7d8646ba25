"""The profile whose judge is shown the right choice, through the command line and a server that plays the judge."""

import hashlib

import pytest

from audiometry import bench
from audiometry.score.judge.golden import content, words
from audiometry.score.judge.question import AGAIN, FIRST

FAILURE = {"error": {"kind": "timeout", "message": "no reply within 1 s"}}
NAME = "airbench-golden"


@pytest.fixture
def folder(make_benchmark):
    return make_benchmark([{"question": f"What is sound {n}?", "meta": f"clip {n}"} for n in range(6)], clips=False)


@pytest.fixture
def judging(folder, chat_server):
    """``judging({number: (reply, what the judge says first, and when asked again)})``: a server that says that."""

    def start(said):
        items = list(bench.load(folder, absent=()))
        answers = {}
        for number, (reply, *spoken) in said.items():
            about = content(items[number], items[number].options, reply)
            for which, text in zip((FIRST, AGAIN), (*spoken, spoken[0]), strict=False):
                answers[hashlib.sha256(words(about, which).encode()).hexdigest()] = text
        return chat_server(answers=answers, answer="I was not asked that.")

    return start


def score(cli, run, server, *more):
    return cli("score", run, "--profile", NAME, "--judge", "openai/mock", "--base-url", server.url, *more)


SAID = {
    0: ("A", "CORRECT"),
    1: ("It goes miaow.", "Correct."),
    2: ("A", "INCORRECT"),
    3: ("I'm sorry, I can't help with that.", "incorrect"),
}


def replies(said, **more):
    return {f"item-{n:05}": reply for n, (reply, *_) in said.items()} | more


def test_a_share_of_all_items_is_what_the_judge_calls_correct(folder, judging, make_run, cli):
    run = make_run(folder, replies(SAID) | {"item-00004": "  ", "item-00005": FAILURE})
    server = judging(SAID)
    found = score(cli, run, server, "--json")
    assert found.code == 1  # one of six failed
    row = found.json["scores"][NAME]
    assert row["value"] == pytest.approx(2 / 6)
    counts = {key: row[f"n_{key}"] for key in ("answered", "refused", "empty", "failed", "unjudged", "unanswered")}
    assert counts == {"answered": 3, "refused": 1, "empty": 1, "failed": 1, "unjudged": 0, "unanswered": 0}
    assert row["signature"].startswith(f"{NAME}.1+")
    assert "judge-mock-" in row["signature"]
    assert len(server.log()) == 4
    assert score(cli, run, server, "--json").json["scores"][NAME] == row
    assert len(server.log()) == 4


def test_the_judge_is_shown_the_right_choice_and_no_other(folder, judging, make_run, cli):
    server = judging(SAID)
    score(cli, make_run(folder, {"item-00001": "It goes miaow."}, n_items=6), server)
    (asked,) = [one["text"] for one in server.log()]
    for text in ("What is sound 1?", "B. cat", "It goes miaow.", "clip 1"):
        assert f"\n{text}\n" in asked
    assert not [other for other in ("dog", "cow", "hen") if other in asked]


def test_a_verdict_that_cannot_be_read_is_a_failure_of_the_judge_with_bounds(folder, judging, make_run, cli):
    said = SAID | {4: ("woof", "B", "I said B."), 5: ("moo", "Hard to say", "INCORRECT")}
    server = judging(said)
    found = score(cli, make_run(folder, replies(said)), server, "--json")
    row = found.json["scores"][NAME]
    assert found.code == 1
    assert (row["n_unjudged"], row["n_answered"], row["bounds"]) == (1, 4, pytest.approx([2 / 6, 3 / 6]))
    assert row["rankable"] is False
    assert len(server.log()) == 8  # two were asked again


def test_without_a_judge_it_is_refused_and_no_part_of_all(folder, make_run, cli):
    run = make_run(folder, replies(SAID))
    said = cli("score", run, "--profile", NAME)
    assert said.code == 2
    assert f"profile {NAME} needs a judge: --judge MODEL" in said.err
    assert NAME not in cli("score", run, "--profile", "all", "--json").json["scores"]
    assert NAME in cli("list", "profiles").out


def test_all_asks_no_judge_about_choices_unless_the_profile_is_named(folder, judging, make_run, cli):
    server, run = judging(SAID), make_run(folder, replies(SAID))
    aligned = cli(
        "score",
        run,
        "--profile",
        "all",
        "--align",
        "judge",
        "--judge",
        "openai/mock",
        "--base-url",
        server.url,
        "--json",
    )
    assert NAME not in aligned.json["scores"]
    asked = len(server.log())
    idle = cli("score", run, "--profile", "all", "--judge", "openai/mock", "--base-url", server.url)
    assert (idle.code, len(server.log())) == (2, asked)
    assert "--judge openai/mock has nothing to do" in idle.err
    both = score(cli, run, server, "--profile", "all", "--json")
    assert {NAME, "strict", "airbench"} <= set(both.json["scores"])


def test_runs_are_compared_and_shown_by_what_the_judge_said_and_nobody_is_asked(
    folder, judging, make_run, cli, tmp_path
):
    other = dict.fromkeys(range(4), ("A", "CORRECT"))
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
    page = tmp_path / "report.html"
    assert cli("report", a, b, "--profile", NAME, "-o", page).code == 0
    assert "Every reply is read by a judge" in page.read_text(encoding="utf-8")
    assert [len(server.log()) for server in servers] == asked


def test_of_two_judges_one_has_to_be_named(folder, judging, make_run, cli):
    run, server = make_run(folder, replies(SAID)), judging(SAID)
    for name in ("one", "two"):
        cli("score", run, "--profile", NAME, "--judge", f"openai/{name}", "--base-url", server.url)
    said = cli("report", run, "--profile", NAME)
    assert said.code == 2
    assert "choose one with --judge" in said.err
    assert cli("report", run, "--profile", NAME, "--judge", "openai/two").code == 0
    assert cli("report", run, "--profile", NAME, "--judge", "openai/three").code == 2


def test_it_takes_one_judge(folder, judging, make_run, cli):
    server = judging(SAID)
    said = score(cli, make_run(folder, replies(SAID)), server, "--judge", "openai/other")
    assert said.code == 2
    assert "takes one judge, not 2" in said.err
    assert server.log() == []
