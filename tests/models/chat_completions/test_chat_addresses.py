"""Addresses with users, passwords and queries, and proxies: what is sent there, and what is shown of it."""

import json
import socket
import subprocess
import sys

import pytest

from audiometry.errors import ModelError, UsageError
from audiometry.files import secrets
from audiometry.models import load
from audiometry.models.chat_completions.address import Address, Proxy, read

KEY = "sk-live-0123456789abcdef"


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch, no_keys):
    monkeypatch.setattr(secrets, "_stated", set())
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def proxy(servers, tmp_path):
    """``proxy("--user", "me:pass")`` starts one; gives its address and a function that gives what it passed on."""
    running = []

    def start(*words):
        log = tmp_path / f"passed-{len(running)}.jsonl"
        one = servers.start("proxy", ["--log", log, *words], tmp_path / "proxy-errors.txt")
        running.append(one.pid)
        return (
            f"127.0.0.1:{one.port}",
            lambda: list(map(json.loads, log.read_text().splitlines())) if log.exists() else [],
        )

    yield start
    for pid in running:
        servers.stop(pid)


def fails(say, model, prompt):
    with pytest.raises(ModelError) as caught:
        say(model, prompt)
    return caught.value


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://host:80/v1", Address("http://host:80/v1/chat/completions", "host:80")),
        ("http://host/v1/", Address("http://host/v1/chat/completions", "host")),
        ("http://host/v1/chat/completions", Address("http://host/v1/chat/completions", "host")),
        ("https://host/v1?api-version=3", Address("https://host/v1/chat/completions?api-version=3", "host")),
        ("https://host/?a=b#top", Address("https://host/chat/completions?a=b", "host")),
        ("http://me:pw@host/v1", Address("http://host/v1/chat/completions", "host", "Basic bWU6cHc=")),
        ("http://me:p%40w@[::1]:8/v1", Address("http://[::1]:8/v1/chat/completions", "[::1]:8", "Basic bWU6cEB3")),
        ("http://token@host/v1", Address("http://host/v1/chat/completions", "host", "Basic dG9rZW46")),
    ],
)
def test_addresses(base, address):
    assert read(base) == address


@pytest.mark.parametrize(
    "url",
    ["ftp://me:secret-word@host", "http://me:secret-word@host:x/v1", "http://me:secret/word@host",
     "http://me:secret-word@", "http://?key=secret-word", "ftp:x?key=secret-word"],
)  # fmt: skip
def test_an_address_that_is_none_is_shown_without_its_secrets(url):
    for how in ({"base_urls": (url,)}, {"proxy": url.replace("ftp:x", "ftp://x")}):
        with pytest.raises(UsageError, match="is not an address; write") as caught:
            load("vllm/m", **how)
        assert "secret" not in str(caught.value)


def test_user_and_password_are_sent_in_place_of_a_key(chat_server, say, make_prompt, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = chat_server(answer="You are bWU6Y29ycmVjdC1ob3JzZQ== with correct-horse")
    url = server.url.replace("://", "://me:correct-horse@")
    for stream in (False, True):
        (reply,) = say(load("openai/m", base_urls=(url,), stream=stream), make_prompt("What?"))
        assert reply.text == "You are *** with ***"
    assert {line["scheme"] for line in server.log()} == {"Basic"}


def test_a_query_is_sent_and_its_key_is_a_secret(chat_server, say, make_prompt):
    server = chat_server(answer="2024-10-21 swordfish-1234")
    model = load("openai/m", base_urls=(f"{server.url}?api-version=2024-10-21&api_key=swordfish-1234",))
    assert say(model, make_prompt("What?"))[0].text == "2024-10-21 ***"
    (asked,) = server.log()
    assert asked["path"] == "/v1/chat/completions"
    assert asked["query"] == {"api-version": "2024-10-21", "api_key": "swordfish-1234"}


@pytest.mark.parametrize("host", ["c d", "c%20d", "a..b", "x" * 300, "\udc80", "xn--"])
def test_an_address_that_cannot_be_asked(say, make_prompt, host):
    model = load("vllm/m", base_urls=(f"http://a b:secret-word@{host}/v1?key=secret-word",))
    error = fails(say, model, make_prompt("What?"))
    assert error.kind in {"no-address", "no-connection"}
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("variables", "url", "where"),
    [
        ({}, "http://host/v1", None),
        ({"HTTP_PROXY": "http://proxy:3128"}, "http://host/v1", "proxy:3128"),
        ({"http_proxy": "proxy:3128"}, "http://host/v1", "proxy:3128"),
        ({"HTTP_PROXY": "http://proxy:3128"}, "https://host/v1", None),
        ({"HTTPS_PROXY": "http://proxy:3128"}, "https://host/v1", "proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "host"}, "https://host:443/v1", None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": ".org,x"}, "https://a.org/v1", None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, "https://host/v1", None),
        ({"HTTP_PROXY": "http://proxy:3128"}, "http://localhost:8000/v1", None),
        ({"HTTP_PROXY": "http://proxy:3128"}, "http://127.0.0.2:8000/v1", None),
        ({"HTTP_PROXY": "http://proxy:3128"}, "http://[::1]:8000/v1", None),
        ({"HTTP_PROXY": ""}, "http://host/v1", None),
    ],
)
def test_the_usual_variables(monkeypatch, variables, url, where):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = read(url).proxy
    assert (found and found.where) == where
    assert read(url, "none").proxy is None
    assert read(url, "http://me:pw@other:1").proxy == Proxy("http://other:1", "other:1", "Basic bWU6cHc=")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("socks5://me:secret-word@proxy:1080", ": SOCKS is not supported"),
        ("http://:3128", " is not an address"),
        ("http://proxy:port", " is not an address"),
    ],
)
def test_a_variable_that_is_no_proxy(monkeypatch, value, what):
    monkeypatch.setenv("HTTPS_PROXY", value)
    with pytest.raises(UsageError, match=rf"'{what}; set HTTPS_PROXY like .* with --proxy none") as caught:
        load("vllm/m", base_urls=("https://host/v1",))
    assert "secret" not in str(caught.value)
    load("vllm/m", base_urls=("https://host/v1",), proxy="none")


