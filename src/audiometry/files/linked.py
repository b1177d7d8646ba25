"""A file in a second place: linked where the disk can, copied where it cannot."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from audiometry.errors import StorageError


def link_or_copy(path: Path, to: Path, *, copy: bool = False) -> None:
    """Put a file into a second place, whose folder is made.

    Args:
        path: the file; no link, which may lead nowhere from there.
        to: where nothing is yet.
        copy: not linked, since one of the two will be written to.

    Raises:
        StorageError: the disk refused.
    """
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        if copy or not _linked(path, to):
            shutil.copyfile(path, to)
    except OSError as problem:
        raise StorageError(f"cannot write {to}: {problem.strerror}; choose another folder") from problem


def _linked(path: Path, to: Path) -> bool:
    try:
        os.link(path, to)
    except OSError:
        return False
    return True
