"""Alignment by a judge, through the command line."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

PROSE = "It goes moo."


@pytest.fixture
def run(make_benchmark, cli, tmp_path):
    """``run(["A", "It goes moo.", …])``: the folder of a run with these replies, a different question for each item."""

    def go(texts, name="run"):
        folder = make_benchmark([{"question": f"What is sound {number}?"} for number in range(len(texts))])
        recorded = tmp_path / f"{name}.jsonl"
        lines = [json.dumps({"item": f"item-{n:05}", "variant": "plain", "text": text}) for n, text in enumerate(texts)]
        recorded.write_text("".join(line + "\n" for line in lines))
        cli("run", folder, "--model", f"scripted/replay?file={recorded}", "-o", tmp_path / name)
        return tmp_path / name

    return go


def judge(server, mode="judge", *more):
    return ("--align", mode, "--judge", "openai/mock", "--base-url", server.url, *more)


def flat(text):
    return " ".join(text.split())


def test_text_says_what_the_judge_did(run, cli, chat_server):
    server, folder = chat_server(answer="C"), run(["A", PROSE, PROSE, ""])
    said = cli("score", folder, *judge(server))
    assert said.code == 0
    text = flat(said.out)
    assert "strict: aligned by openai/mock, asked where the rules read nothing (judge/align-mock-" in text
    assert "Rules read 1 of 4 replies (25.0 %); calls saved by that: 1." in text
    assert "Put to the judge: 2 replies, 2 different; it read 2, said of 0 that they choose nothing" in text
    assert "1 was blank and not put to it" in text
    assert "2 requests to the judge, 2 of them now" in text
    assert "+align-judge-mock-" in said.out
    assert "disagree" not in said.out
    assert "0 of them now" in flat(cli("score", folder, *judge(server)).out)
    assert len(server.log()) == 2


def test_text_lists_the_first_disagreements(run, cli, chat_server):
    server, folder = chat_server(answer="C"), run(["A"] * 23 + ["C"])
    said = cli("score", folder, *judge(server, "always"))
    text = flat(said.out)
    assert "Where both read a letter (24 replies) rules and judge agree in 4.2 % (" in text
    assert "Rules and judge disagree about 23 replies:" in text
    assert "and 3 more; --json lists all" in text
    assert ["item-00019", "plain", "A", "C", "D", "A"] in [line.split() for line in said.out.splitlines()]
    assert "item-00020" not in said.out
    found = cli("score", folder, *judge(server, "always"), "--json").json["scores"]["strict"]["extras"]["alignment"]
    assert len(found["disagreements"]) == 23
    assert found["disagreements"][0] == {
        "item": "item-00000",
        "variant": "plain",
        "rules": "A",
        "how": "letter",
        "judge": "C",
        "right": "A",
        "reply": "A",
    }
    assert (found["mode"], found["n_contents"], found["n_calls_saved"]) == ("always", 24, 0)


def test_agreement_without_a_disagreement(run, cli, chat_server):
    said = cli("score", run(["C", PROSE]), *judge(chat_server(answer="C"), "always"))
    assert "Rules and judge disagree nowhere." in flat(said.out)


def test_a_failure_of_the_judge_is_said_and_ends_with_one(run, cli, chat_server):
    server, folder = chat_server(answer="Let me think."), run(["A", PROSE, "woof", PROSE])
    said = cli("score", folder, *judge(server))
    assert said.code == 1
    text = flat(said.out)
    assert "The judge failed at 3 replies (3 × nothing read); the score lies between 25.0 and 100.0." in text
    assert "Incomplete: 3 × the judge's answer cannot be read" in text
    document = cli("score", folder, *judge(server), "--json").json["scores"]["strict"]
    assert document["bounds"] == [0.25, 1.0]
    assert document["extras"]["alignment"]["n_judge_failed"] == 3
    assert len(server.log()) == 6


def test_rules_alone_are_the_default_and_as_they_were(run, cli, chat_server):
    folder = run(["A", PROSE])
    plain = cli("score", folder)
    document = cli("score", folder, "--json").out
    cli("score", folder, *judge(chat_server(answer="C"), "always"))
    assert cli("score", folder).out == cli("score", folder, "--align", "rules").out == plain.out
    assert cli("score", folder, "--json").out == document
    assert "align" not in document + plain.out


def test_several_profiles_and_runs_are_ranked_as_the_judge_reads_them(run, cli, chat_server, tmp_path):
    server = chat_server(answer="C")
    first = run([PROSE, PROSE, PROSE, PROSE])
    words = json.loads((first / "run.json").read_text())["benchmark"]["source"]
    recorded = tmp_path / "other.jsonl"
    recorded.write_text("".join(json.dumps({"item": f"item-{n:05}", "text": "A"}) + "\n" for n in range(4)))
    cli("run", words, "--model", f"scripted/replay?file={recorded}", "-o", tmp_path / "other")
    found = cli("score", first, tmp_path / "other", *judge(server), "--profile", "all", "--json").json
    assert [one["scores"]["strict"]["value"] for one in found] == [0.25, 0.25]
    assert [one["ranks"]["strict"]["rank"] for one in found] == [1, 1]
    assert {name for name, row in found[0]["scores"].items() if "alignment" in row["extras"]} == set(found[0]["scores"])
    assert len(server.log()) == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--align", "judge"), "--align judge needs a judge; name one with --judge"),
        (("--align", "always"), "--align always needs a judge; name one with --judge"),
        (("--judge", "openai/mock"), "has nothing to do under --align rules"),
        (("--align", "judge", "--judge", "a/b", "--judge", "c/d"), "takes one judge, not 2"),
        (("--align", "judge", "--judge", "nobody/x"), "unknown model provider 'nobody'"),
        (("--align", "never"), "'never' is not one of"),
    ],
)
def test_wrong_usage(run, cli, words, said):
    folder = run([PROSE])
    found = cli("score", folder, *words)
    assert found.code == 2
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not (folder / "judge").exists()


def test_a_judge_that_is_down(run, cli, chat_server):
    server, folder = chat_server(answer="C"), run([PROSE] * 3)
    server.stop()
    found = cli("score", folder, *judge(server, "judge", "--max-tries", 1))
    assert found.code == 1
    assert found.out == ""
    (line,) = found.err.strip().splitlines()
    assert "judge openai/mock gave no answer to any of 1 requests, the last: cannot connect to 127.0.0.1" in line
    assert "run the same command again" in line


def test_a_rejected_key(run, cli, chat_server):
    found = cli("score", run([PROSE] * 3), *judge(chat_server(require_key=True)))
    assert found.code == 1
    (line,) = found.err.strip().splitlines()
    assert "judge openai/mock: " in line
    assert "401" in line


def test_ctrl_c_keeps_what_was_judged_and_the_same_command_goes_on(run, cli, chat_server):
    server, folder = chat_server(answer="C", delay_ms=300), run([PROSE] * 12)
    words = ["score", str(folder), *judge(server, "judge", "--concurrency", "2")]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "audiometry", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    while len(server.log()) < 2:  # one alone, then two at a time
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    asked = len(server.log())
    assert process.returncode == 130
    assert out == ""
    assert "Stopping: waiting for the replies under way" in err
    assert f"stopped with {12 - asked} of 12 left to judge; the same command goes on from here" in err
    assert "Traceback" not in err
    done = cli(*words)
    assert done.code == 0
    assert asked == 3
    assert f"Going on: {asked} of 12 are there already." in done.err
    assert len(server.log()) == 12


def test_whether_a_model_listens_is_told_without_the_judge(make_benchmark, cli, chat_server, tmp_path):
    folder = tmp_path / "deaf"
    cli("run", make_benchmark(4), "--model", "scripted/deaf", "--variant", "noise", "-o", folder)
    note = "Whether it listens is told by the rules of `strict` alone, without the judge:"
    assert note not in cli("score", folder).out
    by_rules = cli("score", folder, "--json").json["listening"]
    said = cli("score", folder, *judge(chat_server(answer="NONE"), "always"))
    assert said.code == 0
    assert note in said.out
    whole = cli("score", folder, *judge(chat_server(answer="NONE"), "always"), "--json").json
    document = whole["scores"]["strict"]
    assert whole["listening"] == document["listening"] == by_rules  # the judge, who reads nothing, has no part in it
    assert (by_rules["score"], by_rules["conditions"]["noise"]["without"]) == (1.0, 1.0)
    assert (document["value"], document["variants"]["noise"]["value"], document["n_unanswered"]) == (0.0, 0.0, 4)
    assert document["extras"]["alignment"]["n_contents"] == 4  # the same words without the clip are the same content


def test_json_says_whether_a_model_listens_as_a_run_does(make_benchmark, cli, tmp_path):
    folder, benchmark = tmp_path / "deaf", make_benchmark(4)
    ran = cli("run", benchmark, "--model", "scripted/deaf", "--variant", "noise", "-o", folder, "--json").json
    assert cli("score", folder, "--json").json["listening"] == ran["listening"]
    cli("run", benchmark, "--model", "scripted/deaf", "-o", tmp_path / "plain")
    plain, without = cli("score", tmp_path / "plain", folder, "--json").json
    assert plain["listening"] is None
    assert without["listening"] == ran["listening"]


def test_prices_are_the_judge_s(run, cli, chat_server, tmp_path):
    server, folder, prices = chat_server(answer="C"), run(["A", PROSE]), tmp_path / "prices.toml"
    prices.write_text('["openai/mock"]\ntokens_in = 1_000_000\ntokens_out = 0\n')
    asked = judge(server, "judge", "--prices", prices)
    usage = cli("score", folder, *asked, "--json").json["scores"]["strict"]["extras"]["alignment"]["usage"]
    assert usage["cost_usd"] == usage["tokens_in"] > 0
    prices.write_text('["openai/other"]\ntokens_in = 1\n')
    said = cli("score", folder, *asked)
    assert said.code == 2
    assert "unknown model in the price table 'openai/mock'" in said.err


@pytest.mark.parametrize("limit", [("--rpm", 60), ("--tpm", 12_000)])
def test_a_judge_is_asked_no_faster_than_allowed(run, cli, chat_server, limit):
    """A request a second, or so many tokens that a second one waits: three take longer than two pauses' slack."""
    server, folder = chat_server(answer="C"), run([PROSE] * 3)
    begun = time.monotonic()
    assert cli("score", folder, *judge(server, "judge", *limit)).code == 0
    assert len(server.log()) == 3
    assert time.monotonic() - begun > 0.9


