"""The arena over HTTP: its routes, who asks, what is refused. Each route is described for machines in `openapi`."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse

from audiometry.arena.server import openapi, wire
from audiometry.arena.server.addresses import Addresses
from audiometry.arena.server.arena import Arena
from audiometry.arena.server.board import NONE, Board
from audiometry.arena.server.life import Life
from audiometry.arena.server.refused import told
from audiometry.arena.server.room import MOST, Room
from audiometry.arena.server.who import Who
from audiometry.arena.store.refusals import NotThereError
from audiometry.errors import AudiometryError, UsageError
from audiometry.files import foreign
from audiometry.files.secrets import known
from audiometry.render import html
from audiometry.web import app as web
from audiometry.web.guard import TooMuchError, body

STATIC: Final = Path(__file__).parents[1] / "static"
COOKIE: Final = "audiometry-arena"
HEARD: Final = "x-audiometry-heard"
UPLOAD_S: Final = 180.0
"""Seconds for a recording to come, by whatever line."""
_MOST: Final = 1 << 16  # bytes of any other request
_MOST_HEARD: Final = 2000  # characters of what a browser says of its microphone
_AGE_S: Final = 400 * 86_400  # the longest that browsers keep a cookie
_NEVER: Final = formatdate(0, usegmt=True)
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{22}")
_BROWSER: Final = re.compile(r"(Edg|OPR|Firefox|FxiOS|CriOS|SamsungBrowser|Chrome|Version)/(\d+)")
_SYSTEM: Final = re.compile(r"Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux")

Asks: TypeAlias = Callable[[Request], Who]


def application(
    arena: Arena,
    board: Board | None,
    health: Life,
    addresses: Addresses,
    *,
    hosts: frozenset[str] | None,
    participant: Callable[[Request], str] | None = None,
    heed: Callable[[str], object] = lambda _: None,
) -> FastAPI:
    """The application of an arena.

    Args:
        arena: serves voters.
        board: made in the background; None: none is shown.
        health: of all of it.
        addresses: under whose limit requests stand.
        hosts: names it answers to; None: any.
        participant: the opaque id of whoever a study lets through; None: voters are known by a cookie.
        heed: told what went wrong on this side.
    """

    def refused(problem: AudiometryError) -> Response:
        status, line, after_s = told(problem)
        if isinstance(problem, TooMuchError):
            status = 413
        if status >= 500 and line != str(problem):  # noqa: PLR2004  this side's fault, in words that are not told
            heed(str(problem))
        response = web.json(web.Problem(line), status)
        if after_s is not None:
            response.headers["retry-after"] = str(after_s)
        return response

    files = [
        html.PALETTE,
        html.STYLE,
        *(web.STATIC / name for name in ("page.css", "icon.svg", "ask.js", "keys.js", "parts.js")),
        *(path for path in sorted(STATIC.glob("*")) if path.suffix != ".html"),
    ]
    pages = {"/": STATIC / "index.html"} | ({} if board is None else {"/board": STATIC / "board.html"})
    app = web.base(pages, files, hosts=hosts, answer=refused)
    site = _Site(arena, board, health, addresses, participant)
    for route in site.routes():
        app.add_route(route.path, site.counted(route.path, route.answer), methods=[route.method])
    return app


class _Route(msgspec.Struct, frozen=True):
    method: str
    path: str
    answer: Callable[[Request], Awaitable[Response]]


class _Site:
    def __init__(
        self,
        arena: Arena,
        board: Board | None,
        health: Life,
        addresses: Addresses,
        participant: Callable[[Request], str] | None,
    ) -> None:
        self._arena, self._board, self._health, self._participant = arena, board, health, participant
        # with that prefix no sub-domain can set it
        self._cookie = f"__Host-{COOKIE}" if arena.settings.https else COOKIE
        self._addresses = addresses
        self._room = Room(max(MOST, 2 * arena.decoding.limits.bytes))

    def routes(self) -> list[_Route]:
        """All that can be asked for besides pages and files."""
        arena = self._arena
        posts: dict[str, tuple[type[Any], Callable[[Who, Any], Awaitable[msgspec.Struct]]]] = {
            "/state": (wire.Nothing, lambda who, _: arena.state(who)),
            "/consent": (wire.Agreed, arena.consent),
            "/battle": (wire.Asked, arena.battle),
            "/vote": (wire.Said, arena.vote),
            "/reveal": (wire.Which, lambda who, which: arena.reveal(who, which.battle)),
        }
        if self._participant is None:  # a study has a way of its own to take back what one gave
            posts["/code"] = (wire.Nothing, lambda who, _: arena.code(who))
            posts["/delete"] = (wire.Code, lambda _, given: arena.delete(given.code))
        routes = [_Route("POST", path, self._posted(kind, answer)) for path, (kind, answer) in posts.items()]
        if self._board is not None:
            routes.append(_Route("POST", "/board", self._boarded))
        return [
            *routes,
            _Route("POST", "/recording", self._recorded),
            _Route("GET", "/audio/{recording}", self._audio),
            _Route("GET", "/battle/{battle}/wait", self._waited),
            _Route("GET", "/health", self._healthy),
            _Route("GET", "/metrics", self._measured),
            _Route("GET", "/openapi.json", self._described),
        ]

    def counted(
        self, path: str, answer: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """The same, under the limit of requests, and noted how it went."""

        async def answered(request: Request) -> Response:
            began, metrics = time.perf_counter(), self._arena.metrics
            status = 500
            try:
                self._addresses.count(request)
                response = await answer(request)
                status = response.status_code
            except AudiometryError as problem:
                status = told(problem)[0]
                if isinstance(problem, NotThereError):  # perhaps a voter that another process has deleted
                    self._arena.forget()
                raise
            finally:
                metrics.count("requests", route=path, status=status)
                metrics.took(path, time.perf_counter() - began)
            return response

        return answered

    def _posted(
        self, kind: type[Any], answer: Callable[[Who, Any], Awaitable[msgspec.Struct]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def posted(request: Request) -> Response:
            sent = await body(request, _MOST)
            given = foreign.json(sent or b"{}", kind)
            who = self._who(request)
            return self._known_again(request, web.json(await answer(who, given)), who)

        return posted

    async def _recorded(self, request: Request) -> Response:
        limits = self._arena.decoding.limits
        if int(request.headers.get("content-length") or 0) > limits.bytes:
            raise TooMuchError(f"more than {limits.bytes / 1e6:g} MB were sent; record or send a shorter one")
        said = request.headers.get(HEARD, "") or "{}"
        if len(said) > _MOST_HEARD:
            raise UsageError("too much is said of the microphone; load the page again")
        heard = foreign.json(said.encode(), dict[str, str | int | float | bool | None])
        who = self._who(request)
        with self._room.taken() as more:
            data = await body(request, limits.bytes, UPLOAD_S, more)
            return self._known_again(request, web.json(await self._arena.record(who, data, heard)), who)

    async def _audio(self, request: Request) -> Response:
        found = await self._arena.recording(self._who(request), request.path_params["recording"])
        if not found.path.is_file():
            return web.json(web.Problem("this recording is gone"), 404)
        # the file's own time is when anybody first sent these sounds
        own = {"cache-control": "private, no-store", "etag": f'"{found.id}"', "last-modified": _NEVER}
        return FileResponse(found.path, media_type="audio/flac", headers=own)

    async def _waited(self, request: Request) -> Response:
        who, battle = self._who(request), request.path_params["battle"]
        if not self._arena.settings.asking.steps:
            return web.json(await self._arena.wait(who, battle))
        growing = self._arena.in_steps(who, battle)
        first = await anext(growing)  # what is wrong is said before the answer begins

        async def lines() -> AsyncIterator[bytes]:
            yield _line(first)
            async for one in growing:
                yield _line(one)

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def _boarded(self, _: Request) -> Response:
        return Response(NONE if self._board is None else self._board.document, media_type="application/json")

    async def _healthy(self, _: Request) -> Response:
        found = self._health.now()
        return web.json(found, 200 if found.status == "ok" else 503)

    async def _measured(self, _: Request) -> Response:
        return PlainTextResponse(self._health.metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _described(self, _: Request) -> Response:
        return Response(openapi.described(self._arena.settings), media_type="application/json")

    def _who(self, request: Request) -> Who:
        client = _client(request.headers.get("user-agent", ""))
        if self._participant is not None:
            own = self._participant(request)
            return Who(key=self._arena.key_of(own), address=self._addresses.of(request), client=client, participant=own)
        held = request.cookies.get(self._cookie, "")
        key = held if _KEY.fullmatch(held) else secrets.token_urlsafe(16)
        return Who(key=key, address=self._addresses.of(request), client=client)

    def _known_again(self, request: Request, response: Response, who: Who) -> Response:
        """Have the browser known again; the cookie lives on with every visit."""
        if self._participant is None and (request.url.path == "/state" or request.cookies.get(self._cookie) != who.key):
            secure = self._arena.settings.https
            response.set_cookie(self._cookie, who.key, max_age=_AGE_S, httponly=True, samesite="lax", secure=secure)
        return response


def _line(battle: wire.Battle) -> bytes:
    return known().document(msgspec.json.encode(battle)) + b"\n"


def _client(agent: str) -> str:
    """Browser and system in a few words: ``Firefox 140, Android``."""
    browser, system = _BROWSER.search(agent), _SYSTEM.search(agent)
    name = {"Version": "Safari", "Edg": "Edge", "OPR": "Opera"}.get(browser[1], browser[1]) if browser else ""
    return ", ".join(filter(None, (f"{name} {browser[2]}" if browser else "", system[0] if system else "")))
