"""Votes as a vote file gives them, read in bulk: numbers in the database's own form, and words where asked for."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from audiometry.arena.store.battles import still_open
from audiometry.arena.store.contestants import names
from audiometry.arena.store.nouns import SKIP
from audiometry.arena.store.recordings import Audio
from audiometry.arena.store.schema import APART, BATTLE, RECORDING, VOTE
from audiometry.errors import counted
from audiometry.files.votes import Group, Texts, VoteFile
from audiometry.records.votes import Votes
from audiometry.stats.ranking.votes import of_codes
from audiometry.web.database import Database

Floats = NDArray[np.float64]

GROUPS: Final = {"language": BATTLE.c.language, "study": BATTLE.c.study}
"""What votes can be grouped by."""
QUERY: Final = sa.func.coalesce(BATTLE.c.text, RECORDING.c.transcript, "")
"""What was asked, in words, where these are known; of `BATTLE` with its `RECORDING`."""
COUNTS: Final = sa.and_(VOTE.c.outcome != SKIP, VOTE.c.battle.not_in(sa.select(APART.c.battle)))
"""Whether a vote counts: its voter decided, and nothing has set it apart."""
IN_TURN: Final = (VOTE.c.at, VOTE.c.battle)
"""The order of votes, the same in a database as in its exported file."""
_LATENCIES: Final = ("latency_a", "latency_b")
_COLUMNS: Final = ("a", "b", "outcome", "voter", "propensity", "length_a", "length_b", "at", "seconds")


def read(
    database: Database, audio: Audio, groups: Sequence[str], *, texts: bool, closed: bool, latencies: bool
) -> VoteFile:
    """See `Store.votes`."""
    counts = sa.and_(COUNTS, VOTE.c.battle.not_in(still_open())) if closed else COUNTS
    plain = (*_COLUMNS, *(_LATENCIES if latencies else ()))
    with database.reading(whole=True) as connection:
        asked = {name: GROUPS[name] for name in groups if name in GROUPS}
        values = {name: _values(connection, column) for name, column in asked.items()}
        codes = [_coded(column, values[name]) for name, column in asked.items()]
        joined = VOTE.join(BATTLE, BATTLE.c.id == VOTE.c.battle) if asked or texts else VOTE
        chosen = sa.select(*(VOTE.c[name] for name in plain), *codes).select_from(joined).where(counts)
        rows = _numbers(database, connection, chosen.order_by(*IN_TURN) if texts else chosen)
        if not texts:  # in the same order, which databases take far longer to make
            rows = rows[np.argsort(rows[:, _COLUMNS.index("at")], kind="stable")]
        column = dict(zip((*plain, *asked), rows.T, strict=True))
        votes, keep = _votes(names(connection), column)
        return VoteFile(
            path=database.name,
            votes=votes,
            line=np.arange(1, votes.n + 1, dtype=np.int64),
            groups={name: Group(values[name], column[name][keep].astype(np.int32)) for name in asked if values[name]},
            texts=_texts(connection, audio, counts, keep) if texts else None,
            n_lines=votes.n,
            is_counts=False,
            apart=(),
            read_as={},
            notes=(*left_out_of(connection), *_merged(int((~keep).sum()))),
            at=column["at"][keep],
            seconds=np.where(column["seconds"] < 0, np.nan, column["seconds"])[keep],
            characters=(column["length_a"] + column["length_b"])[keep],
        )


def _votes(called: dict[int, str], column: dict[str, Floats]) -> tuple[Votes, NDArray[np.bool_]]:
    """The votes, and which rows they are: those of two contestants that have become one are none."""
    models = sorted(set(called.values()))
    place = np.zeros(max(called, default=0) + 1, np.int32)
    place[list(called)] = [models.index(name) for name in called.values()]
    a, b = (place[column[side].astype(np.int64)] for side in ("a", "b"))
    keep = a != b
    known = {name: np.where(values < 0, np.nan, values)[keep] for name, values in column.items()}
    votes = of_codes(
        models,
        a[keep],
        b[keep],
        known["outcome"].astype(np.int8),
        voter=known["voter"].astype(np.int32),
        first=np.zeros(int(keep.sum()), np.int8),  # a is what was shown on the left
        propensity=known["propensity"],
        contrasts={
            one: np.stack([known[f"{one}_a"], known[f"{one}_b"]], axis=1)
            for one in ("length", "latency")
            if f"{one}_a" in known
        },
    )
    return votes, keep


def _numbers(database: Database, connection: Connection, chosen: sa.Select[Any]) -> Floats:
    """Rows of numbers from 0, ``float64[n, k]``; -1 where there is none."""
    k = len(chosen.selected_columns)
    whole = chosen.with_only_columns(
        *(sa.cast(sa.func.coalesce(column, -1), sa.Double) for column in chosen.selected_columns),
        maintain_column_froms=True,
    )
    if database.is_sqlite:
        rows: Any = connection.execute(whole).cursor
        return np.fromiter(itertools.chain.from_iterable(rows), np.float64).reshape(-1, k)
    # all rows as one value: PostgreSQL sends a message for each row else, which takes ten times as long
    cells: Iterator[Any] = (sa.func.float8send(column) for column in whole.subquery().columns)
    row: Any = functools.reduce(lambda left, cell: left.op("||")(cell), cells)
    packed = sa.select(sa.func.string_agg(row, sa.literal(b""))).compile(connection)
    driver: Any = connection.connection.driver_connection
    (raw,) = driver.execute(packed.string, packed.params, binary=True).fetchone()
    return np.frombuffer(raw or b"", ">f8").reshape(-1, k).astype(np.float64)


def _values(connection: Connection, column: sa.ColumnElement[str]) -> tuple[str, ...]:
    return tuple(sorted(connection.scalars(sa.select(column).distinct().where(column != ""))))


def _coded(column: sa.ColumnElement[str], values: Sequence[str]) -> sa.ColumnElement[int]:
    if not values:
        return sa.literal(-1)
    return sa.case({value: code for code, value in enumerate(values)}, value=column, else_=-1)


def _texts(connection: Connection, audio: Audio, counts: sa.ColumnElement[bool], keep: NDArray[np.bool_]) -> Texts:
    """In the order in which votes were cast."""
    said = (
        sa.select(VOTE.c.battle, QUERY, VOTE.c.comment, VOTE.c.tags, RECORDING.c.audio)
        .join(BATTLE, BATTLE.c.id == VOTE.c.battle)
        .outerjoin(RECORDING, RECORDING.c.id == BATTLE.c.recording)
        .where(counts)
        .order_by(*IN_TURN)
    )
    rows = list(itertools.compress(connection.execute(said), keep.tolist()))
    battle, query, comment, tags, sent = (list(some) for some in zip(*rows, strict=True)) if rows else ([],) * 5
    return Texts(
        battle=battle,
        query=query,
        comment=comment,
        reasons=[tuple(some) for some in tags],
        audio=["" if sha256 is None else str(audio.path(sha256)) for sha256 in sent],
    )


def left_out_of(connection: Connection) -> list[str]:
    """Votes that count nowhere, a sentence for each reason without its full stop."""
    skipped = connection.scalar(sa.select(sa.func.count()).select_from(VOTE).where(VOTE.c.outcome == SKIP)) or 0
    reasons = connection.execute(
        sa.select(APART.c.reason, sa.func.count()).join(VOTE, VOTE.c.battle == APART.c.battle).group_by(APART.c.reason)
    ).all()
    notes = [f"{counted(n, 'vote')} set apart: {reason}" for reason, n in sorted(reasons)]
    return notes + ([f"{counted(skipped, 'battle')} that the voter did not want to decide"] if skipped else [])


def _merged(n: int) -> list[str]:
    return [f"{counted(n, 'vote')} of two contestants that have been merged into one"] if n else []
