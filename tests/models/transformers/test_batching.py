"""Gathering prompts and sharing out what comes of them, with an answerer that is no model."""

import asyncio
import concurrent.futures
import threading
import time

import pytest

from audiometry.errors import ModelError
from audiometry.models.transformers.batching import Asked, Collector
from audiometry.records import Reply


def asked(word="?", closing=None):
    message = {"role": "user", "content": word}
    return Asked([message], (word, "plain"), concurrent.futures.Future(), closing or threading.Event())


def said(batch):
    return [Reply(text=one.names[0].upper()) for one in batch]


def serve(collector, waiting, *, within=5.0):
    """Put prompts in at the same time; the outcome of each, an exception or a text."""

    async def go():
        for one in waiting:
            await collector.put(one)
        serving = asyncio.ensure_future(collector.serve())
        futures = [asyncio.wrap_future(one.future) for one in waiting]
        outcomes = await asyncio.wait_for(asyncio.gather(*futures, return_exceptions=True), within)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return [one.text if isinstance(one, Reply) else one for one in outcomes]

    return asyncio.run(go())


def collector(answering, size=4, full=lambda problem: isinstance(problem, MemoryError), **more):
    return Collector(answering, full=full, release=lambda: None, size=size, **more)


def test_prompts_of_one_moment_are_answered_together_each_with_its_own_reply():
    sizes = []

    def answering(batch):
        sizes.append(len(batch))
        return said(batch)

    assert serve(collector(answering), [asked(c) for c in "abcdefghij"]) == list("ABCDEFGHIJ")
    assert sizes == [4, 4, 2]


def test_the_wait_for_the_batch_before_is_no_latency():
    waiting = [asked(c) for c in "abc"]
    began = time.perf_counter()
    serve(collector(lambda batch: time.sleep(0.05) or said(batch), size=1), waiting)
    took = time.perf_counter() - began
    latencies = [one.future.result().latency_s for one in waiting]
    assert min(latencies) >= 0.045
    assert sum(latencies) <= took  # one after the other: with the waits it would be twice that


def test_nobody_is_waited_for_when_all_who_can_ask_have_asked():
    waits = []
    for askers in (2, None):
        one = collector(said, askers=askers)
        one._gap_s = 1.0
        began = time.perf_counter()
        serve(one, [asked("a"), asked("b")])
        waits.append(time.perf_counter() - began)
    assert waits[0] < 0.5
    assert waits[1] >= 1.0


def test_the_wait_for_the_next_prompt_follows_how_long_batches_take():
    def slow(batch):
        time.sleep(0.5)
        return said(batch)

    one = collector(slow)
    assert one._gap_s == pytest.approx(0.005)
    serve(one, [asked("a"), asked("b"), asked("c"), asked("d"), asked("e")])
    assert one._gap_s == pytest.approx(0.05, rel=0.3)


def test_the_one_to_blame_fails_alone():
    def answering(batch):
        if any(one.names[0] == "x" for one in batch):
            raise ZeroDivisionError("x")
        return said(batch)

    first, blamed, last = serve(collector(answering), [asked("a"), asked("x"), asked("c")])
    assert (first, last) == ("A", "C")
    assert isinstance(blamed, ZeroDivisionError)


def test_memory_halves_the_batch_for_good_and_is_given_back():
    sizes, released = [], []

    def answering(batch):
        sizes.append(len(batch))
        if len(batch) > 2:
            raise MemoryError
        return said(batch)

    one = Collector(
        answering, full=lambda problem: isinstance(problem, MemoryError), release=lambda: released.append(1), size=8
    )
    assert serve(one, [asked(c) for c in "abcdefgh"]) == list("ABCDEFGH")
    assert (sizes, len(released), one.size) == ([8, 4, 2, 2, 2, 2], 2, 2)


def test_what_does_not_fit_alone_is_a_failure_of_that_prompt():
    def answering(batch):
        if len(batch) > 1 or batch[0].names[0] == "x":
            raise MemoryError("no room")
        return said(batch)

    outcomes = serve(collector(answering), [asked("a"), asked("x"), asked("b")])
    assert outcomes[::2] == ["A", "B"]
    assert isinstance(outcomes[1], ModelError)
    assert (outcomes[1].kind, "no room" in str(outcomes[1])) == ("out-of-memory", True)


def test_those_who_left_are_not_answered():
    seen = []

    def answering(batch):
        seen.extend(one.names[0] for one in batch)
        return said(batch)

    gone, closing = asked("gone"), threading.Event()
    gone.future.cancel()
    closing.set()
    put_away = asked("closed", closing)
    one = collector(answering)

    async def go():
        stays = asked("stays")
        for waiting in (gone, put_away, stays):
            await one.put(waiting)
        serving = asyncio.ensure_future(one.serve())
        reply = await asyncio.wrap_future(stays.future)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return reply

    assert asyncio.run(go()).text == "STAYS"
    assert seen == ["stays"]


def test_one_who_leaves_while_the_reply_is_made_takes_nothing_from_the_others():
    def answering(batch):
        batch[0].future.cancel()
        return said(batch)

    async def go():
        first, second = asked("a"), asked("b")
        one = collector(answering)
        await one.put(first)
        await one.put(second)
        serving = asyncio.ensure_future(one.serve())
        reply = await asyncio.wrap_future(second.future)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return reply.text, first.future.cancelled()

    assert asyncio.run(go()) == ("B", True)


def test_who_waits_when_serving_ends_is_told():
    async def go():
        one, waiting = collector(said), asked("late")
        serving = asyncio.ensure_future(one.serve())
        await asyncio.sleep(0)
        serving.cancel()
        await one.put(waiting)
        await asyncio.gather(serving, return_exceptions=True)
        return waiting.future.cancelled()

    assert asyncio.run(go())
