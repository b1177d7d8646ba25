"""HTTP connections to a model server, kept open and shared; errors come out as `ModelError`."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus

import aiohttp
import pybase64
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

from audiometry.errors import ModelError, ShortageError, short_of
from audiometry.files import secrets
from audiometry.files.secrets import shown
from audiometry.models.chat_completions import body as chat_body
from audiometry.models.chat_completions import reply as chat_reply
from audiometry.models.chat_completions.address import Address, Proxy
from audiometry.models.chat_completions.body import Piece
from audiometry.models.chat_completions.stream import Line

SLICE = 3 * 16 * 1024  # a multiple of 3, so that slices of base64 join
BLOCK = 1 << 16  # bytes of lines between which others have their turn
BETWEEN = (b"", b"\r", b":")  # how lines between events begin: empty ones and comments
FAULTS = (aiohttp.ClientError, OSError, UnicodeError)  # the last: the name of a host that cannot be one


class Body(Payload):
    """A body sent piece by piece, clips encoded slice by slice on the way out; can be sent again.

    Encoding a clip costs microseconds, keeping its base64 a third more memory than the clip, so
    nothing is kept.
    """

    _default_content_type = "application/json"

    def __init__(self, pieces: list[Piece]) -> None:
        super().__init__(pieces, content_type="application/json")
        self._sent_at = math.inf
        self._size = chat_body.size(pieces)

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
        # Not among the session's headers: a proxy that makes a tunnel is sent those too.
        self._bearer = f"Bearer {key}" if key else ""
        secrets.keep(key)
        self._without_secrets = secrets.Scrubber().raw
        self._session = aiohttp.ClientSession(
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
            connector=aiohttp.TCPConnector(limit=connections, keepalive_timeout=60),
            # The dispatcher times attempts; only connecting has a limit of its own here.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=20),
            auto_decompress=True,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
        )

    async def post(self, address: Address, pieces: list[Piece], largest: int) -> tuple[int, bytes, str | None, float]:
        """Send a body; status, body and ``Retry-After`` of the response, and seconds from first byte to last.

        Args:
            address: where to.
            pieces: of the body.
            largest: bytes of a response.

        Raises:
            ModelError: no connection, a broken one, or more than ``largest`` bytes.
        """
        body = Body(pieces)
        try:
            async with self._posted(address, body) as response:
                raw = await self._body(response, address.where, largest)
                return response.status, raw, response.headers.get("Retry-After"), body.since_sent_s()
        except FAULTS as problem:
            raise _broken(problem, address) from problem

    async def post_stream(self, address: Address, pieces: list[Piece], largest: int) -> AsyncGenerator[Line]:
        """Send a body; each line of the response as it comes (all of it at once unless the status is 200).

        Raises:
            ModelError: as `post`.
        """
        body = Body(pieces)
        try:
            async with self._posted(address, body) as response:
                status, retry_after = response.status, response.headers.get("Retry-After")
                framed = response.content_length is not None or "Transfer-Encoding" in response.headers
                if status != 200:  # noqa: PLR2004  OK
                    raw = await self._body(response, address.where, largest)
                    yield Line(status, raw, retry_after, framed, body.since_sent_s())
                else:
                    async for line in self._lines(response, address.where, largest):
                        yield Line(status, self._without_secrets(line), retry_after, framed, body.since_sent_s())
        except FAULTS as problem:
            raise _broken(problem, address) from problem

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    def _posted(self, address: Address, body: Body) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        authorization, proxy = address.authorization or self._bearer, address.proxy
        headers = {"Authorization": authorization} if authorization else {}
        if proxy is None:
            return self._session.post(address.url, data=body, allow_redirects=False, headers=headers)
        to_proxy = {"Proxy-Authorization": proxy.authorization} if proxy.authorization else {}
        if address.url.startswith("http:"):  # no tunnel: the proxy reads the request itself
            headers |= to_proxy
        return self._session.post(
            address.url,
            data=body,
            allow_redirects=False,
            headers=headers,
            proxy=proxy.url,
            proxy_headers=to_proxy,
        )

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
            for start in range(0, len(part), BLOCK):
                await asyncio.sleep(0)  # what has come already does not wait: the time would be up and nobody see it
                block = part[start : start + BLOCK]
                if b"\n" not in block:
                    rest.append(block)
                    continue
                *lines, last = (b"".join(rest) + block).split(b"\n")
                rest = [last]
                for line in lines:
                    if line[:1] not in BETWEEN:
                        yield line
        if any(rest):
            yield b"".join(rest)


def _too_large(where: str, largest: int) -> ModelError:
    return ModelError("reply-too-large", f"{where} sent more than {largest:,} bytes for one reply")


def _broken(problem: Exception, address: Address) -> ModelError | ShortageError:
    where = address.where
    cause = problem.os_error if isinstance(problem, aiohttp.ClientConnectorError) else problem
    if short := short_of(cause):
        return ShortageError(f"cannot connect to {where}: {short}")
    if isinstance(problem, aiohttp.ClientHttpProxyError) and address.proxy is not None:
        return _refused(problem, address.proxy, where)
    if isinstance(problem, aiohttp.ClientConnectorError):
        return _unreached(problem, address)
    if isinstance(problem, (aiohttp.InvalidURL, UnicodeError)):  # its words are the address, all of it
        return ModelError("no-address", f"{where} is not an address that can be asked; see --base-url", fatal=True)
    if isinstance(problem, asyncio.TimeoutError):
        return ModelError("no-connection", f"{where} did not accept a connection in time", retry=True)
    said = str(problem) or type(problem).__name__
    return ModelError("connection-broken", f"{where} broke the connection ({shown(said)})", retry=True)


def _unreached(problem: aiohttp.ClientConnectorError, address: Address) -> ModelError:
    where = address.where
    if isinstance(problem, aiohttp.ClientProxyConnectionError) and address.proxy is not None:
        where = f"the proxy {address.proxy.where}"
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        reason = getattr(problem.certificate_error, "verify_message", "") or str(problem.certificate_error)
        return ModelError("certificate", f"the certificate of {where} is not accepted: {shown(reason)}", fatal=True)
    # The event loop's own words name an address; the system's say what happened. Failed look-ups count below 0.
    cause = problem.os_error
    number = cause.errno or 0
    reason = os.strerror(number) if number > 0 else cause.strerror or str(cause)
    return ModelError("no-connection", f"cannot connect to {where}: {shown(reason)}; is it running?", retry=True)


def _refused(problem: aiohttp.ClientHttpProxyError, proxy: Proxy, where: str) -> ModelError:
    """A proxy that makes no tunnel: of its words only status and reason, the rest is its address."""
    wants = problem.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED
    again = problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR or problem.status == HTTPStatus.TOO_MANY_REQUESTS
    advice = f"; {chat_reply.PROXY_ADVICE}" if wants else ""
    return ModelError(
        "proxy",
        f"the proxy {proxy.where} let nobody through to {where}: {problem.status} {shown(problem.message)}{advice}",
        retry=again,
        fatal=not again,
    )
