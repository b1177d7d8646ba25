"""Replies that answer other prompts than those of their run, and a run in which nothing is answered."""

import html
import json
import re

import pytest

from audiometry.files.run_folder import RunFolder

N = 24
OTHERS = "not answer this run's prompts"


@pytest.fixture
def asked(cli, make_benchmark, tmp_path):
    """Asks a benchmark of its own in three orders; gives the run folder."""

    def ask(model="scripted/oracle", *more):
        run = tmp_path / "run"
        folder = make_benchmark(N)
        assert cli("run", folder, "--model", model, "--orders", 3, "--no-probe", "-o", run, *more).code == 0
        return run

    return ask


def test_replies_to_another_order_of_the_options_are_told_of_in_one_line_and_nothing_is_lost(cli, asked, tmp_path):
    run = asked()
    done = cli("score", run)
    assert OTHERS not in done.out + done.err
    info = RunFolder(run).info()
    replies = (run / "replies.jsonl").read_bytes()
    written = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(written | {"seed": info.seed + 1}))
    done = cli("score", run)
    found = cli("score", run, "--json").json["scores"]["strict"]
    (line,) = found["notes"]
    assert "other orders of the options" in line
    assert line.endswith("run.json and replies.jsonl are of two runs")
    assert f"Note: {line}." in " ".join(done.out.split())
    assert "Traceback" not in done.err
    assert (run / "replies.jsonl").read_bytes() == replies
    n, of = map(int, re.match("([0-9]+) of ([0-9]+) replies do not answer", line).groups())
    assert 0 < n <= 2 * N  # those in the benchmark's own order are as they were
    assert of == 3 * N
    assert found["n_items"] == N
    assert cli("report", run, "-o", tmp_path / "page.html").code == 0
    assert line in html.unescape((tmp_path / "page.html").read_text("utf-8"))


@pytest.mark.parametrize("more", [["--shots", 1], ["--variant", "noise"], ["--prompt", "airbench"]])
def test_replies_to_the_runs_own_prompts_are_not(cli, asked, more):
    assert OTHERS not in cli("score", asked("scripted/random", *more)).out


def test_of_prompts_that_cannot_be_built_again_nothing_is_said(cli, asked):
    run = asked()
    written = json.loads((run / "run.json").read_text())
    written |= {"seed": 1, "prompt": written["prompt"] | {"sha256": "0" * 64}}
    (run / "run.json").write_text(json.dumps(written))
    assert OTHERS not in cli("score", run).out


def test_replies_far_behind_the_first_are_looked_at_too(cli, make_benchmark, tmp_path):
    folder, lines = make_benchmark(150), []
    for seed in (0, 1):
        run = tmp_path / f"run-{seed}"
        ask = ("run", folder, "--model", "scripted/oracle", "--orders", 2, "--seed", seed, "--no-probe", "-o", run)
        assert cli(*ask).code == 0
        lines.append((run / "replies.jsonl").read_text().splitlines())
    first = tmp_path / "run-0"
    late = [line for line in lines[1] if int(json.loads(line)["item"][-5:]) >= 100]
    early = [line for line in lines[0] if int(json.loads(line)["item"][-5:]) < 100]
    (first / "replies.jsonl").write_text("\n".join([*early, *late]) + "\n")
    (line,) = cli("score", first, "--json").json["scores"]["strict"]["notes"]
    first, second = (
        {(one["item"], one["variant"]): one["prompt_sha256"] for one in map(json.loads, its)} for its in lines
    )
    others = sum(first[key] != second[key] for key in first if int(key[0][-5:]) >= 100)
    assert line.startswith(
        f"{others} of 300 replies do {OTHERS}"
    )  # exact, though some alone are looked at unless one is


def test_a_run_in_which_nothing_is_answered_has_a_number_and_says_what_could_be_read(cli, asked, tmp_path):
    run = asked("scripted/constant?text=I would rather hum.")
    for profile in ("strict", "muchomusic"):
        done = cli("score", run, "--profile", profile)
        assert done.code == 0
        said = " ".join(done.out.split())
        assert "Instruction-following rate (replies that the rules can read): 0.0 %" in said
        assert f"of {3 * N} replies that came" in said
        assert "Traceback" not in done.err
    scored = cli("score", run, "--profile", "muchomusic", "--json").json["scores"]["muchomusic"]
    assert (scored["value"], scored["n_unanswered"], scored["n_answered"]) == (0.0, 3 * N, 0)
    assert scored["extras"]["ifr"]["of_all"]["value"] == 0.0
    assert "preferences" not in scored["extras"]
    page = tmp_path / "page.html"
    assert cli("report", run, "-o", page).code == 0
    assert "Instruction-following rate" in page.read_text("utf-8")
