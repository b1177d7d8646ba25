"""The guard before every page: which hosts it answers to, whose requests it takes, what browsers may do with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from audiometry.errors import UsageError

LOCAL: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""The names under which a page is asked for that listens on this machine alone."""

MOST: Final = 1 << 20
"""Bytes of what a page sends: a rater's words are few."""

HEADERS: Final = {
    "content-security-policy": "default-src 'self'; media-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # a link's token stands in an address
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PATIENCE_S: Final = 30.0
"""Seconds for a request to come whole."""
_READS: Final = frozenset({"GET", "HEAD"})


class Guard:
    """Refuses what does not come from the page itself, and states `HEADERS` on all that is answered.

    Another site's page can make a browser send requests to this machine. Its name in ``Host`` gives it away where it
    had its own name point here, and ``Origin`` and ``Sec-Fetch-Site`` where it writes to our address.

    Args:
        app: what is guarded.
        hosts: names it answers to; None: any, where links' tokens guard it.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None = LOCAL) -> None:
        self.app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":  # nothing else is served
            return

        async def stated(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        why = self._refusal(scope["method"], Headers(scope=scope))
        await (PlainTextResponse(f"{why}\n", 403) if why else self.app)(scope, receive, stated)

    def _refusal(self, method: str, headers: Headers) -> str:
        """Why a request is not answered; empty if it is."""
        host = headers.get("host", "").lower()
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self._hosts is not None and name not in self._hosts:
            return "This page is for this machine alone: open it at the address that audiometry printed."
        origin = headers.get("origin", "")
        foreign = headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
        if method not in _READS and (foreign or (origin and origin.partition("://")[2].lower() != host)):
            return "This was sent by another site's page, and is not taken."
        return ""


class TooMuchError(UsageError):
    """More was sent than is taken."""


async def body(
    request: Request,
    most: int = MOST,
    patience_s: float | None = None,
    more: Callable[[int], object] = lambda _: None,
) -> bytes:
    """What was sent.

    Args:
        request: with it.
        most: bytes.
        patience_s: seconds for all of it to come; None: `PATIENCE_S`.
        more: told how many bytes of it have come, again and again; may refuse the rest.

    Raises:
        TooMuchError: it is larger than ``most`` bytes.
        UsageError: the rest of it never came.
    """
    parts, size = [], 0
    try:
        async with asyncio.timeout(PATIENCE_S if patience_s is None else patience_s):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise TooMuchError(f"more than {most:,} bytes were sent; shorten what you wrote")
                more(len(part))
                parts.append(part)
    except (ClientDisconnect, TimeoutError) as problem:
        raise UsageError("the connection broke before all was sent; try again") from problem
    return b"".join(parts)
