"""Whether a file is the one that was read before, told without reading it."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def stat_of(path: str | Path | int) -> str:
    """Size, time of change (ns), time of the last change of its entry (ns) and number; empty if there is no such file.

    An open file may be given by its descriptor. A file written over, moved into place or copied has another one; only
    the same bytes left alone have the same.
    """
    try:
        found = os.stat(path)  # noqa: PTH116  a Path costs more than the call, and every clip has one
    except (OSError, ValueError):
        return ""
    return f"{found.st_size}-{found.st_mtime_ns}-{found.st_ctime_ns}-{found.st_ino}"


def left_alone(then: str, now: str) -> bool:
    """Whether two of `stat_of` differ in nothing but the time of the entry, which changes with a link or a mode too."""
    (*_, number), (*_, number_now) = then.split("-"), now.split("-")
    return (*then.split("-")[:2], number) == (*now.split("-")[:2], number_now)


def sha256_of(path: Path) -> str:
    """Hash of a regular file's bytes, hexadecimal; empty if it cannot be read or is none."""
    try:
        if not path.is_file():  # a device or a pipe has no end
            return ""
        return digest_of(path).hex()
    except (OSError, ValueError):
        return ""


def digest_of(path: Path) -> bytes:
    """Hash of a file's bytes; raises OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
