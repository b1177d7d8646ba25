"""HTTP connections to a model server, kept open and shared; errors come out as `ModelError`."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any

import aiohttp
import pybase64
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

from audiometry.errors import ModelError, ShortageError, short_of
from audiometry.files import secrets
from audiometry.files.secrets import shown
from audiometry.models.chat.body import Piece
from audiometry.models.chat.stream import Line

SLICE = 3 * 16 * 1024  # a multiple of 3, so that slices of base64 join


class Body(Payload):
    """A body sent piece by piece, clips encoded slice by slice on the way out; can be sent again.

    Encoding a clip costs microseconds, keeping its base64 a third more memory than the clip, so
    nothing is kept.
    """

    _default_content_type = "application/json"

    def __init__(self, pieces: list[Piece]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._sent_at = math.inf
        self._size = sum(len(p) if isinstance(p, bytes) else 4 * ((len(p.data) + 2) // 3) for p in pieces)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Send all."""
        self._sent_at = time.perf_counter()  # anew if a connection that was kept open turns out to be gone
        for part in self._parts():
            await writer.write(part)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:  # noqa: ARG002  ours is exact
        """Send all."""
        await self.write(writer)

    def since_sent_s(self) -> float:
        """Seconds since its first byte went out; making it and finding a connection are not the server's time."""
        return max(0.0, time.perf_counter() - self._sent_at)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole body as text; the library asks for it when debugging only."""
        return b"".join(self._parts()).decode(encoding, errors)

    def _parts(self) -> Iterator[bytes]:
        # Small pieces travel with the slice that follows them: each part is a system call and a packet.
        held: list[bytes] = []
        for piece in self._value:
            if isinstance(piece, bytes):
                held.append(piece)
                continue
            clip = memoryview(piece.data)
            for start in range(0, len(clip), SLICE):
                held.append(pybase64.b64encode(clip[start : start + SLICE]))
                yield b"".join(held) if len(held) > 1 else held[0]
                held.clear()
        if held:
            yield b"".join(held)


class HttpSession:
    """A pool of connections.

    Args:
        key: sent as a bearer token if not empty; never shown.
        connections: how many at a time.
    """

    def __init__(self, key: str, connections: int) -> None:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        secrets.keep(key)
        self._without_secrets = secrets.Scrubber().raw
        self._session = aiohttp.ClientSession(
            headers=headers,
            connector=aiohttp.TCPConnector(limit=connections, keepalive_timeout=60),
            # The dispatcher times attempts; only connecting has a limit of its own here.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=20),
            auto_decompress=True,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )

    async def post(
        self, url: str, where: str, pieces: list[Piece], largest: int
    ) -> tuple[int, bytes, str | None, float]:
        """Send a body; status, body and ``Retry-After`` of the response, and seconds from first byte to last.

        Args:
            url: where to.
            where: the server, for messages.
            pieces: of the body.
            largest: bytes of a response.

        Raises:
            ModelError: no connection, a broken one, or more than ``largest`` bytes.
        """
        body = Body(pieces)
        try:
            async with self._session.post(url, data=body, allow_redirects=False) as response:
                raw = await self._body(response, where, largest)
                return response.status, raw, response.headers.get("Retry-After"), body.since_sent_s()
        except (aiohttp.ClientError, OSError) as problem:
            raise _broken(problem, where) from problem

    async def post_stream(self, url: str, where: str, pieces: list[Piece], largest: int) -> AsyncGenerator[Line]:
        """Send a body; each line of the response as it comes (all of it at once unless the status is 200).

        Raises:
            ModelError: as `post`.
        """
        try:
            async with self._session.post(url, data=Body(pieces), allow_redirects=False) as response:
                status, retry_after = response.status, response.headers.get("Retry-After")
                framed = response.content_length is not None or "Transfer-Encoding" in response.headers
                if status != 200:  # noqa: PLR2004  OK
                    yield Line(status, await self._body(response, where, largest), retry_after, framed)
                else:
                    async for line in self._lines(response, where, largest):
                        yield Line(status, self._without_secrets(line), retry_after, framed)
        except (aiohttp.ClientError, OSError) as problem:
            raise _broken(problem, where) from problem

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def _body(self, response: aiohttp.ClientResponse, where: str, largest: int) -> bytes:
        if (response.content_length or 0) > largest:
            response.close()
            raise _too_large(where, largest)
        if response.content_length is not None and "Content-Encoding" not in response.headers:
            return self._without_secrets(await response.read())
        parts: list[bytes] = []
        total = 0
        async for part in response.content.iter_any():
            parts.append(part)
            total += len(part)
            if total > largest:
                response.close()
                raise _too_large(where, largest)
        return self._without_secrets(b"".join(parts))

    async def _lines(self, response: aiohttp.ClientResponse, where: str, largest: int) -> AsyncIterator[bytes]:
        # Not readline(): it refuses lines longer than its buffer, and a server may send its reply in one.
        rest: list[bytes] = []
        total = 0
        async for part in response.content.iter_any():
            total += len(part)
            if total > largest:
                response.close()
                raise _too_large(where, largest)
            if b"\n" not in part:
                rest.append(part)
                continue
            *lines, last = (b"".join(rest) + part).split(b"\n")
            rest = [last]
            for line in lines:
                yield line
        if any(rest):
            yield b"".join(rest)


def _too_large(where: str, largest: int) -> ModelError:
    return ModelError("reply-too-large", f"{where} sent more than {largest:,} bytes for one reply")


def _broken(problem: Exception, where: str) -> ModelError | ShortageError:
    cause = problem.os_error if isinstance(problem, aiohttp.ClientConnectorError) else problem
    if short := short_of(cause):
        return ShortageError(f"cannot connect to {where}: {short}")
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        reason = getattr(problem.certificate_error, "verify_message", "") or str(problem.certificate_error)
        return ModelError("certificate", f"the certificate of {where} is not accepted: {shown(reason)}", fatal=True)
    if isinstance(problem, aiohttp.ClientConnectorError):
        # The event loop's own words name an address; the system's say what happened. Failed look-ups count below 0.
        cause = problem.os_error
        number = cause.errno or 0
        reason = os.strerror(number) if number > 0 else cause.strerror or str(cause)
        return ModelError("no-connection", f"cannot connect to {where}: {shown(reason)}; is it running?", retry=True)
    if isinstance(problem, asyncio.TimeoutError):
        return ModelError("no-connection", f"{where} did not accept a connection in time", retry=True)
    said: Any = str(problem) or type(problem).__name__
    return ModelError("connection-broken", f"{where} broke the connection ({shown(said)})", retry=True)
