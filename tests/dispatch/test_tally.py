"""The accounts are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.dispatch.tally import Price, Tally
from audiometry.records import Failure, ReplyRecord


def reply(latency=0.5, tokens_in=100, tokens_out=3, attempts=1, **changes):
    fields = {"text": "A", "latency_s": latency, "tokens_in": tokens_in, "tokens_out": tokens_out}
    return ReplyRecord(item="i", attempts=attempts, **(fields | changes))


def failure(kind, attempts):
    return ReplyRecord(item="i", error=Failure(kind=kind, message="m"), attempts=attempts)


def test_everything_is_counted_once():
    tally = Tally(Price(tokens_in=2.5, tokens_out=10))
    tally.add(reply(attempts=3))
    tally.add(reply(tokens_in=50, tokens_out=0))
    tally.add(failure("http-400", 1))
    tally.add(failure("http-500", 5))
    tally.add(failure("http-500", 5))
    tally.add(failure("audio-unreadable", 0))
    tally.add(reply(latency=None, attempts=0, cached=True))
    usage = tally.usage()
    assert (usage.replies, usage.cached, usage.requests, usage.retries) == (3, 1, 15, 10)
    assert usage.failures == {"http-400": 1, "http-500": 2, "audio-unreadable": 1}
    assert (usage.tokens_in, usage.tokens_out, usage.tokens_unknown) == (150, 3, 0)
    assert usage.cost_usd == pytest.approx((150 * 2.5 + 3 * 10) / 1e6)
    assert (tally.failed, tally.done) == (4, 7)


def test_replies_of_another_run_are_counted_apart():
    tally = Tally(Price(tokens_in=2.5, tokens_out=10))
    tally.add(reply())
    for at in ("2026-02-03T10:00:00Z", "2026-02-01T10:00:00Z"):
        tally.add(reply(attempts=2, cached=True, taken_from="k2", at=at))
    usage = tally.usage()
    assert (usage.replies, usage.cached, usage.requests, usage.retries, usage.tokens_in) == (3, 0, 1, 0, 100)
    taken = usage.taken_over["k2"]
    assert (taken.replies, taken.since, taken.until) == (2, "2026-02-01T10:00:00Z", "2026-02-03T10:00:00Z")


@given(st.lists(st.floats(0.0001, 500), min_size=1, max_size=200))
def test_percentiles_are_those_of_numpy(latencies):
    tally = Tally()
    for latency in latencies:
        tally.add(reply(latency=latency))
    expected = np.percentile(np.array(latencies, dtype=np.float32).astype(float), [50, 90, 99])
    assert list(tally.usage().latency_s) == ["p50", "p90", "p99"]
    assert list(tally.usage().latency_s.values()) == pytest.approx(expected, abs=1e-4)


def test_without_replies_there_are_no_percentiles():
    assert Tally().usage().latency_s == {}


@pytest.mark.parametrize("price", [Price(), Price(tokens_in=1), Price(tokens_out=1)])
def test_without_a_price_there_is_no_cost(price):
    tally = Tally(price)
    tally.add(reply())
    assert tally.usage().cost_usd is None


@pytest.mark.parametrize("missing", [{"tokens_in": None}, {"tokens_out": None}])
def test_without_a_token_count_there_is_no_cost(missing):
    tally = Tally(Price(tokens_in=1, tokens_out=1))
    tally.add(reply())
    tally.add(reply(**missing))
    assert tally.usage().cost_usd is None
    assert tally.usage().tokens_unknown == 1


def test_nothing_asked_costs_nothing():
    tally = Tally(Price(tokens_in=1, tokens_out=1))
    tally.add(reply(cached=True, attempts=0, tokens_in=None))
    assert tally.usage().cost_usd == 0


def test_a_reply_without_a_latency_is_left_out_of_the_percentiles():
    tally = Tally()
    tally.add(reply(latency=None))
    tally.add(reply(latency=0.25))
    assert tally.usage().latency_s == {"p50": 0.25, "p90": 0.25, "p99": 0.25}
