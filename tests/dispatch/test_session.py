"""A dispatcher from start to end, stopped gently or at once."""

import asyncio
import os
import signal
import threading

import pytest

from audiometry.dispatch.ask import Ask
from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.session import dispatch
from audiometry.files import jsonl
from audiometry.files.journal import Journal
from audiometry.records import ModelCard, Prompt, Reply, ReplyRecord


class Slow:
    """Answers after a while, and sends this process a signal (SIGINT) when asked for the items named."""

    name, card, parameters = "test/slow", ModelCard(), {}

    def __init__(self, presses=(), hangs=(), number=signal.SIGINT):
        self.presses, self.hangs, self.number, self.closed = presses, hangs, number, 0

    async def answer(self, prompt):
        if prompt.item in self.presses:
            os.kill(os.getpid(), self.number)
        await asyncio.sleep(60 if prompt.item in self.hangs else 0.05)
        return Reply(text=prompt.item)

    async def close(self):
        self.closed += 1


@pytest.fixture
def go(tmp_path):
    """``go(model)``: whether it was stopped, the items kept, how often it was told that it stops."""

    def run(model, concurrency=1):
        def ask(name):
            async def build():
                return Prompt(turns=(), item=name)

            return Ask(name, "plain", build)

        told = []
        path = tmp_path / "replies.jsonl"
        with Journal(path) as journal:
            dispatcher = Dispatcher(model, journal, Conditions(concurrency=concurrency))
            stopped = dispatch(dispatcher, map(ask, "abcdef"), lambda: told.append(1))
        return stopped, "".join(sorted(record.item for record in jsonl.read(path, ReplyRecord))), len(told)

    return run


def test_all_is_asked_and_the_model_closed(go):
    model = Slow()
    assert go(model) == (False, "abcdef", 0)
    assert model.closed == 1


def test_the_first_press_waits_for_what_is_under_way(go):
    model = Slow(presses="b")
    assert go(model) == (True, "ab", 1)
    assert model.closed == 1


def test_the_second_press_leaves_at_once(go):
    model = Slow(presses="bc", hangs="bc")
    assert go(model, concurrency=3) == (True, "", 1)
    assert model.closed == 1


@pytest.mark.parametrize(
    ("handler", "found"), [(lambda *_: None, (True, "abc", 1)), (signal.SIG_IGN, (False, "abcdef", 0))]
)
def test_a_closed_terminal_waits_however_often_it_is_told_unless_it_is_ignored(go, handler, found):
    before = signal.signal(signal.SIGHUP, handler)
    try:
        assert go(Slow(presses="bc", number=signal.SIGHUP), concurrency=3) == found
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_another_thread_it_runs_without_signals(go):
    found = []
    thread = threading.Thread(target=lambda: found.append(go(Slow())))
    thread.start()
    thread.join(timeout=20)
    assert found == [(False, "abcdef", 0)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_handlers_of_the_callers_own_are_there_again(go, number):
    def mine(*_args):
        """Never called."""

    before = signal.signal(number, mine)
    try:
        assert go(Slow(), concurrency=6)[:2] == (False, "abcdef")
        assert signal.getsignal(number) is mine
    finally:
        signal.signal(number, before)