@pytest.mark.parametrize("stream", [False, True])
def test_a_proxy_passes_requests_on(chat_server, proxy, say, make_prompt, monkeypatch, stream):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server, (where, passed) = chat_server(), proxy("--user", "me:correct-horse")
    model = load("openai/m", base_urls=(server.url,), proxy=f"http://me:correct-horse@{where}", stream=stream)
    assert say(model, make_prompt("What?"))[0].text == "A"
    (told,) = passed()
    assert (told["method"], told["target"]) == ("POST", f"{server.url}/chat/completions")
    (asked,) = server.log()
    assert "Proxy-Authorization" not in asked["headers"]
    assert asked["scheme"] == "Bearer"


def test_the_environments_proxy_is_used(chat_server, proxy, say, make_prompt, monkeypatch):
    server, (where, passed) = chat_server(), proxy()
    monkeypatch.setenv("HTTP_PROXY", where)
    say(load("openai/m", base_urls=(server.url,)), make_prompt("What?"))
    assert passed() == []  # this machine is asked directly
    name = socket.gethostname()
    try:
        here = socket.gethostbyname(name)
    except OSError:
        pytest.skip("this machine does not know its own name")
    error = fails(say, load("openai/m", base_urls=(f"http://{name}:1/v1",)), make_prompt("What?"))
    assert "broke the connection" in str(error), here  # the proxy finds nobody there
    assert [told["target"] for told in passed()] == [f"http://{name}:1/v1/chat/completions"]


def test_a_proxy_that_wants_a_password(chat_server, proxy, say, make_prompt):
    server, (where, _) = chat_server(), proxy("--user", "me:correct-horse")
    for base in (server.url, "https://host.invalid/v1"):
        for stream in (False, True):
            model = load("openai/m", base_urls=(base,), proxy=f"http://me:wrong-horse@{where}", stream=stream)
            error = fails(say, model, make_prompt("What?"))
            assert (error.fatal, error.retry) == (True, False)
            assert "407" in str(error)
            assert str(error).endswith("the proxy wants user and password: --proxy http://USER:PASSWORD@HOST:PORT")
            assert "horse" not in str(error)


@pytest.mark.parametrize(("status", "retry"), [(403, False), (502, True), (503, True)])
def test_a_proxy_that_makes_no_tunnel(proxy, say, make_prompt, status, retry):
    where, _ = proxy("--refuse", str(status))
    error = fails(say, load("openai/m", base_urls=("https://host.invalid/v1",), proxy=where), make_prompt("What?"))
    assert (error.kind, error.retry, error.fatal) == ("proxy", retry, not retry)
    assert str(error) == f"the proxy {where} let nobody through to host.invalid: {status} Not today"


def test_a_proxy_that_is_not_there(say, make_prompt):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    model = load("openai/m", base_urls=("https://host.invalid/v1",), proxy=f"me:correct-horse@127.0.0.1:{port}")
    error = fails(say, model, make_prompt("What?"))
    assert error.kind == "no-connection"
    assert str(error) == f"cannot connect to the proxy 127.0.0.1:{port}: Connection refused; is it running?"


def test_a_tunnel_shows_the_proxy_neither_key_nor_question(chat_server, proxy, tmp_path, system_program):
    openssl = system_program("openssl")
    pem = tmp_path / "pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", pem, "-out", tmp_path / "crt"],
        check=True, capture_output=True,
    )  # fmt: skip
    with pem.open("ab") as file:
        file.write((tmp_path / "crt").read_bytes())
    server, (where, passed) = chat_server(tls=pem), proxy("--user", "me:correct-horse")
    code = (
        "import asyncio, sys\nfrom audiometry.models import load\nfrom audiometry.records import Prompt, Text, Turn\n"
        "model = load('openai/m', base_urls=(sys.argv[1],), proxy=sys.argv[2])\n"
        "async def go():\n"
        "    print((await model.answer(Prompt(turns=(Turn('user', (Text('What?'),)),), item='i'))).text)\n"
        "    await model.close()\nasyncio.run(go())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, f"https://localhost:{server.port}/v1", f"http://me:correct-horse@{where}"],
        env={"SSL_CERT_FILE": str(tmp_path / "crt"), "OPENAI_API_KEY": KEY, "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stdout == "A\n", done.stderr
    assert passed() == [
        {"method": "CONNECT", "target": f"localhost:{server.port}", "authorization": False, "user": True}
    ]
    (asked,) = server.log()
    assert asked["scheme"] == "Bearer"
    assert "Proxy-Authorization" not in asked["headers"]
