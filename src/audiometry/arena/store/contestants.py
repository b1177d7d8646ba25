"""Contestants: a model exactly as it is asked; another version, prompt or setting is another, until they are merged."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry.arena.store.nouns import Contestant, Listed
from audiometry.arena.store.refusals import NotThereError
from audiometry.arena.store.schema import BATTLE, CONTESTANT, LEASE
from audiometry.arena.store.words import clean, key_of, sha256
from audiometry.errors import UsageError
from audiometry.web.database import Database

DIGITS: Final = 8  # of a hash, which tell two contestants of one model apart


def names(connection: Connection) -> dict[int, str]:
    """What each contestant is called on boards: its model; where several have that, with digits of its hash."""
    rows = connection.execute(
        sa.select(CONTESTANT.c.id, CONTESTANT.c.model, CONTESTANT.c.sha256, CONTESTANT.c.merged_into)
    ).all()
    own = {row.id: row for row in rows if row.merged_into is None}
    n = Counter(row.model for row in own.values())
    called = {id_: row.model if n[row.model] == 1 else f"{row.model}@{row.sha256[:DIGITS]}" for id_, row in own.items()}
    return {row.id: called[row.merged_into or row.id] for row in rows}


def enter(database: Database, connection: Connection, facts: Mapping[str, Any], label: str) -> Contestant:
    """Find a contestant by all that shapes its replies, or make it; see `Store.contestant`."""
    known: dict[str, Any] = clean(dict(facts))
    own = sha256(msgspec.json.encode(known, order="deterministic").decode())
    if label:  # what it is called shapes no reply
        known |= {"model": clean(label), "parameters": {"model": known["model"], **known["parameters"]}}
    row = connection.execute(sa.select(CONTESTANT).where(CONTESTANT.c.sha256 == own)).first()
    if row is None:
        database.hold(connection, key_of("contestant"))
        row = connection.execute(sa.select(CONTESTANT).where(CONTESTANT.c.sha256 == own)).first()
    if row is None:
        connection.execute(sa.insert(CONTESTANT).values(sha256=own, **known, first_seen=time.time()))
    elif row.model != known["model"]:
        renamed = {name: known[name] for name in ("model", "parameters")}
        connection.execute(sa.update(CONTESTANT).where(CONTESTANT.c.sha256 == own).values(renamed))
    row = connection.execute(sa.select(CONTESTANT).where(CONTESTANT.c.sha256 == own)).one()
    return Contestant(
        id=row.merged_into or row.id,
        model=row.model,
        release=row.release,
        system_prompt=row.system_prompt,
        parameters=row.parameters,
        sha256=own,
    )


def merge(connection: Connection, one: str, into: str) -> None:
    """Count a contestant as another; see `Store.merge`."""
    lower, upper = (_by_hash(connection, name) for name in (one, into))
    if lower == upper:
        raise UsageError(f"{one} and {into} are one contestant already; name two")
    connection.execute(
        sa.update(CONTESTANT)
        .where(sa.or_(CONTESTANT.c.id == lower, CONTESTANT.c.merged_into == lower))
        .values(merged_into=upper)
    )
    for side in (LEASE.c.low, LEASE.c.high):  # places that were taken count for the one that is left
        connection.execute(sa.update(LEASE).where(side == lower).values({side: upper}))
    turned = {"low": LEASE.c.high, "high": LEASE.c.low}
    connection.execute(sa.update(LEASE).where(LEASE.c.low > LEASE.c.high).values(turned))


def listed(connection: Connection) -> tuple[Listed, ...]:
    """See `Store.listed`."""
    called = names(connection)
    met: Counter[int] = Counter()
    for side in (BATTLE.c.a, BATTLE.c.b):
        n_of = connection.execute(sa.select(side, sa.func.count()).group_by(side))
        met.update({int(contestant): int(n) for contestant, n in n_of})
    rows = connection.execute(sa.select(CONTESTANT).order_by(CONTESTANT.c.first_seen, CONTESTANT.c.id)).all()
    return tuple(
        Listed(
            sha256=row.sha256,
            model=row.model,
            release=row.release,
            system_prompt=row.system_prompt,
            parameters=row.parameters,
            first_seen=row.first_seen,
            counts_as=called[row.id],
            battles=met[row.id],
        )
        for row in rows
    )


def _by_hash(connection: Connection, start: str) -> int:
    """The contestant that the first digits of a hash name, or that it was merged into."""
    rows = connection.execute(
        sa.select(CONTESTANT.c.id, CONTESTANT.c.merged_into).where(
            CONTESTANT.c.sha256.startswith(start, autoescape=True)
        )
    ).all()
    if len(rows) != 1 or not start:
        raise NotThereError(
            f"{len(rows) if start else 'no'} contestants have a hash that begins with '{start}'; give more of it"
        )
    return int(rows[0].merged_into or rows[0].id)
