"""The bytes of a clip's file: the one door by which clips are read.

Only regular files (links are followed) of a bounded size are read: a pipe or a device in the place of a clip neither
holds up a run nor fills the memory. What is wrong with the file is an `UnreadableAudioError`; what the machine is
short of while it is read, such as open files or memory, is a `ShortageError` and says nothing of the clip.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import math
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from audiometry.errors import ShortageError, UnreadableAudioError, short_of, shown
from audiometry.files import presence
from audiometry.files.stamp import stat_of

LARGEST: Final = 1 << 31
"""Bytes of a clip's file: 2 GB, some three hours of 48 kHz stereo in 16 bits; more is a slip, or sparse."""

_LONGEST_NAME: Final = 200  # characters of a path in a message
_NO_ANSWER: Final = {
    number
    for name in ("EIO", "ESTALE", "ETIMEDOUT", "EHOSTDOWN", "ENOTCONN", "EREMOTEIO")
    if (number := getattr(errno, name, None)) is not None
}  # of a disk that does not answer: another try, or another day, may read the clip


def called(where: str) -> str:
    """What messages call a clip: its name, on one line and not endless."""
    return shown(where, _LONGEST_NAME)


def read_file(path: str | Path, *, where: str = "", largest: int = LARGEST) -> bytes:
    """The bytes of a file.

    Args:
        path: of the file.
        where: what error messages call it; the path if empty.
        largest: bytes; a larger file is not read.

    Raises:
        UnreadableAudioError: missing, a folder, a device or a pipe, not permitted, no possible name, too large, empty.
        ShortageError: the machine has no more open files or memory, or the disk does not answer.
    """
    with read_open(path, where=where, largest=largest) as (data, _):
        return data


class OpenFile(NamedTuple):
    """A file that was read and may be read once more: its descriptor, and `stat_of` it before the first time."""

    number: int
    stat: str

    @property
    def unchanged(self) -> bool:
        """Whether it still holds the bytes that were read."""
        return stat_of(self.number) == self.stat


@contextlib.contextmanager
def read_open(path: str | Path, *, where: str = "", largest: int = LARGEST) -> Iterator[tuple[bytes, OpenFile]]:
    """The bytes of a file, as `read_file`, and the file, which a library may read by itself."""
    where = called(where or str(path))
    with opened(path, where, largest) as (file, _):
        stat = stat_of(file)
        data = _read(file, largest)
        if not data:
            raise UnreadableAudioError(f"{where}: empty (0 bytes); replace the file", "empty")
        yield data, OpenFile(file, stat)


def read_head(path: str | Path, most: int, *, where: str = "") -> bytes:
    """The first bytes of a file, at most so many; of an empty one none.

    Raises:
        UnreadableAudioError, ShortageError: as `read_file`, but for the size.
    """
    with opened(path, called(where or str(path)), math.inf) as (file, _):
        return _read(file, most)


def read_small(path: str, most: int, start: bytes = b"") -> bytes:
    """The bytes of a file of 1 to ``most`` bytes that starts so; none of any other: `read_file` says what it is."""
    try:
        file = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or not 0 < found.st_size <= most or os.pread(file, len(start), 0) != start:
            return b""
        return _read(file, most)
    except OSError:
        return b""
    finally:
        os.close(file)


def file_size(path: str | Path) -> int:
    """Bytes of a regular file; 0 of anything else, and of what cannot be looked at."""
    try:
        found = os.stat(path)  # noqa: PTH116  a name that cannot be raises nothing but these
    except (OSError, ValueError):
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


# Opened without waiting: a pipe would wait for its writer, a terminal would become this process's own.
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


@contextlib.contextmanager
def opened(path: str | Path, where: str, largest: float = LARGEST) -> Iterator[tuple[int, int]]:
    """A regular file's descriptor and its size; what the system says against opening or reading it is told as ours.

    Raises:
        UnreadableAudioError, ShortageError: as `read_file`; an empty file is opened.
    """
    try:
        try:
            file = os.open(path, _FLAGS)
        except ValueError as problem:  # a NUL, half a character
            raise UnreadableAudioError(f"{where}: not a possible file name; correct it", "unreadable") from problem
        try:
            found = os.fstat(file)
            if stat.S_ISDIR(found.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableAudioError(f"{where}: a device or a pipe, not a file; replace it", "unreadable")
            if found.st_size > largest:
                raise UnreadableAudioError(
                    f"{where}: holds {found.st_size:,} bytes, at most {largest:,} are read; cut the clip", "too-large"
                )
            yield file, found.st_size
        finally:
            os.close(file)
    except (OSError, MemoryError) as problem:
        short = short_of(problem) or _silent(problem)
        if short or isinstance(problem, MemoryError):
            raise ShortageError(f"{where} cannot be read now: {short}") from problem
        flaw = "missing" if isinstance(problem, FileNotFoundError) else "unreadable"
        raise UnreadableAudioError(f"{where}: {_refusal(problem, Path(path))}", flaw) from problem


def _silent(problem: OSError | MemoryError) -> str:
    """What to say of a disk that does not answer; empty for any other error."""
    if isinstance(problem, OSError) and problem.errno is not None and problem.errno in _NO_ANSWER:
        return f"the disk does not answer ({os.strerror(problem.errno)}); see that it is connected and whole"
    return ""


def _read(file: int, most: int) -> bytes:
    """To the end of the file, at most so many bytes; a file that grows meanwhile is cut there."""
    parts = []
    while most > 0 and (part := os.read(file, min(most, max(1, os.fstat(file).st_size)))):
        parts.append(part)
        most -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _refusal(problem: OSError, path: Path) -> str:
    if isinstance(problem, FileNotFoundError):
        near = _near(path)
        hint = f"'{shown(near)}' is there: correct the name" if near else "correct the name or fetch the file"
        return f"no such file; {hint}"
    if isinstance(problem, IsADirectoryError):
        return "a folder, not a file; name the audio file in it"
    if isinstance(problem, NotADirectoryError):
        return "a part of the path is a file, not a folder; correct the name"
    if isinstance(problem, PermissionError):
        return "no permission to read it; change its mode or owner"
    if problem.errno == errno.ENAMETOOLONG:
        return "the name is longer than the file system takes; correct it"
    what = errno.errorcode.get(problem.errno or 0, "error")
    return f"cannot be read ({what}: {shown(problem.strerror or '')}); check the disk and the path"


def _near(path: Path) -> str:
    """A file beside it with the same stem."""
    if not presence.is_folder(path.parent):
        return ""
    try:
        return min((found.name for found in path.parent.glob(glob.escape(path.stem) + ".*")), default="")
    except (OSError, ValueError):
        return ""