def test_a_judge_that_is_too_slow_has_not_answered(run, cli, chat_server):
    server, folder = chat_server(answer="C", delay_ms=800), run([PROSE])
    said = cli("score", folder, *judge(server, "judge", "--timeout", 0.2, "--max-tries", 1))
    assert said.code == 1
    assert "judge openai/mock gave no answer to any of 1 requests, the last: no reply within 0.2 s" in said.err


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        ("label", (), "is open; score it without --judge"),
        ("label", ("--align", "judge"), "has options, there is nothing to align; leave --align and --judge out"),
        ("label", ("--align", "always"), "has options, there is nothing to align; leave --align and --judge out"),
        ("open", ("--align", "judge"), "has options, there is nothing to align; leave --align out"),
    ],
)
def test_where_there_are_no_choices_alignment_is_refused(cli, make_benchmark, chat_server, tmp_path, kind, words, said):
    card = f'[benchmark]\nname = "made/own"\nversion = "1"\n\n[[task]]\nname = "sounds"\nkind = "{kind}"\n'
    card += 'labels = ["glad", "sad"]\n' if kind == "label" else ""
    items = [{"task": "sounds", "options": [], "answer": one} for one in ("glad", "sad")]
    folder, server = tmp_path / "run", chat_server()
    model = ("--model", "scripted/constant?text=glad", "--no-probe")
    assert cli("run", make_benchmark(items, card=card), *model, "-o", folder).code == 0
    found = cli("score", folder, "--judge", "openai/mock", "--base-url", server.url, *words)
    assert found.code == 2
    assert f"no item of made/own {said}" in found.err
    assert not server.log()
