"""``audiometry list``: one document with --json, runs at a glance, models with what they need."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from audiometry import bench
from audiometry.files.extras import install


@pytest.fixture
def kept(cli, tmp_path):
    """A folder with a run of 8 items of mini."""
    folder = tmp_path / "runs"
    code, _, _ = cli("run", "mini", "--model", "scripted/oracle", "--limit", 8, "-o", folder / "oracle")
    assert code == 0
    return folder


@pytest.mark.parametrize("what", ["benchmarks", "measures", "metrics", "models", "profiles", "tasks"])
def test_json_is_one_document_and_nothing_else(cli, what):
    code, out, err = cli("list", what, *(["mini"] if what == "tasks" else []), "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert all(row["name"] and row["about"] for row in rows)


def test_a_word_too_many_is_refused(cli):
    code, out, err = cli("list", "models", "mini")
    assert (code, out) == (2, "")
    assert "audiometry list models takes no other word; 'mini': give --cards with it, or leave it out" in err
    assert "takes no other word; 'mini': leave it out" in cli("list", "profiles", "mini")[2]


def test_models_say_what_they_need_and_never_a_key(cli, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown-0123456789")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.setenv("GOOGLE_API_KEY", "")
    _, out, _ = cli("list", "models", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert rows["openai/…"]["keys"] == {"OPENAI_API_KEY": True}
    assert rows["google/…"]["keys"] == {"GEMINI_API_KEY": False, "GOOGLE_API_KEY": False}
    assert rows["hf/…"]["extra"] == "hf"
    assert all(row["example"].startswith(name.removesuffix("…")) for name, row in rows.items())
    _, text, _ = cli("list", "models")
    assert "key: OPENAI_API_KEY (set)" in text
    assert "GEMINI_API_KEY (not set) or GOOGLE_API_KEY (not set)" in text
    assert f"needs: {install('hf')}\n" in text
    assert "never-shown" not in text + out


WITHOUT_PACKAGES = """
from types import SimpleNamespace
from audiometry.errors import UsageError
from audiometry.score.measures import MEASURES, packages
from audiometry.score.measures.references import ByReference, Pair

def missing(module):
    raise ModuleNotFoundError(module)

packages.importlib = SimpleNamespace(import_module=missing)
pair = Pair(item="a", prediction="a dog", references=("a cat",), language="en")
for name, measure in MEASURES.all().items():
    if not isinstance(measure, ByReference):
        continue
    try:
        measure.counts.count([pair])
        measure.counts.made_with([pair])
    except UsageError:
        print(name)
