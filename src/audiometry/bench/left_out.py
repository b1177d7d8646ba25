"""Rows that cannot be asked: one rule for every layout.

A row that cannot be asked is left out, counted and named. A slip that would make a benchmark ask something else than
its author meant, an item that names no clip or a key that is nearly a known one, is refused.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from audiometry.errors import shown

FATAL: Final = frozenset({"no-clip", "key"})
"""Codes of slips that are refused and never left out."""
CLIP: Final = frozenset({"missing", "empty"})
"""Codes of rows that could be asked if their clip were there."""
NOT_THERE: Final = "was left out of the run, its clip was not there or empty"
AUDIO_ENDINGS: Final = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aiff")
FIRST: Final = 3  # problems that a line names
ABSENT: Final = {
    errno.ENOENT: "is not there",
    errno.ENOTDIR: "cannot be there: a part of the path is a file",
    errno.ENAMETOOLONG: "cannot be there: its name is longer than the file system takes",
    errno.ELOOP: "is a ring of links",
    errno.EINVAL: "cannot be there: its name is none",
}
"""What errors of a look say of a clip that is not there; others say that it cannot be told."""


class Problem(msgspec.Struct, frozen=True):
    """Something that keeps a row from being asked.

    Attributes:
        where: file and line.
        item: id of the item, if it has one.
        what: what is wrong and what to do.
        code: short, stable word: ``metadata`` for what is written, ``missing`` or ``empty`` for its clip, ``no-clip``
            where it names none, ``key`` for a key that is nearly a known one.
        task: of the row, as far as that can be read.
    """

    where: str
    item: str
    what: str
    code: str = "metadata"
    task: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {f'item {shown(self.item)} ' if self.item else ''}{self.what}"


def stamp(problems: Iterable[Problem]) -> bytes:
    """Which rows are left out, for the digest of a benchmark; no bytes if none are."""
    return stamp_of(p.item or p.where.rpartition(", ")[2] for p in problems)


def stamp_of(rows: Iterable[str]) -> bytes:
    """The same by the rows' ids, or lines where they have none."""
    return "\n".join(sorted(rows)).encode()


def first(problems: Sequence[Problem], root: Path, most: int = FIRST) -> list[str]:
    """The first few of them, a line each; files below ``root`` by their names there."""
    return [shown(str(p).removeprefix(f"{root}/"), 300) for p in problems[:most]]


class ClipFiles:
    """Says of a clip whether it is there, by one look at the disk; names near it are looked for only where it is not.

    Args:
        root: the folder that names are relative to.
    """

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._known: dict[str, tuple[str, str]] = {}
        self._folders: dict[str, dict[str, str]] = {}
        self._reasons: dict[str, str] = {}
        self._stands_in: dict[str, str] = {}

    def notes(self, file: str) -> list[str]:
        """A line on the clips that were found under another ending; none if there are none.

        Args:
            file: that names them.
        """
        n = len(self._stands_in)
        if not n:
            return []
        name, there = next(iter(self._stands_in.items()))
        clips = "1 clip stands" if n == 1 else f"{n:,} clips stand"
        return [
            f"{file}: {clips} under another ending ('{shown(there)}' is used for '{shown(name)}'); correct file_name"
        ]

    def flaw(self, name: str) -> tuple[str, str]:
        """A code and what is wrong with a clip's file, both empty if it can be tried.

        What only reading tells (no permission, not audio, cut) is not seen here and becomes a recorded failure.
        """
        if name not in self._known:
            self._known[name] = self._look(name)
        return self._known[name]

    def _look(self, name: str) -> tuple[str, str]:
        try:
            found = self._stat(name) or self._of_stem(name)
        except OSError:
            return "", ""
        if found is None:
            why = self._reasons.get(name, "is not there")
            return "missing", f"names the clip '{shown(name, strip=False)}', which {why}; {self._hint(name)}"
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder, not a file" if stat.S_ISDIR(found.st_mode) else "a device or a pipe"
            return "missing", f"names '{shown(name)}', which is {kind}; name the audio file itself"
        if not found.st_size:
            return "empty", f"names the clip '{shown(name)}', which is empty (0 bytes); replace the file"
        return "", ""

    def _of_stem(self, name: str) -> os.stat_result | None:
        """Of the file that stands in for a wrong ending, as `Benchmark.clip_path` finds it."""
        stem = name[: len(name) - len(PurePosixPath(name).suffix)]
        there = self._names(stem.rpartition("/")[0])
        for other in (stem + e for e in AUDIO_ENDINGS if _folded(_own(stem + e)) in there):
            if found := self._stat(other):
                self._stands_in[name] = other
                return found
        return None

    def _names(self, folder: str) -> dict[str, str]:
        """The names in a folder, which is listed once, by their form without case and blanks."""
        if folder not in self._folders:
            self._folders[folder] = _listed(f"{self._root}/{folder}")
        return self._folders[folder]

    def _stat(self, name: str) -> os.stat_result | None:
        """None if there is no such file.

        Raises:
            OSError: that cannot be told.
        """
        try:
            return os.stat(f"{self._root}/{name}")  # noqa: PTH116  a Path costs more than the look
        except ValueError:  # a NUL, a lone surrogate
            return None
        except OSError as problem:
            if problem.errno in ABSENT:
                self._reasons.setdefault(name, ABSENT[problem.errno])
                return None
            raise

    def _hint(self, name: str) -> str:
        """What to do about a name that is not there, by the names that are."""
        if "\\" in name and self._stat(name.replace("\\", "/")) is not None:
            return "write / in place of \\"
        there = self._near(name)
        if there in {"", name}:
            return "fetch it, correct the name or remove the row"
        if unicodedata.normalize("NFC", there) == unicodedata.normalize("NFC", name):
            return "a file is there whose name differs only in Unicode form (NFC, NFD): rename it"
        return f"'{shown(there, strip=False)}' is there, which differs only in case or blanks: correct the name"

    def _near(self, name: str) -> str:
        """The name that is there and differs only in case, blanks or Unicode form, in its folders too; empty: none."""
        found = ""
        for part in name.replace("\\", "/").split("/"):
            there = self._names(found).get(_folded(part), "")
            if not there:
                return ""
            found = f"{found}/{there}" if found else there
        return found


def _own(name: str) -> str:
    return name.rpartition("/")[2]


def _listed(folder: str) -> dict[str, str]:
    try:
        return {_folded(name): name for name in os.listdir(folder)}  # noqa: PTH208  names are wanted, not paths
    except (OSError, ValueError):
        return {}


def _folded(name: str) -> str:
    return "".join(unicodedata.normalize("NFC", name).split()).casefold()
