"""As many requests at a time as the limit of open files allows."""

from __future__ import annotations

import contextlib
import functools
import logging
import math
import os
import resource
from typing import Final

from audiometry.errors import ShortageError

A_REQUEST: Final = 2  # its connection; and a second one while two addresses are tried, or its clip's file
SPARE: Final = 32  # for whatever else is opened meanwhile: clips under conversion, libraries, looking up names
A_LOOP: Final = 12  # what an event loop opens for itself
FEWEST: Final = 32  # with fewer than these nothing can be asked
_log = logging.getLogger(__name__)


def fitted(concurrency: int) -> int:
    """The concurrency, or what of it the limit of open files allows; at least 1.

    The limit is raised as far as that takes, if the system lets it be. Where it stays too low one line on standard
    error says so, once.
    """
    before = _open_now() + SPARE
    wanted = before + A_REQUEST * concurrency
    soft = _raised(wanted)
    if soft >= wanted:
        return concurrency
    fits = max(1, int(soft - before) // A_REQUEST)
    _tell(concurrency, fits, int(soft), wanted)
    return fits


def enough_for_a_loop() -> None:
    """See to it that an event loop can open what it needs.

    Raises:
        ShortageError: the limit of open files is too low, and cannot be raised.
    """
    wanted = max(FEWEST, _open_now() + A_LOOP)
    if _raised(wanted) < wanted:
        raise ShortageError(f"fewer than {wanted} files may be open; raise the limit (ulimit -n {wanted + SPARE})")


def _raised(wanted: int) -> float:
    """How many files may be open, after the limit was raised as far as it goes if it was too low."""
    soft, hard = (math.inf if n == resource.RLIM_INFINITY else n for n in resource.getrlimit(resource.RLIMIT_NOFILE))
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # a lower bound of the system's own
            resource.setrlimit(resource.RLIMIT_NOFILE, (int(min(wanted, hard)), _as_it_was(hard)))
            soft = min(wanted, hard)
    return soft


def _open_now() -> int:
    try:
        return len(os.listdir("/dev/fd"))  # noqa: PTH208  names are counted
    except OSError:
        return SPARE


def _as_it_was(hard: float) -> int:
    return resource.RLIM_INFINITY if math.isinf(hard) else int(hard)


@functools.cache
def _tell(concurrency: int, fits: int, limit: int, wanted: int) -> None:
    _log.warning(
        "%d requests at a time, not %d: only %d files may be open; raise the limit (ulimit -n %d) for more",
        fits, concurrency, limit, wanted,
    )  # fmt: skip
