"""Whole files that are either the old ones or the new ones, never half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from audiometry.errors import StorageError, short_of
from audiometry.files.secrets import Scrubber

NAMED: Final = 40
"""Characters of its name that a file has while it is not whole."""

ABANDONED_S: Final = 3600.0
"""Seconds after which nobody writes any more to what is not whole."""

_HALF: Final = re.compile(r"\.(.+)\.[a-z0-9_]{8}")  # as tempfile names them


def write(path: Path, data: bytes, *, private: bool = False) -> None:
    """Put ``data`` at ``path`` in one step; the folder is made if missing.

    Args:
        path: where to.
        data: all of it.
        private: for its owner alone.

    Raises:
        StorageError: the disk refused; what stood at ``path`` still stands.
    """
    write_parts(path, (data,), private=private)


def write_document(path: Path, document: msgspec.Struct) -> None:
    """As `write`, for a JSON document: laid out for people, without secrets.

    Raises:
        StorageError: the disk refused; what stood at ``path`` still stands.
    """
    write(path, msgspec.json.format(Scrubber().document(msgspec.json.encode(document)), indent=2) + b"\n")


def write_records(path: Path, records: Iterable[msgspec.Struct]) -> None:
    """As `write_parts`, for JSON lines without secrets.

    Raises:
        StorageError: the disk refused; what stood at ``path`` still stands.
    """
    encode, clean = msgspec.json.Encoder().encode, Scrubber().document
    write_parts(path, (clean(encode(record)) + b"\n" for record in records))


def write_parts(path: Path, parts: Iterable[bytes], *, durable: bool = True, private: bool = False) -> None:
    """As `write`, for a file that is made piece by piece and need never be in memory whole.

    Args:
        path: where to.
        parts: of the file.
        durable: wait until the disk has it; a file that is only a copy may be lost with the machine's power.
        private: for its owner alone.

    Raises:
        StorageError: the disk refused; what stood at ``path`` still stands. An error of whoever makes the
            parts passes through, and leaves no half file either.
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:NAMED]}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if not private:
            Path(temporary).chmod(0o666 & ~_umask())  # mkstemp makes private files; these are to be shared
        Path(temporary).replace(path)
        temporary = ""
    except OSError as problem:
        do = remedy(problem, "choose another folder")
        if isinstance(problem, FileExistsError | NotADirectoryError):
            do = "a file stands where its folder has to be, move it away"
        raise StorageError(f"cannot write {path}: {problem.strerror}; {do}") from problem
    finally:
        with contextlib.suppress(OSError):
            if temporary:
                Path(temporary).unlink()


def remedy(problem: OSError, elsewhere: str) -> str:
    """What to do where a file cannot be written.

    Args:
        problem: why not.
        elsewhere: how to write it to another place, which is no use to a program that may open no more files.
    """
    if problem.errno == errno.EFBIG:
        return f"raise the limit (ulimit -f) or {elsewhere}"
    do = short_of(problem).partition("; ")[2]
    return f"{do} or {elsewhere}" if problem.errno in {errno.ENOSPC, errno.EDQUOT} else do or elsewhere


def is_half(name: str) -> bool:
    """Whether a file's name says that it was never whole: its writer was killed, or writes to it still."""
    return _HALF.fullmatch(name) is not None


def sweep(folder: Path, wanted: Callable[[str], object]) -> None:
    """Remove what writers left behind when they were killed, as nobody has written to it for an hour.

    Args:
        folder: where.
        wanted: whether it may go, from the first `NAMED` characters of the name of the file that it was to become.
    """
    with contextlib.suppress(OSError):  # what cannot be removed does no harm
        for path in folder.iterdir():
            found = _HALF.fullmatch(path.name)
            if found and wanted(found[1]) and path.stat().st_mtime < time.time() - ABANDONED_S:
                path.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
