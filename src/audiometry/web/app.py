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
_KINDS: Final = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


class _Name(msgspec.Struct):
    name: str = ""


class _Who(msgspec.Struct):
    name: str = ""
    open: bool = True


class _Problem(msgspec.Struct):
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
    site = _Site(page, files, door, clips)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, hosts=LOCAL if door.open else None)
    app.add_exception_handler(AudiometryError, _refused(heed))
    app.add_exception_handler(404, _nowhere)
    app.add_route("/", site.page, methods=["GET"])
    app.add_route("/file/{name}", site.file, methods=["GET"])
    app.add_route("/clip/{key}", site.clip, methods=["GET"])
    app.add_route("/who", site.who, methods=["GET"])
    app.add_route("/enter", site.enter, methods=["POST"])
    app.add_route("/link/{token}", site.link, methods=["GET"])
    for name, answering in answers.items():
        app.add_route(f"/{name}", _asked(door, answering), methods=["POST"])
    return app


class _Site:
    def __init__(self, page: Path, files: Iterable[Path], door: Door, clips: Clips) -> None:
        self._page, self._door, self._clips = page, door, clips
        self._files = {path.name: path for path in files}

    async def page(self, _: Request) -> Response:
        return file(self._page)

    async def file(self, request: Request) -> Response:
        found = self._files.get(request.path_params["name"])
        return file(found) if found is not None else PlainTextResponse("There is no such file.\n", 404)

    async def clip(self, request: Request) -> Response:
        if self._door.who(request) is None:
            return PlainTextResponse("Come in first.\n", 401)
        return await self._clips.response(request.path_params["key"])

    async def who(self, request: Request) -> Response:
        return json(_Who(self._door.who(request) or "", self._door.open))

    async def enter(self, request: Request) -> Response:
        if not self._door.open:
            return json(_Problem("come in by the link that you were sent"), 401)
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
    """A page, script or style of the wheel."""
    return FileResponse(path, media_type=_KINDS[path.suffix], headers={"cache-control": "no-cache"})


def _asked(door: Door, answering: Answering) -> Callable[[Request], Awaitable[Response]]:
    async def asked(request: Request) -> Response:
        name = door.who(request)
        if name is None:
            return json(_Problem("say who you are first"), 401)
        return json(await answering(name, await body(request)))

    return asked


def _refused(heed: Callable[[str], object]) -> Callable[[Request, Any], Awaitable[Response]]:
    async def answered(_: Request, problem: Any) -> Response:
        return refused(problem, heed)

    return answered


def refused(problem: Exception, heed: Callable[[str], object]) -> Response:
    """What was wrong, in one line; what the disk refused is told to ``heed`` alone, since paths tell of models."""
    if isinstance(problem, UsageError | UndecodableError):
        return json(_Problem(str(problem)), 400)
    heed(str(problem))
    return json(_Problem(FAILED), 500)
