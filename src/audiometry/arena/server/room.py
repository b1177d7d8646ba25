"""How much of what many send may be in memory at one time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Final

from audiometry.arena.server.refused import LaterError

MOST: Final = 256_000_000
"""Bytes of recordings: some five hundred of a minute as browsers make them, or ten of the largest files."""


class Room:
    """Bytes that are left for all who send. Belongs to one event loop.

    Args:
        most: bytes.
    """

    def __init__(self, most: int = MOST) -> None:
        self._left = most

    @contextlib.contextmanager
    def taken(self) -> Iterator[Callable[[int], None]]:
        """What somebody sends; it is told of every part that comes, and all of it is free again at the end.

        Raises:
            LaterError: a part has no room.
        """
        mine = 0

        def more(size: int) -> None:
            nonlocal mine
            if size > self._left:
                raise LaterError("very many recordings come at the moment; nothing is lost, try again in a while")
            self._left -= size
            mine += size

        try:
            yield more
        finally:
            self._left += mine
