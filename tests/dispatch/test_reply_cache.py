"""A reply is found again by all that shaped it, and by nothing else."""

import sqlite3

import pytest

from audiometry.dispatch.cache import ReplyCache, open_cache
from audiometry.errors import ModelError, StorageError
from audiometry.records import Reply


@pytest.fixture
def cache(tmp_path):
    made = ReplyCache(tmp_path / "cache" / "replies.sqlite")
    yield made
    made.close()


def test_what_was_put_is_got(cache):
    reply = Reply(text="B", finish_reason="refusal", tokens_in=3, tokens_out=1, first_token_s=0.2, notes="n")
    assert cache.get("k") is None
    cache.put("k", reply)
    cache.put("k", Reply(text="another"))
    assert cache.get("k") == reply


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"\xff", b'{"text": 3}', b'{"a":' + b"[" * 100_000, "text", "\udc80", None, 7]
)
def test_a_row_that_cannot_be_read_counts_as_not_cached_and_is_renewed(cache, tmp_path, broken):
    cache.put("k", Reply(text="A"))
    other = sqlite3.connect(tmp_path / "cache" / "replies.sqlite")
    if isinstance(broken, str) and not broken.isascii():
        other.execute("UPDATE reply SET reply = CAST(X'80' AS TEXT)")
    else:
        other.execute("UPDATE reply SET reply = ?", (broken,))
    other.commit()
    other.close()
    assert cache.get("k") is None
    cache.put("k", Reply(text="B"))
    assert cache.get("k") == Reply(text="B")


def test_folders_on_the_way_to_it_are_made(tmp_path):
    with open_cache(str(tmp_path / "a" / "b" / "c.sqlite")) as cache:
        cache.put("k", Reply(text="A"))
        assert cache.get("k") == Reply(text="A")
    with open_cache("") as cache:
        assert cache is None


def test_two_processes_share_it(tmp_path):
    one, other = ReplyCache(tmp_path / "c"), ReplyCache(tmp_path / "c")
    one.put("k", Reply(text="A"))
    assert other.get("k") == Reply(text="A")
    one.close()
    other.close()


def test_the_same_content_is_asked_once(session, told, asks, cache, tmp_path):
    session.run(told(), asks(10), cache=cache)
    first = {r.item: r for r in session.records()}
    session.path = tmp_path / "another" / "replies.jsonl"
    again = told()
    tally = session.run(again, asks(10), cache=cache)
    # ten items with the same clip and words are one content
    assert again.asked == []
    assert (tally.replies, tally.cached, tally.requests, tally.tokens_in) == (10, 10, 0, 0)
    for record in session.records():
        assert (record.cached, record.attempts, record.latency_s) == (True, 0, None)
        assert (record.text, record.prompt_sha256) == (first[record.item].text, first[record.item].prompt_sha256)


@pytest.mark.parametrize("change", [{"words": "Why?"}, {"audio": b"RIFX"}])
def test_another_clip_or_other_words_are_asked(session, told, asks, cache, change):
    session.run(told(), asks("i0"), cache=cache)
    model = told()
    session.run(model, asks("i0", **change), cache=cache)
    assert model.asked == ["i0"]


def test_other_parameters_or_another_model_are_asked(session, told, asks, cache):
    session.run(told(), asks("i0"), cache=cache)
    warm, other = told(parameters={"temperature": 0.5}), told()
    other.name = "told/other"
    for model in (warm, other):
        session.run(model, asks("i0"), cache=cache)
        assert model.asked == ["i0"]


def test_failures_are_not_kept(session, told, asks, cache):
    session.run(told(lambda *_: ModelError("http-400", "no")), asks("i0"), cache=cache)
    model = told()
    session.run(model, asks("i0"), cache=cache)
    assert model.asked == ["i0"]


def test_keys_do_not_reach_it(session, told, asks, cache, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-live-0123456789")
    session.run(told(lambda *_: "you sent sk-live-0123456789"), asks("i0"), cache=cache)
    cache.close()
    assert all(b"sk-live" not in path.read_bytes() for path in (tmp_path / "cache").iterdir())


@pytest.mark.parametrize("raw", [b"not a database, but long enough to be looked at " * 30])
def test_not_a_cache(tmp_path, raw):
    (tmp_path / "c").write_bytes(raw)
    with pytest.raises(StorageError, match=r"cannot use the reply cache .*c: .*; name another file") as caught:
        ReplyCache(tmp_path / "c")
    (made,) = (call.frame.f_locals["self"] for call in caught.traceback if "self" in call.frame.f_locals)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made._db.execute("SELECT 1")


def test_a_schema_that_is_no_text_is_damage_like_any_other(tmp_path):
    ReplyCache(tmp_path / "c").close()
    raw = (tmp_path / "c").read_bytes()
    (tmp_path / "c").write_bytes(raw.replace(b"CREATE TABLE reply", b"CREATE T\xed\x1bLE reply"))
    with pytest.raises(StorageError, match=r"cannot use the points kept in .*c: .*; look at --asked") as caught:
        ReplyCache(tmp_path / "c", what="the points kept in", do="look at --asked")
    assert "\x1b" not in str(caught.value)


def test_a_full_disk_needs_room_and_no_other_file(cache):
    cache._db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageError, match=r"cannot write the reply cache .* full; free some space, then run the same"):
        cache.put("k", Reply(text="A" * 10_000))


def test_a_file_where_its_folder_should_be(tmp_path):
    (tmp_path / "f").write_text("")
    with pytest.raises(StorageError, match=r"cannot use the reply cache .*: File exists; name another file"):
        ReplyCache(tmp_path / "f" / "c")


def test_a_cache_that_breaks_loses_no_reply(session, told, asks, cache):
    class Broken:
        get = staticmethod(lambda _: None)

        @staticmethod
        def put(_key, _reply):
            raise StorageError("cannot write the reply cache c: disk full")

    with pytest.raises(StorageError, match="cannot write the reply cache"):
        session.run(told(), asks(5), cache=Broken(), concurrency=1)
    assert [r.item for r in session.records()] == ["i0"]


def test_refused_by_the_disk(tmp_path):
    cache = ReplyCache(tmp_path / "c")
    cache.close()
    with pytest.raises(StorageError, match="cannot read the reply cache"):
        cache.get("k")
    with pytest.raises(StorageError, match="cannot write the reply cache"):
        cache.put("k", Reply(text="A"))
