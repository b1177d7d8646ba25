"""Every command, from the outside: what it prints, how it ends, and the JSON keys that are promised."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import audiometry
from audiometry.cli.main import COMMANDS

EXAMPLES = Path(__file__).parents[2] / "examples"
ROW = {"value", "interval", "n_items", "n_answered", "n_refused", "n_failed", "over_answered"}


@pytest.fixture
def run_folder(make_benchmark, cli, tmp_path):
    """A run of a scripted model on twelve items of two tasks."""
    folder = make_benchmark([{"task": f"task-{n % 2}"} for n in range(12)])
    assert cli("run", folder, "--model", "scripted/oracle", "-o", tmp_path / "a").code == 0
    assert cli("run", folder, "--model", "scripted/random", "-o", tmp_path / "b").code == 0
    return tmp_path


def test_help_of_every_command_has_an_example(cli):
    whole = cli("--help")
    for name in COMMANDS:
        said = cli(*name.split(), "--help")
        assert said.code == 0
        assert f"audiometry {name}" in said.out.partition("Example")[2], name
        assert name in whole.out


def test_the_version_is_the_packages(cli):
    assert audiometry.__version__ in cli("--version").out


def test_score_json_keeps_its_promises(run_folder, cli):
    said = cli("score", run_folder / "a", "--json")
    assert said.code == 0
    document = said.json
    assert {"run", "benchmark", "model", "scores"} <= set(document)
    strict = document["scores"]["strict"]
    assert ROW | {"signature", "categories", "tasks", "folders"} <= set(strict)
    assert strict["value"] == 1.0
    for row in strict["tasks"].values():
        assert ROW | {"chance"} <= set(row)
        assert 0 <= row["interval"][0] <= row["value"] <= row["interval"][1] <= 1


def test_several_runs_are_scored_into_a_list(run_folder, cli):
    document = cli("score", run_folder / "a", run_folder / "b", "--json").json
    assert [one["model"] for one in document] == ["scripted/oracle", "scripted/random"]


def test_run_json_prints_the_score_and_nothing_else(make_benchmark, cli, tmp_path):
    said = cli("run", make_benchmark(4), "--model", "scripted/oracle", "-o", tmp_path / "r", "--json")
    assert said.json["scores"]["strict"]["value"] == 1.0
    assert said.json["usage"]["replies"] == 4


def test_compare_json_keeps_its_promises(run_folder, cli):
    document = cli("compare", run_folder / "a", run_folder / "b", "--json").json
    promised = {"n_items", "n_clusters", "difference", "interval", "p", "detectable"}
    assert promised | {"a", "b", "tasks"} <= set(document)
    for row in document["tasks"].values():
        assert promised | {"p_corrected"} <= set(row)


def test_compare_says_in_words_what_it_found(run_folder, cli):
    shutil.copytree(run_folder / "a", run_folder / "as-a")
    said = cli("compare", run_folder / "a", run_folder / "as-a")
    assert "cannot be told apart" in said.out
    assert "What difference would be found cannot be said" in said.out


def test_score_says_where_the_scores_are_and_what_comes_next(run_folder, cli):
    run = run_folder / "a"
    *_, kept, then = cli("score", run).out.splitlines()
    assert then == f"next: audiometry report {run}"
    path = Path(kept.removeprefix("Kept in "))
    assert path.parent == run / "scores"
    assert path.is_file()


def test_a_dry_run_asks_nobody_and_writes_nothing(make_benchmark, cli, tmp_path):
    said = cli("run", make_benchmark(4), "--model", "scripted/oracle", "-o", tmp_path / "r", "--dry-run")
    assert said.code == 0
    assert "What makes this sound?" in said.out
    assert "A. dog" in said.out
    assert "4 items" in said.out
    assert not (tmp_path / "r").exists()
    unknown = cli("run", "mini", "--model", "x/y", "--dry-run")
    assert unknown.code == 2


def test_the_default_folder_is_named_after_the_request_and_found_again(make_benchmark, cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = make_benchmark(4)
    cli("run", folder, "--model", "scripted/oracle")
    names = [path.name for path in (tmp_path / "runs").iterdir()]
    assert len(names) == 1
    assert re.fullmatch(r"made--oracle--[0-9a-f]{4}", names[0])
    again = cli("run", folder, "--model", "scripted/oracle")
    assert "4 were there before" in again.out
    assert len(list((tmp_path / "runs").iterdir())) == 1


@pytest.mark.parametrize("what", ["benchmarks", "models", "profiles"])
def test_lists_are_lists(cli, what):
    rows = cli("list", what, "--json").json
    assert rows
    assert all(row["name"] and row["about"] for row in rows)
    names = [row["name"] for row in rows]
    assert {"benchmarks": "mini", "models": "cascade/…", "profiles": "strict"}[what] in names


def test_the_tasks_of_a_benchmark_are_listed_with_their_sizes(make_benchmark, cli):
    rows = cli("list", "tasks", make_benchmark([{"task": "bells"}] * 3), "--json").json
    facts = {"category": "", "kind": "choice", "measure": "", "items": 3, "published": 0, "title": "", "unknown": []}
    facts |= {"known": [], "there": ""}
    assert rows == [{"name": "bells", **facts, "about": "3 items, choice."}]
    assert "name the benchmark" in cli("list", "tasks").err


def test_check_finds_an_error_and_says_so_by_its_exit(make_benchmark, cli):
    folder = make_benchmark(4)
    assert cli("check", folder, "--json").json["n_errors"] == 0
    (folder / "audio/00001.wav").unlink()
    said = cli("check", folder)
    assert said.code == 1
    assert "00001.wav" in said.out


MISTAKES = [
    (["rnu"], 2, "did you mean 'run'"),
    (["run"], 2, "Missing argument"),
    (["run", "mini"], 2, "--model"),
    (["run", "mini", "--modle", "x"], 2, "--model"),
    (["run", "minni", "--model", "scripted/random"], 2, "did you mean 'mini'"),
    (["run", "mini", "--model", "scripted"], 2, "provider/name"),
    (["run", "mini", "--model", "opnai/x"], 2, "did you mean 'openai'"),
    (["run", "mini", "--model", "scripted/orcale"], 2, "did you mean 'oracle'"),
    (["run", "mini", "--model", "scripted/noisy-oracle?q=1"], 2, "known: p"),
    (["run", "mini", "--model", "scripted/random", "--task", "Speech_Groundin"], 2, "Speech_Grounding"),
    (["run", "mini", "--model", "scripted/random", "--prompt", "our"], 2, "'ours'"),
    (["run", "mini", "--model", "scripted/random", "--orders", "0"], 2, "--orders"),
    (["run", "mini", "--model", "openai/x", "--base-url", "localhost:80"], 2, "not an address"),
    (["score", "/nowhere"], 2, "is not a run folder"),
    (["score"], 2, "Missing argument"),
    (["compare", "/nowhere", "/nowhere"], 2, "is not a run folder"),
    (["report", "/nowhere"], 2, "is not a run folder"),
    (["report", "mini"], 2, "mini is not a run folder: it is a benchmark; make a run of it first: audiometry run mini"),
    (["report", "x", "--profile", "all"], 2, "shows all profiles side by side by itself"),
    (["report", "x", "--tables", "/dev/null"], 2, "/dev/null is a file; name a folder, which is made"),
    (["list", "modles"], 2, "models"),
    (["list", "measure"], 2, "did you mean 'measures'?"),
    (["check"], 2, "check needs a benchmark or runs:"),
    (["check", "mini", "--run", "runs/a"], 2, "check needs a benchmark or runs, not both:"),
    (["check", "/nowhere"], 2, "unknown benchmark"),
]


@pytest.mark.parametrize(("arguments", "code", "says"), MISTAKES, ids=[" ".join(m[0]) for m in MISTAKES])
def test_a_mistake_is_one_line_that_says_what_to_do(cli, arguments, code, says):
    said = cli(*arguments)
    assert said.code == code
    assert said.err.startswith("audiometry: error: ")
    assert said.err.count("\n") == 1
    assert says in said.err
    assert said.out == ""


def test_no_key_says_which_variable_to_set(cli):
    said = cli("run", "mini", "--model", "openai/gpt-4o-audio-preview")
    assert said.code == 2
    assert "OPENAI_API_KEY" in said.err


def test_prices_make_a_cost(make_benchmark, chat_server, cli, tmp_path):
    server = chat_server()
    prices = tmp_path / "prices.toml"
    prices.write_text('["openai/mock"]\ntokens_in = 2.0\ntokens_out = 10.0\n')
    call = (
        "run",
        make_benchmark(4),
        "--no-probe",
        "--model",
        "openai/mock",
        "--base-url",
        server.url,
        "-o",
        tmp_path / "r",
        "--json",
    )
    usage = cli(*call, "--prices", prices).json["usage"]
    assert usage["cost_usd"] == pytest.approx((2 * usage["tokens_in"] + 10 * usage["tokens_out"]) / 1e6)
    prices.write_text("[[")
    assert "prices.toml" in cli(*call, "--prices", prices).err
    prices.write_text('["openai/mok"]\ntokens_in = 1\n')
    assert "did you mean 'openai/mok'" in cli(*call, "--prices", prices).err


def test_an_incomplete_run_says_so_with_its_bounds(make_benchmark, chat_server, cli, tmp_path):
    server = chat_server(faults=["400:every-2"])
    said = cli(
        "run", make_benchmark(4), "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "r"
    )
    assert said.code == 1
    assert "Incomplete: 2 × HTTP 400" in said.out
    assert "not to be ranked" in " ".join(said.out.split())
    assert "2 of 4 failed" in said.err
    scored = cli("score", tmp_path / "r", "--json")
    assert scored.code == 1
    strict = scored.json["scores"]["strict"]
    assert strict["bounds"][1] == pytest.approx(strict["bounds"][0] + 0.5)


@pytest.mark.slow
def test_the_embedded_model_runs_the_demo(cli, tmp_path):
    pytest.importorskip("pocketsphinx", reason="the cascade's extra is not installed")
    said = cli("demo", "--limit", "4", "-o", tmp_path / "demo")
    assert said.code == 0
    assert "cascade/pocketsphinx on mini" in said.out
    assert f"Kept in {tmp_path / 'demo'}; next, for a model of yours: audiometry run --help" in said.out
    path = Path(said.out.rpartition("Report: ")[2].strip())
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    lines = [json.loads(line) for line in (tmp_path / "demo/replies.jsonl").read_text().splitlines()]
    assert len({line["item"] for line in lines}) == 4
    assert all(line["text"] for line in lines)


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_examples_run(script, tmp_path):
    done = subprocess.run([sys.executable, script, tmp_path / "out"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "A and B differ" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("run", "mini", "--model", "scripted/oracle", "--recipe", ""),
            "what follows --recipe is empty; give --recipe",
        ),
        (("run", "mini", "--model", "scripted/oracle", "--recipe="), "what follows --recipe is empty"),
        (("run", "mini", "--model", ""), "what follows --model is empty"),
        (("run", "mini", "--model", "scripted/oracle", "-o", ""), "what follows -o is empty"),
        (("score", "runs/x", "--judge", "a/b", "--judge", ""), "what follows --judge is empty"),
        (("report", ""), "an argument is empty"),
    ],
)
def test_an_empty_value_is_refused_before_anything_else(cli, words, said):
    done = cli(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1
