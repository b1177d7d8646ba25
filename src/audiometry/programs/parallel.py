"""A plain parallel map over the machine's processors, for work that computes and changes nothing.

Processes are forked, not spawned: a spawned Python takes 0.2 s and more to load what the work needs, a fork some
milliseconds, and it has the benchmark, the items and the function as they are, so that only values and results are
sent. A fork is safe while this process has one thread, as the commands have while they compute (they load numpy
without its pool of threads). With more threads, on other systems, in a process that was itself forked for this, and
on one processor, the plain loop does the work, with the same results.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
R = TypeVar("R")

AFTER_S: Final = 0.2  # of the plain loop: what takes no longer is not worth a fork and the pages copied after it
LIGHT_S: Final = 60e-6  # a value: sending it and its result takes about half as long, so that nothing would be gained
_AHEAD: Final = 4  # chunks a process that may be under way, or done before their turn


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def mapped(
    function: Callable[[T], R],
    values: Iterable[T],
    *,
    chunk: int = 64,
    after_s: float = AFTER_S,
    light_s: float = LIGHT_S,
    processes: int | None = None,
) -> Generator[R, None, None]:
    """What a function makes of each value, in the order of the values, as the built-in ``map`` gives it.

    The work begins in a plain loop. What is left after a moment is shared by processes, unless values are so light
    that sending them takes as long. The processes have a few chunks at a time, however many values there are, and end
    with this iterator, with Ctrl-C, and when this process is killed.

    Args:
        function: without side effects: a chunk whose process met an error or was killed is done once more here. So an
            error of the work is the work's own, and comes at its place in the order.
        values: read here, a few chunks ahead, so that an error in reading them may come before the last results.
        chunk: how many values are sent at a time; some 10 ms of work or more.
        after_s: how long the plain loop goes on in any case, seconds of this thread's processor time, which is the
            same on a busy machine; 0: not at all, however light the values are.
        light_s: what a value takes at most that is not worth sending, seconds.
        processes: how many; None: as many as there are processors.
    """
    rest = iter(values)
    many = processors() if processes is None else processes
    if many > 1 and may_fork() and (yield from _alone(function, rest, after_s, light_s)):
        yield from _shared(function, rest, chunk, many)
    yield from map(function, rest)  # all, or what is left because no process could be started or none survived


def may_fork() -> bool:
    """Whether this process may be forked: on Linux, with one thread, and not itself forked by `mapped`."""
    return sys.platform == "linux" and threading.active_count() == 1 and not _Worker.within


def _alone(function: Callable[[T], R], values: Iterator[T], for_s: float, light_s: float) -> Generator[R, None, bool]:
    """The results of the first values; says at the end whether sharing the others would pay."""
    if for_s <= 0:
        return True
    began = time.thread_time()
    for count, value in enumerate(values, 1):
        yield function(value)
        used = time.thread_time() - began
        if used >= for_s:
            return used > light_s * count
    return False


def _shared(function: Callable[[T], R], values: Iterator[T], chunk: int, many: int) -> Iterator[R]:
    """The results, for as long as a process lives; values may be left after it."""
    first = list(itertools.islice(values, chunk))
    if not first:
        return
    with _Crew(function, many) as crew:
        coming = deque([_Task[T, R](first)])
        crew.do(coming[0])
        while True:
            while crew.idle and len(coming) < _AHEAD * many and (taken := list(itertools.islice(values, chunk))):
                coming.append(_Task(taken))
                crew.do(coming[-1])
            if not coming:
                return
            if coming[0].done:
                yield from coming.popleft().finish(function)
            else:
                crew.listen()


class _Task(Generic[T, R]):
    """A chunk of values; done with results, or without if its process ended early."""

    def __init__(self, values: list[T]) -> None:
        self.values = values
        self.results: list[R] | None = None
        self.done = False

    def finish(self, function: Callable[[T], R]) -> Iterable[R]:
        return map(function, self.values) if self.results is None else self.results


class _Crew(Generic[T, R]):
    """Processes at work; a task is sent only to an idle one, which reads it at once, so that no side waits in vain."""

    def __init__(self, function: Callable[[T], R], many: int) -> None:
        self.idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, _Task[T, R]]] = {}
        # Nobody writes to it. Its end comes when this process is gone, however that was.
        self._gone, self._here = os.pipe()
        with _signals_later(), contextlib.suppress(OSError):  # no more processes: those that there are do it, or none
            for _ in range(many):
                self.idle.append(_Worker(function, (self._gone, self._here)))

    def __enter__(self) -> _Crew[T, R]:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in [*self.idle, *(worker for worker, _ in self._busy.values())]:
            worker.end()
        os.close(self._gone)
        os.close(self._here)

    def do(self, task: _Task[T, R]) -> None:
        """Hand a task to an idle process; done without results if there is none, or if it is gone."""
        if not self.idle:
            task.done = True
            return
        worker = self.idle.pop()
        try:
            worker.pipe.send(task.values)
        except (BrokenPipeError, ConnectionResetError):
            self._lose(worker, task)
        else:
            self._busy[worker.pipe] = worker, task

    def listen(self) -> None:
        """Wait until a process is done with its task, or has ended."""
        from multiprocessing.connection import Connection, wait

        for pipe in wait(list(self._busy)):
            if not isinstance(pipe, Connection):
                continue
            worker, task = self._busy.pop(pipe)
            try:
                task.results = pipe.recv()
            except (EOFError, ConnectionResetError):
                self._lose(worker, task)
            else:
                task.done = True
                self.idle.append(worker)

    @staticmethod
    def _lose(worker: _Worker, task: _Task[T, R]) -> None:
        task.done = True
        worker.end()


class _Worker:
    """A forked process that answers chunks of values with their results, and ends without a word at any error."""

    within = False
    """Whether this process is one."""

    def __init__(self, function: Callable[[Any], Any], life: tuple[int, int]) -> None:
        import multiprocessing

        self.pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        self._process: ForkProcess = context.Process(target=_serve, args=(function, theirs, life), daemon=True)
        with warnings.catch_warnings():
            # Python 3.12 and newer count threads of libraries too; those hold no lock that the work needs.
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            self._process.start()
        theirs.close()  # else its end would not be seen

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def _serve(function: Callable[[Any], Any], pipe: Connection, life: tuple[int, int]) -> NoReturn:
    """What a worker does; an error ends it, and the chunk is done again where the error can be raised as it is."""
    try:
        _Worker.within = True
        for number in _ENDING:  # Ctrl-C reaches it too: it ends at once and in silence
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        os.close(life[1])
        threading.Thread(target=_end_with, args=(life[0],), daemon=True).start()
        gc.freeze()  # looking through all that was there before would copy its pages
        while True:
            pipe.send([function(value) for value in pipe.recv()])
    finally:
        os._exit(0)  # before anything of the parent's is flushed, closed or printed a second time


def _end_with(life: int) -> None:
    os.read(life, 1)
    os._exit(1)


_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Hold back Ctrl-C while processes are forked: one would meet it in the parent's stead."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
