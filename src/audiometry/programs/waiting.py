"""The wait for a program's hello, of which people are told: weights take minutes to load, a mute program all of it."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any, Final

from audiometry.programs.program import Program
from audiometry.programs.terms import Terms

TOLD_AFTER_S: Final = 3.0
TOLD_AGAIN_AFTER_S: Final = 60.0
#: Without a handler of somebody's own, Python writes warnings to standard error as they are.
_log = logging.getLogger(__name__)


async def for_hello(greeting: asyncio.Future[Any], program: Program, terms: Terms) -> None:
    """Wait until a program has said what it is, has ended, or has used up its time; say so now and then.

    Args:
        greeting: what it says of itself.
        program: that was started.
        terms: how long it may take, and how messages name it.
    """
    began, next_s = time.monotonic(), TOLD_AFTER_S
    either: set[asyncio.Future[Any]] = {greeting, program.ended}
    while True:
        waited = time.monotonic() - began
        until = min(next_s, terms.start_s)
        done, _ = await asyncio.wait(either, timeout=max(0.0, until - waited), return_when=asyncio.FIRST_COMPLETED)
        if done or until >= terms.start_s:
            return
        _tell(program, terms, next_s)
        next_s = TOLD_AGAIN_AFTER_S * (next_s // TOLD_AGAIN_AFTER_S + 1)


def _tell(program: Program, terms: Terms, waited_s: float) -> None:
    words = f"; its last words on standard error: {program.last_words}" if program.last_words else ""
    so_far = f", {waited_s:g} s of them over" if waited_s >= TOLD_AGAIN_AFTER_S else ""
    _log.warning("waiting for %s to say hello, up to %g s%s%s", terms.called, terms.start_s, so_far, words)
