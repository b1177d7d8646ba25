"""Group commit: one ``fsync`` of a file for all who wrote to it before it began."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from audiometry.errors import StorageError


class Synced:
    """What many threads wrote to one file, handed to the disk together.

    Args:
        path: of the file, such as SQLite's log, on which SQLite holds no lock that closing a file would give up.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Condition()
        self._begun = self._ended = 0
        self._problem: tuple[int, OSError] | None = None  # of which call

    def wait(self) -> None:
        """Return when the disk has all that was written to the file before.

        Raises:
            StorageError: the disk refused.
        """
        with self._turn:
            wanted = self._begun + 1  # one under way may have begun too early
            while self._ended < wanted:
                if self._begun > self._ended:
                    self._turn.wait()
                else:
                    self._lead()
            if self._problem is not None and self._problem[0] >= wanted:
                problem = self._problem[1]
                raise StorageError(f"{self._path}: the disk refused ({problem.strerror}); see whether it is failing")

    def _lead(self) -> None:
        """Sync for all who wait; they may write on meanwhile."""
        self._begun += 1
        mine = self._begun
        self._turn.release()
        problem = None
        try:
            _sync(self._path)
        except OSError as why:
            problem = why
        finally:
            self._turn.acquire()
            self._ended = mine
            if problem is not None:
                self._problem = (mine, problem)
            self._turn.notify_all()


def _sync(path: Path) -> None:
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # SQLite has moved all of it into the database, synced, and removed it
        return
    try:
        os.fsync(file)
    finally:
        os.close(file)
