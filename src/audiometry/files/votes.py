"""Vote files as a format: JSON lines, CSV or parquet of what voters said, or a table of pair counts.

Read in batches into columns, so that memory holds the columns and no lines. A line that cannot count is set apart with
its reason and its number, and the others count; nothing that is not known becomes a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError, counted, shown
from audiometry.files.vote_columns import Apart
from audiometry.files.vote_gathered import Gathered
from audiometry.files.vote_lines import batches, needed
from audiometry.records.votes import Votes

MB: Final = 1_000_000
GROUPS: Final = ("topic", "language")


class Group(msgspec.Struct, frozen=True):
    """A column that votes are grouped by.

    Attributes:
        values: of it, in alphabetical order.
        code: ``int32[n]``, the value of each vote; -1: it has none.
    """

    values: tuple[str, ...]
    code: NDArray[np.int32]


class Texts(msgspec.Struct, frozen=True):
    """What votes say in words, a text a vote; empty for none.

    Attributes:
        battle: ids of battles.
        query, comment: as they were written.
        reasons: of each vote.
        audio: where the recording of the query is, beside the file.
    """

    battle: list[str]
    query: list[str]
    comment: list[str]
    reasons: list[tuple[str, ...]]
    audio: list[str] = []


class VoteFile(msgspec.Struct, frozen=True, kw_only=True):
    """A vote file that was read.

    Attributes:
        path: of it.
        votes: all that count; contrasts are ``length``, ``latency`` and what else was asked for.
        line: ``int64[n]``, on which line each stands, from 1; rows of parquet.
        groups: by column: those that were asked for and say something.
        texts: None if they were not asked for.
        at: ``float64[n]``, when each was cast, seconds since 1970, NaN where not known; None: of no vote, or not asked
            for.
        seconds: ``float64[n]``, how long after both replies were there; as ``at``.
        characters: ``float64[n]``, of both replies together; as ``at``.
        n_lines: that say something: votes, or pairs.
        is_counts: whether it is a table of pair counts.
        apart: lines that do not count, by reason.
        read_as: labels of other tools: which of ours each was taken for, and how often.
        notes: what else is to be known, a sentence each without its full stop.
    """

    path: str
    votes: Votes
    line: NDArray[np.int64]
    groups: Mapping[str, Group]
    texts: Texts | None
    n_lines: int
    is_counts: bool
    apart: tuple[Apart, ...]
    read_as: Mapping[str, tuple[str, int]]
    notes: tuple[str, ...]
    at: NDArray[np.float64] | None = None
    seconds: NDArray[np.float64] | None = None
    characters: NDArray[np.float64] | None = None

    @property
    def n_apart(self) -> int:
        """How many lines do not count."""
        return sum(one.n for one in self.apart)


def read(
    path: Path,
    *,
    groups: Sequence[str] = GROUPS,
    texts: bool = False,
    times: bool = False,
    covariates: Sequence[str] = (),
    reached: Callable[[int, int], None] | None = None,
) -> VoteFile:
    """Read a vote file.

    A battle that stands there twice, of the same voter, counts once if both lines say the same; lines that contradict
    each other are all set apart.

    Args:
        path: of the file: ``model_a``, ``model_b`` and ``winner``, or ``a_wins``, ``b_wins``, ``ties`` and
            ``both_bad`` of each pair; see docs/votes.md for the others.
        groups: columns to group by, in small letters.
        texts: whether queries, comments and reasons are kept.
        times: whether ``at``, ``seconds`` and ``characters`` are.
        covariates: what is read of both replies beside their length and latency: ``style`` of ``style_a``, ``style_b``.
        reached: told now and then how many MB of how many are read.

    Raises:
        UsageError: it cannot be read, is no vote file, or holds no vote that counts.
    """
    gathered = Gathered(tuple(groups), texts=texts, times=times, covariates=covariates)
    size = _size(path)
    for batch in batches(path, gathered.wanted):
        gathered.add(batch)
        if reached is not None:
            reached(batch.reached // MB, max(size, batch.reached) // MB)
    if not gathered.n_lines:
        raise UsageError(f"{path} has no votes below its header; add them")
    columns = gathered.finish()
    apart = gathered.told.apart()
    if not len(columns["a"]):
        if gathered.names:
            needed(path, gathered.names)
        first = apart[0]
        said = f"{first.why}, line {first.lines[0]}"
        raise UsageError(
            f"{path} holds no vote that counts: none of {counted(gathered.n_lines, 'line')} can be used ({said})"
        )
    return VoteFile(
        path=str(path),
        votes=_votes(columns, gathered.models, gathered.covariates),
        line=columns["line"],
        groups={name: Group(values, columns[name]) for name, values in gathered.values.items() if name in columns},
        texts=Texts(**columns["texts"]) if texts else None,
        n_lines=gathered.n_lines,
        is_counts=gathered.is_counts,
        apart=apart,
        read_as=gathered.labels.read_as(),
        notes=tuple(gathered.notes()),
        at=columns.get("at"),
        seconds=columns.get("seconds"),
        characters=columns.get("characters"),
    )


def _votes(columns: Mapping[str, Any], models: tuple[str, ...], covariates: Sequence[str]) -> Votes:
    pairs = {name: (columns.get(f"{name}_a"), columns.get(f"{name}_b")) for name in covariates}
    return Votes(
        models=models,
        a=columns["a"],
        b=columns["b"],
        outcome=columns["outcome"],
        voter=columns.get("voter"),
        first=columns.get("first"),
        propensity=columns.get("propensity"),
        contrasts={name: np.stack([a, b], axis=1) for name, (a, b) in pairs.items() if a is not None and b is not None},
    )


def said_of(file: VoteFile) -> list[str]:
    """What was made of the file beside its votes, a line each: labels of other tools, lines set apart, notes."""
    lines = [
        f"'{shown(label, 40)}' is read as {ours} ({counted(n, 'vote')})" for label, (ours, n) in file.read_as.items()
    ]
    if file.apart:
        each = "; ".join(f"{one.n:,}: {shown(one.why, 120)} ({_lines(one)})" for one in file.apart)
        count = "counts" if file.n_apart == 1 else "count"
        lines.append(f"{counted(file.n_apart, 'line')} of {file.n_lines:,} set apart, which {count} nowhere: {each}")
    return [*lines, *file.notes]


def _lines(apart: Apart) -> str:
    more = ", …" if apart.n > len(apart.lines) else ""
    return f"line{'s' if apart.n > 1 else ''} {', '.join(f'{line}' for line in apart.lines)}{more}"


def _size(path: Path) -> int:
    """Bytes of a file; 0 for a pipe."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
