"""A chat model in front of a real server process."""

import asyncio
import contextlib
import gzip
import socket
import threading
import time
import tracemalloc

import aiohttp
import pytest

from audiometry.errors import ModelError, UsageError
from audiometry.models import load
from audiometry.models.chat_completions.address import read
from audiometry.models.chat_completions.session import _broken
from audiometry.models.chat_completions.stream import END_WITHIN_S

KEY = "sk-live-0123456789abcdef"


def fails(say, model, prompt):
    with pytest.raises(ModelError) as caught:
        say(model, prompt)
    return caught.value


def test_what_is_sent_and_what_comes_back(served, say, make_prompt, make_clip):
    before = served(answer="It is B.", decode=True)
    clip = make_clip()
    for model in before.both():
        (reply,) = say(model, make_prompt(clip, "What?", system="Listen."))
        assert (reply.text, reply.finish_reason) == ("It is B.", "stop")
        assert (reply.tokens_in, reply.tokens_out) == (14 // 4 + len(clip.data) // 1280, 2)
        asked = before.server.log()[-1]
        assert asked["audio_sha256"] == clip.sha256
        assert asked["audio"] == [{"rate": 16000, "channels": 1, "frames": 1600, "container": "WAV"}]
        assert asked["parts"] == ["system:text", "user:input_audio", "user:text"]
        assert asked["text"] == "Listen.\n\nWhat?"
        assert asked["model"] == "mock"
        assert set(asked["parameters"]) == ({"stream", "stream_options"} if asked["stream"] else set())
        assert asked["authorization"] is False
        assert (reply.first_token_s is not None) == asked["stream"]


@pytest.mark.parametrize("stream", [False, True])
def test_latency_is_the_servers_and_not_ours(served, say, make_prompt, monkeypatch, stream):
    model = served(delay_ms=50).model(stream=stream)
    pieces = type(model)._pieces
    monkeypatch.setattr(type(model), "_pieces", lambda *given, **more: time.sleep(0.3) or pieces(*given, **more))
    began = time.perf_counter()
    (reply,) = say(model, make_prompt("What?"))
    waited = time.perf_counter() - began
    assert 0.045 <= reply.latency_s <= waited - 0.3
    assert reply.first_token_s is None or 0.045 <= reply.first_token_s <= round(reply.latency_s, 4)


def test_a_clip_of_several_slices_arrives_whole(served, say, make_prompt, make_clip):
    before = served(decode=True)
    clip = make_clip(frames=100_001)
    say(before.model(), make_prompt(clip, "What?"))
    assert before.server.log()[0]["audio_sha256"] == clip.sha256


def test_decoding_is_sent_only_when_told(served, say, make_prompt):
    before = served()
    model = before.model(temperature=0.0, max_tokens=7)
    say(model, make_prompt("What?"))
    assert before.server.log()[0]["parameters"] == {"temperature": 0.0, "max_tokens": 7}
    assert model.parameters == {"temperature": 0.0, "max_tokens": 7}


def test_the_card_names_the_length_limit(served, say, make_prompt):
    before = served()
    model = before.model("openai/gpt-4o-audio-preview", max_tokens=7, stream=True)
    say(model, make_prompt("What?"))
    assert before.server.log()[0]["parameters"]["max_completion_tokens"] == 7
    assert model.parameters == {"max_completion_tokens": 7}


@pytest.mark.parametrize(
    ("fault", "text", "finish"),
    [
        ("null-content", "", "stop"),
        ("empty-content", "", "stop"),
        ("parts", "B", "stop"),
        ("refusal", "I'm sorry, but I can't help with that.", "refusal"),
        ("content-filter", "", "content_filter"),
        ("null-choices", "", "content_filter"),
        ("spoken", "B) A dog.", "stop"),
        ("spoken-too", "B) A dog.", "stop"),
        ("length", "B", "length"),
        ("reasoning", "B", "stop"),
        ("text-plain", "B", "stop"),
        ("gzip", "B", "stop"),
        ("odd-usage", "B", "stop"),
        ("odd-usage-list", "B", "stop"),
        ("odd-fields", "B", "stop"),
        ("odd-message", "B", "stop"),
        ("odd-reason", "B", "other"),
        ("surrogate", "B \ufffd", "stop"),
        ("raw-bytes", "B \ufffd", "stop"),
    ],
)
def test_whole_and_streamed_are_the_same_reply(served, say, make_prompt, fault, text, finish):
    said = text if fault.startswith("spoken") else "B"
    for model in served(answer=said, faults=[fault]).both():
        (reply,) = say(model, make_prompt("What?"))
        assert (reply.text, reply.finish_reason) == (text, finish)


def test_a_long_reply_streams_to_the_same_text(served, say, make_prompt):
    words = "Grüße „aus“ der 世界. " * 400
    answers = [say(model, make_prompt("What?"))[0].text for model in served(answer=words).both()]
    assert answers == [words, words]


@pytest.mark.parametrize(
    ("fault", "kind", "retry"),
    [
        ("400", "http-400", False),
        ("413", "http-413", False),
        ("429", "http-429", True),
        ("500", "http-500", True),
        ("drop", "connection-broken", True),
        ("drop-middle", "connection-broken", True),
        ("huge", "reply-too-large", False),
    ],
)
def test_faults(served, say, make_prompt, fault, kind, retry):
    before = served(answer="A B C D E F", faults=[fault])
    for model in before.both():
        error = fails(say, model, make_prompt("What?"))
        assert (error.kind, error.retry, error.fatal) == (kind, retry, False)
        assert "\n" not in str(error)
        assert f"127.0.0.1:{before.server.port}" in str(error)
    assert sum(before.server.requests.values()) == 2  # one call is one attempt


@pytest.mark.parametrize(
    ("fault", "kind", "retry"),
    [
        ("html", "not-json", True),
        ("half-json", "not-json", True),
        ("empty", "not-json", True),
        ("not-object", "no-choices", False),
        ("no-choices", "no-choices", False),
        ("error-200", "server-error", True),
    ],
)
def test_bodies_that_are_no_reply(served, say, make_prompt, fault, kind, retry):
    error = fails(say, served(faults=[fault]).model(), make_prompt("What?"))
    assert (error.kind, error.retry) == (kind, retry)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("stream-break", "connection-broken"),
        ("stream-error", "server-error"),
        ("html", "not-json"),
        ("empty", "not-json"),
        ("half-json", "not-json"),
    ],
)
def test_streams_that_break(served, say, make_prompt, fault, kind):
    error = fails(say, served(answer="A B C D E F", faults=[fault]).model(stream=True), make_prompt("What?"))
    assert (error.kind, error.retry) == (kind, True)


