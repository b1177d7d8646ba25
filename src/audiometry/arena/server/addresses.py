"""Requests by the address of the network that they come from, under one limit."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from audiometry.arena.server.frequency import Frequency
from audiometry.arena.server.refused import TooOftenError, told
from audiometry.web import app as web

_COUNTED: Final = "audiometry.counted"  # of a request's scope
_WHILE_S: Final = 10.0


class Addresses:
    """Counts the requests of each address.

    Args:
        many: that one may send in ten seconds; 0: no limit.
        proxies: of our own, which note whom they ask for.
    """

    def __init__(self, many: int, proxies: int) -> None:
        self._often = Frequency(many, _WHILE_S, "too many requests come from your network")
        self._proxies = proxies

    def of(self, request: Request) -> str:
        """Of the browser: what the outermost of our own proxies noted, or who is connected."""
        noted = [one.strip() for one in request.headers.get("x-forwarded-for", "").split(",")]
        if self._proxies and len(noted) >= self._proxies and noted[-self._proxies]:
            return noted[-self._proxies]
        return request.client.host if request.client is not None else ""

    def count(self, request: Request) -> None:
        """Count a request, once, whatever it passes through.

        Raises:
            TooOftenError: too many come from there.
        """
        if not request.scope.get(_COUNTED):
            request.scope[_COUNTED] = True
            self._often.done(self.of(request))

    def refusal(self, request: Request) -> Response | None:
        """The same; what is answered to one too many, in words where a person sees it."""
        try:
            self.count(request)
        except TooOftenError as problem:
            status, line, after_s = told(problem)
            seen = request.method == "GET"
            answer = PlainTextResponse(f"{line}\n", status) if seen else web.json(web.Problem(line), status)
            answer.headers["retry-after"] = str(after_s)
            return answer
        return None