"""


def test_measures_name_the_extra_that_they_need_and_examples_can_be_pasted(cli):
    rows = json.loads(cli("list", "measures", "--json")[1])
    said = subprocess.run([sys.executable, "-c", WITHOUT_PACKAGES], capture_output=True, text=True, check=True).stdout
    assert {row["name"] for row in rows if row["extra"] == "text"} == set(said.split())
    *others, last = said.split()
    assert f"\n{', '.join(others)} and {last} need: {install('text')}\n" in cli("list", "measures")[1]
    assert len(others) == 4
    listed = cli("list", "models")[1]
    assert "e.g. 'scripted/noisy-oracle?p=0.7'" in listed
    assert "e.g. 'exec/python serve.py'" in listed


def test_a_measure_says_what_it_counts_and_which_way_is_better_and_a_task_its_kind(cli, make_benchmark):
    text = cli("list", "measures")[1]
    assert re.search(r"^wer +lower +open, transcript .*; errors per reference word, 0 or more$", text, re.MULTILINE)
    assert re.search(r"^macro-f1 +higher +choice, label .*; mean F1, 0 to 1$", text, re.MULTILINE)
    assert re.search(r"^accuracy +higher .*; share correct, printed in percent$", text, re.MULTILINE)
    wer = next(row for row in json.loads(cli("list", "measures", "--json")[1]) if row["name"] == "wer")
    assert (wer["unit"], wer["direction"], wer["range"]) == ("errors per reference word", "down", [0.0, None])
    assert wer["kinds"] == ["open", "transcript"]
    card = '[benchmark]\nname = "made"\n[[task]]\nname = "say"\nkind = "transcript"\nmeasure = "cer"\n'
    folder = make_benchmark([{"task": "say", "answer": "a", "options": []}], card=card)
    names, _, row = cli("list", "tasks", str(folder)).out.strip("\n").splitlines()
    assert names.split()[:3] == ["task", "items", "kind"]
    assert row.split() == ["say", "1", "transcript", "by", "cer"]


def test_every_provider_of_the_house_says_what_it_takes():
    from audiometry.models.registry import providers, routes

    own = {name for name, where in providers().items() if where.startswith("audiometry.models.")}
    from audiometry.models.route import SETTINGS

    assert own <= set(routes())
    assert all(routes()[name].takes < set(SETTINGS) for name in own)


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("what", ["benchmarks", "measures", "models", "profiles", "recipes", "runs", "tasks"])
def test_a_terminal_gets_no_line_that_is_too_long(cli, kept, monkeypatch, what, columns):
    where = {"runs": [kept], "tasks": ["mini"]}.get(what, [])
    monkeypatch.setenv("COLUMNS", str(columns))
    whole = cli("list", what, *where)[1]  # to a pipe: a line a fact
    monkeypatch.setenv("FORCE_COLOR", "1")
    wrapped = cli("list", what, *where)[1]
    bare = re.sub(r"\x1b\[[0-9;]*m", "", wrapped)
    long = [line for line in bare.splitlines() if len(line) > columns and len(line.split()) > 1]
    assert not [line for line in long if not re.search(" needs?: pip install |^needs: ", line)]  # which are copied
    if what in {"models", "recipes"}:
        assert bare.split() == whole.split()


def test_examples_show_an_item_of_each_task_with_its_options_the_same_each_time(cli, make_benchmark):
    rows = cli("list", "tasks", "mini", "--examples", "--json").json
    assert rows == cli("list", "tasks", "mini", "--examples", "--json").json
    items = {item.id: item for item in bench.load("mini")}
    text = cli("list", "tasks", "mini", "--examples").out
    assert len(rows) == 12
    for row in rows:
        shown = row["example_item"]
        item = items[shown["id"]]
        assert (item.task, list(item.options), item.answer) == (row["name"], shown["options"], shown["answer"])
        listed = "".join(rf"\n- {re.escape(one)}{' .right.' * (one == item.answer)}" for one in item.options)
        assert re.search(rf"{re.escape(item.question)}{listed}\nclip: {re.escape(item.clips[0])}", text)
    assert "example_item" not in cli("list", "tasks", "mini", "--json").out
    evil = {"task": "t", "question": "\x1b[2J\u202eWho?", "options": ["<b>a</b>", "\x07b"], "answer": "<b>a</b>"}
    said = cli("list", "tasks", make_benchmark([evil]), "--examples")
    assert "<b>a</b> (right)" in said.out
    assert not {"\x1b", "\u202e", "\x07"} & set(said.out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("runs", "--examples"), "--examples are of tasks; leave it out of audiometry list runs"),
        (("tasks", "airbench/foundation", "--examples"), "the items of airbench/foundation come with its data"),
    ],
)
def test_examples_that_there_are_none_of_are_refused_in_one_line(cli, words, said):
    code, out, err = cli("list", *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err


def test_rules_without_a_mean_of_categories_do_not_say_that_they_have_no_mean(cli):
    said = cli("list", "profiles")[1]
    assert "adds 0, no mean of categories" in said
    assert "no overall mean" not in said


def test_runs_at_a_glance(cli, kept):
    code, out, err = cli("list", "runs", kept, "--json")
    [row] = json.loads(out)
    assert (code, err) == (0, "")
    assert row["name"] == "oracle"
    assert (row["benchmark"], row["model"]) == ("mini", "scripted/oracle")
    assert (row["done"], row["planned"], row["failed"], row["problem"]) == (8, 8, 0, "")
    assert (row["value"], row["profile"]) == (1.0, "strict")
    _, text, _ = cli("list", "runs", kept)
    assert "8/8" in text
    assert "share correct 100.0 %" in text
    head, _, line = text.split("\n")[1:4]
    assert head.split()[-1] == "scores"
    assert re.search(r"  \d{4}-\d\d-\d\d \d\d:\d\d  share correct 100.0 %$", line)


def test_a_judged_score_keeps_its_unit(cli, chat_server, tmp_path):
    folder, server = tmp_path / "runs" / "chat", chat_server(judge=json.dumps({"other": 7.5}))
    cli("run", "mini/chat", "--model", "scripted/oracle", "--limit", 2, "-o", folder)
    assert cli("score", folder, "--judge", "openai/judge", "--base-url", server.url)[0] == 0
    [row] = json.loads(cli("list", "runs", folder.parent, "--json")[1])
    assert (row["value"], row["highest"], row["profile"]) == (7.5, 10, "strict")
    assert " judge's score 7.50 of 10\n" in cli("list", "runs", folder.parent)[1]


def test_every_kind_of_task_has_its_last_score(cli, kept):
    scores = {
        "strict--a": {"value": 0.5, "unit": "share correct", "range": [0, 1], "kinds": ["choice"]},
        "airbench--b": {"value": 0.9, "unit": "share correct", "range": [0, 1], "kinds": ["choice"]},
        "wer--c": {
            "value": 0.25,
            "unit": "errors per reference word",
            "range": [0, None],
            "kinds": ["transcript"],
            "measure": "wer",
        },
        "exec-cat--d": {"value": 3.0, "unit": "mean score", "range": [0, None], "kinds": ["transcript"]},
        "macro-f1--e": {
            "value": 0.75,
            "unit": "mean F1, 0 to 1",
            "range": [0, 1],
            "kinds": ["label"],
            "measure": "macro-f1",
        },
        "judge-score-strict--f": {"value": 7.5, "unit": "judge's score", "range": [1, 10], "kinds": ["open"]},
    }
    for name, one in scores.items():
        document = {"scores": {name.rpartition("--")[0]: one | {"rankable": name != "judge-score-strict--f"}}}
        (kept / "oracle" / "scores" / f"{name}.json").write_text(json.dumps(document))
    for path in (kept / "oracle" / "scores").glob("*.json"):
        if path.stem not in scores:
            path.unlink()
    [row] = json.loads(cli("list", "runs", kept, "--json")[1])
    assert {name: one["value"] for name, one in row["scores"].items()} == {"strict": 0.5, "macro-f1": 0.75, "wer": 0.25}
    assert (row["value"], row["profile"]) == (0.5, "strict")
    assert " share correct 50.0 %, macro F1 0.750, word error rate 0.250\n" in cli("list", "runs", kept)[1]
    (kept / "oracle" / "scores" / "strict--a.json").unlink()
    (kept / "oracle" / "scores" / "airbench--b.json").unlink()
    [row] = json.loads(cli("list", "runs", kept, "--json")[1])
    assert (row["value"], row["profile"]) == (0.75, "macro-f1")


def test_a_run_that_is_not_complete_has_no_score(cli, kept):
    path = kept / "oracle" / "replies.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    failure = json.dumps(
        {"item": json.loads(lines[0])["item"], "variant": "plain", "error": {"kind": "x", "message": ""}}
    )
    for left in (lines[:5], [*lines[1:], failure + "\n"]):
        path.write_text("".join(left))
        cli("score", kept / "oracle")
        [row] = json.loads(cli("list", "runs", kept, "--json")[1])
        assert (row["value"], row["profile"]) == (None, "")
        said = cli("list", "runs", kept)[1]
        assert "correct" not in said
        assert ("stopped, 5 of 8 asked" if left == lines[:5] else " incomplete\n") in said
    assert (row["done"], row["failed"]) == (7, 1)  # all was tried; with an eighth failed the score was not to be ranked


def test_a_score_that_is_older_than_the_replies_is_not_shown(cli, kept):
    later = time.time() + 10
    os.utime(kept / "oracle" / "replies.jsonl", (later, later))
    _, out, _ = cli("list", "runs", kept, "--json")
    assert json.loads(out)[0]["value"] is None
    assert " not scored\n" in cli("list", "runs", kept)[1]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("run.json", b"{"),
        ("run.json", b"\xff\xfe"),
        ("run.json", b"[" * 100_000),
        ("run.json", b'{"format": 99}'),
        ("replies.jsonl", b'{"item": 3}\n'),
        ("replies.jsonl", b"\xff\n"),
        ("run.json", None),
    ],
)
def test_a_broken_run_is_a_row_that_says_so(cli, kept, name, data):
    broken = kept / "bro\x1b[31mken"
    shutil.copytree(kept / "oracle", broken)
    if data is None:
        (broken / name).unlink()
    else:
        (broken / name).write_bytes(data)
    code, out, _ = cli("list", "runs", kept)
    assert code == 0
    last = out.splitlines()[-1]
    assert last.startswith("bro\\x1b[31mken: cannot be read: ")
    assert "\x1b" not in out
    _, out, _ = cli("list", "runs", kept, "--json")
    assert [bool(row["problem"]) for row in json.loads(out)] == [False, True]
    shutil.rmtree(kept / "oracle")
    assert cli("list", "runs", kept)[1].splitlines() == [last]  # no headings over nothing


def test_failures_and_what_was_taken_back(cli, kept):
    path = kept / "oracle" / "replies.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    failure = {"item": lines[0]["item"], "variant": "plain", "error": {"kind": "timeout", "message": "x"}}
    changed = {"item": lines[1]["item"], "variant": "plain", "error": {"kind": "changed", "message": "x"}}
    other = {"item": "new", "variant": "plain", "error": {"kind": "timeout", "message": "x"}}
    with path.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in (failure, changed, other))
    _, out, _ = cli("list", "runs", kept, "--json")
    [row] = json.loads(out)
    assert (row["done"], row["failed"]) == (7, 1)


def test_no_runs_and_no_folder(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("list", "runs", "elsewhere")
    assert (code, out) == (2, "")
    assert "name the folder that holds your run folders" in err
    for _ in range(2):
        code, out, err = cli("list", "runs")
        assert (code, out, err) == (0, "", "no runs yet in runs/; audiometry run makes one\n")
        assert cli("list", "runs", "--json") == (0, "[]\n", "")
        (tmp_path / "runs").mkdir(exist_ok=True)


def test_a_link_to_a_name_that_cannot_be_hides_no_run(cli, kept):
    (kept / "a").mkdir()
    (kept / "a" / "run.json").symlink_to("x" * 300)
    (kept / "b").symlink_to("x" * 300)
    assert [row["name"] for row in json.loads(cli("list", "runs", kept, "--json")[1])] == ["oracle"]


def test_a_run_folder_itself(cli, kept):
    assert json.loads(cli("list", "runs", kept / "oracle", "--json")[1])[0]["name"] == "oracle"


def test_hundreds_of_runs_are_no_wait(cli, kept):
    for k in range(300):
        folder = kept / f"copy-{k}"
        folder.mkdir()
        for name in ("run.json", "replies.jsonl"):
            os.link(kept / "oracle" / name, folder / name)
    began = time.process_time()
    assert len(json.loads(cli("list", "runs", kept, "--json")[1])) == 301
    assert time.process_time() - began < 3  # 0.1 s where nothing else runs


@pytest.mark.parametrize(
    ("model", "words", "said"),
    [
        ("cascade/pocketsphinx", ["--base-url", "http://x/v1"], "--base-url does nothing with cascade/pocketsphinx"),
        ("cascade/pocketsphinx", ["--temperature", 0], "--temperature does nothing with cascade/pocketsphinx"),
        ("cascade/pocketsphinx", ["--max-tokens", 5], "--max-tokens does nothing with"),
        ("scripted/oracle", ["--stream"], "--stream does nothing with scripted/oracle"),
        ("scripted/oracle", ["--reader", "openai/x"], "--reader does nothing with scripted/oracle"),
        ("exec/true", ["--base-url", "http://x/v1"], "--base-url does nothing with exec/true"),
        ("openai/x", ["--reader", "openai/y"], "--reader does nothing with openai/x"),
        ("hf/x", ["--stream"], "--stream does nothing with hf/x"),
    ],
)
def test_options_that_do_nothing_are_refused(cli, model, words, said, tmp_path):
    for command in (["run", "mini", "--model", model, "-o", tmp_path / "run"], ["probe", model]):
        code, out, err = cli(*command, *words)
        assert (code, out) == (2, "")
        assert f"audiometry: error: {said}" in err
        assert "; leave it out, or ask a model that takes it (" in err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rpm", 5], "--rpm is about judges; name one with --judge"),
        (["--panel", "median"], "--panel is about judges; name one with --judge"),
        (["--injections", 5], "--injections is about judges; name one with --judge"),
        (["--base-url", "http://x/v1"], "--base-url is about judges; name one with --judge"),
        (["--judge", "exec/true", "--base-url", "http://x/v1"], "--base-url does nothing with exec/true"),
        (["--judge", "exec/true", "--judge", "hf/x", "--base-url", "http://x/v1"], "nothing with exec/true and hf/x"),
    ],
)
def test_options_that_no_judge_heeds_are_refused(cli, kept, words, said):
    code, out, err = cli("score", kept / "oracle", *words)
    assert (code, out) == (2, "")
    assert said in err


def test_a_cascades_reader_takes_its_own_options(cli, tmp_path):
    words = ["--reader", "openai/x", "--base-url", "http://127.0.0.1:9/v1", "--temperature", 0, "--dry-run"]
    code, _, err = cli("run", "mini", "--model", "cascade/pocketsphinx", "-o", tmp_path / "run", *words)
    assert (code, err) == (0, "")


def test_a_run_says_where_it_is_and_what_comes_next(cli, tmp_path):
    folder = tmp_path / "a run's"
    code, out, _ = cli("run", "mini", "--model", "scripted/oracle", "--limit", 4, "-o", folder)
    assert code == 0
    last = out.splitlines()[-1]
    assert last.startswith(f"Kept in {folder}; next: audiometry report '")
    code, out, _ = cli("run", "mini/chat", "--model", "scripted/oracle", "--limit", 2, "-o", tmp_path / "chat")
    assert out.splitlines()[-1].endswith(f"next: audiometry score {tmp_path / 'chat'} --judge MODEL")


def test_a_report_as_one_document(cli, kept, tmp_path):
    code, out, err = cli("report", kept / "oracle", "-o", tmp_path / "r.html", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"report": str(tmp_path / "r.html"), "runs": [str(kept / "oracle")]}


def test_measure_is_another_name_of_metric(cli, tmp_path):
    cli("run", "mini/chat", "--model", "scripted/oracle", "--limit", 3, "-o", tmp_path / "chat")
    code, out, _ = cli("score", tmp_path / "chat", "--measure", "token-f1", "--json")
    assert code == 0
    assert "token-f1" in json.loads(out)["scores"]


def test_items_that_were_renamed_or_are_asked_no_more_count_as_in_the_score(cli, make_benchmark, tmp_path):
    folder, run = make_benchmark(8), tmp_path / "run"
    words = ("run", folder, "--model", "scripted/random", "-o", run)
    assert cli(*words)[0] == 0
    rows = [json.loads(line) for line in (folder / "metadata.jsonl").read_text().splitlines()]
    for row in rows[:3]:
        row["id"] = f"new-{row['id']}"
        (folder / row["file_name"]).write_bytes(b"no sound")
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:7]))
    assert cli(*words)[0] == 1
    score = json.loads(cli("score", run, "--json")[1])["scores"]["strict"]
    [row] = json.loads(cli("list", "runs", run, "--json")[1])
    assert (row["planned"], row["done"], row["failed"]) == (7, 4, 3)
    assert (score["n_replies"], score["n_failed"]) == (7, 3)
    assert cli(*words, "--limit", "2")[0] == 1  # asks for less, and what the folder holds stays as it is
    [row] = json.loads(cli("list", "runs", run, "--json")[1])
    assert (row["planned"], row["done"], row["failed"]) == (7, 4, 3)
    later = [row | {"id": f"later-{row['id']}"} for row in rows]
    (folder / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in later))
    for change in (lambda: None, lambda: shutil.rmtree(folder)):  # neither tells what was planned then
        change()
        [row] = json.loads(cli("list", "runs", run, "--json")[1])
        assert (row["planned"], row["done"], row["problem"]) == (7, 7, "")


def test_tasks_of_published_data_say_how_many_items_there_are_what_is_small_and_what_nobody_published(cli):
    code, out, _ = cli("list", "tasks", "static20/callhome")
    said = " ".join(out.split())
    assert code == 0
    assert re.search(r"published .* 24 .* Relationship \(CallHome\), small: 24 items", said)
    assert "Not published: the revision of the hub's copy, which is private" in said
    (row,) = json.loads(cli("list", "tasks", "static20/callhome", "--json")[1])
    assert (row["items"], row["published"], len(row["unknown"])) == (None, 24, 3)
    assert {row["name"]: row["published"] for row in json.loads(cli("list", "tasks", "static20", "--json")[1])}[
        "meld"
    ] == 2608


def test_tasks_of_a_suite_are_one_table_with_what_each_is_scored_by(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    head, _, *rows = cli("list", "tasks", "static20").out.strip("\n").splitlines()[:22]
    assert head.split()[:4] == ["task", "published", "kind", "category"]  # no items without data
    assert len(rows) == 20
    assert rows[0].split()[:4] == ["urfunny", "994", "label", "cognitive"]
    assert sum("choice by macro-f1 of letters" in row for row in rows) == 4


def test_examples_of_published_data_are_of_the_folder_that_is_given(cli, tmp_path):
    code, _, err = cli("list", "tasks", "static20", "--examples")
    assert code == 2
    assert err.endswith("come with its data; give their folder with --data DIR, which has a folder for each set\n")
    assert "DIR\n" in cli("list", "tasks", "static20/iemocap", "--examples")[2]
    (tmp_path / "metadata.csv").write_text("audio,answer\na.wav,angry\n")
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    code, out, _ = cli("list", "tasks", "static20/iemocap", "--examples", "--data", tmp_path)
    assert (code, "reference: angry" in out, "clip: a.wav" in out) == (0, True, True)
    assert "--data is for tasks" in cli("list", "models", "--data", tmp_path)[2]
