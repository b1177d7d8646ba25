"""The event loop that everything is asked in; uvloop ends the process without a word if it cannot open its files."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from audiometry.dispatch import open_files

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


def opened() -> asyncio.Runner:
    """A loop for several coroutines, one after the other; whoever opens it closes it.

    Raises:
        ShortageError: too few files may be open.
    """
    open_files.enough_for_a_loop()
    import asyncio

    import uvloop

    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What a coroutine returns, run in a loop of its own.

    Args:
        main: makes the coroutine, once there is a loop.

    Raises:
        ShortageError: too few files may be open.
    """
    with opened() as runner:
        return runner.run(main())
