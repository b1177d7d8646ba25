"""What is waited for is known at any moment: the start of a model, a server that is gone, a pause."""

import asyncio

import pytest

from audiometry.dispatch.waiting import PROCESS, REPLIES, Waiting
from audiometry.errors import ModelError


def test_the_clock_goes_on_while_reasons_change():
    now = [100.0]
    waiting = Waiting(lambda: now[0])
    waiting.begin(REPLIES)
    now[0] += 5
    waiting.explain("waiting: nobody there, try 2 of 5")
    now[0] += 7
    assert (waiting.what, waiting.seconds) == ("waiting: nobody there, try 2 of 5", 12)
    waiting.begin(REPLIES)
    assert (waiting.what, waiting.seconds) == (REPLIES, 0)


def test_a_server_that_is_gone_is_named_with_the_try(session, told, asks):
    seen = []

    def rule(_prompt, attempt):
        seen.append(PROCESS.what)
        return ModelError("no-connection", "cannot connect to x:1\x1b[2J", retry=True) if attempt < 3 else "A"

    session.run(told(rule), asks(1))
    assert seen[0] == REPLIES
    assert seen[1].startswith("waiting: cannot connect to x:1")
    assert seen[1].endswith(", try 2 of 5")
    assert seen[2].endswith(", try 3 of 5")
    assert "\x1b" not in seen[1]
    assert PROCESS.what == ""


def test_a_slow_start_is_named(session, told, asks):
    model, seen = told(), []

    async def start():
        seen.append(PROCESS.what)

    model.start = start
    session.run(model, asks(1))
    assert seen == ["waiting for told/model to start"]


@pytest.mark.parametrize("limits", [{"requests_per_minute": 10}, {"tokens_per_minute": 10}])
def test_a_limit_is_named(session, told, asks, limits):
    seen = []

    async def meanwhile(dispatcher, _work):
        while not seen:
            await asyncio.sleep(0.01)
            seen.extend([PROCESS.what] if "turn" in PROCESS.what else [])
        dispatcher.drain()

    session.run(told(), asks(4), meanwhile=meanwhile, concurrency=1, **limits)
    assert seen == ["waiting for the next request's turn, by --rpm, --tpm or a pause the server asked for"]
