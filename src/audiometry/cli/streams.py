"""Standard output and error that cannot end a command, whoever listens, and a closed terminal as Ctrl-C.

A reader that leaves (``2>&1 | head``), a full disk behind a redirection, a terminal that is gone and a descriptor that
was closed from the start (``>&-``) are noted, and the work goes on: what it asks for may have been paid for.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from types import FrameType

    from _typeshed import ReadableBuffer


_held: list[TextIO] = []


class Enduring(io.FileIO):
    """A descriptor to write to; after the first error, which is kept in ``lost``, what is written goes nowhere."""

    lost: OSError | None = None

    def write(self, data: ReadableBuffer, /) -> int:
        """All is taken, whether it arrives or not."""
        while self.lost is None:
            try:
                written: int | None = super().write(data)
            except OSError as problem:
                self.lost = problem
                break
            if written is not None:
                return written
            select.select([], [self], [])  # somebody else made it non-blocking: wait as a blocking one does
        return memoryview(data).nbytes


def secure() -> None:
    """Put `Enduring` streams in place of the process's own; others (a test's) stay."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed: else the next file to be opened would take its place, and get what is printed
            os.set_inheritable(os.open(os.devnull, os.O_RDWR if number == 2 else os.O_RDONLY), True)  # noqa: PLR2004  standard error, for programs started here
    if sys.stdout is sys.__stdout__:
        sys.stdout = _enduring(1, sys.__stdout__)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _enduring(2, sys.__stderr__)


def out() -> TextIO:
    """Standard output of a command, whatever has been put in its place since the command began."""
    return _held[0] if _held else sys.stdout


def err() -> TextIO:
    """Standard error of a command, likewise."""
    return _held[1] if _held else sys.stderr


@contextlib.contextmanager
def held() -> Iterator[None]:
    """While it lasts, `out` and `err` are the streams of now; other packages may do to `sys.stdout` what they like."""
    before = sys.stdout, sys.stderr
    _held[:] = before
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        _held.clear()


def document_alone() -> None:
    """Have nothing but `out` reach standard output from now on; the rest goes to standard error.

    Libraries and packages print while they are imported and called and when the process ends, also past Python, and so
    do programs that they start.
    """
    if not _held:
        return
    own = isinstance(_raw(out()), Enduring)
    sys.stdout = err()
    if not own:  # a test's
        return
    out().flush()
    _held[0] = _enduring(os.dup(1), out())
    os.dup2(2, 1)


def lost_output() -> OSError | None:
    """Why standard output did not take all that was printed, or None."""
    out().flush()
    raw = _raw(out())
    return raw.lost if isinstance(raw, Enduring) else None


def _raw(stream: TextIO) -> object:
    return getattr(getattr(stream, "buffer", None), "raw", None)


def ready(stream: TextIO) -> bool:
    """Whether a line can be written without waiting: no reader that has stopped reading, no terminal held by Ctrl-S."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
        return bool(poll.poll(0))
    except (OSError, ValueError):  # no descriptor behind it
        return True


@contextlib.contextmanager
def hang_up_as_ctrl_c() -> Iterator[None]:
    """A closed terminal interrupts as Ctrl-C does, unless it is to be ignored (``nohup``)."""
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    if mine:
        signal.signal(signal.SIGHUP, _as_ctrl_c)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _as_ctrl_c(_: int, frame: FrameType | None) -> None:
    """What Ctrl-C means now: a loop of events cancels its work, where an exception would end up in any of its tasks."""
    pressed = signal.getsignal(signal.SIGINT)
    (pressed if callable(pressed) else signal.default_int_handler)(signal.SIGINT, frame)


def _enduring(number: int, before: TextIO | None) -> TextIO:
    """A stream on a descriptor with the habits of the one before; a sign that its coding lacks is escaped."""
    habits = before if isinstance(before, io.TextIOWrapper) else None
    return io.TextIOWrapper(
        io.BufferedWriter(Enduring(number, "wb", closefd=False)),
        encoding=habits.encoding if habits else "utf-8",
        errors="backslashreplace" if habits is None or habits.errors == "strict" else habits.errors,
        line_buffering=habits.line_buffering if habits else False,
        write_through=habits.write_through if habits else False,
    )
