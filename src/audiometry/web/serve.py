"""The server: uvicorn in this process, on an address that is known to be free."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, Protocol

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from audiometry.errors import AudiometryError, UsageError, shown
from audiometry.web.guard import PATIENCE_S

HERE: Final = "127.0.0.1"
"""This machine alone."""
PORT: Final = 8765
MOST_CONNECTIONS: Final = 150
"""At one time; a browser has six, and macOS gives a process 256 open files."""
_PATIENCE_S: Final = 2  # for answers under way when it ends
_LOOK_S: Final = 0.1


def listen(host: str = HERE, port: int = PORT) -> socket.socket:
    """A socket on that address; port 0 takes any that is free.

    Raises:
        UsageError: the port is in use, or the address is none of this machine.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        found = socket.socket(family, kind)
    except OSError as problem:
        raise UsageError(f"cannot listen on {shown(host)}: {problem.strerror}; give another --host") from problem
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(address)
        found.listen()  # who asks from now on waits until it is served
    except (OSError, OverflowError) as problem:
        found.close()
        if isinstance(problem, OSError) and problem.errno == errno.EADDRINUSE:
            raise UsageError(
                f"port {port} is in use by another program; end it, or take another port with --port"
            ) from problem
        why = problem.strerror if isinstance(problem, OSError) else "there is no such port"
        raise UsageError(f"cannot listen on {shown(host)}, port {port}: {why}") from problem
    return found


def address(found: socket.socket, host: str = HERE) -> str:
    """What to open in a browser: ``http://127.0.0.1:8765``."""
    return f"http://{f'[{host}]' if ':' in host else host}:{found.getsockname()[1]}"


class Life(Protocol):
    """What an application does besides answering."""

    async def open(self) -> None:
        """Get ready; nobody is answered before that.

        Raises:
            AudiometryError: it cannot be served.
        """
        ...

    def stop(self) -> None:
        """It is to end: nobody is to wait for anything that takes long."""
        ...

    async def close(self) -> None:
        """Nobody is answered any more: finish what is under way."""
        ...


def serve(
    app: ASGIApp,
    on: socket.socket,
    ready: Callable[[Callable[[], None]], object] = lambda _: None,
    *,
    life: Life | None = None,
    connections: int | None = None,
    of_address: int | None = None,
) -> None:
    """Answer until Ctrl-C or SIGTERM; returns when all that was under way is answered, at a second Ctrl-C at once.

    Args:
        app: what is served.
        on: as `listen` gives it; closed at the end.
        ready: told when it begins; it is given what ends the server.
        life: what is done before, and once nobody is answered any more.
        connections: at one time; None: `MOST_CONNECTIONS`.
        of_address: of one address of the network, at one time; None: as many as there may be.
    """
    limits = {"most": connections, "of_address": of_address}
    config = uvicorn.Config(
        app,
        http=type("_Limited", (_Bounded,), {name: most for name, most in limits.items() if most is not None}),
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="error",  # whatever strangers send is no news
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE_S,
    )
    server = _Server(config, life, ready)
    with contextlib.suppress(KeyboardInterrupt), _sigterm_as_ctrl_c():  # uvicorn raises it again once it has ended
        asyncio.run(server.serve(sockets=[on]))


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, life: Life | None, ready: Callable[[Callable[[], None]], object]
    ) -> None:
        super().__init__(config)
        self._life, self._ready = life, ready

    def end(self) -> None:
        """Begin to end."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._life is not None:
            try:
                await _done(self._life.open(), lambda: self.should_exit)
            except AudiometryError:
                self.should_exit = True
                raise
            finally:
                if self.should_exit:
                    await self._life.close()
        if not self.should_exit:
            self._ready(self.end)
            await super().startup(sockets=sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._life is not None:
            self._life.stop()
        await super().shutdown(sockets=sockets)
        if self._life is not None:
            await _done(self._life.close(), lambda: self.force_exit)


async def _done(work: Coroutine[Any, Any, None], given_up: Callable[[], bool]) -> None:
    """Do something unless it is given up meanwhile, which is looked at now and then."""
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.wait({task}, timeout=_LOOK_S)
        if given_up():
            task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        task.result()


class _Bounded(H11Protocol):
    """A connection that goes if it asks nothing for long, or if there are too many, so that handles never run out."""

    most: int | None = None
    of_address: int | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > (self.most or MOST_CONNECTIONS) or self._crowds():
            transport.abort()
        else:
            self.loop.call_later(PATIENCE_S, self._look)

    def _crowds(self) -> bool:
        """Whether its address has as many already as it may have, and others are to come in too."""
        if self.of_address is None or self.client is None:
            return False
        host = self.client[0]
        clients = (getattr(one, "client", None) for one in self.connections)
        return sum(1 for one in clients if one is not None and one[0] == host) > self.of_address

    def _look(self) -> None:
        asks = self.cycle is not None and not self.cycle.response_complete
        if not asks and self.timeout_keep_alive_task is None:  # half a request's head, or nothing at all
            self.transport.abort()
        elif not self.transport.is_closing():
            self.loop.call_later(PATIENCE_S, self._look)


@contextlib.contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    try:
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
