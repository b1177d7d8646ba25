"""The server: uvicorn in this process, on an address that is known to be free."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from audiometry.errors import UsageError, shown
from audiometry.web.guard import PATIENCE_S

HERE: Final = "127.0.0.1"
"""This machine alone."""
PORT: Final = 8765
MOST_CONNECTIONS: Final = 150
"""At one time; a browser has six, and macOS gives a process 256 open files."""
_PATIENCE_S: Final = 2  # for answers under way when it ends


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


def serve(app: ASGIApp, on: socket.socket, ready: Callable[[Callable[[], None]], object] = lambda _: None) -> None:
    """Answer until Ctrl-C or SIGTERM; returns when all that was under way is answered.

    Args:
        app: what is served.
        on: as `listen` gives it; closed at the end.
        ready: told when it begins; it is given what ends the server.
    """
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=_Bounded,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="error",  # whatever strangers send is no news
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE_S,
        )
    )

    def end() -> None:
        server.should_exit = True

    ready(end)
    with contextlib.suppress(KeyboardInterrupt), _sigterm_as_ctrl_c():  # uvicorn raises it again once it has ended
        asyncio.run(server.serve(sockets=[on]))


class _Bounded(H11Protocol):
    """A connection that goes if it asks nothing for long, or if there are too many, so that handles never run out."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self.loop.call_later(PATIENCE_S, self._look)

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
