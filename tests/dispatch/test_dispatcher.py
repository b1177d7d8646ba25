"""Prompts to replies: bounded, journalled as they arrive, retried, stopped."""

import asyncio
import errno
import time

import pytest

from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.stopped import StoppedError
from audiometry.errors import ModelError, StorageError, UnreadableAudioError, UsageError
from audiometry.files.journal import Journal
from audiometry.records import Reply


def busy(_prompt, _attempt):
    return ModelError("http-503", "busy", retry=True)


def test_every_ask_is_answered_once(session, told, asks):
    model = told(lambda prompt, _: prompt.item.upper())
    tally = session.run(model, asks(50))
    assert {r.item: r.text for r in session.records()} == {f"i{i}": f"I{i}" for i in range(50)}
    assert sorted(model.asked) == sorted(f"i{i}" for i in range(50))
    assert (tally.replies, tally.requests, tally.tokens_in, tally.tokens_out) == (50, 50, 500, 50)


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_never_more_under_way_than_allowed_and_that_many(session, told, asks, concurrency):
    model = told(delay_s=0.002)
    session.run(model, asks(100), concurrency=concurrency)
    assert model.most_under_way == concurrency


@pytest.mark.parametrize(("concurrency", "batch", "under_way"), [(3, 3, 6), (8, 2, 8), (1, 1, 2)])
def test_a_model_of_batches_has_the_next_batch_waiting(session, told, asks, concurrency, batch, under_way):
    model = told(delay_s=0.002)
    model.batch = batch
    session.run(model, asks(60), concurrency=concurrency)
    assert model.most_under_way == under_way


def test_who_waits_for_the_batch_before_may_wait_as_long_again(session, told, asks):
    model = told(delay_s=0.45)
    assert session.run(model, asks("a"), timeout_s=0.3, retry=RetryPolicy(max_tries=1)).failed == 1
    model.batch = 1
    assert session.run(model, asks("b"), timeout_s=0.3, retry=RetryPolicy(max_tries=1)).replies == 1


def test_a_latency_that_the_model_measured_is_the_one_that_is_kept(session, told, asks):
    session.run(told(lambda *_: Reply(text="A", latency_s=0.123456), delay_s=0.02), asks("a"))
    session.run(told(lambda *_: "A", delay_s=0.02), asks("b"))
    measured, waited = session.records()
    assert measured.latency_s == 0.1235
    assert waited.latency_s >= 0.02


def test_prompts_are_built_when_their_turn_comes(session, told, asks):
    model, taken = told(delay_s=0.001), []

    def lazily():
        for one in asks(60):
            taken.append(one.item)
            assert len(taken) - len(set(model.asked)) <= 4 + 1
            yield one

    session.run(model, lazily(), concurrency=4)
    assert len(taken) == 60


def test_each_reply_is_on_disk_before_the_next_is_asked(session, told, asks):
    def rule(prompt, _):
        done = len(session.path.read_bytes().splitlines())
        assert done == int(prompt.item[1:])
        return "A"

    assert session.run(told(rule), asks(20), concurrency=1).replies == 20


def test_the_record_says_all(session, told, asks):
    reply = Reply(
        text="B", finish_reason="length", tokens_in=7, tokens_out=2, first_token_s=0.01, notes="heard a violin"
    )
    session.run(told(lambda *_: reply, delay_s=0.02), asks("i9", variant="order-1", words="Why?"))
    (record,) = session.records()
    assert (record.item, record.variant, record.text, record.finish_reason) == ("i9", "order-1", "B", "length")
    assert (record.tokens_in, record.tokens_out, record.first_token_s, record.notes) == (7, 2, 0.01, "heard a violin")
    assert record.audio_sha256 == "sha-RIFF"
    assert len(record.prompt_sha256) == 64
    assert 0.02 <= record.latency_s < 2
    assert record.attempts == 1
    assert not record.cached
    assert record.at.endswith("Z")


def test_words_before_a_filter_stopped_the_reply_are_no_answer(session, told, asks):
    reply = Reply(text="A", finish_reason="content_filter", notes="blocked by the provider: SAFETY")
    session.run(told(lambda *_: reply), asks("i9"))
    (record,) = session.records()
    assert (record.text, record.finish_reason, record.blocked) == ("", "content_filter", True)
    assert record.notes == "blocked by the provider: SAFETY; before that came: A"


