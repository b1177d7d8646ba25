"""How to decode belongs to the request: a judge is loaded once a command, whatever it is asked and of how many runs."""

import json
import shlex
import sys

import pytest

CARD = '[benchmark]\nname = "made/chat"\nversion = "1"\n\n[[task]]\nname = "sounds"\nkind = "open"\n'
PROGRAM = """
import json, sys
with open({log!r}, "a") as log: log.write("start\\n")
hello = {{"audiometry": 1, "name": "made", "decoding": ["temperature", "max_tokens"], "batch": 4}}
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    with open({log!r}, "a") as log: log.write(json.dumps(asked["decoding"]) + "\\n")
    said = "I cannot say." if "max_tokens" in asked["decoding"] else {answer!r}
    print(json.dumps({{"id": asked["id"], "text": said}}), flush=True)
"""


@pytest.fixture
def judge(tmp_path):
    """``judge("7 6")``: a program that heeds a limit by saying nothing of use within it, and notes what it was told."""
    log = tmp_path / "judge.log"

    def make(answer):
        (tmp_path / "judge.py").write_text(PROGRAM.format(log=str(log), answer=answer))
        command = f"exec/{shlex.quote(sys.executable)} -I -S {shlex.quote(str(tmp_path / 'judge.py'))}"
        return command, lambda: log.read_text().splitlines()

    return make


def ran(cli, folder, *more):
    assert cli("run", *more, "--model", "scripted/constant?text=well", "--no-probe", "-o", folder).code == 0
    return folder


def kinds(log):
    told = [json.loads(line) for line in log if line != "start"]
    return {tuple(sorted(one)) for one in told}, {one["temperature"] for one in told}


def test_open_answers_injections_and_two_runs(cli, tmp_path, make_benchmark, judge):
    command, log = judge("7 6")
    rows = [
        {"question": f"What is it {n}?", "options": [], "answer": "rain", "meta": json.dumps({"events": ["rain"]})}
        for n in range(6)
    ]
    data = make_benchmark(rows, card=CARD)
    runs = [ran(cli, tmp_path / name, data) for name in ("one", "two")]
    said = cli("score", *runs, "--judge", command, "--injections", "3", "--json")
    assert said.code == 0, said.err
    assert log().count("start") == 1
    assert kinds(log()) == ({("temperature",)}, {0.0})
    for document in said.json:
        (account,) = document["scores"]["strict"]["extras"]["judges"].values()
        assert set(account["parameters"]) == {"first", "again"}
        assert account["injection"]["n_items"] + account["injection"]["n_cannot_tell"] == 3
    again = cli("score", *runs, "--judge", command, "--injections", "3", "--json")
    assert log().count("start") == 1, "where all is answered it is not loaded at all"
    assert [one["scores"]["strict"]["value"] for one in again.json] == [
        one["scores"]["strict"]["value"] for one in said.json
    ]


def test_alignment_of_two_runs(cli, tmp_path, make_benchmark, judge):
    command, log = judge("A")
    data = make_benchmark(12)
    runs = [ran(cli, tmp_path / name, data) for name in ("one", "two")]
    said = cli("score", *runs, "--align", "always", "--judge", command, "--json")
    assert said.code in {0, 1}, said.err
    assert log().count("start") == 1
    assert len(log()) == 5, "equal replies are put once"
    assert kinds(log())[0] == {("max_tokens", "temperature"), ("temperature",)}


def test_a_judge_that_heeds_no_temperature_is_refused_before_it_is_asked(cli, tmp_path, make_benchmark, judge):
    command, log = judge("A")
    path = tmp_path / "judge.py"
    path.write_text(path.read_text().replace('"decoding": ["temperature", "max_tokens"]', '"decoding": ["max_tokens"]'))
    run = ran(cli, tmp_path / "run", make_benchmark(2))
    said = cli("score", run, "--align", "judge", "--judge", command)
    assert said.code == 2
    assert "does not say that it obeys temperature; let it heed that" in said.err
    assert log() == ["start"]
