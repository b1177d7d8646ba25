"""Votes written anew with the topic and the use of their queries as columns: a vote file like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from audiometry.errors import UsageError, shown
from audiometry.files import atomic, presence
from audiometry.files.vote_lines import rows
from audiometry.files.votes import VoteFile

COLUMNS: Final = ("topic", "use")
GIVEN: Final = "given_"  # begins the name of a column of the file that one of these takes the place of


def refuse(path: Path, votes: Path) -> None:
    """Refuse a file that there is, and votes that cannot be read twice, before anything is worked out.

    Args:
        path: where to.
        votes: the file that was read.

    Raises:
        UsageError: one of them cannot be used.
    """
    if presence.exists(path):
        raise UsageError(
            f"{shown(str(path), 200)} is there already, and votes are dear: name another file with --write"
        )
    if not presence.is_file(votes):
        raise UsageError(
            f"{shown(str(votes), 200)} can be read once only; keep it in a file to have it written with --write"
        )


def write(path: Path, file: VoteFile, said: Sequence[str] | None = None) -> tuple[int, int]:
    """Write every line that can be read with all its columns, and the topic and the use of its query, as JSON lines.

    A column of the same name keeps what it said as ``given_topic``. Lines that count nowhere are written as they are.

    Args:
        path: where to.
        file: votes with the groups ``topic`` and ``use``.
        said: the query of each vote, where it was heard in its recording; None: as the file has it.

    Returns:
        How many lines were written, and how many could not be read.

    Raises:
        StorageError: the disk refused.
    """
    n = [0, 0]
    encode = msgspec.json.Encoder(enc_hook=str).encode

    def parts() -> Iterator[bytes]:
        at = 0
        for number, cells in rows(Path(file.path)):
            n[cells is None] += 1
            while at < len(file.line) and file.line[at] < number:
                at += 1
            if cells is None:
                continue
            added = _added(file, at, said, cells) if at < len(file.line) and file.line[at] == number else {}
            yield encode({**cells, **added}) + b"\n"

    atomic.write_parts(path, parts())
    return n[0], n[1]


def _added(file: VoteFile, at: int, said: Sequence[str] | None, cells: dict[str, Any]) -> dict[str, Any]:
    own = {name: one.values[code] for name in COLUMNS if (code := int((one := file.groups[name]).code[at])) >= 0}
    kept = {f"{GIVEN}{name}": cells[name] for name in own if name in cells}
    return {**kept, **own, **({"query": said[at]} if said is not None and said[at] else {})}
