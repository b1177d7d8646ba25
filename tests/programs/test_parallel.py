"""The parallel map: the plain loop's results and errors, whatever becomes of its processes; nothing left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audiometry.programs import parallel

HEAD = """\
import itertools, os, signal, sys, time
from audiometry.programs.parallel import mapped
from audiometry.errors import ModelError
def me(value): return os.getpid()
"""


def ran(body, *, code=0):
    """What a program of one thread prints: pytest's own processes may have more."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(body)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout.splitlines()


@pytest.fixture
def alone(monkeypatch):
    """As if this process had one thread; what the work does here takes no lock that another thread holds."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@settings(max_examples=25, deadline=None)
@given(values=st.lists(st.integers()), chunk=st.integers(1, 9), processes=st.integers(1, 3))
def test_the_results_are_those_of_the_plain_map(values, chunk, processes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading, "active_count", lambda: 1)
        found = list(parallel.mapped(str, values, chunk=chunk, processes=processes, after_s=0))
    assert found == list(map(str, values))


def test_several_processes_do_it_and_not_this_one():
    pids = ran("""
        pids = list(mapped(lambda _: time.sleep(0.01) or os.getpid(), range(40), chunk=1, processes=2, after_s=0))
        print(len(set(pids)), os.getpid() in pids)
    """)
    assert pids == ["2 False"]


def test_short_work_light_work_and_one_processor_are_done_here():
    assert (
        ran("""
        print(set(mapped(me, range(50), processes=2)) == {os.getpid()})
        print(set(mapped(me, range(300_000), processes=2, after_s=0.01)) == {os.getpid()})
        print(set(mapped(me, range(50), processes=1, after_s=0)) == {os.getpid()})
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        print(set(mapped(me, range(50), after_s=0)) == {os.getpid()})
    """)
        == ["True"] * 4
    )


def test_work_that_takes_longer_is_shared_after_a_moment():
    assert ran("""
        def work(value): sum(range(20_000)); return os.getpid()
        pids = list(mapped(work, range(2000), processes=2, after_s=0.02))
        print(pids[0] == os.getpid(), pids[-1] == os.getpid(), len(pids), len(set(pids)) > 1)
    """) == ["True False 2000 True"]


def test_with_a_second_thread_and_inside_its_own_processes_it_is_the_plain_loop():
    assert ran("""
        import threading
        inner = list(mapped(lambda _: set(mapped(me, range(9), processes=2, after_s=0)) == {os.getpid()}, range(4),
                            chunk=1, processes=2, after_s=0))
        print(inner)
        done = threading.Event()
        threading.Thread(target=done.wait).start()
        print(set(mapped(me, range(50), processes=2, after_s=0)) == {os.getpid()})
        done.set()
    """) == ["[True, True, True, True]", "True"]


class _OddError(Exception):
    """As many in libraries are: made from more than it keeps, so that it cannot be sent to another process."""

    def __init__(self, where, what):
        super().__init__(f"{where}: {what}")


def test_an_error_is_the_works_own_and_comes_after_the_results_before_it(alone, capfd):
    def work(value):
        if value == 13:
            raise _OddError("here", "unlucky")
        return value

    found = []
    with pytest.raises(_OddError, match="here: unlucky") as raised:
        found.extend(value for value in parallel.mapped(work, range(40), chunk=5, processes=2, after_s=0))
    assert raised.traceback[-1].name == "work"
    assert capfd.readouterr() == ("", "")
    results = parallel.mapped(work, range(40), chunk=5, processes=2, after_s=0)
    seen = [next(results) for _ in range(13)]
    with pytest.raises(_OddError):
        next(results)
    assert seen == list(range(13))


def test_chunks_of_killed_processes_are_done_again_here():
    assert ran("""
        here = os.getpid()
        def work(value):
            if value in {7, 23} and os.getpid() != here: os.kill(os.getpid(), signal.SIGKILL)
            return value
        print(list(mapped(work, range(1000), chunk=4, processes=2, after_s=0)) == list(range(1000)))
    """) == ["True"]


def test_a_result_that_cannot_be_sent_is_made_here(alone):
    found = list(parallel.mapped(lambda value: lambda: value, range(9), chunk=2, processes=2, after_s=0))
    assert [make() for make in found] == list(range(9))


def test_no_process_to_be_had_is_the_plain_loop(alone, monkeypatch):
    monkeypatch.setattr(os, "fork", lambda: (_ for _ in ()).throw(BlockingIOError(11, "Resource unavailable")))
    assert list(parallel.mapped(str, range(100), chunk=3, processes=2, after_s=0)) == list(map(str, range(100)))


def test_only_a_few_chunks_are_read_ahead(alone):
    read = []
    results = parallel.mapped(str, (read.append(n) or n for n in range(10_000)), chunk=10, processes=2, after_s=0)
    assert next(results) == "0"
    results.close()
    assert len(read) <= 10 * 9


def test_nothing_is_printed_twice_and_no_descriptor_stays_open():
    assert ran("""
        print("before", end=" ")
        opened = os.listdir("/proc/self/fd")
        print(sum(mapped(int, range(100), chunk=9, processes=2, after_s=0)))
        results = mapped(int, range(100), chunk=9, processes=2, after_s=0)
        next(results)
        results.close()
        print(len(os.listdir("/proc/self/fd")) == len(opened))
    """) == ["before 4950", "True"]


BUSY = """
    def work(value):
        with open(sys.argv[1], "a") as told: told.write(f"{os.getpid()}\\n")
        time.sleep(60)
    try:
        list(mapped(work, range(8), chunk=1, processes=2, after_s=0))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGTERM, -15), (signal.SIGINT, 130)])
def test_processes_in_the_middle_of_work_end_with_the_one_that_started_them(tmp_path, sent, code):
    told = tmp_path / "pids"
    command = [sys.executable, "-c", HEAD + textwrap.dedent(BUSY), str(told)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as parent:
        until = time.monotonic() + 30
        while not (told.exists() and len(told.read_text().split()) == 2):
            assert time.monotonic() < until
            time.sleep(0.02)
        pids = told.read_text().split()
        parent.send_signal(sent)  # to it alone: a terminal's Ctrl-C reaches the others as well
        began = time.monotonic()
        assert parent.wait(10) == code
        while any(map(_alive, pids)):
            assert time.monotonic() < began + 10
            time.sleep(0.02)
        assert parent.stderr.read() == b""


def test_ctrl_c_on_a_terminal_says_nothing_from_the_processes(tmp_path):
    told = tmp_path / "pids"
    command = [sys.executable, "-c", HEAD + textwrap.dedent(BUSY), str(told)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as parent:
        until = time.monotonic() + 30
        while not (told.exists() and len(told.read_text().split()) == 2):
            assert time.monotonic() < until
            time.sleep(0.02)
        os.killpg(parent.pid, signal.SIGINT)
        assert parent.wait(10) == 130
        assert parent.stderr.read() == b""
        assert not any(map(_alive, told.read_text().split()))
