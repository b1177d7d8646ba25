"""``audiometry review``: a page until Ctrl-C, one line for what cannot be, nothing lost whatever ends it."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from audiometry import bench
from audiometry.cli import reviewing
from audiometry.web import serve
from audiometry.web.door import hashed


@contextmanager
def served(*arguments):
    """The command as a process, and the port that it printed."""
    command = [sys.executable, "-m", "audiometry", "review", *map(str, arguments), "--port", "0"]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        try:
            first, line = process.stderr.readline(), process.stderr.readline()
            yield process, int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1]), first
        finally:
            process.kill()


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_it_ends_gracefully_and_says_how_far_it_is(make_benchmark, client, how):
    folder = make_benchmark(3)
    with served(folder) as (process, port, first):
        anna = client(port, "anna")
        anna.say(anna.next(), verdict="approve")
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert first == "3 answers to be given about 3 items.\n"
    assert out == f"1 of 3 items done, 1 answer in all (anna 1); kept in {folder / 'review'}\n"


@pytest.mark.slow
def test_kill_9_in_mid_write_loses_no_answer(make_benchmark, client):
    folder = make_benchmark(6)
    units = []
    for n in range(3):
        with served(folder) as (process, port, _):
            anna = client(port, "anna")
            put = anna.next()
            assert put["progress"]["mine"] == n
            units.append(put["unit"])
            anna.say(put, verdict="approve")
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        with (folder / "review" / "answers.jsonl").open("ab") as journal:
            journal.write(b'{"unit": "half a li')  # what was under way
    assert len(set(units)) == 3


def test_a_second_one_over_the_same_folder_is_one_line(make_benchmark, cli):
    folder = make_benchmark(2)
    with served(folder):
        said = cli("review", folder, "--port", 0)
    assert said.code == 2
    assert "in use by another process" in said.err
    assert said.err.count("\n") == 1


def test_a_port_in_use_is_one_line(make_benchmark, cli):
    with serve.listen(port=0) as on:
        said = cli("review", make_benchmark(1), "--port", on.getsockname()[1])
    assert said.code == 2
    assert re.fullmatch(r"audiometry: error: port \d+ is in use by another program; .* --port\n", said.err)


@pytest.fixture
def folder(begun, make_benchmark):
    """A benchmark whose review has an answer of each of two raters."""
    made = make_benchmark(4)
    with begun(made, raters=2).desk() as desk:
        for name in ("anna", "ben"):
            desk.put(name, next(iter(desk.units)), {"verdict": "approve"})
    return made


def test_ratings_are_read_by_agree(folder, cli, tmp_path):
    file = tmp_path / "verdicts.jsonl"
    said = cli("review", folder, "--export", file)
    assert said.code == 0
    assert said.out == f"2 ratings in {file}; next: audiometry agree {file}\n"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert {(line["rater"], line["code"]) for line in lines} == {("anna", "approve"), ("ben", "approve")}
    assert [one["name"] for one in cli("agree", file, "--json").json["raters"]] == ["anna", "ben"]
    assert cli("review", folder, "--export", file, "--json").json == {"ratings": str(file), "n_ratings": 2}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--raters", "3"], "holds a review with raters 2, not 3; go on with it as it is, or begin another with -o"),
        (["--seed", "7"], "with seed 1, not 7"),
        (["--sample", "2"], "with sample None, not 2"),
        (["--mode", "aprove"], "did you mean 'approve'"),
    ],
)
def test_a_review_goes_on_as_it_was_begun_or_says_why_not(folder, cli, arguments, why):
    said = cli("review", folder, "--export", folder / "x.jsonl", *arguments)
    assert said.code == 2
    assert why in said.err
    assert not (folder / "x.jsonl").exists()


@pytest.mark.parametrize(
    ("said", "file", "why"),
    [
        (0, "x.jsonl", "nobody has said anything yet"),
        (1, "metadata.jsonl", "holds something else than ratings"),
        (1, "review/answers.jsonl", "holds something else than ratings"),
    ],
)
def test_an_export_writes_over_nothing_else_and_never_nothing(begun, make_benchmark, cli, said, file, why):
    folder = make_benchmark(2)
    with begun(folder).desk() as desk:
        for key in list(desk.units)[:said]:
            desk.put("anna", key, {"verdict": "approve"})
    before = (folder / file).read_bytes() if said else b""
    got = cli("review", folder, "--export", folder / file)
    assert got.code == 2
    assert why in got.err
    assert (folder / file).read_bytes() == before if said else not (folder / file).exists()


def test_a_damaged_answer_is_named(folder, cli):
    path = folder / "review" / "answers.jsonl"
    path.write_bytes(b"{}\n" + path.read_bytes())
    said = cli("review", folder, "--export", folder / "x.jsonl")
    assert said.code == 2
    assert "answers.jsonl, line 1" in said.err


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_answers_that_are_no_file_are_refused_and_nothing_is_written_through_them(
    folder, cli, tmp_path, what, unserved
):
    path, outside = folder / "review" / "answers.jsonl", tmp_path / "outside.jsonl"
    outside.write_bytes(path.read_bytes())
    before = outside.read_bytes()
    path.unlink()
    {"link": lambda: path.symlink_to(outside), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[what]()
    for more in (["--port", 0], ["--export", tmp_path / "x.jsonl"], ["--apply", "-o", tmp_path / "new"]):
        said = cli("review", folder, *more)
        assert said.code == 2
        assert f"answers.jsonl is a {what}, not a file; put the answers themselves there" in said.err
        assert said.err.count("\n") == 1
    assert outside.read_bytes() == before


def test_what_is_asked_for_in_one_mode_and_was_said_in_another_is_named(
    folder, make_run, begun, cli, tmp_path, monkeypatch
):
    said = cli("review", folder, "--mode", "answer", "--export", tmp_path / "x.jsonl")
    assert "holds no review in mode answer, but there is one with --mode approve (2 lines); name that" in said.err
    with begun(folder, mode="answer").desk() as desk:
        unit = desk.next("anna")
        desk.put("anna", unit.key, {"true": ["0"]})
    (folder / "review" / "answers.jsonl").write_bytes(b"")
    said = cli("review", folder, "--apply", "-o", tmp_path / "new")
    assert "nobody has said anything yet in" in said.err
    assert "in mode approve, but there is one with --mode answer (1 line); name that" in said.err
    monkeypatch.chdir(tmp_path)
    run = make_run(folder, {item.id: "a dog" for item in bench.load(folder)}, model="lab/a")
    review, _ = reviewing.opened((str(run),), "score", output=None, sample=None, raters=None, seed=None)
    with review.desk() as desk:
        desk.put("anna", desk.next("anna").key, {"score": "7"})
    said = cli("review", run, "--export", tmp_path / "x.jsonl")
    assert "in mode align, but there is one with --mode score (1 line); name that" in said.err


def test_nothing_is_exported_where_nobody_was_asked(make_benchmark, cli, tmp_path):
    said = cli("review", make_benchmark(1), "--export", tmp_path / "x.jsonl")
    assert said.code == 2
    assert "holds no review; have people review first" in said.err
    assert not (tmp_path / "x.jsonl").exists()


def test_a_benchmark_that_is_none_is_one_line(cli, tmp_path):
    said = cli("review", tmp_path)
    assert said.code == 2
    assert said.err.count("\n") == 1


@pytest.fixture
def unserved(monkeypatch):
    """The command as if Ctrl-C came at once."""

    def ended(app, on, ready):
        ready(lambda: None)

    monkeypatch.setattr(serve, "serve", ended)


def test_people_elsewhere_come_in_by_links_that_only_they_know(make_benchmark, cli, unserved):
    folder = make_benchmark(2)
    here = ("review", folder, "--host", "127.0.0.1", "--port", 0)
    assert "make a link for each person with --rater NAME" in cli(*here).err
    said = cli(*here, "--rater", "anna", "--rater", "Zoë")
    found = re.findall(r"(\S+): http://127\.0\.0\.1:\d+/link/([\w-]{22})\n", said.err)
    assert [name for name, _ in found] == ["anna", "Zoë"]
    kept = json.loads((folder / "review" / "review.json").read_text())["links"]
    assert {hashed(token): name for name, token in found} == kept
    again = cli(*here, "--rater", "anna")
    assert "Links of before still hold: Zoë." in again.err
    kept = json.loads((folder / "review" / "review.json").read_text())["links"]
    assert sorted(kept.values()) == ["Zoë", "anna"]
    assert hashed(dict(found)["anna"]) not in kept  # the old one is nobody's now
    assert "give --host too" in cli("review", folder, "--rater", "anna").err
    assert "cannot be a name" in cli(*here, "--rater", "an\u200bna").err


def test_one_document_at_the_end(make_benchmark, cli, unserved):
    folder = make_benchmark(2)
    said = cli("review", folder, "--port", 0, "--raters", 2, "--json")
    counts = {"n_units": 2, "n_done": 0, "n_answers": 0, "n_passed_over": 0, "raters": {}}
    assert said.json == {"folder": str(folder / "review"), "mode": "approve"} | counts
    assert said.err.startswith("4 answers to be given about 2 items.\nOpen http://127.0.0.1:")


def test_what_is_missing_is_named_with_what_installs_it(make_benchmark, cli, monkeypatch, unserved):
    import audiometry.review
    import audiometry.web

    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.delitem(sys.modules, "audiometry.review.page", raising=False)
    monkeypatch.delattr(audiometry.review, "page", raising=False)
    monkeypatch.delitem(sys.modules, "audiometry.web.app", raising=False)
    monkeypatch.delattr(audiometry.web, "app", raising=False)
    said = cli("review", make_benchmark(1), "--port", 0)
    assert said.code == 2
    assert "review needs FastAPI and uvicorn; run: pip install" in said.err


@pytest.mark.parametrize(
    "changes",
    [{"said": {}}, {"said": {"verdict": "maybe"}}, {"said": {"verdict": ["approve"]}}, {"order": [1, 0]},
     {"content": "another text"}, {"unit": "none"}],
)  # fmt: skip
def test_a_line_that_is_no_answer_is_passed_over_and_counted(folder, cli, unserved, changes):
    path = folder / "review" / "answers.jsonl"
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | changes), *others]) + "\n")
    said = cli("review", folder, "--port", 0)
    assert said.code == 0
    assert "1 answer in all" in said.out
    assert "; 1 line passed over as no answer to what is asked now; kept in" in said.out
    assert cli("review", folder, "--export", folder / "x.jsonl").out.startswith("1 rating in")


def test_rows_that_cannot_be_heard_are_said_before_it_begins(make_benchmark, cli, unserved):
    folder = make_benchmark(3)
    (folder / "audio" / "00001.wav").unlink()
    said = cli("review", folder, "--port", 0)
    assert "1 of 3 rows are left out:" in said.err
    assert "about 2 items." in said.err


@pytest.mark.parametrize(
    ("text", "why"),
    [('{"format": 2}', "format 2, this audiometry reads 1"), ("{", "restore it, or give another folder"),
     ('{"mode": "approve"}', "restore it, or give another folder")],
)  # fmt: skip
def test_settings_that_cannot_be_read_are_one_line(folder, cli, text, why):
    (folder / "review" / "review.json").write_text(text)
    said = cli("review", folder, "--port", 0)
    assert said.code == 2
    assert why in said.err
    assert said.err.count("\n") == 1
