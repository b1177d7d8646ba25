"""How often each contestant failed, refused or said nothing, and how often nobody voted on what it said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from audiometry.arena.store.battles import still_open
from audiometry.arena.store.contestants import names
from audiometry.arena.store.nouns import Rates
from audiometry.arena.store.schema import BATTLE, REPLY

_STATES: Final = ("answered", "refused", "empty", "failed")
_CLOSED: Final = ("failed", "abandoned", "revealed")
_WITH_BOTH: Final = ("ready", "voted", "abandoned", "revealed")
"""States of battles whose two replies are answers or refusals."""


def rates(connection: Connection, *, closed: bool) -> tuple[Rates, ...]:
    """See `Store.failures`."""
    called = names(connection)
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for contestant, state, n in _counts(connection, closed=closed):
        counted[called[contestant]][state] += n
    return tuple(
        Rates(
            model=model,
            asked=sum(n[state] for state in _STATES),
            abandoned=n["abandoned"],
            **{state: n[state] for state in _STATES},
        )
        for model, n in sorted(counted.items())
    )


def _counts(connection: Connection, *, closed: bool) -> Iterator[tuple[int, str, int]]:
    """Contestant, state and how many replies, to be added up.

    Battles with both replies are counted without looking at these, of which there are twice as many; then refusals,
    which are few, are taken out of the answers.
    """
    over: sa.ColumnElement[bool] = sa.true()
    if closed:
        told = sa.and_(BATTLE.c.state == "voted", BATTLE.c.id.not_in(still_open()))
        over = sa.or_(BATTLE.c.state.in_(_CLOSED), told)
    pairs = sa.select(BATTLE.c.a, BATTLE.c.b, BATTLE.c.state, sa.func.count())
    pairs = pairs.where(over, BATTLE.c.state.in_(_WITH_BOTH)).group_by(BATTLE.c.a, BATTLE.c.b, BATTLE.c.state)
    for a, b, state, n in connection.execute(pairs):
        for contestant in (a, b):
            yield contestant, "answered", n
            if state == "abandoned":
                yield contestant, "abandoned", n
    for contestant, _, n in connection.execute(_replies(over, BATTLE.c.state != "failed", REPLY.c.state == "refused")):
        yield contestant, "refused", n
        yield contestant, "answered", -n
    for contestant, state, n in connection.execute(_replies(over, BATTLE.c.state == "failed")):
        yield contestant, state, n


def _replies(*which: sa.ColumnElement[bool]) -> sa.Select[Any, Any, int]:
    """Contestant, state and how many of some replies."""
    who = sa.case((REPLY.c.side == 0, BATTLE.c.a), else_=BATTLE.c.b).label("who")
    chosen = sa.select(who, REPLY.c.state, sa.func.count()).join(BATTLE, REPLY.c.battle == BATTLE.c.id)
    return chosen.where(*which).group_by(who, REPLY.c.state)
