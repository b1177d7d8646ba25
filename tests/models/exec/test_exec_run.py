"""Programs over a pipe through the command line: replies journalled, failures recorded, nothing left behind."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "wrap_research_code"
PYTHON = f"{shlex.quote(sys.executable)} -I -S"
PREAMBLE = """\
import json, os, sys, time
def say(**fields): sys.stdout.write(json.dumps(fields) + "\\n"); sys.stdout.flush()
def requests():
    for line in sys.stdin: yield json.loads(line)
def size(r): return os.path.getsize(r["turns"][0]["parts"][0]["audio"]["path"])
"""


@pytest.fixture
def child(tmp_path):
    def write(body):
        path = tmp_path / "child.py"
        path.write_text(PREAMBLE + body, encoding="utf-8")
        return f"exec/{PYTHON} {shlex.quote(str(path))}"

    return write


def records(run):
    return [json.loads(line) for line in (run / "replies.jsonl").read_text().splitlines()]


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def glides(tmp_path):
    """Tones that rise, fall or stay, which the example's model can hear."""
    import numpy as np
    import soundfile

    folder = tmp_path / "glides"
    (folder / "audio").mkdir(parents=True)
    moves = {"it rises": (300, 600), "it falls": (600, 300), "it stays the same": (450, 450)}
    lines = []
    for number in range(12):
        answer, ends = list(moves.items())[number % 3]
        phase = 2 * np.pi * np.cumsum(np.linspace(*ends, 8000)) / 16_000
        soundfile.write(folder / f"audio/{number}.wav", 0.3 * np.sin(phase), 16_000, subtype="PCM_16")
        lines.append(
            {
                "id": f"glide-{number}",
                "task": "pitch",
                "file_name": f"audio/{number}.wav",
                "question": "What does the pitch of this tone do?",
                "options": list(moves),
                "answer": answer,
            }
        )
    (folder / "metadata.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "benchmark.toml").write_text('[benchmark]\nname = "glides"\nversion = "1"\n')
    return folder


def test_the_example_hears_with_python_alone(cli, glides, tmp_path):
    model = f"exec/{PYTHON} {shlex.quote(str(EXAMPLES / 'serve.py'))}"
    said = cli("run", glides, "--no-probe", "--model", model, "--orders", 2, "-o", tmp_path / "run", "--json")
    assert said.code == 0
    assert said.json["scores"]["strict"]["value"] == 1.0
    found = records(tmp_path / "run")
    assert len(found) == 24
    assert all("Hz" in r["notes"] and "dBFS" in r["notes"] for r in found)
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert info["parameters"]["program"]["name"] == "pitch-and-level"
    assert len(info["parameters"]["program"]["version"]) == 12
    assert info["audio"]["longest_s"] == 60


def test_the_bare_example_needs_nothing_but_the_protocol(cli, make_benchmark, tmp_path):
    model = f"exec/{PYTHON} {shlex.quote(str(EXAMPLES / 'bare.py'))}"
    said = cli("run", make_benchmark(4), "--no-probe", "--model", model, "-o", tmp_path / "run", "--json")
    assert said.code == 0
    assert [r["text"] for r in records(tmp_path / "run")] == ["A"] * 4


def test_a_crash_in_mid_run_loses_nothing(cli, make_benchmark, child, tmp_path):
    body = (
        "say(audiometry=1, batch=3)\n"
        "for n, r in enumerate(requests()):\n"
        "    if n == 5: os._exit(9)\n"
        "    say(id=r['id'], text='A')\n"
    )
    said = cli("run", make_benchmark(14), "--no-probe", "--model", child(body), "-o", tmp_path / "run", "--json")
    assert said.code == 0
    found = records(tmp_path / "run")
    assert sorted(r["item"] for r in found) == [f"item-{n:05}" for n in range(14)]
    assert all(r["text"] == "A" for r in found)
    assert max(r["attempts"] for r in found) > 1


def test_a_clip_that_kills_the_program_is_recorded_and_the_run_goes_on(cli, make_benchmark, child, tmp_path):
    folder = make_benchmark(5)
    victim = folder / "audio" / "00002.wav"
    longer = victim.read_bytes()
    victim.write_bytes(longer[:40] + (1400).to_bytes(4, "little") + longer[44 : 44 + 1400])
    body = (
        f"say(audiometry=1, batch=2)\nfor r in requests():\n    if size(r) < {len(longer)}: os.abort()\n"
        "    say(id=r['id'], text='A')\n"
    )
    said = cli("run", folder, "--no-probe", "--model", child(body), "-o", tmp_path / "run")
    assert said.code == 1
    assert "1 of 5 failed (1 × " in said.err
    (failed,) = [r for r in records(tmp_path / "run") if r.get("error")]
    assert failed["item"] == "item-00002"
    assert "SIGABRT" in failed["error"]["message"]


@pytest.mark.slow
def test_a_program_that_answers_nothing_stops_the_run_with_one_line(cli, make_benchmark, child, tmp_path):
    body = "say(audiometry=1)\nfor r in requests(): sys.exit('CUDA is gone')\n"
    said = cli("run", make_benchmark(9), "--no-probe", "--model", child(body), "-o", tmp_path / "run")
    assert said.code == 1
    (line,) = [line for line in said.err.splitlines() if line.startswith("audiometry:")]
    assert "ended with exit code 1 (its last words on standard error: CUDA is gone); that is 3 times in a row" in line
    assert "no reply came" in line


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("exec/no-such-program-here", "there is no program 'no-such-program-here'"),
        (f"exec/{PYTHON} -c 'raise SystemExit(5)'", "ended with exit code 5 before it said what it is"),
        (f"exec/{PYTHON} -c 'import time; time.sleep(60)'?start=1", "did not say within 1 s what it is"),
    ],
)
def test_a_program_that_does_not_start_is_wrong_usage(cli, make_benchmark, tmp_path, model, says):
    said = cli("run", make_benchmark(2), "--no-probe", "--model", model, "-o", tmp_path / "run")
    assert said.code == 2
    (line,) = said.err.splitlines()
    assert says in line
    assert not (tmp_path / "run").exists()


