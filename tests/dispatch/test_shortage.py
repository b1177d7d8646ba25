"""A shortage of the machine is waited out, or ends the run; no record ever blames a clip or a model for it."""

import asyncio
import errno
import os

import pytest

from audiometry.dispatch import shortage
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.stopped import StoppedError
from audiometry.errors import AudioError, ShortageError, StorageError

SHORT = [
    ShortageError("no more files; raise the limit"),
    MemoryError(),
    RuntimeError("can't start new thread"),
    *[OSError(getattr(errno, n), "x") for n in ("EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "ENOBUFS")],
]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(shortage, "PAUSES_S", (0.001, 0.002, 0.003))


def failing(asks, name, problem, times):
    """An ask that cannot be built so many times."""
    (good,) = asks(name)
    left = [times]

    async def build():
        left[0] -= 1
        if left[0] >= 0:
            raise problem
        return await good.build()

    return Ask(name, "plain", build)


@pytest.mark.parametrize("problem", SHORT, ids=repr)
def test_a_clip_is_read_again_after_a_pause(session, told, asks, problem):
    model = told()
    session.run(model, [failing(asks, "a", problem, 3), *asks("b")])
    assert sorted(record.item for record in session.records()) == ["a", "b"]
    assert all(record.text == "A" and record.attempts == 1 for record in session.records())


@pytest.mark.parametrize("problem", SHORT, ids=repr)
def test_a_shortage_that_stays_ends_the_run_and_leaves_no_record(session, told, asks, problem):
    with pytest.raises(StoppedError, match=r"^stopped: .+; all replies so far are kept, run the same command again$"):
        session.run(told(), [*asks("b"), failing(asks, "a", problem, 99)], concurrency=1)
    assert [record.item for record in session.records()] == ["b"]


@pytest.mark.parametrize("problem", SHORT, ids=repr)
def test_a_request_is_sent_again_and_then_the_run_ends(session, told, asks, problem):
    session.run(told(lambda _, attempt: problem if attempt < 3 else "B"), asks(1))
    assert [(record.text, record.error) for record in session.records()] == [("B", None)]
    with pytest.raises(StoppedError, match=r"^stopped: "):
        session.run(told(lambda *_: problem), asks("z"), retry=RetryPolicy(max_tries=2, first_wait_s=0.001))
    assert len(session.records()) == 1


def test_other_errors_are_what_they_were(session, told, asks):
    session.run(told(lambda *_: OSError(errno.ENOENT, "gone")), [failing(asks, "a", AudioError("bad"), 9), *asks("b")])
    assert {r.item: r.error.kind for r in session.records()} == {"a": "audio", "b": "crash"}
    with pytest.raises(KeyError):
        session.run(told(), [failing(asks, "c", KeyError("bug"), 9)])


def test_whatever_ends_a_run_what_is_under_way_arrives(session, told, asks):
    """A build that fails by a fault of ours, or a full disk, while three replies are on their way."""
    for name, problem in (("x", KeyError("bug")), ("y", StorageError("full"))):
        under_way = [asks(f"{name}{k}")[0] for k in range(3)]

        async def later(problem=problem):
            await asyncio.sleep(0.02)
            raise problem

        model = told(delay_s=0.15)
        with pytest.raises(type(problem)):
            session.run(model, [*under_way, Ask(name, "plain", later), *asks(f"{name}9")], concurrency=4)
        assert sorted(r.item for r in session.records() if r.item[0] == name) == [f"{name}{k}" for k in range(3)]
        assert sorted(model.asked) == [f"{name}{k}" for k in range(3)]


def test_draining_does_not_wait_for_better_days(session, told, asks, monkeypatch):
    monkeypatch.setattr(shortage, "PAUSES_S", (60.0,))

    async def drain_soon(dispatcher, _work):
        await asyncio.sleep(0.05)
        dispatcher.drain()

    problem = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    session.run(told(), [failing(asks, "a", problem, 9)], meanwhile=drain_soon)
    assert session.records() == []
