"""A run in a process that may open few files: every item asked once, none blamed."""

import json
import resource
import subprocess
import sys

import pytest


@pytest.fixture
def ran(start, benchmark, chat_server, tmp_path):
    """A run under limits of open files (soft, hard): the server, exit code, standard error and the records."""

    def go(soft, hard, *more, items=80, converted=False, delay_ms=30):
        server = chat_server(delay_ms=delay_ms)
        bench = benchmark(items, rate=44_100 if converted else 16_000, frames=2000)
        words = ("run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run")
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        process = start(*words, *more, text=True, limit=(soft, hard))
        _, err = process.communicate(timeout=60)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == before
        records = [json.loads(line) for line in (tmp_path / "run/replies.jsonl").read_text().splitlines()]
        return server, process.returncode, err, records

    return go


@pytest.mark.parametrize("converted", [False, True], ids=["sent as they are", "converted"])
def test_sixty_four_files_are_enough(ran, converted):
    server, code, err, records = ran(64, 64, "--concurrency", 256, converted=converted)
    assert code == 0, err
    assert "requests at a time, not 256: only 64 files may be open" in err
    assert len(records) == len(server.log()) == 80
    assert all("text" in record for record in records)


def test_a_soft_limit_costs_nothing(ran):
    server, code, err, records = ran(32, 4096, "--concurrency", 64, delay_ms=500)  # long, for a busy machine
    assert (code, "files" in err) == (0, False)
    assert len(records) == len(server.log()) == 80
    assert max(line["in_flight"] for line in server.log()) > 32


TAKEN = """
import errno, os, resource, sys, threading
from pathlib import Path
import soxr  # and numpy, which no process can load a second time if files were short at the first
from audiometry import bench
from audiometry.audio import decode
from audiometry.dispatch import local
from audiometry.models import ModelSettings
from audiometry.run.execute import execute, prepare
from audiometry.run.settings import RunSettings

folder, url, out, after, left = *sys.argv[1:3], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
held = []
local.fitted = lambda concurrency: concurrency  # they are taken after it was looked at

def take():
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as full:
        assert full.errno == errno.EMFILE
    for _ in range(left):
        os.close(held.pop())
    threading.Timer(0.6, lambda: [os.close(n) for n in held]).start()

def watch(_record, tally):
    if tally.done == after:
        take()

async def first(_run):
    if not after:
        take()

settings = RunSettings(model=ModelSettings(base_urls=(url,)), concurrency=4)
prepared = prepare(bench.load(folder), "openai/mock", settings, out)
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
print(execute(prepared, watch=watch, first=first).tally.replies)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "after", "left"), [(16_000, 5, 0), (44_100, 5, 0), (16_000, 0, 1), (16_000, 0, 2), (44_100, 0, 2)]
)
def test_files_that_others_take_are_waited_for(benchmark, chat_server, tmp_path, rate, after, left):
    """Taken in mid-run; before the first connection, but for a clip's file; and so that a connection finds none."""
    server, bench = chat_server(), benchmark(24, rate=rate, frames=2000)
    command = [sys.executable, "-c", TAKEN, bench, server.url, tmp_path / "run", after, left]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "24\n", "")
    records = [json.loads(line) for line in (tmp_path / "run/replies.jsonl").read_text().splitlines()]
    assert len(records) == len(server.log()) == 24
    assert all("text" in record for record in records)
