"""Scores in a run folder: written one way, read again, and those of another format passed over."""

import json

import msgspec
import pytest

from audiometry.files.run_folder import RunFolder
from audiometry.score.door import score
from audiometry.score.kept import kept, passed_over
from audiometry.score.result import FORMAT

BOTH = """
[benchmark]
name = "made"
version = "1"
[[task]]
name = "pick"
[[task]]
name = "tell"
kind = "open"
"""


class Wanted(msgspec.Struct):
    scores: dict[str, dict[str, object]] = {}


@pytest.fixture
def run(make_benchmark, make_run):
    return make_run(make_benchmark(2, clips=False), {"item-00000": "A", "item-00001": "B"})


def test_what_was_kept_is_what_was_said(run):
    said = score(run, ["all"])
    found = {name: one for document in kept(run, Wanted) for name, one in document.scores.items()}
    assert found == json.loads(msgspec.json.encode(said.scores))
    assert passed_over(run) == ""


@pytest.mark.parametrize("older", [{}, {"format": FORMAT - 1}, {"format": FORMAT + 1}])
def test_scores_of_another_format_are_passed_over_with_one_line(run, cli, older):
    score(run)
    old = run / "scores" / "strict.1+made-1+v0.json"
    old.write_text(json.dumps({"profiles": {"strict": {"headline": 0.5, "align": 3}}, "scores": 3} | older))
    assert len(list(kept(run, Wanted))) == 1
    line = f"{run}: 1 stored score is of another format and passed over; "
    line += "score the run with the options of then, or remove them"
    assert passed_over(run) == line
    for command in (("score", run), ("report", run), ("compare", run, run)):
        assert [said for said in cli(*command).err.splitlines() if "another format" in said] == [f"{line}."]
    assert old.exists()


DAMAGED = ["{torn", "", "\x00", "[1]", f'{{"format": {FORMAT}, "scores": 3}}', "[" * 10_000, '{"format": "x"}']


@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_ones_are_passed_over_with_one_line_and_written_anew(run, cli, text):
    score(run)
    [path] = (run / "scores").iterdir()
    whole = path.read_bytes()
    path.write_text(text)
    assert list(kept(run, Wanted)) == []
    said = passed_over(run)
    assert said.startswith(f"{run}: 1 stored score cannot be read (the first: scores/{path.name}: ")
    assert said.endswith(") and passed over; score the run with the options of then, or remove them")
    assert "\n" not in said
    shown = cli("report", run)
    assert shown.code == 0
    assert sum("cannot be read" in line for line in shown.err.splitlines()) == 1
    path.write_text(text)
    assert cli("score", run).code == 0
    assert path.read_bytes() == whole
    assert passed_over(run) == ""


def test_a_judged_score_that_is_torn_is_written_anew_and_nobody_asked_twice(make_benchmark, make_run, cli, chat_server):
    items = [{"task": "tell", "options": [], "answer": "a hen"}]
    run, server = make_run(make_benchmark(items, card=BOTH), {"item-00000": "a hen"}), chat_server(judge="{}")
    words = ("score", run, "--judge", "openai/j", "--base-url", server.url, "--json")
    before = cli(*words).json
    n = len(server.log())
    for path in (run / "scores").iterdir():
        path.write_text("{torn")
    assert cli("report", run).code == 0
    again = cli(*words)
    assert again.code == 0
    assert again.json["scores"]["strict"]["value"] == before["scores"]["strict"]["value"]
    assert len(server.log()) == n
    assert passed_over(run) == ""


def test_the_file_is_named_by_score_and_signature(run):
    found = score(run, ["strict", "airbench"]).scores
    assert {path.name for path in (run / "scores").iterdir()} == {
        RunFolder(run).score_path(name, one.signature).name for name, one in found.items()
    }


def test_numbers_that_cannot_be_written_are_printed_and_said_not_to_be_kept(make_benchmark, make_run, cli):
    items = [{"task": "tell", "options": [], "answer": "a hen"}]
    run = make_run(make_benchmark(items, card=BOTH), {"item-00000": "a hen"})
    for name in ("scores", "ratings"):
        (run / name).write_text("somebody's own")
    told = cli("score", run, "--measure", "wer")
    assert "0.000" in told.out
    assert (told.code, "ratings are not kept" in told.out, "Kept in" in told.out) == (1, True, False)
    assert f"Not kept: cannot write {run / 'scores'}" in told.err
    document = cli("score", run, "--measure", "wer", "--json")
    assert (document.code, document.json["scores"]["wer"]["value"]) == (1, 0.0)
    assert document.json["unkept"].startswith(f"cannot write {run / 'scores'}")
    assert "ratings" not in document.json["scores"]["wer"]["extras"]
    assert document.json["scores"]["wer"]["notes"][-1].startswith("ratings are not kept: cannot write")
    assert (run / "scores").read_text() == (run / "ratings").read_text() == "somebody's own"


def test_kinds_beside_each_other_are_one_document(make_benchmark, make_run, cli, chat_server):
    items = [{"task": "pick", "answer": "dog"}, {"task": "tell", "options": [], "answer": "a hen"}]
    run = make_run(make_benchmark(items, card=BOTH), {"item-00000": "dog", "item-00001": "a hen"})
    measured = cli("score", run, "--metric", "wer", "--json").json
    assert {name: one["value"] for name, one in measured["scores"].items()} == {"strict": 1.0, "wer": 0.0}
    assert (measured["n_items"], measured["n_unscored"]) == (2, 0)
    judged = cli(
        "score", run, "--metric", "wer", "--judge", "openai/j", "--base-url", chat_server(judge="{}").url, "--json"
    )
    assert list(judged.json["scores"]) == ["strict", "judge-score@strict", "wer"]
    assert judged.json["n_unscored"] == 0
    plain = score(run)
    assert plain.n_unscored == 1
