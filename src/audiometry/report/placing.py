"""Where a page goes: never over a file that is no page of ours; unasked, nor over the report of other runs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Final

from audiometry.errors import StorageError, short_of
from audiometry.files import presence

NAME: Final = "report.html"
HEAD: Final = 8192  # bytes in which the marks stand
_OTHERS: Final = frozenset({".csv", ".json", ".jsonl", ".md", ".pdf", ".png", ".svg", ".tex", ".toml", ".tsv", ".txt"})
OURS: Final = b'<meta name="generator" content="audiometry '


def made_of(paths: Iterable[Path]) -> str:
    """What tells which runs a report is of, and nothing else about them."""
    return hashlib.sha256(b"\x00".join(os.fsencode(path.resolve()) for path in paths)).hexdigest()[:16]


def refuse_others(output: Path) -> None:
    """Let a page take the place of nothing, or of another page of ours: run folders and ratings are dear.

    Raises:
        StorageError: something else stands there, or its name says that it is something else.
    """
    there = presence.exists(output)
    if there and not presence.is_file(output):
        raise StorageError(f"cannot write {output}: it is not a regular file; name a file with -o")
    if there and output.stat().st_size and not _begins_with(output, OURS):
        raise StorageError(
            f"cannot write {output}: a file stands there that is no page of audiometry's; name another with -o"
        )
    if output.suffix.lower() in _OTHERS:
        raise StorageError(f"cannot write {output}: it will be a page; name a file that ends in .html")


def here(paths: Sequence[Path]) -> Path:
    """``report.html``, or ``report-2.html`` and so on: the first that is free, or a report of the very same runs."""
    mark = f'content="{made_of(paths)}"'.encode()
    stem, _, ending = NAME.partition(".")
    names = chain([NAME], (f"{stem}-{number}.{ending}" for number in count(2)))
    return next(path for path in map(Path, names) if not os.path.lexists(path) or _begins_with(path, mark))


def _begins_with(path: Path, mark: bytes) -> bool:
    if not presence.is_file(path):
        return False
    try:
        with path.open("rb") as file:
            return mark in file.read(HEAD)
    except OSError as problem:
        if short_of(problem):  # of open files, which says nothing of this one
            raise
        return False
