"""The journal: JSON lines that grow by whole lines and outlive ``kill -9``.

Every record is one ``write`` to a file opened for appending, so once `Journal.append` returns the
line is the operating system's and survives the death of the process. A line torn by a full disk or
a power cut has no newline; it is cut off at the next start, and what it held is asked again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar
from weakref import WeakSet

import msgspec

from audiometry.errors import RunFolderError, StorageError
from audiometry.files import atomic
from audiometry.files.secrets import Scrubber

BLOCK = 64 * 1024
BALLAST = 256 * 1024  # bytes of disk held in reserve: room for the replies under way when it is full

R = TypeVar("R", bound=msgspec.Struct)
_OPEN: Final[WeakSet[Journal]] = WeakSet()


def _let_go_of_all() -> None:
    """In a process that was forked from the one that writes: else the lock would outlive the writer with it."""
    for journal in _OPEN:
        with contextlib.suppress(OSError):
            journal._let_go()  # noqa: SLF001  of this module
    _OPEN.clear()


os.register_at_fork(after_in_child=_let_go_of_all)


class Journal:
    """An open journal; one process at a time.

    Args:
        path: of the file; made, with its folder, if missing.

    Raises:
        RunFolderError: another process is writing to it.
        StorageError: it cannot be opened for writing.

    Attributes:
        full: why nothing more should be asked, though all was written until now: the disk is full; else None.
        put_back: whether somebody removed the file, which was then written anew with all that it held.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.full: StorageError | None = None
        self.put_back = False
        self._encoder = msgspec.json.Encoder()
        self._scrubber = Scrubber()
        self._open()
        self._linked = os.fstat(self._fd).st_nlink > 0  # some file systems do not count
        self._ballast = _ballast(path.parent)
        _OPEN.add(self)

    def _open(self, flags: int = 0) -> None:
        path = self.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | flags, 0o666)
        except OSError as problem:
            raise StorageError(f"cannot write {path}: {problem.strerror}; choose another folder") from problem
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            os.close(self._fd)
            raise RunFolderError(
                f"{path.parent} is in use by another process; wait for it, or give another folder with -o"
            ) from problem
        except OSError as problem:
            os.close(self._fd)
            raise StorageError(
                f"cannot lock {path}: {problem.strerror}; choose a folder on another file system"
            ) from problem
        self.repaired = self._cut_torn_line()

    def append(self, record: R) -> R:
        """Add one record; when this returns, it is kept.

        Returns:
            The record as it was written: without secrets, whatever field they stood in.

        Raises:
            StorageError: the disk refused; the journal is as before, whole lines only.
        """
        encoded = self._encoder.encode(record)
        clean = self._scrubber.document(encoded)
        self._put_back_if_removed()
        try:
            self._write(clean + b"\n")
        except OSError as problem:
            self.full = StorageError(
                f"cannot write {self.path}: {problem.strerror}; all replies before this one are kept, "
                "free some space and run the same command again"
            )
            if self._ballast is None:
                raise self.full from problem
            os.close(self._ballast)
            self._ballast = None
            return self.append(record)
        return record if clean is encoded else msgspec.json.decode(clean, type=type(record))

    def set_aside(self, to: Path) -> None:
        """Keep what is written under another name, and begin anew.

        Args:
            to: in the same folder; a file that is there already is never written over.

        Raises:
            RunFolderError: another process began to write in between.
            StorageError: the file cannot be linked to that name.
        """
        old = self._fd
        try:
            os.link(self.path, to)
            self.path.unlink()
        except OSError as problem:
            raise StorageError(f"cannot set {self.path} aside as {to.name}: {problem.strerror}") from problem
        self._open()
        os.close(old)

    def leave_out(self, unwanted: Callable[[bytes], bool]) -> int:
        """Write the file anew without some of its lines, in one step; how many are gone.

        Args:
            unwanted: whether a line, without its newline, is to go.

        Raises:
            RunFolderError: another process began to write in between.
            StorageError: the disk refused; the journal is as before.
        """
        self._put_back_if_removed()
        old = self._fd
        with os.fdopen(os.dup(old), "rb") as file:
            file.seek(0)
            lines = file.readlines()
        kept = [line for line in lines if not unwanted(line.removesuffix(b"\n"))]
        atomic.write_parts(self.path, kept)
        try:
            self._open()
        except (StorageError, RunFolderError):
            self._fd = old
            raise
        os.close(old)
        return len(lines) - len(kept)

    def close(self) -> None:
        """Hand everything to the disk and let other processes in."""
        with contextlib.suppress(StorageError, RunFolderError):
            self._put_back_if_removed()
        with contextlib.suppress(OSError):  # a device such as /dev/full cannot be synced
            os.fsync(self._fd)
        _OPEN.discard(self)
        self._let_go()

    def _let_go(self) -> None:
        os.close(self._fd)
        if self._ballast is not None:
            os.close(self._ballast)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        """Add all of it or, raising what the system says, nothing."""
        size, rest = os.fstat(self._fd).st_size, memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, size)
            raise

    def _put_back_if_removed(self) -> None:
        """Write the file anew if somebody removed it, or its folder: what it held may have been paid for."""
        old = self._fd
        if not self._linked or os.fstat(old).st_nlink > 0:
            return
        try:
            self._open(os.O_EXCL)
        except (StorageError, RunFolderError):
            self._fd = old
            raise
        try:
            at = 0
            while block := os.pread(old, BLOCK, at):
                self._write(block)
                at += len(block)
        except OSError as problem:
            os.close(self._fd)
            self._fd = old
            raise StorageError(f"{self.path} was removed, and cannot be put back: {problem.strerror}") from problem
        os.close(old)
        self.put_back = True

    def _cut_torn_line(self) -> int:
        """Cut what stands behind the last newline; the number of bytes cut."""
        size = end = os.fstat(self._fd).st_size
        while end > 0:
            start = max(0, end - BLOCK)
            newline = os.pread(self._fd, end - start, start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._fd, end)
        return size - end


def _ballast(folder: Path) -> int | None:
    """Disk that is taken by a file without a name, and free again when it is closed; None if there is none to take."""
    try:
        held, path = tempfile.mkstemp(prefix=".room-", dir=folder)
    except OSError:
        return None
    try:
        os.unlink(path)  # noqa: PTH108  a plain name
        if os.write(held, os.urandom(BALLAST)) == BALLAST:  # zeros may take no room
            return held
    except OSError:
        pass
    os.close(held)
    return None
