"""A dispatcher run from start to end in an event loop of its own, with Ctrl-C and a closed terminal in hand."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any

from audiometry.dispatch import event_loop
from audiometry.dispatch.ask import Ask
from audiometry.dispatch.local import Dispatcher


def dispatch(
    dispatcher: Dispatcher,
    asks: Iterable[Ask],
    stopping: Callable[[], None] = lambda: None,
    first: Callable[[], Awaitable[None]] | None = None,
    within: asyncio.Runner | None = None,
) -> bool:
    """Ask everything, close the model, and say whether the person stopped it.

    The first Ctrl-C waits for what is under way, the second does not. A closed terminal (SIGHUP) counts as a first one
    however often it is told, unless it is to be ignored, as under ``nohup``.

    Args:
        dispatcher: whom to ask and where replies are kept.
        asks: what to ask.
        stopping: called at the first Ctrl-C.
        first: done before anything is asked, with the model open.
        within: the loop of someone who asks the same model again, and closes it; None: one of its own.

    Raises:
        StoppedError: no further reply can be had.
        StorageError: the disk refused a record.
        ShortageError: too few files may be open.
    """
    if within is not None:
        return within.run(_session(dispatcher, asks, stopping, first))

    async def alone() -> bool:
        try:
            return await _session(dispatcher, asks, stopping, first)
        finally:
            await dispatcher.model.close()

    return event_loop.run(alone)


async def _session(
    dispatcher: Dispatcher,
    asks: Iterable[Ask],
    stopping: Callable[[], None],
    first: Callable[[], Awaitable[None]] | None,
) -> bool:
    async def all_of_it() -> None:
        if first is not None:
            await first()
        await dispatcher.run(asks)

    def drain() -> None:
        dispatcher.drain()
        stopping()

    return await drainable(all_of_it(), drain)


async def drainable(asking: Coroutine[Any, Any, None], drain: Callable[[], None]) -> bool:
    """Do what is to be done, and say whether the person stopped it; see `dispatch`.

    Args:
        asking: ends soon once it is drained.
        drain: has nothing new go out; called at the first Ctrl-C.
    """
    work = asyncio.ensure_future(asking)
    stopped = False

    def once() -> None:
        nonlocal stopped
        if not stopped:
            stopped = True
            drain()

    def press() -> None:
        if stopped:
            work.cancel()
        once()

    try:
        with _handled({signal.SIGINT: press, signal.SIGTERM: press, signal.SIGHUP: once}):
            await work
    except asyncio.CancelledError:
        if not stopped:
            raise
    return stopped


@contextlib.contextmanager
def _handled(handlers: Mapping[signal.Signals, Callable[[], None]]) -> Iterator[None]:
    """Signals that call these; a closed terminal that is to be ignored stays ignored."""
    loop = asyncio.get_running_loop()
    # Python hands signals to the main thread; in another one nothing can be stopped that way.
    here = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in handlers} if here else {}
    mine = [
        number for number, handler in before.items() if number is not signal.SIGHUP or handler is not signal.SIG_IGN
    ]
    for number in mine:
        loop.add_signal_handler(number, handlers[number])
    try:
        yield
    finally:
        for number in mine:
            loop.remove_signal_handler(number)
            if before[number] is not None:  # not set by Python
                signal.signal(number, before[number])
