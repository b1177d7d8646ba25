"""What ``audiometry run`` says of open questions: counts and who can score them, and never a share correct."""

import json
import re
import shlex

import pytest

CARD = """
[benchmark]
name = "both"
version = "1"

[[task]]
name = "pick"

[[task]]
name = "tell"
title = "Tell me"
kind = "open"

[[task]]
name = "tell_more"
kind = "open"
"""


@pytest.fixture
def bench(make_benchmark):
    """Three tasks of four items; two of the last have no reference, which the oracle cannot answer."""

    def make(*, choices=True):
        items = []
        for number in range(12):
            task = ("pick", "tell", "tell_more")[number % 3]
            entry = {"task": task, "question": f"What is it, {number}?"}
            if task == "pick":
                entry |= {"answer": "cow"}
            else:
                entry |= {"options": [], "answer": None if number in {8, 11} else "It is a cow."}
            if choices or task != "pick":
                items.append(entry)
        return make_benchmark(items, card=CARD)

    return make


def test_a_run_of_open_questions_ends_with_counts_and_says_what_is_next(cli, bench, tmp_path):
    said = cli("run", bench(choices=False), "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe")
    assert said.code == 1  # two failed
    words = [line.split() for line in said.out.splitlines()]
    assert ["Tell", "me", "4", "4/4", "0", "0", "0", "0"] in words
    assert ["tell_more", "4", "2/4", "0", "0", "2", "0"] in words
    assert ["all", "8", "6/8", "0", "0", "2", "0"] in words
    assert f"audiometry score {tmp_path / 'run'} --judge MODEL" in said.out.replace("\n", "")
    assert "2 items have no reference answer" in said.out
    assert "%" not in said.out
    assert "correct" not in said.out


def test_the_same_as_json(cli, bench, tmp_path):
    arguments = ("run", bench(choices=False), "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe")
    document = cli(*arguments, "--json").json
    assert document["scores"] == {}
    assert document["n_items"] == document["open"]["n_items"] == 8
    assert document["open"]["tasks"]["tell"] == {
        "n_items": 4,
        "n_replies": 4,
        "n_answered": 4,
        "n_refused": 0,
        "n_empty": 0,
        "n_failed": 0,
        "n_not_asked": 0,
    }
    assert document["usage"]["replies"] == 6


def test_where_both_kinds_stand_rules_score_the_choices_alone(cli, bench, tmp_path):
    folder = bench()
    said = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe")
    assert "8 items are in none of these numbers: open questions" in said.out
    document = cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "run", "--no-probe", "--json").json
    strict = document["scores"]["strict"]
    assert (strict["value"], strict["n_items"], strict["n_failed"]) == (1, 4, 0)
    assert list(strict["tasks"]) == ["pick"]
    assert document["n_unscored"] == document["open"]["n_items"] == 8
    again = cli("score", tmp_path / "run", "--profile", "all", "--json").json
    assert again["scores"]["airbench"]["n_items"] == 4
    assert again["n_unscored"] == 8


def test_refusals_and_blanks_are_told_apart_and_counted_of_items_with_their_own_clips(cli, bench, tmp_path):
    folder, run = bench(choices=False), tmp_path / "run"
    cli("run", folder, "--model", "scripted/deaf", "-o", run, "--no-probe", "--variant", "silence")
    lines = [json.loads(line) for line in (run / "replies.jsonl").read_text().splitlines()]
    kept = [line for line in lines if line.get("text") is not None and line["item"] == "item-00000"]
    assert len(kept) == 2
    kept[0]["text"], kept[1]["text"] = "  <think>hm</think> ", "I'm sorry, I cannot listen to audio."
    declined = [line for line in lines if line.get("text") is not None and line["item"] == "item-00002"]
    declined[0]["text"] = kept[1]["text"]
    rest = [line for line in lines if line["item"] != "item-00000"]
    (run / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rest + kept))
    said = cli("run", folder, "--model", "scripted/deaf", "-o", run, "--no-probe", "--variant", "silence", "--json")
    counted = said.json["open"]["tasks"]["tell"]
    assert (counted["n_items"], counted["n_replies"]) == (4, 4)
    assert (counted["n_answered"], counted["n_refused"], counted["n_empty"]) == (2, 1, 1)


