"""Several addresses of one model: healthy ones share, slow ones get less, dead ones cost no item."""

import asyncio
import os
import signal
import socket
import time

import pytest

from audiometry.dispatch.ask import Ask
from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.local import Dispatcher
from audiometry.dispatch.retry import RetryPolicy
from audiometry.errors import ModelError
from audiometry.files import jsonl
from audiometry.files.journal import Journal
from audiometry.models import load
from audiometry.models.chat_completions.address import read
from audiometry.models.chat_completions.endpoints import FIRST_ASIDE_S, LONGEST_ASIDE_S, Endpoints
from audiometry.records import Prompt, ReplyRecord, Text, Turn

ONE_TRY = RetryPolicy(max_tries=1)


@pytest.fixture
def dead():
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return f"http://127.0.0.1:{port}/v1"


@pytest.fixture
def hangs():
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


@pytest.fixture
def ask_all(tmp_path, no_keys):
    """Ask so many items of addresses; gives the records and the accounts."""

    def go(urls, items=60, *, stream=False, watch=lambda _record: None, **conditions):
        model = load("vllm/m", base_urls=tuple(urls), stream=stream)

        def ask(number):
            async def build():
                return Prompt(turns=(Turn("user", (Text(f"Number {number}?"),)),), item=f"i{number}")

            return Ask(f"i{number}", "plain", build)

        async def run():
            with Journal(tmp_path / "replies.jsonl") as journal:
                dispatcher = Dispatcher(model, journal, Conditions(**conditions), watch=watch)
                try:
                    return await dispatcher.run(map(ask, range(items)))
                finally:
                    await model.close()

        tally = asyncio.run(run())
        records = list(jsonl.read(tmp_path / "replies.jsonl", ReplyRecord))
        assert sorted(r.item for r in records) == sorted(f"i{n}" for n in range(items))
        return records, tally

    return go


def counts(*servers):
    return [sum(server.requests.values()) for server in servers]


@pytest.mark.parametrize("stream", [False, True])
def test_healthy_servers_share_equally_and_ask_every_item_once(chat_server, ask_all, stream):
    servers = [chat_server(delay_ms=60), chat_server(delay_ms=60)]  # long, for a busy machine
    records, tally = ask_all([s.url for s in servers], stream=stream, concurrency=8)
    assert [r.attempts for r in records] == [1] * 60
    assert set((servers[0].requests + servers[1].requests).values()) == {1}
    assert all(24 <= n <= 36 for n in counts(*servers))
    assert tally.usage().answered_by == {
        f"127.0.0.1:{s.port}": n for s, n in zip(servers, counts(*servers), strict=True)
    }


def test_one_of_three_slow_and_one_dead_hold_up_nothing(chat_server, ask_all, dead):
    quick, slow = chat_server(delay_ms=10), chat_server(delay_ms=400)
    started = time.perf_counter()
    records, tally = ask_all([dead, slow.url, quick.url], items=200, concurrency=8, retry=ONE_TRY)
    took = time.perf_counter() - started
    assert [r.error for r in records] == [None] * 200
    assert {r.attempts for r in records} == {1}
    asked_quick, asked_slow = counts(quick, slow)
    assert asked_quick + asked_slow == 200
    assert asked_slow < 60
    assert took < 200 / 8 * 0.4  # what taking turns would need at the least, half of the items being the slow one's
    assert list(tally.answered_by.values()) == [0, asked_slow, asked_quick]


def test_a_server_that_hangs_costs_its_items_one_try_each(chat_server, ask_all, hangs):
    quick = chat_server(delay_ms=5)
    records, _ = ask_all([hangs, quick.url], items=80, concurrency=8, timeout_s=1.0)
    assert [r.error for r in records] == [None] * 80
    late = [r for r in records if r.attempts > 1]
    assert 0 < len(late) <= 4
    assert counts(quick) == [80]


def test_a_server_killed_on_the_way_loses_no_item(chat_server, ask_all):
    stays, goes = chat_server(delay_ms=20), chat_server(delay_ms=20)
    seen = []

    def watch(record):
        seen.append(record)
        if len(seen) == 20:
            os.kill(goes.pid, signal.SIGKILL)

    records, tally = ask_all([stays.url, goes.url], items=80, concurrency=8, watch=watch)
    assert [r.error for r in records] == [None] * 80
    assert sum(r.attempts - 1 for r in records) <= 8  # those under way; nobody is sent there in vain after
    assert sum(tally.answered_by.values()) == 80
    assert set(stays.requests.values()) == {1}


def test_a_server_that_comes_back_is_asked_again(chat_server, ask_all, monkeypatch):
    monkeypatch.setattr("audiometry.models.chat_completions.endpoints.FIRST_ASIDE_S", 0.05)
    well, ill = chat_server(delay_ms=10), chat_server(delay_ms=10, faults=["503:until-2"])
    records, _ = ask_all([well.url, ill.url], items=120, concurrency=4)
    assert [r.error for r in records] == [None] * 120
    assert sum(r.attempts - 1 for r in records) == 2
    assert counts(ill)[0] > 30