@pytest.mark.parametrize("stream", [False, True])
def test_a_reason_that_is_none_costs_no_reply(served, say, make_prompt, stream):
    # streamed, the end is no accident: the response says itself where it ends
    (reply,) = say(served(answer="B", faults=["odd-choice"]).model(stream=stream), make_prompt("What?"))
    assert (reply.text, reply.finish_reason) == ("B", None)


def test_half_a_character_in_each_of_two_pieces(say, make_prompt, no_keys):
    pieces = [r'{"content": "B \ud83d"}', r'{"content": "\ude00"}, "finish_reason": "stop"']
    event = b"".join(b'data: {"choices": [{"delta": %s}]}\n\n' % piece.encode() for piece in pieces)

    def handle(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(event) + event)

    model = load("openai/mock", base_urls=(f"http://127.0.0.1:{listen(handle)}/v1",), stream=True)
    assert say(model, make_prompt("What?"))[0].text == "B \U0001f600"


@pytest.mark.parametrize(
    ("fault", "text", "finish", "tokens_out"),
    [
        ("stream-open", "one two three", "stop", None),
        ("stream-done-open", "one two three", "stop", 3),
        ("stream-late-usage", "one two three", "stop", 3),
        ("stream-error-after", "one two three", "stop", 3),
        ("stream-odd", "one two three", "stop", 3),
        ("stream-no-reason", "one two three", None, None),
        ("stream-not", "one two three", "stop", 3),
    ],
)
def test_a_stream_that_is_over_is_a_reply(served, say, make_prompt, fault, text, finish, tokens_out):
    before = served(answer=text, faults=[fault])
    started = time.monotonic()
    (reply,) = say(before.model(stream=True), make_prompt("What?"))
    assert (reply.text, reply.finish_reason, reply.tokens_out) == (text, finish, tokens_out)
    assert time.monotonic() - started < 20 * END_WITHIN_S  # soon, and not when the time is up
    assert len(before.server.log()) == 1


