"""A program's life: started without a shell, listened to, and ended with everything it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from audiometry.files.secrets import Scrubber, shown
from audiometry.programs.lines import Line, Splitter

KEPT_ERRORS: Final = 4096  # bytes of standard error, the last ones
_OUTPUT_WITHIN_S = 1.0  # of the program's end: what it had written before
_LEAVE_WITHIN_S = 1.0  # of the end of its standard input, and again of the first signal
_KEEPER = Path(__file__).with_name("keeper.py")


class End(msgspec.Struct, frozen=True):
    """How a program's life ended.

    Attributes:
        code: exit code; negative: the signal that killed it.
        kind: what a failure record calls it.
        why: why it was ended from here; empty: it ended by itself.
        last_words: the last line of its standard error, made safe to show; empty: none.
    """

    code: int
    kind: str
    why: str
    last_words: str

    def __str__(self) -> str:
        """What happened, as the end of a sentence."""
        words = f" (its last words on standard error: {self.last_words})" if self.last_words else ""
        return f"{self.why or _left(self.code)}{words}"


def _left(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"


class Program:
    """A running program, in a session and process group of its own. Belongs to the running event loop.

    Args:
        command: the program and its arguments.
        folder: removed with the program if this process is killed; None: there is none.
        on_line: called with each line of its standard output, secrets taken out.
        environment: of it; None: that of this process.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path | None,
        on_line: Callable[[Line], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[End] = loop.create_future()
        self._exited = asyncio.Event()
        self._kind, self._why = "crash", ""
        self._process = subprocess.Popen(  # noqa: S603  the user's own command, no shell
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=environment,
        )
        self._keeper = _keeper(self._process, folder)
        self._output, self._errors = _Lines(on_line, self._deaf_or_mute), _Tail()
        self._input: asyncio.WriteTransport | None = None
        self._early: list[bytes] = []
        self._input_end = _InputEnd(self._deaf_or_mute)
        watch = threading.Thread(target=_watch, args=(self._process, loop, self._exited), daemon=True)
        watch.start()
        self._life = loop.create_task(self._live())

    @property
    def pid(self) -> int:
        """Of the process, and of its group."""
        return self._process.pid

    @property
    def last_words(self) -> str:
        """The last line of its standard error so far."""
        return self._errors.last_line()

    def send(self, line: bytes) -> None:
        """Write to its standard input, at once or as soon as it reads; never waits."""
        if self._input is None:
            self._early.append(line)
        else:
            self._input.write(line)

    def kill(self, why: str, kind: str = "crash") -> None:
        """End it and all it started, at once; the first reason given is the one that is told."""
        if not self._why:
            self._kind, self._why = kind, why
        self._signal(signal.SIGKILL)

    async def leave(self) -> None:
        """End it gently: no more input, then a request, then force. Returns when nothing of it is left."""
        self._why = self._why or "was ended"
        for step in (self._hang_up, lambda: self._signal(signal.SIGTERM)):
            step()
            await asyncio.wait({self.ended}, timeout=_LEAVE_WITHIN_S)
        self._signal(signal.SIGKILL)
        await self._life

    async def _live(self) -> None:
        loop, process = asyncio.get_running_loop(), self._process
        self._input, _ = await loop.connect_write_pipe(lambda: self._input_end, process.stdin)
        self._input.writelines(self._early)
        self._early.clear()
        errors, _ = await loop.connect_read_pipe(lambda: self._errors, process.stderr)
        output, _ = await loop.connect_read_pipe(lambda: self._output, process.stdout)  # last: its hello asks for input
        await self._exited.wait()
        self._signal(signal.SIGKILL)  # the children it left; its own number is not free before it is reaped
        await asyncio.wait({self._output.closed, self._errors.closed}, timeout=_OUTPUT_WITHIN_S)
        for pipe in (output, errors):
            pipe.close()
        if not self._input_end.lost:
            self._input.abort()
        await asyncio.sleep(0)  # transports close their files in the next turn of the loop
        code = process.wait()
        _dismiss(self._keeper)
        self.ended.set_result(End(code, self._kind, self._why, self._errors.last_line()))

    def _hang_up(self) -> None:
        self._input_end.left = True
        if self._input is not None:
            self._input.close()

    def _deaf_or_mute(self, what: str) -> None:
        """It closed a pipe: of no use any more, unless it is just leaving."""

        def unless_gone() -> None:
            if not self._exited.is_set():
                self.kill(f"closed its {what}")

        asyncio.get_running_loop().call_later(_OUTPUT_WITHIN_S, unless_gone)

    def _signal(self, number: signal.Signals) -> None:
        if not self.ended.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


class _InputEnd(asyncio.BaseProtocol):
    def __init__(self, on_loss: Callable[[str], None]) -> None:
        self._on_loss = on_loss
        self.lost = self.left = False  # it is gone; we closed it ourselves

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's signature
        self.lost = True
        if not self.left:
            self._on_loss("standard input")


class _Lines(asyncio.Protocol):
    def __init__(self, on_line: Callable[[Line], None], on_loss: Callable[[str], None]) -> None:
        self._on_line, self._on_loss = on_line, on_loss
        self._splitter, self._without_secrets = Splitter(), Scrubber().raw
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            self._on_line(self._clean(line))

    def eof_received(self) -> None:
        rest = self._splitter.rest()
        if rest.data.strip():
            self._on_line(self._clean(rest))
        self._on_loss("standard output")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's signature
        if not self.closed.done():
            self.closed.set_result(None)

    def _clean(self, line: Line) -> Line:
        data = self._without_secrets(line.data)
        return Line(data, line.size + len(data) - len(line.data))


class _Tail(asyncio.Protocol):
    """Reads all, so that the program never waits; keeps the end."""

    def __init__(self) -> None:
        self._kept, self._without_secrets = b"", Scrubber().raw
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > 2 * KEPT_ERRORS:  # half a secret at the cut would not be recognised later on
            self._kept = self._without_secrets(self._kept)[-KEPT_ERRORS:]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's signature
        if not self.closed.done():
            self.closed.set_result(None)

    def last_line(self) -> str:
        lines = self._without_secrets(self._kept).decode(errors="replace").replace("\r", "\n").split("\n")
        return next((shown(line, 200) for line in reversed(lines) if line.strip()), "")


def _watch(process: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop, exited: asyncio.Event) -> None:
    if sys.platform == "darwin":
        process.wait()
    else:
        # its number stays taken until it is reaped, so that the signal for its group can hit nobody else
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
        loop.call_soon_threadsafe(exited.set)


def _keeper(process: subprocess.Popen[bytes], folder: Path | None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603  our own script
            [sys.executable, "-I", "-S", str(_KEEPER), str(process.pid), *([] if folder is None else [str(folder)])],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        process.kill()
        process.communicate()
        raise


def _dismiss(keeper: subprocess.Popen[bytes]) -> None:
    keeper.kill()  # before its pipe is closed, so that it does not act
    keeper.wait()
    if keeper.stdin is not None:
        keeper.stdin.close()