def test_errors_of_the_program_are_recorded_in_its_words(cli, make_benchmark, child, tmp_path):
    body = (
        "say(audiometry=1)\nfor r in requests(): "
        "say(id=r['id'], error={'kind': 'ValueError', 'message': 'clip too short'})\n"
    )
    said = cli("run", make_benchmark(2), "--no-probe", "--model", child(body), "-o", tmp_path / "run")
    assert said.code == 1
    for record in records(tmp_path / "run"):
        assert record["error"]["kind"] == "value-error"
        assert record["error"]["message"].endswith("clip too short")
        assert record["attempts"] == 1


def test_keys_in_the_environment_never_reach_the_journal(cli, make_benchmark, child, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_swordfish123")
    body = (
        "say(audiometry=1)\nfor n, r in enumerate(requests()):\n"
        "    key = os.environ['HF_TOKEN']; print(key)\n"
        "    if n: sys.exit('bad key ' + key)\n"
        "    say(id=r['id'], text=key, notes=key)\n"
    )
    said = cli(
        "run",
        make_benchmark(2),
        "--no-probe",
        "--model",
        child(body) + "?env=HF_TOKEN",
        "--max-tries",
        1,
        "-o",
        tmp_path / "run",
    )
    written = "".join(p.read_text() for p in (tmp_path / "run").rglob("*") if p.is_file())
    assert "swordfish" not in written + said.out + said.err
    assert "***" in written


def test_a_changed_program_is_another_model(cli, make_benchmark, child, tmp_path):
    folder = make_benchmark(3)
    body = "say(audiometry=1, name='m', version='{}')\nfor r in requests(): say(id=r['id'], text='{}')\n"
    cache = tmp_path / "cache.sqlite"
    for version, text, asked in (("1", "A", 3), ("1", "B", 0), ("2", "C", 3)):
        run = tmp_path / f"run-{version}-{text}"
        said = cli(
            "run",
            folder,
            "--no-probe",
            "--model",
            child(body.format(version, text)),
            "--cache",
            cache,
            "-o",
            run,
            "--json",
        )
        assert said.json["usage"]["requests"] == asked
    said = cli("run", folder, "--no-probe", "--model", child(body.format("3", "D")), "-o", run)
    assert said.code == 2
    assert "was made with parameters" in said.err


def test_a_dry_run_leaves_no_process(make_benchmark, child, tmp_path):
    model = child("open('pid', 'w').write(str(os.getpid()))\nsay(audiometry=1)\nfor r in requests(): pass\n")
    command = [sys.executable, "-m", "audiometry", "run", make_benchmark(2), "--model", model, "--dry-run"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "2 requests" in done.stdout
    assert done.stderr == ""
    assert not running(int((tmp_path / "pid").read_text()))


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_that_resumes_and_no_process(make_benchmark, child, tmp_path):
    model = child(
        "open('pids', 'a').write(f'{os.getpid()} ')\nsay(audiometry=1)\n"
        "for r in requests():\n    time.sleep(0.1); say(id=r['id'], text='A')\n"
    )
    run = tmp_path / "run"
    command = [sys.executable, "-m", "audiometry", "run", make_benchmark(12), "--no-probe", "--model", model, "-o", run]
    # a session of its own, as a terminal gives it: Ctrl-C reaches all that is in it
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True) as first:
        while not (run / "replies.jsonl").exists() or len(records(run)) < 2:
            time.sleep(0.02)
        os.killpg(first.pid, signal.SIGINT)
        told = first.communicate(timeout=20)[1].decode()
    assert first.returncode == 130
    assert "the same command goes on from here" in told
    kept = len(records(run))
    assert 2 <= kept < 12
    assert all(r["text"] == "A" for r in records(run))
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert len(records(run)) == 12
    assert not any(running(int(pid)) for pid in (tmp_path / "pids").read_text().split())


@pytest.mark.parametrize(
    ("hello", "given", "order"),
    [
        ("part_order='text-first', fixed_order=True", (), "text-first"),
        ("part_order='text-first', fixed_order=True", ("--part-order", "text-first"), "text-first"),
        ("part_order='text-first'", ("--part-order", "audio-first"), "audio-first"),
    ],
)
def test_the_order_that_a_program_is_asked_in_is_its_own_or_the_one_that_was_asked_for(
    cli, make_benchmark, child, tmp_path, hello, given, order
):
    body = (
        f"say(audiometry=1, {hello})\n"
        "for r in requests(): say(id=r['id'], text=' '.join(k for p in r['turns'][0]['parts'] for k in p))\n"
    )
    said = cli("run", make_benchmark(1), "--no-probe", "--model", child(body), "-o", tmp_path / "run", *given)
    assert said.code == 0
    (reply,) = records(tmp_path / "run")
    assert reply["text"] == {"text-first": "text audio", "audio-first": "audio text"}[order]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["prompt"]["part_order"] == order


@pytest.mark.parametrize("command", [("run", "BENCH", "--no-probe", "-o", "FOLDER", "--model"), ("probe",)])
def test_an_order_that_a_program_cannot_do_is_refused_in_one_line_before_anything_is_asked(
    cli, make_benchmark, child, tmp_path, command
):
    asked = tmp_path / "asked"
    body = (
        "say(audiometry=1, part_order='text-first', fixed_order=True)\n"
        f"for r in requests(): open({str(asked)!r}, 'w').close()\n"
    )
    words = {"BENCH": make_benchmark(1), "FOLDER": tmp_path / "run"}
    said = cli(*(words.get(word, word) for word in command), child(body), "--part-order", "audio-first")
    (line,) = said.err.strip().splitlines()
    assert said.code == 2
    assert "--part-order audio-first: exec/" in line
    assert line.endswith("takes prompts text-first alone; leave it out")
    assert not asked.exists()
    assert not (tmp_path / "run").exists()


def test_the_probe_leaves_out_the_order_that_a_program_cannot_do(cli, child):
    body = "say(audiometry=1, fixed_order=True, batch=8)\nfor r in requests(): say(id=r['id'], text='A')\n"
    said = cli("probe", child(body), "--json")
    (aspect,) = [one for one in said.json["aspects"] if one["name"] == "other-order"]
    assert (aspect["verdict"], aspect["note"]) == ("not asked", "the model takes prompts audio-first alone")


def test_a_program_of_an_older_protocol_ends_in_one_line_that_says_what_to_do(cli, make_benchmark, child, tmp_path):
    said = cli(
        "run", make_benchmark(1), "--model", child("say(audiometry=0)\nsys.stdin.read()\n"), "-o", tmp_path / "r"
    )
    (line,) = said.err.strip().splitlines()
    assert said.code == 2
    assert "speaks version 0 of the protocol; this audiometry speaks 1: copy audiometry_pipe.py to it anew" in line
    assert not (tmp_path / "r").exists()