def test_one_server_asking_to_wait_does_not_hold_up_the_other(chat_server, ask_all):
    well, busy = chat_server(delay_ms=5), chat_server(faults=["503-retry"], retry_after=20)
    started = time.perf_counter()
    records, _ = ask_all([well.url, busy.url], items=60, concurrency=4)
    assert time.perf_counter() - started < 10
    assert [r.error for r in records] == [None] * 60
    assert counts(busy)[0] <= 2
    assert counts(well) == [60]


@pytest.mark.parametrize("stream", [False, True])
def test_all_of_them_dead(say, make_prompt, no_keys, dead, stream):
    model = load("vllm/m", base_urls=(dead, "http://localhost:9/v1"), stream=stream)
    with pytest.raises(ModelError, match=r"none of 2 addresses can be reached; the last: cannot connect to ") as caught:
        say(model, make_prompt("What?"))
    assert (caught.value.kind, caught.value.retry, "\n" in str(caught.value)) == ("no-connection", True, False)


@pytest.mark.parametrize("stream", [False, True])
def test_one_try_is_enough_beside_a_dead_one(chat_server, no_keys, make_prompt, say, dead, stream):
    model = load("vllm/m", base_urls=(dead, chat_server(answer="It is B.").url), stream=stream)
    assert [reply.text for reply in say(model, *(make_prompt(f"{n}?") for n in range(3)))] == ["It is B."] * 3


def test_the_accounts_say_who_answered(chat_server, cli, make_benchmark, no_keys, tmp_path):
    servers = [chat_server(), chat_server()]
    urls = [word for server in servers for word in ("--base-url", server.url)]
    folder = make_benchmark(12)
    said = cli("run", folder, "--model", "vllm/m", *urls, "--no-probe", "-o", tmp_path / "a", "--json")
    shares = said.json["usage"]["answered_by"]
    assert shares == {f"127.0.0.1:{s.port}": n for s, n in zip(servers, counts(*servers), strict=True)}
    assert sum(shares.values()) == 12
    said = cli("run", folder, "--model", "vllm/m", *urls, "--no-probe", "-o", tmp_path / "b", "--concurrency", "1")
    line = " ".join((said.out + said.err).split())
    assert f"answered by 127.0.0.1:{servers[0].port} 6, 127.0.0.1:{servers[1].port} 6" in line
    alone = cli("run", folder, "--model", "vllm/m", *urls[:2], "--no-probe", "-o", tmp_path / "c")
    assert "answered by" not in alone.out + alone.err


def test_a_wrong_address_among_right_ones_is_named_and_stops_the_run(chat_server, no_keys, make_prompt, say):
    right, wrong = chat_server(model=["m"]), chat_server(model=["another"])
    model = load("vllm/m", base_urls=(right.url, wrong.url))
    with pytest.raises(ModelError, match=rf"^127\.0\.0\.1:{wrong.port} answered 404") as caught:
        say(model, make_prompt("1?"), make_prompt("2?"))
    assert caught.value.fatal


def test_the_same_address_twice_is_one(no_keys, chat_server, make_prompt, say):
    server = chat_server()
    model = load("vllm/m", base_urls=(server.url, server.url + "/"))
    say(model, make_prompt("What?"))
    assert model.answered_by == {}
    assert model.card.concurrency == load("vllm/m").card.concurrency


def test_each_address_serves_as_many_at_a_time_as_the_card_says(no_keys):
    one, two = load("vllm/m"), load("vllm/m", base_urls=("http://a:1/v1", "http://b:1/v1"))
    assert two.card.concurrency == 2 * one.card.concurrency


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def fail(endpoint, **how):
    with pytest.raises(ModelError), endpoint:
        raise ModelError("x", "x", **({"retry": True} | how))


def test_an_address_is_left_alone_the_longer_the_oftener_it_fails():
    clock = Clock()
    endpoints = Endpoints([read("http://a"), read("http://b")], clock)
    first = next(iter(endpoints.in_turn()))
    waits = []
    for _ in range(9):
        fail(first)
        fail(first)  # beside it: the same outage
        began = clock.now
        while not first.usable:
            clock.now += 0.25
        waits.append(clock.now - began)
    assert waits[:3] == [FIRST_ASIDE_S, 2 * FIRST_ASIDE_S, 4 * FIRST_ASIDE_S]
    assert waits[-1] == LONGEST_ASIDE_S
    with first:
        assert not first.usable  # one request tries it out
        assert [e.where for e in endpoints.in_turn()] == ["b", "a"]
    assert first.usable
    fail(first, retry_after_s=120.0)
    clock.now += 119
    assert not first.usable
    clock.now += 1
    assert first.usable
    fail(first, retry=False)
    with first:
        assert first.usable  # a refused request is an answer


def test_the_one_with_the_least_under_way_is_next():
    endpoints = Endpoints([read("http://a"), read("http://b"), read("http://c")], Clock())
    order = [next(iter(endpoints.in_turn())) for _ in range(6)]
    assert [e.where for e in order] == ["a", "b", "c", "a", "b", "c"]
    with order[0], order[1]:
        assert [next(iter(endpoints.in_turn())).where for _ in range(2)] == ["c", "c"]
    assert endpoints.where == "a, b, c"
