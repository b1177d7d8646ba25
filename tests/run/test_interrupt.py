"""Ctrl-C once waits for what is under way, twice leaves; either way the same command goes on."""

import json
import signal
import threading
import time

import pytest

from audiometry import bench as benches
from audiometry.models import ModelSettings
from audiometry.run.execute import execute, prepare
from audiometry.run.settings import RunSettings


@pytest.fixture
def under_way(start, benchmark, chat_server, tmp_path):
    """A run of 60 items, two at a time, that has begun."""

    def go(more=(), **how):
        bench, server = benchmark(60), chat_server(**({"delay_ms": 700} | how))
        words = ("run", bench, "--no-probe", "--model", "openai/mock", "--base-url", server.url, "-o", tmp_path / "run")
        words = (*words, *more)
        process = start(*words, "--concurrency", 2, text=True)
        while not server.log():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.1)
        return process, server, words

    return go


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_waits_for_the_replies_under_way(under_way, cli, replies, tmp_path, number):
    process, server, words = under_way()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    kept = replies(tmp_path / "run")
    assert len(kept) == len(server.log()) == 2  # both that were asked arrived, and none was asked after
    assert all("text" in record for record in kept)
    assert "Stopping: waiting for the replies under way. Ctrl-C again leaves them." in err
    assert (
        f"Stopped with 58 of 60 not asked yet, kept in {tmp_path / 'run'}; the same command goes on from here." in err
    )
    assert "next:" not in out  # one way on is said, no second one
    assert "Traceback" not in err
    assert "openai/mock on bench" in out  # what there is, is scored
    done = cli(*words)
    assert done.code == 0
    assert "Going on: 2 of 60 are there already." in done.err
    assert len(server.log()) == 60


def test_again_goes_on_as_it_says(under_way, cli, replies, tmp_path):
    process, server, words = under_way(["--again"])
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert "the same command goes on from here" in err
    assert cli(*words).code == 0
    assert len(replies(tmp_path / "run")) == len(server.log()) == 60
    assert not list((tmp_path / "run").glob("replies-until-*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_twice_leaves_at_once(under_way, cli, replies, tmp_path, number):
    process, _, words = under_way(faults=["slow:until-2"])
    process.send_signal(number)
    time.sleep(0.3)
    assert process.poll() is None  # still waiting: the server says nothing
    left = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert time.monotonic() - left < 15
    assert process.returncode == 130
    assert "Stopped with 60 of 60 not asked yet" in err
    assert "Traceback" not in err
    assert replies(tmp_path / "run") == []
    assert cli(*words).code == 0
    assert len(replies(tmp_path / "run")) == 60


def test_a_wait_is_not_waited_for(under_way):
    process, server, _ = under_way(faults=["429"], retry_after=60, delay_ms=0)
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert time.monotonic() - pressed < 15
    assert process.returncode == 130
    assert len(server.log()) == 2
    assert "Stopped with 60 of 60 not asked yet" in err


def test_json_is_whole_when_stopped(start, benchmark, chat_server, tmp_path):
    bench, server = benchmark(60), chat_server(delay_ms=200)
    words = (
        "run",
        bench,
        "--no-probe",
        "--model",
        "openai/mock",
        "--base-url",
        server.url,
        "-o",
        tmp_path / "run",
        "--json",
    )
    process = start(*words, "--concurrency", 2, text=True)
    while len(server.log()) < 4:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert json.loads(out)["usage"]["replies"] == len(server.log())


def test_in_another_thread_it_runs_without_signals(benchmark, tmp_path):
    bench, outcomes = benches.load(benchmark(5)), []

    def go():
        prepared = prepare(bench, "scripted/oracle", RunSettings(model=ModelSettings()), tmp_path / "run")
        outcomes.append(execute(prepared))

    thread = threading.Thread(target=go)
    thread.start()
    thread.join(30)
    (outcome,) = outcomes
    assert (outcome.planned, outcome.tally.replies, outcome.interrupted) == (5, 5, False)


@pytest.fixture
def prepared(benchmark, chat_server, tmp_path):
    """A run of 60 items on a server, in this process."""

    def go(**how):
        server = chat_server(**how)
        settings = RunSettings(model=ModelSettings(base_urls=(server.url,)), concurrency=2)
        return prepare(benches.load(benchmark(60)), "openai/mock", settings, tmp_path / "run"), server

    return go


def test_a_signal_in_this_process_drains(prepared):
    run, server = prepared(delay_ms=10)
    told = []

    def watch(_record, tally):
        if tally.done == 4:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    outcome = execute(run, watch=watch, stopping=lambda: told.append("stopping"))
    assert outcome.interrupted
    assert told == ["stopping"]
    assert 4 <= outcome.tally.replies == len(server.log()) < 20  # of 60: a busy machine hears the signal a little later
    assert signal.getsignal(signal.SIGINT) is before
    again = execute(run)
    assert (again.before, again.tally.replies, again.interrupted) == (outcome.tally.replies, 60 - again.before, False)


def test_two_signals_in_this_process_leave(prepared):
    run, _ = prepared(faults=["slow:after-4"])

    def press():
        signal.raise_signal(signal.SIGTERM)

    pressed = threading.Timer(0.5, press), threading.Timer(0.8, press)

    def watch(_record, tally):
        if tally.done == 4:
            for timer in pressed:
                timer.start()

    started = time.monotonic()
    outcome = execute(run, watch=watch)
    assert time.monotonic() - started < 10
    assert (outcome.interrupted, outcome.tally.replies) == (True, 4)


def test_a_reader_is_loaded_by_name(benchmark, tmp_path):
    settings = RunSettings(reader="vllm/reader")
    run = prepare(benches.load(benchmark(1)), "cascade/pocketsphinx", settings, tmp_path / "run")
    assert run.model.name == "cascade/pocketsphinx?reader=vllm/reader"
