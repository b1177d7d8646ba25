"""How two contestants are drawn: uniformly, or by places of a quota, which are leases that end."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Collection, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry import seeds
from audiometry.arena.store.nouns import Pair, Pairing
from audiometry.arena.store.refusals import FullError
from audiometry.arena.store.schema import LEASE
from audiometry.arena.store.words import key_of
from audiometry.web.database import Database

TAKEN: Final = "all battles that were wanted are taken"
TAKEN_FOR_NOW: Final = f"{TAKEN} for now"


def draw(database: Database, contestants: Sequence[int], how: Pairing, seed: int, resting: Sequence[int] = ()) -> Pair:
    """Draw two contestants; see `Store.draw`."""
    pairs = _pairs(contestants)
    if not pairs:
        raise FullError("a battle needs two models that answer; there are fewer now", done=False)
    stream = seeds.stream(seed, "pair")
    if how.quota:
        with database.writing() as connection:
            places = _free_of(database, connection, how, pairs, set(_pairs([*contestants, *resting])) - set(pairs))
            low, high = stream.pick([pair for pair, n in places.items() for _ in range(n)])
            propensity = places[low, high] / sum(places.values())
            lease = hold(connection, how.study, (low, high), time.time() + how.lease_s)
    else:
        low, high = stream.pick(pairs)
        propensity, lease = 1 / len(pairs), ""
    a, b = seeds.stream(seed, "sides").shuffled((low, high))
    return Pair(a=a, b=b, propensity=propensity, seed=seed, pairing=how, lease=lease)


def _pairs(contestants: Sequence[int]) -> list[tuple[int, int]]:
    return list(itertools.combinations(sorted(set(contestants)), 2))


def _free_of(
    database: Database,
    connection: Connection,
    how: Pairing,
    pairs: Sequence[tuple[int, int]],
    others: Collection[tuple[int, int]],
) -> dict[tuple[int, int], int]:
    """As `free`; while pairs that cannot be drawn now have places, those are taken for now alone."""
    try:
        return free(database, connection, how.study, pairs, how.quota)
    except FullError as problem:
        if not problem.done or not others:
            raise
    try:
        free(database, connection, how.study, [*others], how.quota)
    except FullError as problem:
        if problem.done:
            raise
    raise FullError(TAKEN_FOR_NOW, done=False)


def free(
    database: Database, connection: Connection, study: str, pairs: Sequence[tuple[int, int]], quota: int
) -> dict[tuple[int, int], int]:
    """How many places each pair has left; until the end of the transaction nobody else can take one.

    Raises:
        FullError: none has any.
    """
    database.hold(connection, key_of("quota", study))
    connection.execute(sa.delete(LEASE).where(LEASE.c.study == study, LEASE.c.expires < time.time()))
    taken = {
        (low, high): (n, kept)
        for low, high, n, kept in connection.execute(
            sa.select(LEASE.c.low, LEASE.c.high, sa.func.count(), sa.func.count(LEASE.c.expires))
            .where(LEASE.c.study == study)
            .group_by(LEASE.c.low, LEASE.c.high)
        )
    }
    places = {pair: quota - taken.get(pair, (0, 0))[0] for pair in pairs}
    left = {pair: n for pair, n in places.items() if n > 0}
    if not left:
        done = not any(taken[pair][1] for pair in pairs)
        raise FullError(TAKEN if done else TAKEN_FOR_NOW, done=done)
    return left


def hold(
    connection: Connection, study: str, pair: tuple[int, int], expires: float | None, battle: str | None = None
) -> str:
    """Take a place; the caller holds the study and knows that one is free."""
    lease = secrets.token_hex(16)
    connection.execute(
        sa.insert(LEASE).values(id=lease, study=study, low=min(pair), high=max(pair), battle=battle, expires=expires)
    )
    return lease


def let_go(connection: Connection, battle: str) -> None:
    """Give the place of a battle back."""
    connection.execute(sa.delete(LEASE).where(LEASE.c.battle == battle))


def unordered(one: int, other: int) -> tuple[int, int]:
    """A pair, whichever side was which."""
    return min(one, other), max(one, other)
