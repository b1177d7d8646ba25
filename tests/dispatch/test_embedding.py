"""Texts to points by a server's embeddings: batches, retry, what is kept, and what a server may say wrong."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter

import numpy as np
import pytest

from audiometry.dispatch.attempts import Conditions
from audiometry.dispatch.cache import ReplyCache, open_cache
from audiometry.dispatch.embedding import BATCH, points
from audiometry.dispatch.retry import RetryPolicy
from audiometry.dispatch.stopped import StoppedError
from audiometry.errors import ModelError, StorageError, UnknownNameError, UsageError
from audiometry.models.chat_completions.embeddings import EmbeddingModel
from audiometry.models.settings import ModelSettings
from audiometry.records import ModelCard, Reply

QUICK = RetryPolicy(max_tries=3, first_wait_s=0.01)


@pytest.fixture
def embed(tmp_path):
    """``embed(server, texts)``, with what was kept before."""

    def made(server, texts, name="openai/emb"):
        model = EmbeddingModel(name, ModelSettings(base_urls=(server.url,)))
        with open_cache(str(tmp_path / "kept.sqlite")) as cache:
            return points(texts, model, Conditions(concurrency=2, retry=QUICK), cache)

    return made


def oracle(text):
    point = np.zeros(64)
    for word in text.lower().split():
        point[sum(map(ord, word)) % 64] += len(word) > 3
    return point


def test_every_text_has_its_point_and_is_asked_for_once(embed, chat_server):
    server = chat_server()
    texts = [f"some words {chr(97 + at % 26) * 5} number{at}" for at in range(3 * BATCH)]
    found = embed(server, [*texts, *texts[:5]])
    assert (found == np.array([oracle(one) for one in [*texts, *texts[:5]]])).all()
    asked = [text for line in server.log() for text in line["texts"]]
    assert sorted(asked) == sorted(texts)
    assert max(len(line["texts"]) for line in server.log()) <= BATCH
    assert (embed(server, [*texts, "one more"])[:-1] == found[: len(texts)]).all()
    assert [line["texts"] for line in server.log()][-1] == ["one more"]


def test_faults_are_tried_again(embed, chat_server):
    server = chat_server(faults=["503:first-2"])
    assert embed(server, ["hello there"]).shape == (1, 64)
    assert [line["status"] for line in server.log()] == [503, 503, 200]


def test_what_came_before_a_server_went_is_kept(embed, chat_server):
    server = chat_server(faults=["500:after-1"])
    texts = [f"word{at}" for at in range(3 * BATCH)]
    with pytest.raises(StoppedError, match="what came is kept"):
        embed(server, texts)
    server.stop()
    other = chat_server()
    embed(other, texts)
    assert sum(len(line["texts"]) for line in other.log()) == 2 * BATCH


class Slow:
    """Makes points after a while; sends this process a signal, or fails, at the batch that begins with a text."""

    name, card, parameters = "test/slow", ModelCard(), {}

    def __init__(self, at="", number=None):
        self.at, self.number, self.asked = at, number, Counter()

    async def answer(self, prompt):
        texts = [part.text for part in prompt.turns[0].parts]
        self.asked.update(texts)
        if texts[0] == self.at:
            if self.number is None:
                raise ModelError("http-400", "not this one", fatal=True)
            os.kill(os.getpid(), self.number)
        await asyncio.sleep(0.05)
        return Reply(text=json.dumps([[1.0, len(one)] for one in texts]))

    async def close(self):
        pass


TEXTS = [f"word{at}" for at in range(5 * BATCH)]


def of_slow(model, tmp_path, **more):
    with open_cache(str(tmp_path / "kept.sqlite")) as cache:
        return points(TEXTS, model, Conditions(concurrency=2, retry=QUICK), cache, **more)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGHUP, 130), (None, 1)])
def test_what_is_under_way_when_it_stops_is_waited_for_kept_and_not_paid_twice(tmp_path, number, code):
    told = []
    first, second = Slow(TEXTS[BATCH], number), Slow()
    with pytest.raises(StoppedError, match="what came is kept, the same command goes on from there") as caught:
        of_slow(first, tmp_path, stopping=lambda: told.append("stopping"))
    assert caught.value.exit_code == code
    assert told == (["stopping"] if number else [])
    assert set(first.asked) == set(TEXTS[: 2 * BATCH])
    assert len(of_slow(second, tmp_path)) == len(TEXTS)
    both = first.asked + second.asked
    assert {text for text, n in both.items() if n > 1} == (set() if number else set(TEXTS[BATCH : 2 * BATCH]))


def test_a_full_disk_is_one_error(tmp_path, monkeypatch):
    def full(*_):
        raise StorageError("cannot write the points: disk full")

    monkeypatch.setattr(ReplyCache, "put", full)
    with pytest.raises(StorageError, match="disk full"):
        of_slow(Slow(), tmp_path)


@pytest.mark.parametrize("fault", ["half-json", "html", "not-object", "empty", "no-choices", "bad-utf8"])
def test_what_is_no_answer_is_one_line(embed, chat_server, fault):
    with pytest.raises(StoppedError, match="openai/emb: "):
        embed(chat_server(faults=[fault]), ["hello"])


def test_a_point_that_cannot_be_kept_is_refused_and_not_kept(embed, chat_server, monkeypatch):
    from audiometry.models.chat_completions import session

    real = session.HttpSession.post

    async def far(self, *given):
        status, raw, *rest = await real(self, *given)
        return status, raw.replace(b"1.0", b"1e300").replace(b"0.0", b"1e300"), *rest

    server = chat_server()
    monkeypatch.setattr(session.HttpSession, "post", far)
    with pytest.raises(StoppedError, match=r"numbers beyond 1e\+38"):
        embed(server, ["hello there"])
    monkeypatch.setattr(session.HttpSession, "post", real)
    assert (embed(server, ["hello there"]) == oracle("hello there")).all()


def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        EmbeddingModel("openai/emb", ModelSettings())
    with pytest.raises(UnknownNameError, match="openai/MODEL"):
        EmbeddingModel("nobody/emb", ModelSettings())


def test_a_model_that_changed_under_its_name_is_refused(embed, chat_server, tmp_path):
    import hashlib

    import pybase64

    from audiometry.dispatch.ask import reply_key

    key = reply_key("openai/emb", b"{}", hashlib.sha256(b"old").hexdigest(), "")
    with open_cache(str(tmp_path / "kept.sqlite")) as cache:
        cache.put(key, Reply(text=pybase64.b64encode(np.ones(3, np.float32).tobytes()).decode()))
    with pytest.raises(UsageError, match="different lengths"):
        embed(chat_server(), ["old", "new"])


@pytest.mark.parametrize("damaged", ["", "AAA", "no base64!", "AAAA", "AACAfw=="])
def test_a_kept_point_that_is_damaged_is_asked_for_again(embed, chat_server, tmp_path, damaged):
    import hashlib

    from audiometry.dispatch.ask import reply_key

    server = chat_server()
    embed(server, ["hello there", "more"])
    key = reply_key("openai/emb", b"{}", hashlib.sha256(b"hello there").hexdigest(), "")
    with open_cache(str(tmp_path / "kept.sqlite")) as cache:
        cache.spoilt(key)
        cache.put(key, Reply(text=damaged))
    assert (embed(server, ["hello there", "more"])[0] == oracle("hello there")).all()
    assert server.log()[-1]["texts"] == ["hello there"]
    assert (embed(server, ["hello there"])[0] == oracle("hello there")).all()
    assert len(server.log()) == 2  # kept again
