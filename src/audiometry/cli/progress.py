"""Progress on standard error: rate, time left, failures, tokens, cost."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

import click

from audiometry.cli import streams
from audiometry.cli.one_line import one_line
from audiometry.cli.say import over, say
from audiometry.dispatch.tally import Tally
from audiometry.dispatch.waiting import PROCESS, Waiting
from audiometry.errors import counted, shown
from audiometry.records import ReplyRecord

if TYPE_CHECKING:
    from audiometry.run.earlier import Reuse
    from audiometry.run.execute import Outcome, Prepared

FIRST_S = 1.0  # shorter work needs no progress
WAITED_S = 2.0  # without a reply, after which a terminal is told what is waited for
FEW = 5  # replies, before which nobody can tell how long the others take
BLOCKED = 8  # replies, all of them blocked by the provider, that are no accident
TERMINAL_EVERY_S, FILE_EVERY_S = 0.2, 15.0
_PROGRAMS = logging.getLogger("audiometry.programs.waiting")


def follow(run: Prepared, first: Callable[[Prepared], Awaitable[None]] | None = None) -> Outcome:
    """Execute a run and tell how it goes; ``first`` is done before anything is asked."""
    from audiometry.run.execute import execute

    line = ProgressLine()
    gc.freeze()  # what stands now lasts to the end: looking through it again and again is a share of a reply's time
    try:
        with WaitingLine(PROCESS, line.line):
            return execute(run, watch=line.watch, started=line.resume, stopping=line.stopping, first=first)
    finally:
        line.end()


class ProgressLine:
    """One line that is written over on a terminal, a line now and then in a file."""

    def __init__(self) -> None:
        self.line = Line()
        self._every = TERMINAL_EVERY_S if self.line.terminal else FILE_EVERY_S
        self._planned = self._before = 0
        self._began = self._next = time.monotonic()
        self._tally: Tally | None = None  # when there is more to tell than was told
        self._told, self._all_blocked = False, True

    def start(self, planned: int, before: int) -> None:
        """What is planned, and what is there already."""
        self._planned, self._before = planned, before
        self._began = time.monotonic()
        self._next = self._began + (FIRST_S if self.line.terminal else FILE_EVERY_S)
        if 0 < before < planned:
            say(f"Going on: {before:,} of {planned:,} are there already.", err=True)

    def resume(self, planned: int, reuse: Reuse) -> None:
        """What is planned, and what was found of earlier replies."""
        if reuse.changed:
            said = "1 reply no longer answers" if reuse.changed == 1 else f"{reuse.changed:,} replies no longer answer"
            say(f"{said} what is asked, since a question or a clip was changed: asked anew.", err=True)
        path, n = reuse.aside
        if path:
            said = "1 reply is" if n == 1 else f"{n:,} replies are"
            say(f"{said if n else 'What was there is'} set aside in {shown(path, 300)}.", err=True)
        for folder, n in reuse.taken.items():
            span = " to ".join(dict.fromkeys(reuse.taken_span[folder]))
            say(
                f"Took over {n:,} {'reply' if n == 1 else 'replies'} from {shown(folder, 200)}, of {shown(span)}; "
                "--again asks anew, as is due if the server has another checkpoint since.",
                err=True,
            )
        if reuse.served_at:
            say(
                f"Asked at another address than before: {_listed(reuse.served_at)} (before: "
                f"{_listed(reuse.served_before)}); what was answered there stays, --again asks anew.",
                err=True,
            )
        if reuse.in_folder > planned:
            others = reuse.in_folder - planned
            lacking = others - (reuse.there - reuse.here)
            more = f" ({lacking:,} of them came to nothing yet)" if lacking else ""
            say(
                f"The folder is of a larger run, {reuse.in_folder:,} replies, of which this command asks {planned:,}; "
                f"the other {others:,} stay in it and in its score{more}.",
                err=True,
            )
        for problem in reuse.damaged:
            say(f"Not taken over: {shown(problem, 300)}", err=True)
        self.start(planned, reuse.here)

    def watch(self, record: ReplyRecord, tally: Tally) -> None:
        """Called after every reply."""
        self._all_blocked = self._all_blocked and record.blocked
        if self._all_blocked and tally.done == BLOCKED:
            self.line.end()
            say(
                f"All of the first {BLOCKED} items were blocked, and count as refused ({shown(record.notes, 200)}); if "
                "it is the key or the model and not the items, stop with Ctrl-C: nothing asked this way is answered.",
                err=True,
            )
        now, self._tally = time.monotonic(), tally
        if now >= self._next:
            self._next = now + self._every
            if streams.ready(streams.err()):  # replies wait for nobody who has stopped reading
                self._tell(tally, now)

    def stopping(self) -> None:
        """Ctrl-C was pressed."""
        self.end()
        say("Stopping: waiting for the replies under way. Ctrl-C again leaves them.", err=True)

    def end(self) -> None:
        """Tell what was reached, if anything was told, and go to the next line."""
        if self._told and self._tally is not None:
            self._tell(self._tally, time.monotonic())
        self._told = False
        self.line.end()

    def _tell(self, tally: Tally, now: float) -> None:
        self.line.count(*self._state(tally, now))
        self._tally, self._told = None, True

    def _state(self, tally: Tally, now: float) -> Iterator[str]:
        done, elapsed = tally.done, now - self._began
        rate = done / elapsed if elapsed > 0 else 0.0
        left = self._planned - self._before - done
        yield _bar(self._before + done, self._planned)
        parts = [
            f"{self._before + done:,}/{self._planned:,}",
            f"{rate:.1f}/s",
            f"{_clock(left / rate)} left" if left and done >= FEW else "",
            f"{tally.failed:,} failed" if tally.failed else "",
            counted(tally.retries, "retry") if tally.retries else "",
            f"{tally.tokens_in + tally.tokens_out:,} tokens" if tally.tokens_in else "",
            f"${tally.cost_usd:.2f}" if tally.cost_usd else "",
        ]
        yield from filter(None, parts)


class WaitingLine:
    """Says on standard error what a command waits for, and how long already; a context around the work.

    Args:
        waiting: what that is.
        line: that it is said on, beside what is counted there; None: one of its own.
    """

    def __init__(self, waiting: Waiting, line: Line | None = None) -> None:
        self._waiting = waiting
        self._line = line or Line()
        self._every = WAITED_S if self._line.terminal else FILE_EVERY_S
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tell, name="waiting", daemon=True)
        self._said = _Said(self._hear)

    def __enter__(self) -> None:
        _PROGRAMS.addHandler(self._said)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        _PROGRAMS.removeHandler(self._said)
        self._line.wait("")

    def _hear(self, words: str) -> None:
        """More on what is waited for: the same line says it, so that no second one runs into it."""
        self._waiting.explain(words)
        if not self._line.terminal:
            self._line.wait(words)

    def _tell(self) -> None:
        told = time.monotonic()
        while not self._over.wait(WAITED_S):
            now, what, seconds = time.monotonic(), self._waiting.what, self._waiting.seconds
            if what and seconds >= self._every and now - told >= self._every and streams.ready(streams.err()):
                told = now
                self._line.wait(f"{what}, {_clock(seconds)}")


class _Said(logging.Handler):
    """Hands on what a logger is told."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        self._hear(record.getMessage())


