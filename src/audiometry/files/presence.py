"""Whether a file or folder is there, asked so that no name makes the asking fail.

A name may be too long for the file system, hold a NUL or characters that no file name can, or lead through a file as
if it were a folder: then nothing is there, and whoever opens it says what is wrong. `pathlib` raises for some of these.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def exists(path: str | Path) -> bool:
    """Whether anything is there."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises where the name cannot be


def is_file(path: str | Path) -> bool:
    """Whether a regular file is there, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113  as above


def is_folder(path: str | Path) -> bool:
    """Whether a folder is there, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112  as above


def odd(path: str | Path) -> str:
    """What is there in place of a regular file, in words: ``a link``, ``a pipe``; empty if there is one, or nothing."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return ""
    if stat.S_ISREG(mode):
        return ""
    kinds = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
