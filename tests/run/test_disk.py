"""A disk that refuses: one clear line, exit code 1, and what was written stays whole."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time

import pytest

# under the limit neither what measures the tests' coverage nor compiled modules can be written: Python would leave
# them cut off, and every later start would fail on them
BARE = {"COVERAGE_PROCESS_START": "", "COVERAGE_PROCESS_CONFIG": "", "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_full_disk(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(40), chat_server(delay_ms=5)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "replies.jsonl").symlink_to("/dev/full")
    done = asked(bench, server, "--concurrency", 4)
    while "in use by another process" in done.err:  # a test elsewhere holds the one device there is
        time.sleep(0.2)
        done = asked(bench, server, "--concurrency", 4)
    assert done.code == 1
    assert done.said == (
        f"audiometry: error: cannot write {tmp_path / 'run' / 'replies.jsonl'}: No space left on device; "
        "all replies before this one are kept, free some space and run the same command again "
        f"({len(server.log())} that came in the meantime could not be kept)"
    )
    assert len(server.log()) <= 8


def test_a_file_size_limit(start, asked, benchmark, chat_server, replies, tmp_path):
    bench, server = benchmark(60), chat_server(delay_ms=2)
    process = start(
        *("run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)),
        env=BARE,
        text=True,
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    (line,) = [line for line in err.splitlines() if line.startswith("audiometry: ")]
    assert "replies.jsonl: File too large; all replies before this one are kept" in line
    assert "Traceback" not in err
    kept = {record["item"] for record in replies(tmp_path / "run")}  # every line is whole
    assert 10 < len(kept) < 60
    asked_before = len(server.log())
    assert asked(bench, server).code == 0
    assert len(server.log()) - asked_before == 60 - len(kept)
    assert sorted(record["item"] for record in replies(tmp_path / "run")) == sorted(f"i{i}" for i in range(60))


def test_a_limit_that_does_not_even_take_the_description(start, benchmark, chat_server, tmp_path):
    process = start(
        *(
            "run",
            benchmark(3),
            "--no-probe",
            "--model",
            "openai/mock",
            "--base-url",
            chat_server().url,
            "-o",
            tmp_path / "run",
        ),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        env=BARE,
        text=True,
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    told = "File too large; raise the limit (ulimit -f) or choose another folder"
    assert f"cannot write {tmp_path / 'run' / 'run.json'}: {told}" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("place", ["run", "run/replies.jsonl", "run/run.json"])
def test_something_else_in_its_place(cli, benchmark, chat_server, tmp_path, place):
    server = chat_server()
    if place == "run":
        (tmp_path / "run").write_text("a file")
        folder = tmp_path / "run" / "below"
    else:
        (tmp_path / place).mkdir(parents=True)
        folder = tmp_path / "run"
    done = cli("run", benchmark(3), "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", folder)
    assert done.code in {1, 2}
    assert "Traceback" not in done.err
    assert str(folder) in done.said
    assert server.log() == []


def test_a_name_that_cannot_be(asked, benchmark, chat_server):
    done = asked(benchmark(2), chat_server(), folder="x" * 300)
    assert done.code == 1
    assert "File name too long; choose another folder" in done.said


def test_a_cache_that_cannot_be(cli, benchmark, chat_server, tmp_path):
    server = chat_server()
    (tmp_path / "cache").write_text("no database, surely, whatever sqlite makes of it " * 40)
    words = [
        "--no-probe",
        "--model",
        "openai/mock",
        "--base-url",
        server.url,
        "-o",
        tmp_path / "run",
        "--cache",
        tmp_path / "cache",
    ]
    done = cli("run", benchmark(3), *words)
    assert done.code == 1
    assert "cannot use the reply cache" in done.said
    assert server.log() == []


def test_a_run_folder_of_a_newer_audiometry(asked, benchmark, chat_server, tmp_path):
    bench, server = benchmark(3), chat_server()
    assert asked(bench, server).code == 0
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    done = asked(bench, server)
    assert done.code == 2
    assert "run.json: format 2, this audiometry reads 1; update audiometry" in done.said


@pytest.fixture
def in_mid_run(start, benchmark, chat_server, tmp_path):
    """A run of 60 items, four at a time, of which some have been answered."""
    server = chat_server(delay_ms=60)
    words = ("run", benchmark(60), "--no-probe", "--model", "openai/mock", "--base-url", server.url, "--concurrency", 4)
    process = start(*words, "-o", tmp_path / "run", text=True)
    while len(server.log()) < 12:
        assert process.poll() is None
        time.sleep(0.01)
    return process, server, words


def test_a_run_folder_removed_in_mid_run_is_put_back(in_mid_run, cli, replies, tmp_path):
    process, server, words = in_mid_run
    shutil.rmtree(tmp_path / "run")
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (0, False)
    kept = [record["item"] for record in replies(tmp_path / "run")]
    assert sorted(kept) == sorted(f"i{i}" for i in range(60))
    assert cli(*words, "-o", tmp_path / "run").code == 0
    assert len(server.log()) == 60


def test_a_run_folder_moved_in_mid_run_goes_on_there(in_mid_run, cli, replies, tmp_path):
    process, server, words = in_mid_run
    (tmp_path / "run").rename(tmp_path / "moved")
    _, err = process.communicate(timeout=60)
    assert process.returncode in {0, 1, 2}
    assert "Traceback" not in err
    assert len(replies(tmp_path / "moved")) == 60
    assert cli(*words, "-o", tmp_path / "moved").code == 0
    assert len(server.log()) == 60


def test_two_runs_in_one_folder_are_told_apart(in_mid_run, cli, replies, tmp_path):
    process, server, words = in_mid_run
    done = cli(*words, "-o", tmp_path / "run")
    assert (done.code, "in use by another process" in done.said) == (2, True)
    process.communicate(timeout=60)
    assert len(replies(tmp_path / "run")) == len(server.log()) == 60


def can_mount():
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not can_mount(), reason="no disk of its own can be mounted here")
def test_on_a_disk_that_fills_up_nothing_paid_is_lost(benchmark, chat_server, replies, asked, tmp_path):
    """A disk of 700 kB, of which 256 are held in reserve; replies of 20 kB each."""
    server, bench = chat_server(delay_ms=40, answer="A" + " because" * 2500), benchmark(60)
    disk, kept = tmp_path / "disk", tmp_path / "run"
    disk.mkdir()
    script = (
        'mount -t tmpfs -o size=700k tmpfs "$1"; kept=$2; disk=$1; shift 2; "$@" -o "$disk/run"; code=$?; '
        'cp -r "$disk/run" "$kept"; exit $code'
    )
    words = ["run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url, "--concurrency", "8"]
    command = ["unshare", "-rm", "sh", "-c", script, "sh", disk, kept, sys.executable, "-m", "audiometry", *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=os.environ | BARE)
    assert done.returncode == 1, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("audiometry: ")]
    assert "No space left on device; all replies before this one are kept, free some space" in line
    assert "could not be kept" not in line
    assert len(replies(kept)) == len({r["item"] for r in replies(kept)}) == len(server.log()) < 60
    assert asked(bench, server).code == 0
    assert len(server.log()) == len(replies(kept)) == 60
