"""Votes split into parts: by a column of the file, or by how long replies are or took, into thirds."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiometry.errors import UsageError, shown
from audiometry.files.vote_gathered import COVARIATES
from audiometry.files.votes import Group, VoteFile
from audiometry.stats.ranking import chosen

THIRDS = ("short", "middle", "long")


class Split(msgspec.Struct, frozen=True):
    """Votes by part.

    Attributes:
        by: what they are split by.
        names: of the parts, in order: thirds as they grow, values with the most votes first.
        code: ``int64[n]``, the part of each vote; -1: it is not known.
    """

    by: str
    names: tuple[str, ...]
    code: NDArray[np.int64]


def some(file: VoteFile, rows: NDArray[np.bool_]) -> VoteFile:
    """Some of a file's votes, ``bool[n]``, without its texts; what was made of its lines stays as it was told."""
    return msgspec.structs.replace(
        file,
        votes=chosen(file.votes, rows),
        line=file.line[rows],
        groups={name: Group(one.values, one.code[rows]) for name, one in file.groups.items()},
        texts=None,
        at=None if file.at is None else file.at[rows],
        seconds=None if file.seconds is None else file.seconds[rows],
        characters=None if file.characters is None else file.characters[rows],
    )


def columns(by: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of a vote file that parts are read from beside those of replies."""
    return tuple(one for one in by if one not in COVARIATES)


def split(file: VoteFile, by: str) -> Split:
    """The votes of a file by part.

    Args:
        file: read with the columns that are asked for.
        by: a column, or ``length`` or ``latency``.

    Raises:
        UsageError: the file does not say it of any vote, or all replies are alike.
    """
    if by in COVARIATES:
        return _thirds(file, by)
    if by not in file.groups:
        raise UsageError(f"{file.path} has no column '{shown(by, 40)}' that says anything; add it, or leave --by out")
    group = file.groups[by]
    n = np.bincount(group.code[group.code >= 0], minlength=len(group.values))
    order = sorted(np.flatnonzero(n).tolist(), key=lambda code: -n[code])
    place = np.full(len(group.values) + 1, -1, np.int64)
    place[order] = np.arange(len(order))
    return Split(by, tuple(group.values[code] for code in order), place[group.code])


def _thirds(file: VoteFile, by: str) -> Split:
    """Battles by the mean of their two replies, cut so that each third has about as many; equal ones stay together."""
    pairs = file.votes.contrasts.get(by)
    means = np.full(file.votes.n, np.nan) if pairs is None else pairs.mean(axis=1)
    known = ~np.isnan(means)
    if not known.any():
        raise UsageError(f"{file.path} says of no vote the {by} of both replies ({by}_a, {by}_b); add them")
    low, high = np.quantile(means[known], [1 / 3, 2 / 3], method="inverted_cdf").tolist()
    top = means[known].max()
    if means[known].min() == top:
        raise UsageError(f"{file.path}: the {by} of all replies is {low:g}; there is nothing to split by")
    if low == top:  # so many are the longest that nothing would be longer than the first third
        low = high = float(means[known & (means < top)].max())
    code = np.where(known, (means > low).astype(np.int64) + (means > high), -1)
    ends = (f"up to {low:g}", f"to {high:g}", f"over {high:g}")
    there = [at for at in range(len(THIRDS)) if (code == at).any()]
    place = np.full(len(THIRDS) + 1, -1, np.int64)
    place[there] = np.arange(len(there))
    return Split(by, tuple(f"{THIRDS[at]}, {ends[at]}" for at in there), place[code])
