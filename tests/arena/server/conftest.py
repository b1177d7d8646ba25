"""An arena served by a process of its own, and voters who speak HTTP with it."""

import contextlib
import http.client
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

YES, NO = {"name": "acme/ears-one", "text": "Yes, it is."}, {"name": "zenith/listener-two", "text": "No, it is not."}


class Voter:
    """A browser without a page: it keeps its cookie, and all bytes that it was sent.

    Attributes:
        seen: of each answer its raw headers and body, and the seconds it took.
    """

    def __init__(self, port: int, cookie: str = "") -> None:
        self.port, self.cookie, self.seen = port, cookie, []
        self.headers: dict[str, str] = {}

    def sent(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """Status and body of an answer; ``self.headers`` are its headers."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        own = {"cookie": self.cookie} if self.cookie else {}
        began = time.perf_counter()
        try:
            line.request(method, path, body, {**own, **named})
            answer = line.getresponse()
            data = answer.read()
        finally:
            line.close()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        raw = "\n".join(f"{name}: {value}" for name, value in answer.getheaders()).encode()
        self.seen.append((path, raw, data, time.perf_counter() - began))
        if given := self.headers.get("set-cookie"):
            self.cookie = given.partition(";")[0]
        return answer.status, data

    def post(self, path: str, document: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and document."""
        status, data = self.sent("POST", path, json.dumps(document or {}).encode(), **headers)
        return status, json.loads(data)

    def get(self, path: str) -> tuple[int, Any]:
        """The same, of several documents the last one."""
        status, data = self.sent("GET", path)
        return status, json.loads(data.splitlines()[-1])

    def asked(self, **query: str) -> dict[str, Any]:
        """A battle, once both replies are complete."""
        status, battle = self.post("/battle", query)
        assert status == 200, battle
        while battle["state"] == "asking":
            battle = self.get(f"/battle/{battle['battle']}/wait")[1]
        return battle

    def voted(self, outcome: str = "model_a", text: str = "Is it?", **more: Any) -> dict[str, Any]:
        """A battle that was voted on."""
        battle = self.asked(text=text)
        status, found = self.post("/vote", {"battle": battle["battle"], "outcome": outcome, **more})
        assert status == 200, found
        return found


class Served:
    """An arena that stands ready.

    Attributes:
        url: of its database.
        errors: file of what it says on standard error.
    """

    def __init__(self, servers: Any, folder: Path, models: Any, settings: dict[str, Any], url: str) -> None:
        self._servers, self.errors, self.url = servers, folder / "stderr.txt", url
        self._words = ["--db", url, "--models", json.dumps(models), "--settings", json.dumps(settings)]
        self.audio = folder / "arena-audio"
        self.start()

    def start(self, port: int = 0) -> None:
        """Start it, again on the port that it had."""
        self.pid, self.port = self._servers.start("arena_server", [*self._words, "--port", port], self.errors)
        self.runs = True

    def kill(self) -> None:
        """End it as a power cut would."""
        os.kill(self.pid, signal.SIGKILL)
        self.stop()

    def stop(self) -> None:
        """End it as whoever runs it would, gently first."""
        if self.runs:
            self._servers.stop(self.pid)
            self.runs = False

    def voter(self) -> Voter:
        """Somebody new."""
        return Voter(self.port)


Serve = Callable[..., Served]


@pytest.fixture
def serve(servers: Any, tmp_path: Path) -> Iterator[Serve]:
    """Serve an arena: ``serve([YES, NO], vote={"tags": ["tone"]})``; ended with the test."""
    with contextlib.ExitStack() as stack:

        def call(models: Any = (YES, NO), *, url: str = "", **settings: Any) -> Served:
            found = Served(servers, tmp_path, models, settings, url or f"sqlite:///{tmp_path / 'arena.db'}")
            stack.callback(found.stop)
            return found

        yield call


@pytest.fixture(scope="module")
def arena(servers: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An arena of two models for a module's tests, each of which has voters of its own."""
    folder = tmp_path_factory.mktemp("arena")
    found = Served(servers, folder, (YES, NO), {"limits": OFTEN, "vote": {"tags": ["tone", "detail"]}},
                   f"sqlite:///{folder / 'arena.db'}")  # fmt: skip
    yield found
    found.stop()


OFTEN = {"battles": 0, "recordings": 0, "address_battles": 0, "address_recordings": 0, "requests": 0}
"""Limits that let all through."""


@pytest.fixture
def voter_at() -> type[Voter]:
    """A voter at the port of an arena that a test has started by itself."""
    return Voter


@pytest.fixture
def staged() -> Any:
    """The two models that an arena has unless a test says otherwise, and limits that let all through."""
    return YES, NO, OFTEN