class Steps:
    """Progress of work that is counted: ``show(done, whole)``.

    Args:
        what: is counted, in the plural.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.line = Line()
        self._next = time.monotonic() + FIRST_S
        self._written: tuple[str, ...] = ()
        self._last: tuple[str, ...] = ()

    def show(self, done: int, whole: int) -> None:
        """Called after every step; writes now and then, on a terminal only."""
        self._last = (_bar(done, whole), f"{done:,}/{whole:,} {self._what}")
        if self.line.terminal and time.monotonic() >= self._next and streams.ready(streams.err()):
            self._next = time.monotonic() + TERMINAL_EVERY_S
            self._written = self._last
            self.line.count(*self._last)

    def end(self) -> None:
        """Write what was reached, and leave the line."""
        if self._written and self._written != self._last:
            self.line.count(*self._last)
        self.line.end()


class Line:
    """The line of standard error that tells how it goes: written over on a terminal, one after the other in a file.

    It says what is counted and, beside that on a terminal, what is waited for.
    """

    def __init__(self) -> None:
        self.terminal = streams.err().isatty()
        self._counted: tuple[str, ...] = ()
        self._waited = ""
        self._lock = threading.Lock()  # who waits is another thread than who counts

    def count(self, *parts: str) -> None:
        """How far it is, see `one_line`; something came, so nothing is waited for."""
        with self._lock:
            self._counted, self._waited = parts, ""
            self._write("  ".join(parts))

    def wait(self, text: str) -> None:
        """What is waited for; empty for nothing more."""
        with self._lock:
            if text != self._waited:
                self._waited = text
                self._write(text)

    def end(self) -> None:
        """Leave what is counted as it stands, and go to the next line."""
        with self._lock:
            if self._counted and self.terminal:
                say(err=True)
            self._counted, self._waited = (), ""

    def _write(self, text: str) -> None:
        if not self.terminal:
            if text:
                say(text, err=True)
            return
        width = _columns() - 1
        over(one_line(self._counted, self._waited, width).ljust(width))
        if not self._counted:
            over("")  # whatever is printed next stands in its place


def _listed(addresses: tuple[str, ...]) -> str:
    return shown(", ".join(addresses), 200)


def _columns() -> int:
    import shutil

    given = click.get_current_context(silent=True)
    return (given.terminal_width if given else None) or shutil.get_terminal_size().columns


def _bar(done: int, whole: int, width: int = 24) -> str:
    filled = width * done // max(whole, 1)
    return "█" * filled + "░" * (width - filled)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
