"""While a command waits it says what for, with a clock; a dead server is said once."""

import logging
import sys
import time

import pytest

from audiometry.cli import progress
from audiometry.dispatch.waiting import Waiting
from audiometry.programs import waiting as piping

DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "WAITED_S", 0.02)
    monkeypatch.setattr(progress, "FILE_EVERY_S", 0.05)


def until(told, said):
    end = time.monotonic() + 20
    while said not in "".join(told) and time.monotonic() < end:
        time.sleep(0.01)
    return "".join(told)


@pytest.mark.parametrize("terminal", [True, False])
def test_it_says_what_for_and_how_long(impatient, monkeypatch, terminal):
    told = []
    monkeypatch.setattr(progress, "say", lambda text, **_: told.append(text))
    monkeypatch.setattr(progress, "over", lambda text: told.append("\r" + text))
    monkeypatch.setattr(progress.streams, "ready", lambda _: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    waiting = Waiting(lambda: 12.0 + len(told) * 60)
    with progress.WaitingLine(waiting):
        time.sleep(0.1)
        assert told == []  # nothing is waited for
        waiting.begin("waiting for exec/python serve.py to start")
        waiting.since = 0
        text = until(told, "1:12")
    assert "waiting for exec/python serve.py to start, 0:12" in text
    assert "waiting for exec/python serve.py to start, 1:12" in text
    assert ("\r" in text) is terminal
    if terminal:
        assert told[-2].strip() == ""  # nothing of it stays
    n = len(told)
    time.sleep(0.1)
    assert len(told) == n


def test_a_run_on_a_dead_server_says_what_it_waits_for(impatient, cli, tmp_path):
    words = ("--model", "vllm/x", "--base-url", DEAD, "--limit", 1, "--max-tries", 3, "--no-probe")
    code, _, err = cli("run", "mini", *words, "-o", tmp_path / "run")
    assert code == 1
    assert "waiting: cannot connect to 127.0.0.1:9" in err
    assert ", try 2 of 3, 0:0" in err


def test_a_probe_of_a_dead_server_says_so_once(cli):
    code, out, err = cli("probe", "vllm/x", "--base-url", DEAD, "--max-tries", 1)
    assert code == 1
    assert out.count("cannot connect") == 1
    assert out.startswith("vllm/x: Nothing can be said, no reply came: cannot connect to 127.0.0.1:9")
    assert len(out.splitlines()) <= 2
    assert err == ""


def test_a_program_that_starts_slowly_is_waited_for(impatient, cli, tmp_path):
    program = tmp_path / "slow.py"
    program.write_text("import time\ntime.sleep(1)\nraise SystemExit(1)\n")
    _, _, err = cli("run", "mini", "--model", f"exec/{sys.executable} {program}", "--no-probe", "-o", tmp_path / "run")
    assert "waiting for exec/" in err
    assert " to start, 0:0" in err


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_silent_program_is_waited_for_stands_on_the_one_line(impatient, monkeypatch, capfd, terminal):
    told = []
    monkeypatch.setattr(progress, "say", lambda text, **_: told.append(text))
    monkeypatch.setattr(progress, "over", lambda text: told.append("\r" + text))
    monkeypatch.setattr(progress.streams, "ready", lambda _: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    waiting = Waiting(lambda: 72.0)
    with progress.WaitingLine(waiting):
        waiting.begin("waiting for exec/x to start")
        waiting.since = 0
        until(told, "to start, 1:12")
        before = len(told)
        logging.getLogger(piping.__name__).warning("waiting for %s to say hello", "'x'")
        until(told, "to say hello, 1:12")
    after = "".join(told[before:])
    assert ("waiting for 'x' to say hello, 1:12" in after, "to start" in after) == (True, False)
    assert capfd.readouterr().err == ""
