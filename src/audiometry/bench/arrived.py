"""Whether files that a hub gave are those that it lists."""

from __future__ import annotations

import contextlib
import hashlib
import re
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import FrameType
from typing import Any, Final

from audiometry.errors import BenchmarkError

SPLITS: Final = frozenset({"train", "test", "validation", "validated", "invalidated", "valid", "val", "dev", "eval"})
MOST_TABLES: Final = 1_000  # of a benchmark
ABANDONED_S: Final = 3600
"""Seconds without a byte after which nobody writes to a file any more."""


def refuse_many(tables: Sequence[str], at: str) -> None:
    """Refuse more tables than a benchmark has: the library looks for each among all names of a repository."""
    if len(tables) > MOST_TABLES:
        few = f"at most {MOST_TABLES:,} are read; narrow [data] path or split"
        raise BenchmarkError(f"{at}: {len(tables):,} tables match, {few}")


def spoiled(listed: Sequence[Any], meant: AbstractSet[str], folder: Path) -> bool:
    """Whether some of the files that are meant and here are not what the hub lists; these are removed."""
    named = [one for one in listed if one.rfilename in meant and ".." not in one.rfilename]
    inside = [one for one in named if folder in (folder / one.rfilename).parents]
    wrong = [file for one in inside if (file := folder / one.rfilename).is_file() and not _is_listed(one, file)]
    for file in wrong:
        file.resolve().unlink()
        file.unlink(missing_ok=True)
    return bool(wrong)


def sweep(cache: Path, repository: str) -> None:
    """Remove what killed downloads left, which the library begins anew; one under way is written to."""
    for left in (cache / f"datasets--{repository.replace('/', '--')}" / "blobs").glob("*.incomplete"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_S:
                left.unlink()


@contextlib.contextmanager
def stopped_at_once(library: Any) -> Iterator[None]:
    """Let Ctrl-C end downloads under way, which the library's threads would carry to the end of their files."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    over = threading.Event()

    def close() -> None:
        while not over.wait(0.1):  # a thread that was about to ask opens another
            library.close_session()

    def stop(number: int, frame: FrameType | None) -> None:
        threading.Thread(target=close, daemon=True).start()  # a lock of the library may be held right here
        before(number, frame)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        over.set()
        signal.signal(signal.SIGINT, before)


def several_splits(tables: Sequence[str]) -> str:
    """That tables are of several splits, by their names, and what to do; empty if they are not."""
    splits = {part for name in tables for part in re.split("[^A-Za-z0-9]", name) if part in SPLITS}
    if len(splits) < 2:  # noqa: PLR2004  several
        return ""
    return f"tables of several splits ({', '.join(sorted(splits))}) are read as one; name one in [data] split"


def _is_listed(one: Any, file: Path) -> bool:
    """Whether a file has the bytes that a listing says; what it does not say is not looked at."""
    size = file.stat().st_size
    if isinstance(one.size, int) and size != one.size:
        return False
    whole, begins = (one.lfs.sha256, b"") if one.lfs else (one.blob_id, b"blob %d\0" % size)  # as git names it
    if not isinstance(whole, str):
        return True
    made = hashlib.new("sha256" if one.lfs else "sha1", begins, usedforsecurity=False)
    with file.open("rb") as raw:
        return hashlib.file_digest(raw, lambda: made).hexdigest() == whole
