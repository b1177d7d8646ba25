"""The way into a page that a study is around: nobody passes before consent and screening, or after the last vote."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from audiometry.errors import AudiometryError
from audiometry.web import app as web
from audiometry.web.door import Door
from audiometry.web.guard import LOCAL, Guard
from audiometry.web.study import pages
from audiometry.web.study.flow import Person, Step, Work
from audiometry.web.study.study import Study

_KEY: Final = "audiometry.participant"  # of a request's scope
_AGAIN_S: Final = 2
"""Seconds after which a page may ask again where the database did not answer."""
_READS: Final = frozenset({"GET", "HEAD"})


class _Away(msgspec.Struct):
    """What a page is answered that may not ask now: it goes to the study's own."""

    error: str
    study: str = pages.HOME


def admitted(
    app: ASGIApp,
    study: Study,
    work: Work,
    *,
    palette: Path,
    hosts: AbstractSet[str] | None = LOCAL,
    heed: Callable[[str], object] = lambda _: None,
    open_paths: AbstractSet[str] = frozenset(),
    refusal: Callable[[Request], Response | None] = lambda _: None,
) -> ASGIApp:
    """An application that only participants of a study reach, and only while it is their turn to work.

    Args:
        app: the page.
        study: around it.
        work: what participants have done there.
        palette: style of all pages.
        hosts: names under which it is asked for; None: any.
        heed: told what went wrong on this side.
        open_paths: of ``app``, which anybody may ask for.
        refusal: what is answered to a request that comes too often, before anything is looked up or kept of it.
    """
    inside = _Gate(app, study, work, palette, heed, open_paths, refusal)
    return Guard(inside, None if hosts is None else frozenset(hosts))


def participant(request: Request) -> str:
    """The number of whoever was let through; empty: nobody was."""
    return str(request.scope.get(_KEY, ""))


class StudyDoor(Door):
    """The door of a page inside a study: whoever was let through is in, under their number."""

    def __init__(self) -> None:
        super().__init__("", {})

    def who(self, request: Request) -> str | None:
        """Whose request it is."""
        return participant(request) or None


class _Gate:
    def __init__(
        self,
        app: ASGIApp,
        study: Study,
        work: Work,
        palette: Path,
        heed: Callable[[str], object],
        open_paths: AbstractSet[str],
        refusal: Callable[[Request], Response | None],
    ) -> None:
        self._app, self._study, self._heed, self._open, self._too_often = app, study, heed, open_paths, refusal
        self._site = pages.Site(study, work, palette)
        self._pages = self._site.application(heed)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._settling = asyncio.Lock()
        self._is_settled = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path in self._open or path.startswith("/file/"):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if not path.startswith(pages.FILES) and (answer := self._too_often(request)) is not None:
            await answer(scope, receive, send)
            return
        try:
            if not self._is_settled:
                await self._settle()
            number = await self._site.who(request)
            if scope["method"] in _READS:
                await self._answered(request, number, receive, send)
                return
            # what they send waits for what they sent before, so that two tabs give no vote too many
            async with self._turns.setdefault(number or secrets.token_hex(), asyncio.Lock()):
                await self._answered(request, number, receive, send)
        except AudiometryError as problem:
            answer = web.refused(problem, self._heed)
            answer.status_code, answer.headers["retry-after"] = 503, str(_AGAIN_S)  # nothing is begun, nothing lost
            await answer(scope, receive, send)

    async def _answered(self, request: Request, number: str | None, receive: Receive, send: Send) -> None:
        """Answer a request: from the study's own pages, or from the one that it is around."""
        scope = request.scope
        if pages.is_own(request.url.path) or self._site.arrives(request):
            await self._pages(scope, receive, send)
        elif answer := await self._refusal(request, number):
            await answer(scope, receive, send)
        elif number is not None:
            scope[_KEY] = number
            await self._app(scope, receive, send)
            if request.method not in _READS:
                await self._look_again(number)

    async def _refusal(self, request: Request, number: str | None) -> Response | None:
        """What is answered to whoever may not pass; None: they may."""
        if number is not None and (await self._step(number))[1] == "work":
            return None
        reads_page = request.url.path == "/" or "text/html" in request.headers.get("accept", "")
        if request.method in _READS and reads_page:  # a person who went there, to whom JSON says nothing
            return RedirectResponse(pages.HOME, 303, headers={"cache-control": "no-store"})
        why = "it is not time for this in the study" if number is not None else "come in by the link of the study"
        return web.json(_Away(why), 403)

    async def _step(self, number: str) -> tuple[Person, Step]:
        return await asyncio.to_thread(self._study.look, number, await self._site.done(number))

    async def _look_again(self, number: str) -> None:
        """Keep at once that a vote was the last one, whether or not anybody waits for the answer."""
        try:
            await self._step(number)
        except AudiometryError as problem:  # the next request looks again
            self._heed(str(problem))

    async def _settle(self) -> None:
        """Before anybody is let in: who had done all when the server was killed is complete, and has their place."""
        async with self._settling:
            if not self._is_settled:
                for number in await asyncio.to_thread(self._study.under_way):
                    await asyncio.to_thread(self._study.settle, number, await self._site.done(number))
                self._is_settled = True