def test_what_may_pass_is_tried_again(session, told, asks):
    model = told(lambda _, attempt: busy(_, attempt) if attempt < 4 else "A")
    tally = session.run(model, asks(5))
    assert [r.attempts for r in session.records()] == [4] * 5
    assert (tally.replies, tally.requests, tally.retries) == (5, 20, 15)


def test_what_cannot_pass_is_recorded_at_once(session, told, asks):
    tally = session.run(told(lambda *_: ModelError("http-400", "no such clip")), asks(3))
    assert [(r.error.kind, r.error.message, r.attempts, r.text) for r in session.records()] == [
        ("http-400", "no such clip", 1, None)
    ] * 3
    assert tally.failures == {"http-400": 3}


def test_a_cap_on_tries(session, told, asks):
    session.run(told(busy), asks(2), retry=RetryPolicy(max_tries=3, first_wait_s=0.001))
    assert [(r.error.kind, r.attempts) for r in session.records()] == [("http-503", 3)] * 2


def test_a_cap_on_time(session, told, asks):
    session.run(told(busy), asks(1), retry=RetryPolicy(max_tries=1000, first_wait_s=0.05, max_wait_s=0.3))
    (record,) = session.records()
    assert 2 <= record.attempts < 8


def test_a_reply_that_does_not_come(session, told, asks):
    session.run(told(delay_s=60), asks(2), timeout_s=0.03, retry=RetryPolicy(max_tries=2, first_wait_s=0.001))
    assert [(r.error.kind, r.error.message, r.attempts) for r in session.records()] == [
        ("timeout", "no reply within 0.03 s", 2)
    ] * 2


def test_a_crash_in_foreign_code_is_one_failure(session, told, asks):
    def rule(prompt, _):
        return ZeroDivisionError("in layer 3") if prompt.item == "i1" else "A"

    tally = session.run(told(rule), asks(4))
    assert tally.replies == 3
    (failed,) = [r for r in session.records() if r.error]
    assert (failed.item, failed.error.kind) == ("i1", "crash")
    assert failed.error.message == "ZeroDivisionError: in layer 3"


def test_a_clip_that_a_model_cannot_use_is_an_audio_failure(session, told, asks):
    session.run(told(lambda *_: UnreadableAudioError("x.wav: no audio")), asks(1))
    assert session.records()[0].error.kind == "audio-unreadable"


def test_a_clip_that_cannot_be_read_is_recorded_without_a_request(session, told, asks):
    from audiometry.dispatch.ask import Ask

    async def broken():
        raise UnreadableAudioError("a.wav: the file is empty; replace it")

    model = told()
    tally = session.run(model, [Ask("bad", "plain", broken), *asks(2)])
    assert tally.failures == {"audio-unreadable": 1}
    (failed,) = [r for r in session.records() if r.error]
    assert (failed.item, failed.attempts, failed.error.message) == ("bad", 0, "a.wav: the file is empty; replace it")
    assert len(model.asked) == 2


def test_any_number_of_bad_clips_does_not_stop_a_run(session, told):
    from audiometry.dispatch.ask import Ask

    async def broken():
        raise UnreadableAudioError("no audio")

    assert session.run(told(), [Ask(str(i), "plain", broken) for i in range(300)]).failed == 300


@pytest.mark.parametrize(
    "error", [ModelError("http-401", "host answered 401; check the key", fatal=True), UsageError("pip install it")]
)
def test_what_nothing_can_survive_stops_the_run(session, told, asks, error):
    model = told(lambda prompt, _: error if prompt.item == "i5" else "A", delay_s=0.001)
    with pytest.raises(StoppedError, match=r"; all replies so far are kept$") as stopped:
        session.run(model, asks(1000), concurrency=2)
    assert str(error) in str(stopped.value)
    assert stopped.value.exit_code == 1
    assert {r.item for r in session.records()} >= {f"i{i}" for i in range(5)}
    assert "i5" not in {r.item for r in session.records()}
    assert len(model.asked) <= 8


def test_a_shortage_that_stays_while_asking_stops_the_run_and_blames_no_item(session, told, asks):
    model = told(lambda *_: OSError(errno.EMFILE, "Too many open files"))
    with pytest.raises(StoppedError, match=r"^stopped: this program may open no more files; .*run the same command"):
        session.run(model, asks(3), concurrency=1, retry=RetryPolicy(max_tries=2, first_wait_s=0.001))
    assert (model.asked, session.records()) == (["i0", "i0"], [])


