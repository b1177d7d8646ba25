"""A shortage of the machine, outlasted: a pause and another try, and a clean stop if it stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from audiometry.dispatch.stopped import KEPT, StoppedError
from audiometry.errors import ShortageError, short_of, shown

T = TypeVar("T")

KIND = "machine"  # of a failed attempt that a shortage is to blame for; no record ever has it
PAUSES_S = (0.1, 0.3, 1.0, 3.0, 5.0)


async def outlasted(work: Callable[[], Awaitable[T]], sleep: Callable[[float], Awaitable[bool]]) -> T | None:
    """What ``work`` gives, begun again after each of `PAUSES_S` while the machine is short of something.

    Args:
        work: what is to be done.
        sleep: waits; False if there is no use in waiting on.

    Returns:
        None if ``sleep`` said so.

    Raises:
        StoppedError: the shortage stayed.
    """
    for pause in (*PAUSES_S, None):
        try:
            return await work()
        except (ShortageError, OSError, MemoryError, RuntimeError, ImportError) as problem:
            short = short_of(problem)
            if isinstance(problem, ImportError):
                # Short of files, a thread may meet a library half loaded, numpy for as long as the process lives.
                short = short or f"a library cannot be loaded ({shown(str(problem))})"
            if not short:
                raise
            if pause is None:
                raise stopped(short) from problem
        if not await sleep(pause):
            return None
    return None


def stopped(words: str) -> StoppedError:
    """The end of a run for want of something."""
    return StoppedError(f"stopped: {words}; {KEPT}, run the same command again")