def test_a_run_is_judged_reported_and_compared_by_the_same_commands(cli, bench, tmp_path, chat_server):
    server = chat_server(judge=json.dumps({"bias": 1, "scores": {"It is a cow.": 7}}))
    folder, runs = bench(choices=False), [tmp_path / "a", tmp_path / "b"]
    for run in runs:
        cli("run", folder, "--model", "scripted/deaf", "-o", run, "--no-probe")
    lines = [json.loads(line) for line in (runs[1] / "replies.jsonl").read_text().splitlines()]
    worse = [line | ({"text": f"A hen {n}."} if line.get("text") else {}) for n, line in enumerate(lines)]
    (runs[1] / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in worse))
    unjudged = cli("report", runs[0], "-o", tmp_path / "before.html")
    assert unjudged.code == 0
    assert "has not been judged" in (tmp_path / "before.html").read_text()
    assert "has not been judged; have that done by audiometry score" in cli("compare", *runs).err
    for run in runs:
        cli("score", run, "--judge", "openai/judge", "--base-url", server.url)
    asked = len(server.log())
    assert cli("score", runs[0], "--judge", "openai/judge", "--json").json["scores"]["strict"]["extras"]["judges"]
    told = cli("report", *runs, "-o", tmp_path / "after.html")
    assert told.out.strip() == str(tmp_path / "after.html")
    assert f"next: open {tmp_path / 'after.html'} in a browser; --tables DIR" in told.err
    page = (tmp_path / "after.html").read_text()
    assert "openai/judge" in page
    places = page.partition('id="table-judges-places"')[2].partition("</table>")[0]
    assert re.findall(r'data-label="difference"[^>]*>([^<]*)<', places) == ["+1.00", "+1.00"]
    assert "no bias towards a place can be told" in page  # by so few items, though each differs
    found = cli("compare", *runs, "--json").json
    assert found["difference"] == pytest.approx(2)
    assert found["range"] == [1, 10]
    assert len(server.log()) == asked  # neither report nor compare nor scoring again asks anybody


def test_what_judges_scored_is_compared_where_choices_are_aligned_too(cli, bench, tmp_path, chat_server):
    folder, runs = bench(), [tmp_path / "a", tmp_path / "b"]
    scores, letters = chat_server(judge=json.dumps({"scores": {"It is a cow.": 7}})), chat_server(answer="C")
    for run, model in zip(runs, ("scripted/oracle", "scripted/constant?text=moo"), strict=True):
        cli("run", folder, "--model", model, "-o", run, "--no-probe")
        cli("score", run, "--judge", "openai/judge", "--base-url", scores.url)
        cli("score", run, "--align", "judge", "--judge", "openai/mock", "--base-url", letters.url)
    found = cli("compare", *runs, "--align", "judge", "--json").json
    assert found["aligned_by"].startswith("openai/mock")
    assert list(found["also"]) == ["judge-score"]
    assert found["also"]["judge-score"]["judges"][0].startswith("openai/judge")


def test_panels_and_judges_are_chosen_by_name(cli, bench, tmp_path, chat_server):
    server = chat_server(judge="{}")
    run = tmp_path / "run"
    cli("run", bench(choices=False), "--model", "scripted/deaf", "-o", run, "--no-probe")
    cli("score", run, "--judge", "openai/one", "--judge", "openai/two", "--base-url", server.url)
    page = tmp_path / "page.html"
    cli("report", run, "-o", page, "--panel", "majority")
    assert "a panel of 2 judges, the majority of their scores" in page.read_text()
    cli("report", run, "-o", page, "--judge", "openai/two")
    assert "openai/one" not in page.read_text()
    nobody = cli("report", run, "-o", page, "--judge", "openai/three")
    assert nobody.code == 2
    assert nobody.err.count("\n") == 1
    assert cli("report", run, "--align", "judge").err.count("\n") == 1


def test_the_commands_that_come_next_can_be_pasted_however_long_the_folders_name(cli, bench, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = tmp_path / ("a long name " * 12).strip()
    done = cli("run", bench(choices=False), "--model", "scripted/oracle", "--no-probe", "-o", out)
    pasted = [shlex.split(line, comments=True) for line in done.out.splitlines() if line.startswith("  audiometry")]
    assert pasted == [["audiometry", "score", str(out), *how] for how in (["--judge", "MODEL"], ["--measure", "NAME"])]
