"""``audiometry agree`` as a person uses it: rating files in, text, one JSON document or a page out."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from audiometry.files.run_folder import BenchmarkStamp, PromptStamp, RunFolder, RunInfo
from audiometry.seeds import generator

MODELS = ("m", "n")


def people(n=40):
    source = generator(1, "people")
    for i in range(n):
        letter = "ABCD"[source.integers(4)]
        for name in ("anna", "ben", "cleo"):
            yield {"item": f"q/{i}", "rater": name, "choice": letter if source.random() < 0.9 else "A"}
            which = "a" if source.random() < 0.7 else "equal"
            yield {"item": f"c/{i}", "rater": name, "preferred": which, "model_a": "m", "model_b": "n"}
        yield {"item": f"q/{i}", "rater": "openai/judge", "kind": "judge", "choice": letter}


def scores(model, name="openai/judge", n=40):
    source = generator(2, model, name)
    kind = "metric" if name.startswith("metric:") else "judge"
    for i in range(n):
        for order in ("reference-first", "reference-second") if kind == "judge" else ("",):
            number = float(source.integers(3, 8)) + (model == "m") + (order == "reference-second")
            row = {"item": f"c/{i}", "rater": name, "kind": kind, "model": model, "score": number}
            yield row | ({"order": order} if order else {})


def text(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text(text(people()))
    return path


@pytest.fixture
def runs(tmp_path):
    """Two run folders as `score` leaves them."""
    paths = []
    for model in MODELS:
        folder = RunFolder(tmp_path / model)
        stamp = BenchmarkStamp(name="b", version="1", source="b", sha256="0")
        prompt = PromptStamp(layout="ours", sha256="0", part_order="audio-first")
        info = {"parameters": {}, "seed": 0, "variants": ("plain",), "n_items": 80, "versions": {}, "started": ""}
        folder.write_info(RunInfo(benchmark=stamp, prompt=prompt, model=model, **info))
        items = [f"{kind}/{i}" for i in range(40) for kind in "qc"]
        folder.replies_path.write_text(text({"item": item, "text": "A"} for item in items))
        (folder.path / "ratings").mkdir()
        (folder.path / "ratings" / "judge-judge.jsonl").write_text(text(scores(model)))
        (folder.path / "ratings" / "wer.jsonl").write_text(text(scores(model, "metric:wer")))
        paths.append(folder.path)
    return paths


def test_people_beside_runs_are_one_json_document(cli, file, runs):
    said = cli("agree", file, *runs, "--json")
    assert said.code == 0
    found = said.json
    kinds = {one["name"]: one["kind"] for one in found["raters"]}
    assert kinds == dict.fromkeys(("anna", "ben", "cleo"), "person") | {"openai/judge": "judge", "metric:wer": "metric"}
    assert found["choices"]["against"][0]["share"]["n"] == 120
    assert {one["rater"] for one in found["preferences"]["against"]} == {"openai/judge", "metric:wer"}
    assert found["positions"][0]["difference"]["value"] == pytest.approx(1, abs=0.5)
    assert found["positions"][0]["difference"]["n"] == 80
    assert set(found) == {
        "files", "raters", "n_repeated", "choices", "scores", "preferences", "codes", "positions", "warnings",
        "confidence", "resamples", "seed", "tie_margin",
    }  # fmt: skip
    for warning in found["warnings"]:
        assert f"Note: {warning}." in said.err


def test_the_text_says_what_the_document_says(cli, file, runs):
    said = cli("agree", file, *runs)
    found = cli("agree", file, *runs, "--json").json
    assert said.code == 0
    titles = ("Which option a reply chooses", "Scores", "Which of two replies is better", "A judge with itself")
    for title in (*titles, "openai/judge\nIn first place", "Intervals hold 95 %"):
        assert title in said.out
    share = found["choices"]["people"]["share"]["value"]
    assert f"{100 * share:.1f}" in said.out
    assert "metric, lower is better" in said.out
    assert max(map(len, said.out.splitlines())) <= 100


def test_it_writes_the_page_too(cli, file, runs, tmp_path):
    output = tmp_path / "sub" / "agreement.html"
    said = cli("agree", file, *runs, "-o", output)
    assert said.code == 0
    assert said.out.splitlines()[-1] == f"Kept in {output}; next: open it in a browser"
    assert "How far raters agree" in output.read_text()
    refused = cli("agree", file, "-o", tmp_path)
    assert (refused.code, refused.out) == (1, "")
    assert "is not a regular file" in refused.err


def test_lines_that_cannot_be_used_are_said_and_the_others_count(cli, file):
    whole = cli("agree", file, "--json").json
    with file.open("a") as out:
        out.write('{"item": "q/1", "rater": "anna", "choice": "Bee"}\n{"item": "q/2", "ra')
    said = cli("agree", file, "--json")
    assert said.code == 1
    assert said.json["files"][0]["n_unread"] == 2
    assert said.json["choices"] == whole["choices"]
    (line,) = [line for line in said.err.splitlines() if "left out as unusable" in line]
    assert "line 281: choice 'BEE' is no letter, nor none, several, cannot, wrong; line 282: torn" in line
    assert "2 lines left out as unusable" in " ".join(cli("agree", file).out.split())


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"item": "1", "rater": "anna", "choice": "A"}], "anna is the only rater"),
        ([{"item": "1", "rater": r, "choice": "A"} for r in ("anna", "ben")], "all ratings are equal"),
        ([{"item": "1", "rater": "anna", "choice": c} for c in "AB"], "1 rating replaced by a later one"),
        ([{"item": "zz", "rater": "anna", "score": 1}], "1 rating of 1 item that the runs do not hold (zz)"),
        ([{"item": "c/1", "rater": "anna", "score": 1, "model": "x"}], "models that the runs are not of (x)"),
    ],
)
def test_doubts_are_said_in_a_line_each_and_are_no_failure(cli, tmp_path, runs, rows, words):
    path = tmp_path / "odd.jsonl"
    path.write_text(text(rows))
    alone = "runs" not in words
    said = cli("agree", path, *([] if alone else runs), "--json")
    assert said.code == 0
    assert len([line for line in said.err.splitlines() if words in line]) == 1
    assert cli("agree", path, *([] if alone else runs)).code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument"),
        (["gone.jsonl"], "cannot read"),
        (["empty.jsonl"], "is empty"),
        (["other.txt"], "neither a rating file nor a run folder"),
        (["."], "neither a rating file nor a run folder"),
        (["people.jsonl", "people.jsonl"], "given twice"),
        (["people.jsonl", "--rater", "annna"], "did you mean 'anna'?"),
        (["people.jsonl", "--tie-margin", "x"], "not a number of at least 0"),
    ],
)
def test_wrong_use_is_one_line(cli, file, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "other.txt").write_text("a letter\n")
    said = cli("agree", *arguments)
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    assert len(said.err.splitlines()) == 1


def test_help_has_examples_and_loads_no_numbers(cli):
    said = cli("agree", "--help")
    assert said.code == 0
    assert said.out.count("audiometry agree ") >= 3
    code = "import sys; from audiometry.cli.main import run\ntry: run(['agree', '--help'])\nexcept SystemExit: pass\n"
    code += "assert 'numpy' not in sys.modules, 'numpy'"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_a_hundred_thousand_ratings_take_seconds(tmp_path, cli):
    source = generator(3, "many")
    path = tmp_path / "many.jsonl"
    with path.open("w") as out:
        for i in range(10_000):
            for model in MODELS:
                worth = source.normal(5.5, 2)
                for name in ("anna", "ben", "cleo", "judge", "metric:x"):
                    number = worth + source.normal() if name == "metric:x" else round(worth + source.normal())
                    kind = "judge" if name == "judge" else "person"
                    row = f'"rater":"{name}","kind":"{kind}","model":"{model}","score":{number}'
                    out.write(f'{{"item":"i/{i}",{row}}}\n')
    began = time.process_time()
    said = cli("agree", path, "--json")
    took = time.process_time() - began
    assert said.code == 0
    assert said.json["scores"]["n_units"] == 20_000
    assert took < 20  # about 4 s alone on one core


def test_that_nobody_is_held_against_people_is_said_first_with_what_to_do(cli, tmp_path):
    path = tmp_path / "apart.jsonl"
    rows = [{"item": f"i/{n}", "rater": name, "score": n % 5} for n in range(30) for name in ("anna", "ben")]
    rows += [{"item": f"j/{n}", "rater": "j", "kind": "judge", "model": "m", "score": n % 5} for n in range(30)]
    path.write_text(text(rows))
    said = cli("agree", path)
    first = "Note: no judge or metric rated the same thing as a person, so none is held against people; in each"
    assert said.out.strip().startswith(first)
    assert "(a column `model`)" in " ".join(said.out.split())
    assert cli("agree", path, "--json").json["warnings"][0].startswith("no judge or metric rated the same")


def test_where_a_judge_meets_people_no_such_thing_is_said(cli, file):
    assert "no judge or metric rated the same thing" not in cli("agree", file).out
