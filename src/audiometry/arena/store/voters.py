"""Voters: browsers that hold a secret key, of which only hashes are kept."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from audiometry.arena.store.nouns import Voter
from audiometry.arena.store.refusals import NotThereError
from audiometry.arena.store.schema import VOTE, VOTER
from audiometry.arena.store.words import clean, code_of, code_sha256, key_of, sha256
from audiometry.web.database import Database


def enter(database: Database, key: str, client: str, participant: str) -> Voter:
    """See `Store.voter`."""
    with database.reading() as connection:
        row = _known(connection, key)
    if row is None:
        with database.writing() as connection:
            database.hold(connection, key_of("voter", key))
            row = _known(connection, key)
            if row is None:
                made = {"key_sha256": sha256(key), "code_sha256": code_sha256(code_of(key)), "made_at": time.time()}
                said = {"consent": "", "client": clean(client), "participant": clean(participant) or None}
                connection.execute(sa.insert(VOTER).values(**made, **said))
                row = _known(connection, key)
    assert row is not None  # noqa: S101  it was made
    return Voter(id=row.id, consent=row.consent, participant=row.participant or "")


def consent(connection: Connection, voter: Voter, version: str) -> Voter:
    """See `Store.consent`."""
    agreed = {"consent": clean(version), "consent_at": time.time()}
    connection.execute(sa.update(VOTER).where(VOTER.c.id == voter.id).values(**agreed))
    return Voter(id=voter.id, consent=version, participant=voter.participant)


def of_code(connection: Connection, code: str) -> int:
    """Whose personal code it is."""
    found = connection.scalar(sa.select(VOTER.c.id).where(VOTER.c.code_sha256 == code_sha256(code)))
    if found is None:
        raise NotThereError("this is nobody's code; see how it is spelt")
    return int(found)


def count(connection: Connection, voter: int) -> int:
    """See `Store.count`."""
    return connection.scalar(sa.select(sa.func.count()).select_from(VOTE).where(VOTE.c.voter == voter)) or 0


def present(connection: Connection, voter: int) -> None:
    """Keep a voter's data from being deleted until the end of the transaction.

    Raises:
        NotThereError: they are deleted.
    """
    asked = sa.select(VOTER.c.id).where(VOTER.c.id == voter, VOTER.c.key_sha256.is_not(None))
    if connection.execute(asked.with_for_update(read=True)).first() is None:
        raise NotThereError("there is no such voter; what she said was deleted")


def _known(connection: Connection, key: str) -> Row[Any] | None:
    return connection.execute(sa.select(VOTER).where(VOTER.c.key_sha256 == sha256(key))).first()
