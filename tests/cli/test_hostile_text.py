"""No name, path, reply or argument that reaches a terminal moves its cursor, hides or reorders what stands there."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time

import pytest

from audiometry.cli.say import say_json
from audiometry.errors import visible
from audiometry.render.console import Terminal

# a window's title by OSC, colours by CSI, both as C1 too; lines lost and turned, hidden letters, a pile of accents
EVIL = (
    "a\x1b]0;owned\x07\x1b[2J\x9b31m\x85\rb\u202e\u2066c\u200b\u2028\u3164d" + "e" + "\u0301" * 40 + "[red]:bomb:\x7f"
)


def clean(text):
    return visible(text) == text and not set(text) & set("\r\t\x1b\x7f\x9b")


@pytest.fixture
def hostile(make_benchmark, cli, tmp_path):
    """A benchmark and two runs over it, in which all that can be is hostile."""
    options = [f"{word} {EVIL}" for word in ("dog", "cat")]
    rows = [
        {
            "id": f"{n}{EVIL}",
            "task": f"task {n % 2}{EVIL}",
            "question": EVIL,
            "options": options,
            "answer": options[n // 2 % 2],
            "kinds": [("", "IR")[place != n // 2 % 2] for place in range(2)],
            "tags": {f"tag{EVIL}": EVIL, f"about{EVIL}": [EVIL, f"unknown {n}{EVIL}"]},
            **dict.fromkeys(("meta", "source", "licence"), EVIL),
        }
        for n in range(6)
    ]
    text = json.dumps(EVIL)
    card = f"[benchmark]\nname = {text}\nversion = {text}\ntitle = {text}\nlicence = {text}\ncannot_show = [{text}]\n"
    card += f"known = [{text}]\nunknown = [{text}]\n[distractors]\nIR = {text}\n[asked]\nshots = 1\n"
    card += f"[[dimension]]\ntag = {json.dumps(f'about{EVIL}')}\ntitle = {text}\nvalues = [{text}]\n"
    card += f"[[example]]\nquestion = {text}\noptions = {json.dumps(options)}\nanswer = {json.dumps(options[0])}\n"
    for row in rows[:2]:
        card += f"[[task]]\nname = {json.dumps(row['task'])}\ntitle = {text}\ncategory = {text}\nnote = {text}\n"
    made = make_benchmark(rows, card=card)
    folder = made.rename(tmp_path / f"benchmark{EVIL}")
    lines = []
    for line in map(json.loads, (folder / "metadata.jsonl").read_bytes().splitlines()):
        name = line["file_name"].replace(".wav", f"{EVIL}.wav")
        (folder / line["file_name"]).rename(folder / name)
        lines.append(json.dumps(line | {"file_name": name}) + "\n")
    (folder / "metadata.jsonl").write_text("".join(lines))
    runs = [tmp_path / f"run{k}{EVIL}" for k in range(2)]
    said = []
    for run, model in zip(runs, ("scripted/random", "scripted/oracle"), strict=True):
        said.append(cli("run", folder, "--model", model, "-o", run))
        stamp = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps(stamp | {"model": f"{model}{EVIL}"}))
        replies = [json.loads(line) for line in (run / "replies.jsonl").read_bytes().splitlines()]
        replies[0]["text"] = EVIL
        del replies[1]["text"]
        replies[1]["error"] = {"kind": "program", "message": EVIL}
        (run / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    assert [(one.code, clean(one.out + one.err)) for one in said] == [(0, True)] * 2, said[0].err + said[1].err
    return folder, runs


def test_no_command_lets_foreign_text_act_on_the_terminal(hostile, cli, tmp_path):
    folder, (a, b) = hostile
    next((folder / "audio").iterdir()).write_bytes(b"\x1b]0;no audio\x07")
    people = tmp_path / f"people{EVIL}.jsonl"
    ratings = [
        {"item": f"{n}{EVIL}", "rater": f"{rater}{EVIL}", "score": n % 3 + rater, "model": EVIL}
        for n in range(6)
        for rater in (0, 1)
    ]
    ratings.append({"item": EVIL, "choice": EVIL, "rater": EVIL})
    people.write_text("".join(json.dumps(one) + "\n" for one in ratings))
    done = [
        ("list", "tasks", folder),
        ("list", "runs", tmp_path),
        ("check", folder),
        ("check", "--run", a, "--run", b),
        ("run", folder, "--model", "scripted/random", "--dry-run"),
        ("score", a, b),
        ("score", a, "--profile", "all"),
        ("compare", a, b),
        ("report", a, b, "-o", tmp_path / f"page{EVIL}.html"),
        ("agree", people),
    ]
    refused = [
        ("score", a, "--profile", EVIL),
        ("score", a, "--metric", EVIL),
        ("agree", people, "--rater", EVIL),
        ("agree", a),
        ("run", folder, "--model", EVIL),
        ("run", folder, "--model", f"openai/{EVIL}", "--task", EVIL),
        ("run", folder, "--model", "scripted/random", "--variant", EVIL),
        ("run", folder, "--model", "scripted/random", "--variant", "distractors"),  # all are of one kind
        ("run", tmp_path / f"none{EVIL}", "--model", "scripted/random"),
        ("list", EVIL),
        (EVIL,),
        (f"--{EVIL}",),
        ("run", folder, f"--{EVIL}"),
        ("run", folder, "--limit", EVIL),
        ("score", a, "--prices", EVIL),
        ("probe", f"scripted/{EVIL}"),
    ]
    for words in done + refused:
        for more in ((), ("--json",)):
            said = cli(*words, *more)
            assert clean(said.out + said.err), (words, said.out, said.err)
            assert "Traceback" not in said.err
            assert (said.code == 2) is (words in refused), (words, said.err)
            if said.code == 2:
                assert said.err.rstrip("\n").rpartition("\n")[2].startswith("audiometry: error: ")


@pytest.mark.parametrize("name", ["[" * 20_000, "a/" * 5000, "\u97f3" * 3000, "e\u0301" * 5000, "[/]\\\\" * 2000])
def test_a_name_without_end_costs_nothing_and_fits_every_file_system(name, make_benchmark, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = json.dumps(name)
    card = f"[benchmark]\nname = {text}\nversion = {text}\ntitle = {text}\n[[task]]\nname = {text}\ntitle = {text}\n"
    folder = make_benchmark([{"task": name}] * 2, card=card)
    began = time.process_time()
    assert cli("run", folder, "--model", "scripted/oracle").code == 0
    (run,) = (tmp_path / "runs").iterdir()
    shutil.copytree(run, tmp_path / "other")
    for words in (
        ("list", "tasks", folder),
        ("check", folder),
        ("score", run),
        ("compare", run, "other"),
        ("list", "runs"),
    ):
        assert cli(*words).code == 0, words
    assert cli("report", run, "-o", "page.html").code == 0
    assert time.process_time() - began < 20
    assert all(len(os.fsencode(path.name)) < 256 for path in run.rglob("*"))


def test_json_says_the_same_in_escapes(capsys):
    value = {"a": EVIL + "ä \U000e0041 😀"}
    say_json(value)
    printed = capsys.readouterr().out
    assert clean(printed)
    assert "ä" in printed
    assert "😀" in printed
    assert json.loads(printed) == value


def test_brackets_and_colons_are_letters(capsys):
    Terminal(80).print("[red]a[/red] :bomb: [link=x]")
    assert capsys.readouterr().out == "[red]a[/red] :bomb: [link=x]\n"


def test_on_a_real_terminal_only_our_own_styles_are_left(hostile):
    _, (run, _) = hostile
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80"}
    command = [sys.executable, "-m", "audiometry", "score", run]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        said = b""
        while block := _read(ours):
            said += block
    os.close(ours)
    text = said.decode().replace("\r\n", "\n")
    assert process.returncode == 1  # a failed reply
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "random" in plain
    assert clean(plain), plain


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other side is closed
        return b""


def test_a_folder_with_a_broken_character_in_its_name_is_refused_in_one_line(
    make_benchmark, cli, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    folder = make_benchmark(2).rename(tmp_path / os.fsdecode(b"bench\xff\xfe"))
    run, good = tmp_path / os.fsdecode(b"run\xe4"), make_benchmark(2)
    assert cli("run", good, "--model", "scripted/oracle", "-o", "good").code == 0
    (tmp_path / "good").rename(run)
    for words in (
        ("run", folder, "--model", "scripted/oracle"),
        ("run", good, "--model", "scripted/oracle", "-o", run),
        ("list", "tasks", folder),
        ("check", folder),
        ("score", run, "--json"),
        ("report", run),
        ("compare", run, run),
    ):
        said = cli(*words)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), words
        assert "bytes that are no UTF-8; rename it" in said.err
        assert clean(said.err)
    listed = cli("list", "runs", tmp_path), cli("list", "runs", tmp_path, "--json")
    assert [one.code for one in listed] == [0, 0]
    assert all(clean(one.out) for one in listed)
    assert json.loads(listed[1].out)
    monkeypatch.chdir(run)
    assert cli("list", "profiles").code == 2
