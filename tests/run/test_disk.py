"""A disk that refuses: one clear line, exit code 1, and what was written stays whole."""

import json
import resource
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
        "all replies before this one are kept, free some space and run the same command again"
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
    assert (
        f"cannot write {tmp_path / 'run' / 'run.json'}: File too large; free some space or choose another folder" in err
    )
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
