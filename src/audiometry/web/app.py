"""A page and what it asks for, as an application: its files from the wheel, who comes in, errors as one line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response

from audiometry.errors import AudiometryError, UndecodableError, UsageError
from audiometry.files import foreign
from audiometry.files.secrets import known
from audiometry.web.clips import Clips
from audiometry.web.door import Door, named
from audiometry.web.guard import LOCAL, Guard, body

Answering: TypeAlias = Callable[[str, bytes], Awaitable[msgspec.Struct]]
"""What answers a page: given who asks and what was sent, gives what is sent back."""

FAILED: Final = "it could not be kept on the machine that serves this page; tell who runs it, then try again"
STATIC: Final = Path(__file__).parent / "static"
_KINDS: Final = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}


class _Name(msgspec.Struct):
    name: str = ""


class _Who(msgspec.Struct):
    name: str = ""
    open: bool = True


class Problem(msgspec.Struct, frozen=True):
    """Why something was refused, in one line."""

    error: str


def application(
    page: Path,
    *,
    files: Iterable[Path],
    answers: Mapping[str, Answering],
    door: Door,
    clips: Clips,
    heed: Callable[[str], object] = lambda _: None,
) -> FastAPI:
    """An application of one page, on which people say things about clips.

    ``/`` is the page, ``/file/NAME`` what it loads, ``/clip/KEY`` a clip, ``/who`` and ``/enter`` who comes in,
    ``/link/TOKEN`` a link of one's own, and ``/NAME`` what ``answers`` has under that name, as JSON both ways.

    Args:
        page: its HTML.
        files: scripts and styles, each under its own name.
        answers: by name, what the page may ask of whoever has come in.
        door: who comes in.
        clips: what can be heard.
        heed: told what went wrong on this side.
    """
    site = _Site(door, clips)
    app = base({"/": page}, files, hosts=LOCAL if door.open else None, answer=lambda problem: refused(problem, heed))
    app.add_route("/clip/{key}", site.clip, methods=["GET"])
    app.add_route("/who", site.who, methods=["GET"])
    app.add_route("/enter", site.enter, methods=["POST"])
    app.add_route("/link/{token}", site.link, methods=["GET"])
    for name, answering in answers.items():
        app.add_route(f"/{name}", _asked(door, answering), methods=["POST"])
    return app


def base(
    pages: Mapping[str, Path],
    files: Iterable[Path],
    *,
    hosts: frozenset[str] | None,
    answer: Callable[[AudiometryError], Response],
) -> FastAPI:
    """An application with pages and what they load, ``/file/NAME``, behind the guard; errors are what ``answer`` says.

    Args:
        pages: their HTML, by address; one that is not there yet is not found.
        files: scripts, styles and words, each under its own name.
        hosts: see `Guard`.
        answer: answers a request that ends in an error of ours.
    """
    known = {path.name: path for path in files}

    def serving(path: Path) -> Callable[[Request], Awaitable[Response]]:
        async def page(_: Request) -> Response:
            return file(path)

        return page

    async def named_file(request: Request) -> Response:
        found = known.get(request.path_params["name"])
        return file(found) if found is not None else PlainTextResponse("There is no such file.\n", 404)

    async def told(_: Request, problem: Any) -> Response:
        return answer(problem)

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, hosts=hosts)
    app.add_exception_handler(AudiometryError, told)
    app.add_exception_handler(404, _nowhere)
    for address, path in pages.items():
        if path.is_file():
            app.add_route(address, serving(path), methods=["GET"])
    app.add_route("/file/{name}", named_file, methods=["GET"])
    return app


class _Site:
    def __init__(self, door: Door, clips: Clips) -> None:
        self._door, self._clips = door, clips

    async def clip(self, request: Request) -> Response:
        if self._door.who(request) is None:
            return PlainTextResponse("Come in first.\n", 401)
        return await self._clips.response(request.path_params["key"])

    async def who(self, request: Request) -> Response:
        return json(_Who(self._door.who(request) or "", self._door.open))

    async def enter(self, request: Request) -> Response:
        if not self._door.open:
            return json(Problem("come in by the link that you were sent"), 401)
        name = named(foreign.json(await body(request), _Name).name)
        response = json(_Who(name))
        self._door.let_in(response, name)
        return response

    async def link(self, request: Request) -> Response:
        response = RedirectResponse("/", 303)
        if self._door.open or self._door.let_in(response, request.path_params["token"]) is None:
            return PlainTextResponse("This link is nobody's; ask for a new one.\n", 403)
        return response


def json(document: msgspec.Struct, status: int = 200) -> Response:
    """A document as a page reads it, without secrets."""
    return Response(known().document(msgspec.json.encode(document)), status, media_type="application/json")


async def _nowhere(_: Request, __: Exception) -> Response:
    return PlainTextResponse("There is no such page.\n", 404)


def file(path: Path) -> Response:
    """A page, script, style or table of words of the wheel."""
    return FileResponse(path, media_type=_KINDS[path.suffix], headers={"cache-control": "no-cache"})


def _asked(door: Door, answering: Answering) -> Callable[[Request], Awaitable[Response]]:
    async def asked(request: Request) -> Response:
        name = door.who(request)
        if name is None:
            return json(Problem("say who you are first"), 401)
        return json(await answering(name, await body(request)))

    return asked


def refused(problem: Exception, heed: Callable[[str], object]) -> Response:
    """What was wrong, in one line; what the disk refused is told to ``heed`` alone, since paths tell of models."""
    if isinstance(problem, UsageError | UndecodableError):
        return json(Problem(str(problem)), 400)
    heed(str(problem))
    return json(Problem(FAILED), 500)