def test_nobody_there(session, told, asks):
    model = told(lambda *_: ModelError("no-connection", "cannot connect to host", retry=True))
    with pytest.raises(
        StoppedError, match=r"stopped after 20 failures in a row, the last: cannot connect to host; no reply came"
    ):
        session.run(model, asks(1000), concurrency=4, retry=RetryPolicy(max_tries=2, first_wait_s=0.001))
    assert len(model.asked) <= 2 * 24
    assert all(r.error.kind == "no-connection" for r in session.records())


def test_a_long_task_of_refused_items_does_not_stop_the_run(session, told, asks):
    def rule(prompt, _):
        return ModelError("http-413", "too large") if 10 <= int(prompt.item[1:]) < 400 else "A"

    tally = session.run(told(rule), asks(420))
    assert (tally.replies, tally.failed) == (30, 390)


def test_draining_lets_what_is_under_way_arrive(session, told, asks):
    model = told(delay_s=0.1)

    async def meanwhile(dispatcher, _work):
        await asyncio.sleep(0.05)
        dispatcher.drain()

    tally = session.run(model, asks(100), concurrency=4, meanwhile=meanwhile)
    assert tally.replies == len(model.asked) == 4


@pytest.mark.parametrize(
    "slow",
    [
        {"requests_per_minute": 0.5},
        {"rule": busy, "retry": RetryPolicy(first_wait_s=60)},
        {"rule": lambda *_: ModelError("http-429", "wait", retry=True, retry_after_s=300.0)},
    ],
)
def test_draining_does_not_wait_for_what_waits(session, told, asks, slow):
    model = told(slow.pop("rule", lambda *_: "A"))

    async def meanwhile(dispatcher, _work):
        await asyncio.sleep(0.05)
        dispatcher.drain()

    started = time.monotonic()
    session.run(model, asks(100), concurrency=4, meanwhile=meanwhile, **slow)
    assert time.monotonic() - started < 5
    assert all(r.error is None for r in session.records())  # what was cut short is not a failure: it is asked again


def test_cancelling_leaves_at_once(session, told, asks):
    model = told(delay_s=60)

    async def meanwhile(_dispatcher, work):
        await asyncio.sleep(0.02)
        work.cancel()

    started = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        session.run(model, asks(10), meanwhile=meanwhile)
    assert time.monotonic() - started < 5
    assert model.under_way == 0


def test_one_is_asked_to_wait_and_all_do(session, told, asks):
    seen = []

    def rule(prompt, attempt):
        seen.append((time.monotonic(), prompt.item))
        if prompt.item == "i3" and attempt == 1:
            return ModelError("http-429", "slow down", retry=True, retry_after_s=0.5)
        return "A"

    session.run(told(rule, delay_s=0.01), asks(40), concurrency=4)
    refused = next(at for at, item in seen if item == "i3")
    # those that were out already arrive; without the pause all the others would, within 0.1 s
    assert len([at for at, _ in seen if refused < at < refused + 0.45]) <= 8
    assert len(session.records()) == 40


def test_asked_to_wait_for_an_hour_it_fails_and_others_go_on(session, told, asks):
    def rule(prompt, _):
        if prompt.item == "i3":
            return ModelError("http-429", "come back tomorrow", retry=True, retry_after_s=3600.0)
        return "A"

    tally = session.run(told(rule), asks(40))
    assert (tally.replies, tally.failures) == (39, {"http-429": 1})


def test_requests_a_minute_on_a_real_clock(session, told, asks):
    times = []
    model = told(lambda *_: times.append(time.monotonic()) or "A")
    session.run(model, asks(31), concurrency=8, requests_per_minute=1800)
    taken = times[-1] - times[0]
    assert 0.95 <= taken <= 2.0  # 30 intervals of 1/30 s, on a machine that may be busy


def test_tokens_a_minute_on_a_real_clock(session, told, asks):
    model = told(lambda *_: Reply(text="A", tokens_in=90, tokens_out=10))
    started = time.monotonic()
    # a clip of 1 s is taken for 25 tokens, the words for 1, the reply for 64, then corrected to 100
    session.run(model, asks(21), concurrency=1, tokens_per_minute=120_000)
    assert 0.9 <= time.monotonic() - started <= 2.5


