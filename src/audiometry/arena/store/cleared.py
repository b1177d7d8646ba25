"""What is removed: a person's words and recordings on request, everybody's after a time, battles that stand still."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry.arena.store.nouns import Deleted
from audiometry.arena.store.recordings import unnamed
from audiometry.arena.store.schema import APART, BATTLE, LEASE, RECORDING, REPLY, VOTE, VOTER
from audiometry.web.database import Database

_NOBODY: Final = {"key_sha256": None, "code_sha256": None, "participant": None, "client": ""}


class Expired(msgspec.Struct, frozen=True, kw_only=True):
    """What time did.

    Attributes:
        failed: battles whose models nobody asks any more.
        abandoned: battles without a vote.
        emptied: battles and recordings whose words and sounds were kept as long as was agreed.
    """

    failed: int
    abandoned: int
    emptied: int


def person(database: Database, connection: Connection, voter: int, *, votes: bool) -> tuple[Deleted, list[str]]:
    """Remove what a person said and who it was; see `Store.delete`.

    Returns:
        What was removed, and hashes of audio files that nobody names any more.
    """
    connection.execute(sa.select(VOTER.c.id).where(VOTER.c.id == voter).with_for_update())
    n_votes = sa.select(sa.func.count()).select_from(VOTE).where(VOTE.c.voter == voter)
    n = {"votes": connection.scalar(n_votes) or 0}
    n["battles"], n["recordings"], shas = _emptied(
        database, connection, BATTLE.c.voter == voter, RECORDING.c.voter == voter
    )
    if votes:
        connection.execute(sa.delete(BATTLE).where(BATTLE.c.voter == voter))  # replies, votes and places go with them
        connection.execute(sa.delete(VOTER).where(VOTER.c.id == voter))
    else:
        connection.execute(sa.update(VOTER).where(VOTER.c.id == voter).values(**_NOBODY))
    return Deleted(**n), shas


def expire(
    database: Database, connection: Connection, now: float, asking_s: float, vote_s: float, keep_s: float | None
) -> tuple[Expired, list[str]]:
    """See `Store.expire`."""
    state, made = BATTLE.c.state, BATTLE.c.made_at
    asked = sa.and_(state == "asking", made < now - asking_s)
    connection.execute(sa.delete(LEASE).where(LEASE.c.battle.in_(sa.select(BATTLE.c.id).where(asked))))
    failed = connection.execute(sa.update(BATTLE).where(asked).values(state="failed", ready_at=now)).rowcount
    left = sa.and_(state == "ready", BATTLE.c.ready_at < now - vote_s)
    abandoned = connection.execute(sa.update(BATTLE).where(left).values(state="abandoned")).rowcount
    connection.execute(sa.delete(LEASE).where(LEASE.c.expires < now))
    n_battles = n_recordings = 0
    shas = list[str]()
    if keep_s is not None:
        n_battles, n_recordings, shas = _emptied(
            database, connection, made < now - keep_s, RECORDING.c.at < now - keep_s
        )
    return Expired(failed=failed, abandoned=abandoned, emptied=n_battles + n_recordings), shas


def _emptied(
    database: Database, connection: Connection, battles: sa.ColumnElement[bool], recordings: sa.ColumnElement[bool]
) -> tuple[int, int, list[str]]:
    """Take words out of some battles, and remove some recordings; how many, and audio that nobody names any more.

    Lengths, latencies and outcomes stay where they are counted.
    """
    which = sa.select(BATTLE.c.id).where(battles)
    spoken = sa.select(RECORDING.c.id).where(recordings)
    empty: dict[str, Any] = {"text": "", "error": ""}
    connection.execute(
        sa.update(REPLY).where(REPLY.c.battle.in_(which), REPLY.c.text + REPLY.c.error != "").values(**empty)
    )
    connection.execute(sa.update(VOTE).where(VOTE.c.battle.in_(which), VOTE.c.comment != "").values(comment=""))
    connection.execute(sa.update(APART).where(APART.c.battle.in_(which), APART.c.rule != "").values(rule=""))
    said = sa.or_(BATTLE.c.text.is_not(None), BATTLE.c.recording.is_not(None))
    n_battles = connection.execute(
        sa.update(BATTLE).where(battles, said).values(text=None, recording=None, shareable=None)
    ).rowcount
    connection.execute(sa.update(BATTLE).where(BATTLE.c.recording.in_(spoken)).values(recording=None))
    shas = list(connection.scalars(sa.select(RECORDING.c.audio).where(recordings)))
    n_recordings = connection.execute(sa.delete(RECORDING).where(recordings)).rowcount
    return n_battles, n_recordings, unnamed(database, connection, shas)
