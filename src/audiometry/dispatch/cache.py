"""The reply cache: a reply found again by everything that shaped it.

Off unless asked for, since a model that samples gives another reply each time, and a copy of the
first one is not a second sample.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import StorageError, UndecodableError, shown
from audiometry.files import foreign
from audiometry.files.secrets import Scrubber
from audiometry.records import Reply

KEEP: Final = "INSERT OR IGNORE INTO reply VALUES (?, ?)"
RENEW: Final = "INSERT OR REPLACE INTO reply VALUES (?, ?)"


FAULTS: Final = (sqlite3.Error, OSError, UnicodeDecodeError)
"""What SQLite raises over a file of whatever bytes: its messages quote them."""


class ReplyCache:
    """Replies by key, in one SQLite file that several processes may share.

    Args:
        path: of the file; made, with its folder, if missing.
        what: it is, and ``do``: what to do where it cannot be used, for messages.

    Raises:
        StorageError: it cannot be opened or is not a reply cache.
    """

    def __init__(self, path: Path, what: str = "the reply cache", do: str = "name another file") -> None:
        self._what, self._do = f"{what} {path}", do
        self._decoder = foreign.Decoder(Reply)
        self._scrubber = Scrubber()
        self._damaged: set[str] = set()
        with contextlib.ExitStack() as undo:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
                undo.callback(self._db.close)
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.execute("CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, reply BLOB) WITHOUT ROWID")
            except FAULTS as problem:
                raise self._cannot("use", problem) from problem
            undo.pop_all()  # it is open and stays so

    def get(self, key: str) -> Reply | None:
        """The reply kept under that key; None if there is none, or it can no longer be read."""
        try:
            row = self._db.execute("SELECT CAST(reply AS BLOB) FROM reply WHERE key = ?", (key,)).fetchone()
        except FAULTS as problem:
            raise self._cannot("read", problem) from problem
        try:
            return None if row is None else self._decoder.decode(row[0] or b"")
        except UndecodableError:
            self._damaged.add(key)
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply, without secrets; one that is there already stays, unless it could not be read."""
        clean = self._scrubber.document(msgspec.json.encode(reply))
        try:
            self._db.execute(RENEW if key in self._damaged else KEEP, (key, clean))
        except FAULTS as problem:
            raise self._cannot("write", problem) from problem

    def spoilt(self, key: str) -> None:
        """Take what is kept under a key for damaged: the next reply replaces it."""
        self._damaged.add(key)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _cannot(self, do: str, problem: Exception) -> StorageError:
        why = "it is damaged" if isinstance(problem, UnicodeDecodeError) else str(problem)
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else why
        is_full = getattr(problem, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
        instead = "free some space, then run the same command again" if is_full else self._do
        return StorageError(f"cannot {do} {self._what}: {shown(why, 200)}; {instead}")


@contextlib.contextmanager
def open_cache(path: str, **words: str) -> Iterator[ReplyCache | None]:
    """The cache in that file, closed at the end; None for no path. ``words``: as `ReplyCache` takes them.

    Raises:
        StorageError: it cannot be opened or is not a reply cache.
    """
    if not path:
        yield None
        return
    cache = ReplyCache(Path(path), **words)
    try:
        yield cache
    finally:
        cache.close()