def test_a_server_without_token_counts_is_paced_by_the_estimate(session, told, asks):
    model = told(lambda *_: Reply(text="A"))
    started = time.monotonic()
    session.run(model, asks(11), concurrency=4, tokens_per_minute=54_000)
    assert 0.9 <= time.monotonic() - started <= 2.5


def test_keys_do_not_reach_the_disk(session, told, asks, monkeypatch, capfd):
    key = "sk-live-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    said = {
        "i0": Reply(text=f"your key is {key}", notes=f"key {key}"),
        "i1": ModelError("http-400", f"{'x' * 480} rejected {key} again"),
        "i2": RuntimeError(f"{'y' * 470} Authorization: Bearer {key}"),
    }
    session.run(told(lambda prompt, _: said[prompt.item]), asks(3))
    written = session.path.read_text()
    assert "sk-live" not in written
    assert "your key is ***" in written
    with pytest.raises(StoppedError) as stopped:
        session.run(told(lambda *_: ModelError("http-401", f"bad key {key}", fatal=True)), asks(1))
    assert str(stopped.value) == "bad key ***; no reply came"
    out = capfd.readouterr()
    assert key not in out.out + out.err


def test_a_disk_that_refuses_stops_the_run(session, told, asks, monkeypatch):
    def refuse(*_):
        raise StorageError("cannot write replies.jsonl: No space left on device")

    monkeypatch.setattr(Journal, "append", refuse)
    model = told(delay_s=0.001)
    with pytest.raises(StorageError, match="No space left on device"):
        session.run(model, asks(1000))
    assert len(model.asked) <= 16


def test_whoever_watches_sees_every_record(session, told, asks):
    seen = []
    session.run(told(), asks(10), watch=lambda record: seen.append(record.item))
    assert sorted(seen) == sorted(f"i{i}" for i in range(10))


ODD_REPLIES = [
    {"finish_reason": 0},
    {"finish_reason": "it was\nall said \x1b[31m"},
    {"finish_reason": "x" * 41},
    {"tokens_in": 12.5, "tokens_out": -3},
    {"tokens_in": "many", "tokens_out": 10**40},
    {"tokens_in": True},
    {"first_token_s": "soon", "notes": None},
    {"notes": "\udc80"},
]


@pytest.mark.parametrize("odd", ODD_REPLIES)
def test_odd_side_fields_cost_no_reply(session, told, asks, odd):
    reply = Reply(text="B \ud83d\ude00 \ud800", **odd)
    tally = session.run(told(lambda *_: reply), asks(1), tokens_per_minute=1e9)
    (record,) = session.records()
    assert (record.text, record.attempts, tally.replies) == ("B \U0001f600 \ufffd", 1, 1)
    assert record.finish_reason in {None, "other"}
    assert (record.tokens_in, record.tokens_out, record.first_token_s) == (None, None, None)


@pytest.mark.parametrize("text", [None, 3, b"B", ["B"]])
def test_a_reply_without_a_text_is_a_failure_of_one_item(session, told, asks, text):
    session.run(told(lambda prompt, _: Reply(text=text) if prompt.item == "i0" else "B"), asks(2))
    failed, kept = sorted(session.records(), key=lambda record: record.item)
    assert (failed.error.kind, failed.attempts, kept.text) == ("no-text", 1, "B")


@pytest.mark.parametrize("kind", ["x" * 99, "it broke", "\x1b[31m", "", 3])
def test_kinds_of_failure_are_short_words(session, told, asks, kind):
    session.run(told(lambda *_: ModelError(kind, "no")), asks(1))
    (record,) = session.records()
    assert record.error.kind == "other"


def test_a_key_in_any_field_does_not_reach_the_disk_or_the_watcher(session, told, asks, monkeypatch):
    key = "sk-live-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    seen = []
    replies = {"i0": Reply(text=key, finish_reason=key, notes=key), "i1": ModelError(key, f"{'x' * 490} {key}")}
    session.run(told(lambda prompt, _: replies[prompt.item]), asks(2), watch=seen.append)
    assert b"sk-live" not in session.path.read_bytes()
    assert sorted(session.records(), key=str) == sorted(seen, key=str)
    assert {record.finish_reason for record in seen} == {"***", None}
    assert {record.error.kind for record in seen if record.error} == {"***"}
