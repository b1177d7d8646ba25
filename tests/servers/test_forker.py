"""The process that forks the tests' servers: none outlives the one who asked for it, and none takes others with it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FORKER = Path(__file__).with_name("forker.py")


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_servers_end_with_the_one_who_asked_even_where_that_one_is_killed(tmp_path):
    asking = (
        "import json, subprocess, sys, time\n"
        "forker = subprocess.Popen([sys.executable, sys.argv[1]], stdin=-1, stdout=-1, text=True)\n"
        "asked = {'start': 'chat_server', 'arguments': [], 'errors': sys.argv[2]}\n"
        "print(json.dumps(asked), file=forker.stdin, flush=True)\n"
        "print(forker.stdout.readline(), end='', flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", asking, str(FORKER), str(tmp_path / "errors.txt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as asker:
        server = json.loads(asker.stdout.readline())["pid"]
        assert not gone(server)
        asker.send_signal(signal.SIGKILL)
    until = time.monotonic() + 30
    while not gone(server) and time.monotonic() < until:
        time.sleep(0.01)
    assert gone(server)


def test_a_killed_server_takes_no_other_with_it_and_can_be_stopped(chat_server):
    one, other = chat_server(), chat_server()
    os.kill(one.pid, signal.SIGKILL)
    one.stop()
    assert gone(one.pid)
    assert other.health()["requests"] == 0
    other.stop()
    assert gone(other.pid)


def test_what_a_server_that_does_not_start_says_is_told(servers, tmp_path):
    with pytest.raises(RuntimeError, match=r"(?s)chat_server did not start: usage: .*unrecognized arguments: --no"):
        servers.start("chat_server", ["--no"], tmp_path / "errors.txt")
