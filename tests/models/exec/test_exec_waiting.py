"""Waiting for a program's first line: people are told what is waited for, and for how long at most."""

import asyncio
import shlex
import subprocess
import sys

import pytest

from audiometry.errors import UsageError
from audiometry.models import load
from audiometry.programs import waiting

HELLO = 'print(json.dumps({"audiometry": 1}), flush=True); sys.stdin.read()'


@pytest.fixture
def program(tmp_path):
    def write(body):
        path = tmp_path / "child.py"
        path.write_text(f"import json, sys, time\n{body}\n", encoding="utf-8")
        return f"exec/{shlex.quote(sys.executable)} -I -S {shlex.quote(str(path))}"

    return write


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(waiting, "TOLD_AFTER_S", 0.3)
    monkeypatch.setattr(waiting, "TOLD_AGAIN_AFTER_S", 0.5)


def told(caplog):
    return [record.getMessage() for record in caplog.records if record.name == waiting.__name__]


def test_a_program_that_says_hello_soon_is_not_told_of(program, caplog):
    model = load(program(HELLO))
    assert model.card.concurrency == 1
    asyncio.run(model.close())
    assert told(caplog) == []


def test_a_mute_program_is_told_of_until_its_time_is_over(soon, caplog):
    mute = "exec/sh -c 'echo Loading >&2; echo shards 1/9 >&2; exec sleep 60'"
    with pytest.raises(UsageError, match=r"did not say within 1\.3 s what it is"):
        _ = load(f"{mute}?start=1.3").card
    first, second, third = told(caplog)
    assert first.startswith("waiting for '")
    assert first.endswith("to say hello, up to 1.3 s; its last words on standard error: shards 1/9")
    assert "up to 1.3 s, 0.5 s of them over; its last words" in second
    assert "up to 1.3 s, 1 s of them over; its last words" in third


def test_a_slow_program_is_told_of_and_used(program, soon, caplog):
    model = load(program(f"time.sleep(0.7)\n{HELLO}") + "?start=30")
    assert model.card.concurrency == 1
    asyncio.run(model.close())
    assert told(caplog)[0].endswith("to say hello, up to 30 s")


def test_nothing_is_told_when_the_program_ends_first(soon, caplog):
    with pytest.raises(UsageError, match="ended with exit code 3 before it said what it is"):
        _ = load("exec/sh -c 'exit 3'").card
    assert told(caplog) == []


@pytest.mark.slow
def test_the_command_says_so_on_standard_error(program, tmp_path):
    command = [sys.executable, "-m", "audiometry", "run", "mini", "--model", program("time.sleep(60)") + "?start=4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    first, last = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert first.startswith("waiting for '")
    assert first.endswith("to say hello, up to 4 s")
    assert "did not say within 4 s what it is" in last