def test_a_stream_without_a_reply_is_not_bought_again(served, say, make_prompt):
    error = fails(say, served(faults=["stream-nothing"]).model(stream=True), make_prompt("What?"))
    assert (error.kind, error.retry) == ("no-choices", False)


def test_a_stream_that_ends_before_it_says_anything(served, say, make_prompt):
    error = fails(say, served(answer="", faults=["stream-no-reason"]).model(stream=True), make_prompt("What?"))
    assert (error.kind, error.retry) == ("stream-broken", True)


@pytest.mark.parametrize("fault", ["gzip-bomb", "deflate-bomb"])
def test_a_compressed_reply_is_counted_as_it_unfolds(served, say, make_prompt, fault):
    # 100 MB in 100 kB, with their length stated: neither memory nor the loop notices
    before = served(faults=[fault])
    tracemalloc.start()
    try:
        for model in before.both():
            error = fails(say, model, make_prompt("What?"))
            assert (error.kind, error.retry) == ("reply-too-large", False)
        assert tracemalloc.get_traced_memory()[1] < 40e6
    finally:
        tracemalloc.stop()


def test_a_stream_without_its_end_mark(served, say, make_prompt):
    (reply,) = say(served(answer="B", faults=["stream-no-done"]).model(stream=True), make_prompt("What?"))
    assert (reply.text, reply.finish_reason) == ("B", "stop")


def test_pieces_as_they_come(served, chunks_of, make_prompt):
    chunks = chunks_of(served(answer="one two three four five").model(), make_prompt("What?"))
    assert len([chunk for chunk in chunks if chunk.text]) > 2
    assert "".join(chunk.text for chunk in chunks) == "one two three four five"
    assert [chunk.finish_reason for chunk in chunks if chunk.finish_reason] == ["stop"]


@pytest.mark.parametrize(("fault", "header_s"), [("429", 3), ("503-retry", 3)])
def test_how_long_a_server_asks_to_wait(served, say, make_prompt, fault, header_s):
    error = fails(say, served(faults=[fault], retry_after=3).model(), make_prompt("What?"))
    assert error.retry_after_s == header_s


def test_until_when_a_server_asks_to_wait(served, say, make_prompt):
    error = fails(say, served(faults=["429-date"], retry_after=30).model(), make_prompt("What?"))
    assert 27 < error.retry_after_s <= 31


@pytest.mark.parametrize("fault", ["redirect", "redirect-307"])
def test_redirects_are_not_followed(served, say, make_prompt, monkeypatch, fault):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    before = served(faults=[fault])
    for model in before.both():
        error = fails(say, model, make_prompt("What?"))
        assert error.fatal
        assert "it redirects elsewhere, give the final address with --base-url" in str(error)
    assert [asked["path"] for asked in before.server.log()] == ["/v1/chat/completions"] * 2


@pytest.mark.parametrize("fault", ["401", "403", "404-model", "429-quota"])
def test_what_no_item_survives(served, say, make_prompt, fault):
    assert fails(say, served(faults=[fault]).model(), make_prompt("What?")).fatal


