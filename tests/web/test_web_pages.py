"""What guards a page, who comes in, and how it is served."""

import asyncio
import contextlib
import socket
import threading

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from audiometry.errors import UsageError
from audiometry.web import door, guard, serve


def test_a_port_in_use_is_one_line():
    with serve.listen(port=0) as on:
        port = on.getsockname()[1]
        with pytest.raises(UsageError, match=f"^port {port} is in use by another program; .* --port$"):
            serve.listen(port=port)


@pytest.mark.parametrize(
    ("host", "port", "why"), [("192.0.2.1", 0, "cannot listen on 192.0.2.1"), ("no such", 0, "--host")]
)
def test_an_address_that_is_not_of_this_machine_is_one_line(host, port, why):
    with pytest.raises(UsageError, match=why) as problem:
        serve.listen(host, port)
    assert "\n" not in str(problem.value)


def test_the_address_is_what_a_browser_opens():
    with serve.listen(port=0) as on:
        port = on.getsockname()[1]
        assert serve.address(on) == f"http://127.0.0.1:{port}"
        assert serve.address(on, "::1") == f"http://[::1]:{port}"
        assert on.getsockname()[0] == "127.0.0.1"  # nobody else can reach it


def test_what_is_under_way_is_answered_when_the_server_ends():
    on = serve.listen(port=0)
    port, ends, there = on.getsockname()[1], [], threading.Event()

    async def slow(scope, receive, send):
        there.set()
        ends[0]()
        await PlainTextResponse("answered")(scope, receive, send)

    thread = threading.Thread(target=serve.serve, args=(slow, on, ends.append))
    thread.start()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        said = b"".join(iter(lambda: line.recv(4096), b""))
    thread.join()
    assert there.is_set()
    assert said.endswith(b"answered")


@pytest.fixture
def port():
    """A server that says what was sent to it, until the test ends."""
    on, ends = serve.listen(port=0), []

    async def echo(scope, receive, send):
        try:
            said = await guard.body(Request(scope, receive))
        except UsageError as problem:
            said = str(problem)
        await PlainTextResponse(said)(scope, receive, send)

    thread = threading.Thread(target=serve.serve, args=(echo, on, ends.append))
    number = on.getsockname()[1]
    thread.start()
    yield number
    ends[0]()
    thread.join()


def talk(port, sent):
    line = socket.create_connection(("127.0.0.1", port), timeout=30)
    line.sendall(sent)
    return line


HALF = b"POST / HTTP/1.1\r\nHost: x\r\n"
WHOLE = HALF + b"Connection: close\r\nContent-Length: 4\r\n\r\nword"


def all_of(line):
    with line:
        return b"".join(iter(lambda: line.recv(4096), b""))


def test_requests_that_never_come_whole_are_ended_and_others_are_answered(port, monkeypatch):
    for part in (serve, guard):
        monkeypatch.setattr(part, "PATIENCE_S", 0.2)
    heads = [talk(port, HALF) for _ in range(3)]
    body = talk(port, HALF + b"Connection: close\r\nContent-Length: 9\r\n\r\nwor")
    assert all_of(talk(port, WHOLE)).endswith(b"word")
    assert [all_of(line) for line in heads] == [b""] * 3
    assert b"the connection broke before all was sent" in all_of(body)


def test_more_connections_than_there_are_handles_for_are_not_held(port, monkeypatch):
    monkeypatch.setattr(serve, "MOST_CONNECTIONS", 2)
    held = [talk(port, HALF) for _ in range(2)]
    with contextlib.suppress(ConnectionError), talk(port, HALF) as one:
        assert one.recv(10) == b""
    for line in held:
        line.close()
    for _ in range(100):  # until it has seen them go
        with contextlib.suppress(ConnectionError):
            if all_of(talk(port, WHOLE)).endswith(b"word"):
                return
    pytest.fail("nobody is answered any more")


def test_one_address_does_not_hold_all_connections(port, monkeypatch):
    monkeypatch.setattr(serve._Bounded, "of_address", 2)
    held = [talk(port, HALF) for _ in range(2)]
    with contextlib.suppress(ConnectionError), talk(port, HALF) as one:
        one.settimeout(10)  # sooner than one that asks nothing is ended
        assert one.recv(10) == b""
    other = socket.create_connection(("127.0.0.1", port), 30, source_address=("127.0.0.2", 0))
    other.sendall(WHOLE)
    assert all_of(other).endswith(b"word")
    for line in held:
        line.close()


def test_who_goes_away_in_mid_sentence_leaves_no_traceback(port, capfd):
    talk(port, HALF + b"Content-Length: 9\r\n\r\nwor").close()
    assert all_of(talk(port, WHOLE)).endswith(b"word")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["", "   ", "a" * 61, "anna\x1b[31m", "anna\u202eb", "an\u200bna"])
def test_names_that_cannot_be_seen_are_refused(name):
    with pytest.raises(UsageError, match="cannot be a name; give 1" if name.strip() else "a name is missing; give 1"):
        door.named(name)


def test_a_name_is_kept_as_it_is_read():
    assert door.named("  Zoë   李 ") == "Zoë 李"
    assert door.named("Zoe\u0308") == "Zoë"


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
def test_nothing_but_requests_passes_the_guard(kind):
    async def nobody(*_):
        pytest.fail("something got through")

    asyncio.run(guard.Guard(nobody, None)({"type": kind, "headers": []}, nobody, nobody))


class Asks:
    def __init__(self, **cookies):
        self.cookies = cookies


def test_a_link_is_its_raters_alone():
    mine, other = door.token(), door.token()
    assert mine != other
    assert mine not in door.hashed(mine)
    links = door.Door("c", {door.hashed(mine): "anna"})
    assert links.let_in(Response(), mine) == "anna"
    for given in (other, "", "anna", door.hashed(mine)):
        assert links.let_in(Response(), given) is None
        assert links.who(Asks(c=given)) is None
    assert links.who(Asks(c=mine)) == "anna"
    assert not links.open


@pytest.mark.parametrize("held", ["", "%", "é", "AAAA", "YQ", "/w=="])
def test_a_cookie_that_is_none_of_ours_is_nobody(held):
    assert door.Door("c").who(Asks(c=held)) is None
