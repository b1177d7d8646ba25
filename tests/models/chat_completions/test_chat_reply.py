"""What a response is: a reply, or which failure."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiometry.errors import ModelError
from audiometry.models.chat_completions import reply as chat_reply
from audiometry.records import Chunk, Reply, sensible


def completion(message=None, finish="stop", **rest):
    choice = {"index": 0, "finish_reason": finish} | ({"message": message} if message is not None else {})
    return json.dumps({"id": "x", "choices": [choice]} | rest).encode()


def fails(raw):
    with pytest.raises(ModelError) as caught:
        chat_reply.read(raw, "host")
    return caught.value


@pytest.mark.parametrize(
    ("message", "finish", "text", "why"),
    [
        ({"content": "B"}, "stop", "B", "stop"),
        ({"content": "B"}, "length", "B", "length"),
        ({"content": 5}, "stop", "5", "stop"),
        ({"content": 0}, "stop", "0", "stop"),
        ({"content": 2.5}, "stop", "2.5", "stop"),
        ({"content": None}, "stop", "", "stop"),
        ({"content": None}, None, "", None),
        ({}, "content_filter", "", "content_filter"),
        (None, "content_filter", "", "content_filter"),
        ({"content": [{"type": "text", "text": "It is "}, {"type": "text", "text": "B"}]}, "stop", "It is B", "stop"),
        ({"content": [{"type": "text", "text": None}, {"type": "image"}]}, "stop", "", "stop"),
        ({"content": None, "refusal": "I cannot."}, "stop", "I cannot.", "refusal"),
        ({"content": "Hm.", "refusal": "I cannot."}, "stop", "Hm.", "refusal"),
        ({"content": "B", "refusal": None, "audio": None, "tool_calls": []}, "stop", "B", "stop"),
    ],
)
def test_replies(message, finish, text, why):
    assert chat_reply.read(completion(message, finish), "host") == Reply(text=text, finish_reason=why)


def test_token_counts():
    raw = completion({"content": "B"}, usage={"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9})
    reply = chat_reply.read(raw, "host")
    assert (reply.tokens_in, reply.tokens_out) == (7, 2)
    assert chat_reply.read(completion({"content": "B"}, usage=None), "host").tokens_in is None


@pytest.mark.parametrize(
    ("raw", "kind", "retry", "said"),
    [
        (b"", "not-json", True, "host answered with an empty body"),
        (b"  \n", "not-json", True, "host answered with an empty body"),
        (b'{"choices": [{"mess', "not-json", True, "not a chat completion: {"),
        (b"<html>Welcome</html>", "not-json", True, "not a chat completion: <html>Welcome</html>"),
        (b'["A"]', "no-choices", False, 'host answered without choices: ["A"]'),
        (b"3", "no-choices", False, "without choices"),
        (b"null", "no-choices", False, "without choices"),
        (b'{"choices": {"message": {"content": "B"}}}', "no-choices", False, "without choices"),
        (b'{"choices": ["B"]}', "no-choices", False, "without choices"),
        (b'{"choices": [{"index": 0}]}', "no-choices", False, "without a choice with text"),
        (b'{"choices": [{"message": {"content": true}}]}', "no-choices", False, "without a choice with text"),
        (
            b'{"choices": [{"error": {"message": "dead"}, "finish_reason": "error"}]}',
            "server-error",
            True,
            "host reported",
        ),
        (b'[{"error": {"message": "dead"}}]', "server-error", True, "host reported an error: dead"),
        (b'{"choices": []}', "no-choices", False, 'host answered without choices: {"choices": []}'),
        (b"{}", "no-choices", False, "without choices"),
        (b'{"error": {"message": "dead"}}', "server-error", True, "host reported an error: dead"),
        (b'{"error": "dead", "choices": []}', "server-error", True, "host reported an error: dead"),
    ],
)
def test_no_replies(raw, kind, retry, said):
    error = fails(raw)
    assert (error.kind, error.retry, error.fatal) == (kind, retry, False)
    assert said in str(error)


@given(st.binary(max_size=300))
def test_whatever_comes_is_a_reply_or_one_line(raw):
    try:
        came = chat_reply.read(raw, "host")
    except ModelError as error:
        came = str(error)
    assert isinstance(came, Reply) or (len(came) < 400 and "\n" not in came)


def test_a_long_error_is_cut():
    assert len(str(fails(b"<html>" + b"x" * 100_000))) < 400


@pytest.mark.parametrize(
    ("status", "retry", "fatal"),
    [
        (201, False, False), (301, False, True), (302, False, True), (307, False, True), (400, False, False),
        (401, False, True), (402, False, True), (403, False, True), (404, False, True), (408, True, False),
        (409, True, False), (413, False, False), (415, False, False), (422, False, False), (425, True, False),
        (429, True, False), (500, True, False), (502, True, False), (503, True, False), (504, True, False),
        (529, True, False),
    ],
)  # fmt: skip
def test_statuses(status, retry, fatal):
    error = chat_reply.failure(status, b"{}", None, "host")
    assert (error.kind, error.retry, error.fatal) == (f"http-{status}", retry, fatal)
    assert str(error).startswith(f"host answered {status}")


def test_no_credit_left_is_not_a_rate():
    raw = b'{"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}'
    error = chat_reply.failure(429, raw, "1", "host")
    assert (error.retry, error.fatal) == (False, True)
    assert str(error) == "host answered 429 (You exceeded your current quota.); the account has no credit left"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"error": {"message": "too long"}}', "(too long)"),
        (b'{"error": "too long"}', "(too long)"),
        (b'{"message": "too long"}', "(too long)"),
        (b'{"detail": "too long"}', "(too long)"),
        (b'[{"error": {"message": "too long"}}]', "(too long)"),
        (b'{"detail": [{"msg": "field required"}]}', "field required"),
        (b"<h1>too\nlong\x1b[31m</h1>", "(<h1>too long\\x1b[31m</h1>)"),
        (b"3", "(3)"),
        (b"", "400"),
        (b"[]", "([])"),
    ],
)
def test_what_the_server_said_is_kept(raw, said):
    assert said in str(chat_reply.failure(400, raw, None, "host"))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0), ("2.5", 2.5), ("-3", 0), ("99999999", 3600), ("inf", 3600), ("nan", None), ("", None), (None, None),
        ("soon", None), ("Wed, 21 Oct 2026 07:28:00 GMT", 30), ("Wed, 21 Oct 2026 07:28:00", 30),
        ("Fri, 31 Dec 9999 23:59:59 -2359", 3600), ("Mon, 01 Jan 0001 00:00:00 +2359", 0),
        ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None), ("1 Jan 2026 0:0:0 +99999999999999999999", None),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0), ("Wed, 21 Oct 2026 09:28:00 +0200", 30),
    ],
)  # fmt: skip
def test_retry_after(header, seconds):
    now = datetime(2026, 10, 21, 7, 27, 30, tzinfo=UTC)
    assert chat_reply.retry_after_s(header, now) == seconds


@given(st.text(max_size=60) | st.from_regex(r"[A-Z][a-z]{2}, \d{1,3} [A-Z][a-z]{2} \d{1,6} \d+:\d+:\d+ [-+]?\w{0,9}"))
def test_any_retry_after_is_read_or_left(header):
    seconds = chat_reply.retry_after_s(header)
    assert seconds is None or 0 <= seconds <= 3600


def event(delta=None, finish=None, **rest):
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return json.dumps({"choices": choices} | rest).encode()


@pytest.mark.parametrize(
    ("raw", "chunk"),
    [
        (event({"role": "assistant", "content": ""}), Chunk()),
        (event({"content": "B"}), Chunk(text="B")),
        (event({"content": None}), Chunk()),
        (event({}, "length"), Chunk(finish_reason="length")),
        (event({"refusal": "I can"}), Chunk(text="I can", finish_reason="refusal")),
        (event(usage={"prompt_tokens": 3, "completion_tokens": 1}), Chunk(tokens_in=3, tokens_out=1)),
        (event({"content": "B"}, usage={"prompt_tokens": 3}), Chunk(text="B", tokens_in=3)),
    ],
)
def test_events(raw, chunk):
    assert chat_reply.read_event(raw, "host").chunk == chunk


@pytest.mark.parametrize("raw", [b"{", b"", b"3", b"null", b"[]", b"{}", b'{"choices": [3]}', b"\xff", b'{"usage": 4}'])
def test_events_that_say_nothing(raw):
    assert chat_reply.read_event(raw, "host") is None


def test_which_event_is_the_last():
    assert chat_reply.read_event(event({"content": "B"}, "stop"), "host").last
    assert not chat_reply.read_event(event({"refusal": "I can"}), "host").last  # more of it follows
    assert not chat_reply.read_event(event(usage={"prompt_tokens": 3}), "host").said


@pytest.mark.parametrize(
    "raw", [b'{"error": {"message": "dead"}}', event({"content": ""}, "error", error={"code": 502})]
)
def test_events_that_report_an_error(raw):
    with pytest.raises(ModelError) as caught:
        chat_reply.read_event(raw, "host")
    assert (caught.value.kind, caught.value.retry) == ("server-error", True)


ODD = [0, 12.5, -1, 10**40, 1e300, True, False, "", "x", "\n" * 99, [], [1], {}, {"a": []}]
SIDES = [
    ("id",), ("created",), ("error",), ("usage",), ("usage", "prompt_tokens"), ("usage", "completion_tokens"),
    ("choices", 0, "finish_reason"), ("choices", 0, "index"), ("choices", 0, "logprobs"), ("choices", 0, "error"),
    ("choices", 0, "message", "refusal"), ("choices", 0, "message", "role"), ("choices", 0, "message", "audio"),
]  # fmt: skip


@pytest.mark.parametrize("path", SIDES, ids=str)
def test_an_odd_side_field_costs_no_reply(path):
    for value in ODD:
        document = {"choices": [{"message": {"content": "It is B."}}], "usage": {"prompt_tokens": 7}}
        *to, key = path
        place = document
        for step in to:
            place = place[step]
        place[key] = value
        reply = chat_reply.read(json.dumps(document).encode(), "host")
        assert reply.text == "It is B."
        assert reply.tokens_in is None or 0 <= reply.tokens_in <= sensible.MOST
        assert reply.finish_reason in {None, "x", "other", "refusal"}


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'{"choices": [{"message": {"content": "B \\ud800"}}]}', "B \ufffd"),
        (b'{"choices": [{"message": {"content": "B \\ud83d\\ude00"}}]}', "B \U0001f600"),
        (b'{"choices": [{"message": {"content": "B \xff"}}]}', "B \ufffd"),
        (b'{"choices": [{"message": {"content": "B\nA"}}]}', "B\nA"),
        (b'\xef\xbb\xbf{"choices": [{"message": {"content": "B"}}]}', "B"),
        ('{"choices": [{"message": {"content": "Bü"}}]}'.encode("utf-16"), "Bü"),
        (b'{"choices": [{"message": {"content": "B"}}], "x": NaN, "y": 1e999, "z": ' + b"1" * 9999 + b"}", "B"),
        (b'{"x": ' + b"[" * 50_000 + b"]" * 50_000 + b', "choices": [{"message": {"content": "B ]"}}]}', "B ]"),
        (b'{"x": ' + b'{"]": ' * 9_000 + b"1" + b"}" * 9_000 + b', "choices": [{"message": {"content": "B"}}]}', "B"),
        (b'[{"choices": [{"message": {"content": "B"}}]}]', "B"),
        (b'{"choices": [{"message": {"content": "B"}, "error": {"code": 3}}], "error": {"message": "late"}}', "B"),
        (b'{"choices": [{"message": {"content": ["B", " or ", {"text": {"value": "C"}}, 4, {"text": 5}]}}]}', "B or C"),
        (b'{"choices": [{"message": {"content": {"type": "text", "text": "B"}}}]}', "B"),
        (b'{"choices": [{"message": {"content": [{"type": "thinking", "text": "A?"}, {"text": "B"}]}}]}', "B"),
        (b'{"choices": [{"message": {"content": []}}]}', ""),
    ],
)  # fmt: skip
def test_a_reply_is_read_in_spite_of_its_slips(raw, text):
    assert chat_reply.read(raw, "host").text == text


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.dictionaries(
    st.sampled_from(["id", "error", "usage", "finish_reason", "refusal", "role", "index", "delta", "object"]), ANYTHING
)


@given(st.text(min_size=1), FIELDS, FIELDS, FIELDS, st.lists(ANYTHING, max_size=2), st.booleans())
def test_whatever_stands_beside_the_text_it_is_kept(text, top, choice, message, more, escaped):
    document = top | {"choices": [choice | {"message": message | {"content": text}}, *more]}
    raw = json.dumps(document, ensure_ascii=escaped).encode(errors="surrogatepass")
    reply = chat_reply.read(raw, "host")
    assert reply.text == text
    msgspec.json.encode(reply)


@given(ANYTHING | st.builds(lambda choice, rest: rest | {"choices": [choice]}, ANYTHING, FIELDS), st.data())
def test_whatever_document_comes_is_a_reply_or_one_line(document, data):
    raw = json.dumps(document).encode()
    start, end = data.draw(st.integers(0, len(raw))), data.draw(st.integers(0, len(raw)))
    raw = raw if data.draw(st.booleans()) else raw[:start] + raw[end:]
    for read in (chat_reply.read, chat_reply.read_event):
        try:
            came = msgspec.json.encode(read(raw, "host"))
        except ModelError as error:
            came = str(error)
        assert isinstance(came, bytes) or (len(came) < 400 and "\n" not in came)