def test_a_request_too_large_is_not_sent(served, say, make_prompt, make_clip, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('[[card]]\nname = "openai/*"\nlargest_mb = 0.01\n')
    server = served()
    model = server.model(card=str(card))
    clip = make_clip(frames=2000)  # 5.4 kB in base64
    error = fails(say, model, make_prompt(clip, clip, "What?"))
    assert (error.kind, error.retry, error.fatal) == ("request-too-large", False, False)
    assert str(error).startswith("the request has 0.0 MB, openai/mock takes 0.01 MB; nothing is cut silently")
    assert server.server.log() == []


def test_connections_are_kept(served, make_prompt):
    async def connections(model):
        opened = []
        connector = model._http()._session.connector
        before = connector._create_connection

        async def count(*arguments, **named):
            opened.append(1)
            return await before(*arguments, **named)

        connector._create_connection = count
        for i in range(20):
            await model.answer(make_prompt(f"Number {i}?"))
        await model.close()
        return len(opened)

    assert [asyncio.run(connections(model)) for model in served().both()] == [1, 1]


def test_several_addresses_share_the_work(chat_server, no_keys, say, make_prompt):
    servers = [chat_server(), chat_server()]
    model = load("vllm/some/model", base_urls=tuple(server.url for server in servers))
    say(model, *(make_prompt(f"Number {i}?") for i in range(10)))
    assert [sum(server.requests.values()) for server in servers] == [5, 5]
    assert servers[0].log()[0]["model"] == "some/model"


def listen(handle):
    """A server of one connection that does as ``handle`` says; its port."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = server.accept()
        with connection, server:
            raw = b""
            while b"\r\n\r\n" not in raw or not raw.endswith(b"}"):
                raw += connection.recv(65536)
            handle(connection)

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


MANY = 2_000  # pieces, far more than anybody should read: whoever reads on fails and does not hang


def endless(head, piece):
    def handle(connection):
        try:
            connection.sendall(head)
            for _ in range(MANY):
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        except OSError:
            return

    return handle


@pytest.mark.parametrize("stream", [False, True])
def test_an_endless_line_is_cut_off(say, make_prompt, no_keys, stream):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"
    port = listen(endless(head, b"x" * 60_000))
    model = load("openai/mock", base_urls=(f"http://127.0.0.1:{port}/v1",), stream=stream)
    error = fails(say, model, make_prompt("What?"))
    assert error.kind == "reply-too-large"
    assert "more than 4,194,304 bytes" in str(error)


def streamed(raw):
    """A model whose server streams these bytes, packed."""
    packed = gzip.compress(raw)

    def handle(connection):
        with contextlib.suppress(OSError):
            head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
            connection.sendall(head + packed)

    return load("openai/mock", base_urls=(f"http://127.0.0.1:{listen(handle)}/v1",), stream=True)


@pytest.mark.parametrize("between", [b"\n", b"\r\n", b":\n", b": ping\n"])
def test_millions_of_lines_between_events_cost_nothing(say, make_prompt, no_keys, between):
    event = b'data: {"choices": [{"delta": {"content": "B"}, "finish_reason": "stop"}]}\n\n'
    started = time.process_time()
    (reply,) = say(streamed(between * (4_000_000 // len(between)) + event), make_prompt("What?"))
    assert reply.text == "B"
    assert time.process_time() - started < 5  # a way through all readers for each took minutes


def test_events_without_sense_are_bounded(say, make_prompt, no_keys):
    error = fails(say, streamed(b"data: {\n" * 400_000), make_prompt("What?"))
    assert (error.kind, error.retry) == ("not-json", False)
    assert "streamed more than 10,000 events without sense" in str(error)


def test_others_have_their_turn_in_the_middle_of_what_has_come(make_prompt, no_keys):
    async def go():
        model, turns = streamed(b"event: x\n" * 100_000), [0]

        async def count():
            while True:
                await asyncio.sleep(0)
                turns[0] += 1

        others = asyncio.ensure_future(count())
        with pytest.raises(ModelError):
            await model.answer(make_prompt("What?"))
        others.cancel()
        await model.close()
        return turns[0]

    assert asyncio.run(go()) >= 14  # blocks of 64 kB


ENDLESS = {
    "headers": b"HTTP/1.1 200 OK\r\n" + b"X-Y: z\r\n" * 200_000,
    "header": b"HTTP/1.1 200 OK\r\nX-Y: " + b"z" * 2_000_000,
    "status": b"HTTP/1.1 200 " + b"O" * 2_000_000,
    "no-http": b"Hello, who is there? " * 10_000,
    "no-code": b"HTTP/1.1 abc OK\r\n\r\n",
    "code": b"HTTP/1.1 99999 OK\r\n\r\n",
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
    "chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
    "chunk-size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 100_000,
    "encoding": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    "huge": b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n{}",
    "nothing": b"",
    "half": b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000,
    "switch": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    "bytes": bytes(range(256)) * 100,
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("raw", ENDLESS.values(), ids=ENDLESS)
def test_whatever_is_no_http_is_one_line(say, make_prompt, no_keys, raw, stream):
    def handle(connection):
        with contextlib.suppress(OSError):
            connection.sendall(raw)

    model = load("openai/mock", base_urls=(f"http://127.0.0.1:{listen(handle)}/v1",), stream=stream)
    error = fails(say, model, make_prompt("What?"))
    assert "\n" not in str(error)
    assert len(str(error)) < 500


def test_a_server_that_does_not_end_its_stream(say, make_prompt, no_keys):
    event = b'data: {"choices": [{"delta": {"content": "B"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    gone = threading.Event()

    def handle(connection):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"%x\r\n%s\r\n" % (len(event), event))
        gone.wait(10 * END_WITHIN_S)

    model = load("openai/mock", base_urls=(f"http://127.0.0.1:{listen(handle)}/v1",), stream=True)
    (reply,) = say(model, make_prompt("What?"))
    gone.set()
    assert (reply.text, reply.finish_reason) == ("B", "stop")


def test_a_streamed_line_without_an_end(say, make_prompt, no_keys):
    event = b': comment\nevent: x\ndata: {"choices": [{"delta": {"content": "B"}, "finish_reason": "stop"}]}'

    def handle(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(event) + event)

    model = load("openai/mock", base_urls=(f"http://127.0.0.1:{listen(handle)}/v1",), stream=True)
    (reply,) = say(model, make_prompt("What?"))
    assert (reply.text, reply.finish_reason) == ("B", "stop")


def test_nobody_listens(say, make_prompt, no_keys):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    error = fails(say, load("openai/mock", base_urls=(f"http://127.0.0.1:{port}/v1",)), make_prompt("What?"))
    assert (error.kind, error.retry) == ("no-connection", True)
    assert str(error) == f"cannot connect to 127.0.0.1:{port}: Connection refused; is it running?"


def test_no_such_host(say, make_prompt, no_keys):
    model = load("openai/mock", base_urls=("http://no-such-host.invalid/v1",))
    error = fails(say, model, make_prompt("What?"))
    assert (error.kind, error.retry) == ("no-connection", True)
    assert "cannot connect to no-such-host.invalid" in str(error)


def test_tls_where_there_is_none(served, say, make_prompt):
    model = load("openai/mock", base_urls=(f"https://127.0.0.1:{served().server.port}/v1",))
    assert fails(say, model, make_prompt("What?")).kind == "no-connection"


def test_a_certificate_that_is_not_accepted():
    import ssl

    refused = ssl.SSLCertVerificationError("x")
    refused.verify_message = "self-signed certificate"
    error = _broken(aiohttp.ClientConnectorCertificateError(None, refused), read("http://localhost:8000"))
    assert (error.kind, error.fatal) == ("certificate", True)
    assert str(error) == "the certificate of localhost:8000 is not accepted: self-signed certificate"


def test_a_connection_that_takes_too_long():
    error = _broken(aiohttp.ConnectionTimeoutError(), read("http://localhost:8000"))
    assert (error.kind, error.retry) == ("no-connection", True)
    assert str(error) == "localhost:8000 did not accept a connection in time"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai/m", "OPENAI_API_KEY"),
        ("google/m", "GEMINI_API_KEY"),
        ("google/m", "GOOGLE_API_KEY"),
        ("vllm/m", "VLLM_API_KEY"),
        ("openrouter/m", "OPENROUTER_API_KEY"),
    ],
)
def test_keys_come_from_the_environment(chat_server, no_keys, say, make_prompt, monkeypatch, name, variable):
    monkeypatch.setenv(variable, f" {KEY}\n")
    server = chat_server(require_key=True)
    model = load(name, base_urls=(server.url,))
    assert say(model, make_prompt("What?"))[0].text == "A"
    assert KEY not in repr(vars(model)["_settings"]) + model.name + repr(model.parameters)


@pytest.mark.parametrize("name", ["openai/m", "google/m", "openrouter/m"])
def test_a_key_is_missing(no_keys, name):
    with pytest.raises(UsageError, match=r"needs a key: set \w+.* in the environment, or give --base-url"):
        load(name)


def test_a_stated_address_needs_no_key(no_keys, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1/")
    assert load("openai/m").name == "openai/m"


@pytest.mark.parametrize("key", ["sk-two words", "sk-line\nbreak", "sk-ünï"])
def test_a_key_that_is_none(no_keys, monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY in the environment is not a key") as caught:
        load("openai/m")
    assert "sk-" not in str(caught.value)


def test_a_key_that_comes_back_is_taken_out_before_anything_is_cut(served, say, make_prompt, monkeypatch):
    # the excerpt of an error ends at 160 characters: of a key that stands there, half would remain
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "k" * 300)
    for model in served(faults=["401-echo"]).both():
        error = fails(say, model, make_prompt("What?"))
        assert "kkk" not in str(error)
        assert "Incorrect API key provided: ***." in str(error)


def test_a_key_in_a_reply_is_taken_out(served, say, make_prompt, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert say(served(answer=f"Your key: {KEY}").model(), make_prompt("What?"))[0].text == "Your key: ***"


def test_a_word_as_a_key_stays_a_word(served, say, make_prompt, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    assert say(served(answer="The room is EMPTY").model(), make_prompt("What?"))[0].text == "The room is EMPTY"


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "",
        "http://",
        "http://:80/v1",
        "http://host:99999/v1",
        "http://host:x",
        "http://[::1",
    ],
)
def test_an_address_that_is_none(no_keys, url):
    with pytest.raises(UsageError, match=r"is not an address; write it like http://localhost:8000/v1"):
        load("vllm/m", base_urls=(url,))


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions"])
def test_addresses_in_every_dress(chat_server, no_keys, say, make_prompt, tail):
    server = chat_server()
    assert say(load("vllm/m", base_urls=(server.url + tail,)), make_prompt("What?"))[0].text == "A"


def test_a_password_in_an_address_is_not_shown(say, make_prompt, no_keys):
    model = load("vllm/m", base_urls=("http://me:secret-word@127.0.0.1:1/v1",))
    assert "secret-word" not in str(fails(say, model, make_prompt("What?")))


def test_closing_twice_and_unused(no_keys):
    model = load("vllm/m")
    asyncio.run(model.close())
    asyncio.run(model.close())
    assert model.name == "vllm/m"


def test_a_reply_of_unstated_length(say, make_prompt, no_keys):
    body = b'{"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]}'

    def handle(connection):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        pieces = [body[:20], body[20:]]
        connection.sendall(head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n")

    model = load("openai/mock", base_urls=(f"http://127.0.0.1:{listen(handle)}/v1",))
    assert say(model, make_prompt("What?"))[0].text == "B"
